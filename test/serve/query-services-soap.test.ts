import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { clientOf, NS, startQueryServices } from './query-services-project.ts';
import { bodyOf, faultOf, type SoapReply } from './soap-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startQueryServices();
});
afterAll(() => gateway.stop());

const { soap, fetch, ended } = clientOf(() => gateway);

const RUN = (type: string, format = 'NONFILE', query = 'DEPARTMENTS', more = ''): string =>
  `<OwnerType>PUBLIC</OwnerType><QueryName>${query}</QueryName><OutResultType>${type}</OutResultType><OutResultFormat>${format}</OutResultFormat>${more}`;
const inside = (reply: SoapReply, operation: string): string => {
  const body = bodyOf(reply);
  const found = new RegExp(
    `^<(\\w+:)?${operation}Response [^>]*"${NS}"[^>]*>(.*)</(\\w+:)?${operation}Response>$`,
    's',
  ).exec(body);
  if (found === null) throw new Error(`no reply of ${operation}: ${body}`);
  return found[2] as string;
};
const value = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}[^>]*>(.*?)</${name}>`, 's').exec(xml)?.[1];

describe('query services over SOAP', () => {
  it('execute a query as rows in XML, whether XMLP or JSON is asked for', async () => {
    for (const type of ['XMLP', 'JSON']) {
      const reply = inside(await soap('QAS_EXECUTEQRYSYNC_OPER', RUN(type)), 'QAS_EXECUTEQRYSYNC_OPER');
      expect(reply, type).toMatch(
        /<query [^>]*numrows="3" queryname="DEPARTMENTS">|<query numrows="3" queryname="DEPARTMENTS"[^>]*>/,
      );
      expect(reply).toContain('<row rownumber="1"><DEPT><![CDATA[HR]]></DEPT><BUDGET>10.5</BUDGET></row>');
    }
  });

  it('execute a query as WEBROWSET', async () => {
    const reply = inside(await soap('QAS_EXECUTEQRYSYNC_OPER', RUN('WEBROWSET')), 'QAS_EXECUTEQRYSYNC_OPER');
    expect(reply).toMatch(
      /^<webRowSet xmlns="http:\/\/java\.sun\.com\/xml\/ns\/jdbc">.*<columnValue>HR<\/columnValue>.*<\/webRowSet>$/s,
    );
  });

  it('hold what is no XML as base64', async () => {
    const csv = inside(await soap('QAS_EXECUTEQRYSYNC_OPER', RUN('CSV')), 'QAS_EXECUTEQRYSYNC_OPER');
    expect(Buffer.from(value(csv, 'content') ?? '', 'base64').toString()).toMatch(/^DEPT,BUDGET\r\nHR,/);
    const excel = inside(await soap('QAS_EXECUTEQRYSYNC_OPER', RUN('EXCEL')), 'QAS_EXECUTEQRYSYNC_OPER');
    expect(
      Buffer.from(value(excel, 'content') ?? '', 'base64')
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
  });

  it('answer the address of a file', async () => {
    const reply = inside(await soap('QAS_EXECUTEQRYSYNC_OPER', RUN('CSV', 'FILE')), 'QAS_EXECUTEQRYSYNC_OPER');
    expect(value(reply, 'status')).toBe('success');
    expect((await fetch(value(reply, 'FILEURL') ?? '')).text).toMatch(/^DEPT,BUDGET/);
  });

  it('poll: the instance, its state, its block', async () => {
    const prompts =
      '<prompt_uniquepromptname><item>N</item></prompt_uniquepromptname><prompt_fieldvalue><item>1001</item></prompt_fieldvalue>';
    const entered = await soap('QAS_EXECUTEQRYSYNCPOLL_OPER', RUN('XMLP', 'NONFILE', 'COUNTED', prompts));
    const id = value(inside(entered, 'QAS_EXECUTEQRYSYNCPOLL_OPER'), 'QueryInstance') ?? '';
    await ended(id);
    const named = `<instanceid>${id}</instanceid>`;
    const status = inside(await soap('QAS_QUERYSTATUS_OPER', named), 'QAS_QUERYSTATUS_OPER');
    expect(['status', 'NumCols', 'TotalRows', 'TotalBlocks'].map((name) => value(status, name))).toEqual([
      'success',
      '2',
      '1001',
      '2',
    ]);
    const block = await soap('QAS_GETQUERYRESULTS_OPER', `${named}<blocknumber>2</blocknumber>`);
    const rows = inside(block, 'QAS_GETQUERYRESULTS_OPER');
    expect(rows).toContain('<row rownumber="1001"><N>1001</N>');
    expect(rows).toMatch(/<\/query><status xmlns="">finalBlockRetrieved<\/status>$/);
    const cancelled = inside(await soap('QAS_CANCELQUERY_OPER', named), 'QAS_CANCELQUERY_OPER');
    expect(value(cancelled, 'status')).toBe('fail');
    const unknown = inside(
      await soap('QAS_GETQUERYRESULTS_OPER', '<instanceid>x</instanceid>'),
      'QAS_GETQUERYRESULTS_OPER',
    );
    expect(value(unknown, 'status')).toBe('idNotFound');
  });

  it('list queries by the beginning of their names, their fields and their prompts', async () => {
    const list = await soap('QAS_LISTQUERY_OPER', '<OwnerType>PUBLIC</OwnerType><SearchString>CAP</SearchString>');
    expect(inside(list, 'QAS_LISTQUERY_OPER')).toContain('<QueryName>CAPPED</QueryName>');
    expect(inside(list, 'QAS_LISTQUERY_OPER')).not.toContain('COUNTED');
    const named = '<OwnerType>PUBLIC</OwnerType><QueryName>PEOPLE</QueryName>';
    const fields = inside(await soap('QAS_LISTQUERYFIELDS_OPER', named), 'QAS_LISTQUERYFIELDS_OPER');
    expect(fields).toContain('<UniqueFieldName>E.NAME</UniqueFieldName>');
    const prompts = inside(await soap('QAS_LISTQUERYPROMPTS_OPER', named), 'QAS_LISTQUERYPROMPTS_OPER');
    expect(prompts).toContain('<UniquePromptName>GRADE</UniquePromptName>');
  });

  it('save and delete a private query', async () => {
    const definition = JSON.stringify({ query: 'BY_SOAP', columns: { N: 'integer' }, sql: 'select 1 as n' });
    const saved = await soap('QAS_SAVE_QUERY_OPER', `<Definition>${definition}</Definition>`);
    expect(value(inside(saved, 'QAS_SAVE_QUERY_OPER'), 'STATUS')).toBe('Success');
    const deleted = await soap('QAS_QUERY_DELETE_OPER', '<QUERY_NAME>BY_SOAP</QUERY_NAME>');
    expect(value(inside(deleted, 'QAS_QUERY_DELETE_OPER'), 'INFO_MESSAGE')).toBe('Query BY_SOAP was deleted.');
  });

  it('tell what is wrong in a fault with the failure inside', async () => {
    const fault = faultOf(await soap('QAS_EXECUTEQRYSYNC_OPER', RUN('XMLP', 'NONFILE', 'NONE')));
    expect(fault).toMatchObject({ code: 'Client', reason: 'There is no query NONE that you may run.' });
    expect(fault.detail).toContain('<error><message>There is no query NONE that you may run.</message>');
    const refused = faultOf(
      await soap('QAS_SAVE_QUERY_OPER', '<Definition>{"query":"X","columns":{},"sql":"select 1"}</Definition>'),
    );
    expect(refused.code).toBe('Client');
  });
});
