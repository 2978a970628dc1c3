import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';

const BASE = '/gateway/RESTListeningConnector/LOCAL/ExecuteQuery.v1';
const MONITOR = `${BASE}/PUBLIC/PROCESS_MONITOR/JSON/NONFILE`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

interface Result {
  status: string;
  data: { query: { numrows: number; 'queryname=': string; rows: Record<string, unknown>[] } };
}

async function rows(query: string, path = MONITOR): Promise<Result['data']['query']> {
  const reply = await gateway.call(`${path}?${query}`);
  expect(reply.status, reply.text).toBe(200);
  return (JSON.parse(reply.text) as Result).data.query;
}

async function failure(query: string, path = MONITOR): Promise<{ status: number; message: string }> {
  const reply = await gateway.call(`${path}?${query}`);
  const body = JSON.parse(reply.text) as { status: string; error: { message: string; detail: string } };
  expect(body).toEqual({ status: 'failure', error: { message: expect.any(String), detail: expect.any(String) } });
  return { status: reply.status, message: body.error.message };
}

describe('the documented call (specification 2.1, 4.1)', () => {
  const documented =
    'isconnectedquery=N&maxrows=100&prompt_psqueryname=&prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1&filterfields=&json_resp=true';

  it('answers the JSON to the letter', async () => {
    const reply = await gateway.call(`${MONITOR}?${documented}`);
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe('application/json');
    const body = JSON.parse(reply.text) as Result;
    const { rows: found } = body.data.query;
    expect(
      reply.text.startsWith(
        `{"status":"success","data":{"query":{"numrows":${found.length},"queryname=":"PROCESS_MONITOR","rows":[{"attr:rownumber":1,"PRCSINSTANCE":`,
      ),
    ).toBe(true);
    expect(reply.text.endsWith('}]}}}')).toBe(true);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(100);
    expect(found.map((row) => row['attr:rownumber'])).toEqual(found.map((_, index) => index + 1));
    for (const row of found) {
      expect(Object.keys(row)).toEqual([
        'attr:rownumber',
        'PRCSINSTANCE',
        'MAINJOBINSTANCE',
        'PRCSJOBNAME',
        'PRCSTYPE',
        'PRCSNAME',
        'OPRID',
        'RUNCNTLID',
        'RECURNAME',
        'RUNSTATUS',
        'DISTSTATUS',
        'RUNDTTM',
      ]);
      expect(row).toMatchObject({
        PRCSINSTANCE: expect.any(Number),
        MAINJOBINSTANCE: expect.any(Number),
        OPRID: 'VP1',
        RUNSTATUS: expect.any(String),
      });
      expect(row.RUNDTTM).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}$/);
    }
  });

  it('has at least 500 requests of several operators, types and statuses', async () => {
    const { numrows, rows: found } = await rows('maxrows=0&json_resp=true');
    expect(numrows).toBeGreaterThanOrEqual(500);
    for (const column of ['OPRID', 'PRCSTYPE', 'RUNSTATUS'])
      expect(new Set(found.map((row) => row[column])).size).toBeGreaterThan(2);
  });
});

describe('parameters as existing clients send them (field notes 1)', () => {
  it('takes them in any order, absent or empty', async () => {
    const expected = await rows('prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1&maxrows=3');
    expect(await rows('maxrows=3&prompt_fieldvalue=VP1&prompt_uniquepromptname=OPRID')).toEqual(expected);
    expect(
      await rows(
        'maxrows=3&prompt_fieldvalue=VP1&isconnectedquery=&prompt_uniquepromptname=OPRID&json_resp=&filterfields=',
      ),
    ).toEqual(expected);
    expect(await rows('')).toEqual(
      await rows(
        'isconnectedquery=&maxrows=&prompt_psqueryname=&prompt_uniquepromptname=&prompt_fieldvalue=&filterfields=&json_resp=',
      ),
    );
    expect((await gateway.call(MONITOR)).status).toBe(200);
  });

  it('takes owner and Y/N in any case, with and without the node', async () => {
    const path = `/gateway/RESTListeningConnector/ExecuteQuery.v1/public/PROCESS_MONITOR/JSON/NONFILE`;
    expect((await rows('maxrows=2&isconnectedquery=n', path)).numrows).toBe(2);
    expect((await rows('maxrows=2', `${BASE}/Public/PROCESS_MONITOR/JSON/NONFILE`)).numrows).toBe(2);
    expect(
      (await rows('maxrows=2', '/gateway/RESTListeningConnector/ExecuteQuery/PUBLIC/PROCESS_MONITOR/JSON/NONFILE'))
        .numrows,
    ).toBe(2);
  });

  it('matches prompts by position, and an empty value keeps its place', async () => {
    const byPosition = await rows('prompt_uniquepromptname=PRCSTYPE,OPRID&prompt_fieldvalue=,VP1&maxrows=0');
    expect(byPosition).toEqual(await rows('prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1&maxrows=0'));
    const both = await rows('prompt_uniquepromptname=OPRID,RUNSTATUS&prompt_fieldvalue=VP1,9&maxrows=0');
    expect(both.rows.every((row) => row.OPRID === 'VP1' && row.RUNSTATUS === '9')).toBe(true);
    expect(both.numrows).toBeGreaterThan(0);
    expect(both.numrows).toBeLessThan(byPosition.numrows);
  });

  it('takes prompts by repetition, and from clients that encode every comma', async () => {
    const expected = await rows('prompt_uniquepromptname=OPRID,RUNSTATUS&prompt_fieldvalue=VP1,9&maxrows=0');
    expect(
      await rows(
        'prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1&prompt_uniquepromptname=RUNSTATUS&prompt_fieldvalue=9&maxrows=0',
      ),
    ).toEqual(expected);
    expect(await rows('prompt_uniquepromptname=OPRID%2CRUNSTATUS&prompt_fieldvalue=VP1%2C9&maxrows=0')).toEqual(
      expected,
    );
  });

  it('keeps %2C inside a value', async () => {
    expect((await rows('prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1%2C9')).numrows).toBe(0);
    const { message } = await failure('prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1,9');
    expect(message).toBe('prompt_fieldvalue has 2 values for 1 name in prompt_uniquepromptname.');
  });

  it('holds values to their case', async () => {
    expect((await rows('prompt_uniquepromptname=OPRID&prompt_fieldvalue=vp1')).numrows).toBe(0);
  });

  it('takes the query itself as the one that a prompt belongs to', async () => {
    const prompts = 'prompt_uniquepromptname=RUNSTATUS,OPRID&prompt_fieldvalue=9,VP1&maxrows=3';
    const expected = await rows(prompts);
    expect(await rows(`prompt_psqueryname=PROCESS_MONITOR,PROCESS_MONITOR&${prompts}`)).toEqual(expected);
    expect(await rows(`prompt_psqueryname=,PROCESS_MONITOR&${prompts}`)).toEqual(expected);
  });

  it('returns only the columns that filterfields names', async () => {
    const { rows: found } = await rows('filterfields=OPRID,PRCSINSTANCE&maxrows=1');
    expect(Object.keys(found[0] as object)).toEqual(['attr:rownumber', 'PRCSINSTANCE', 'OPRID']);
    expect((await rows('filterfields=OPRID%2CPRCSINSTANCE&maxrows=1')).rows).toEqual(found);
  });

  it('takes maxrows=100000', async () => {
    expect((await rows('maxrows=100000')).numrows).toBeGreaterThanOrEqual(500);
  });

  it('answers no rows with success, zero and an empty list', async () => {
    const reply = await gateway.call(`${MONITOR}?prompt_uniquepromptname=OPRID&prompt_fieldvalue=nobody`);
    expect(reply.text).toBe(
      '{"status":"success","data":{"query":{"numrows":0,"queryname=":"PROCESS_MONITOR","rows":[]}}}',
    );
  });

  it('takes the query in any text without harm to the SQL', async () => {
    const value = encodeURIComponent("' or 1=1 --");
    expect((await rows(`prompt_uniquepromptname=OPRID&prompt_fieldvalue=${value}`)).numrows).toBe(0);
  });
});

describe('output types', () => {
  const XMLP = '<QAS_GETQUERYRESULTS_RESP_MSG>';
  const of = (type: string, query: string) =>
    gateway.call(`${BASE}/PUBLIC/PROCESS_MONITOR/${type}/NONFILE?maxrows=2&${query}`);

  it.each([
    ['JSON', '', 'application/json'],
    ['JSON', 'json_resp=true', 'application/json'],
    ['JSON', 'json_resp=false', 'application/xml', XMLP],
    ['XMLP', '', 'application/xml', XMLP],
    ['XMLP', 'json_resp=false', 'application/xml', XMLP],
    ['XMLP', 'json_resp=true', 'application/json'],
    ['WEBROWSET', '', 'application/xml', '<webRowSet '],
    ['WEBROWSET', 'json_resp=false', 'application/xml', '<webRowSet '],
    ['WEBROWSET', 'json_resp=TRUE', 'application/json'],
    ['CSV', '', 'text/csv; charset=utf-8; header=present', 'PRCSINSTANCE,'],
    ['CSV', 'json_resp=true', 'text/csv; charset=utf-8; header=present', 'PRCSINSTANCE,'],
    ['CSV', 'json_resp=false', 'text/csv; charset=utf-8; header=present', 'PRCSINSTANCE,'],
  ])('%s with %j is %s', async (type, query, contentType, root = '{"status":"success"') => {
    const reply = await of(type, query);
    expect(reply.status).toBe(200);
    expect(reply.headers['content-type']).toBe(contentType);
    expect(reply.text).toContain(root);
    expect(Number(reply.headers['content-length'])).toBe(Buffer.byteLength(reply.text));
  });

  it('XMLP has query, row and one element a column, text in CDATA', async () => {
    const { text } = await of('XMLP', 'filterfields=PRCSINSTANCE,OPRID');
    expect(text).toMatch(
      /<QAS_GETQUERYRESULTS_RESP_MSG><query numrows="2" queryname="PROCESS_MONITOR"><row rownumber="1"><PRCSINSTANCE>\d+<\/PRCSINSTANCE><OPRID><!\[CDATA\[\w+\]\]><\/OPRID><\/row><row rownumber="2">/,
    );
    const none = await gateway.call(
      `${BASE}/PUBLIC/PROCESS_MONITOR/XMLP/NONFILE?prompt_uniquepromptname=OPRID&prompt_fieldvalue=nobody`,
    );
    expect(none.text).toMatch(/<query numrows="0" queryname="PROCESS_MONITOR"\s*(\/>|><\/query>)/);
  });

  it('CSV is RFC 4180 with a header', async () => {
    const { text } = await of('CSV', 'filterfields=PRCSINSTANCE,OPRID');
    const lines = text.split('\r\n');
    expect(lines[0]).toBe('PRCSINSTANCE,OPRID');
    expect(lines[1]).toMatch(/^\d+,\w+$/);
  });

  it('PDF is 400, which names what there is', async () => {
    expect(await failure('', `${BASE}/PUBLIC/PROCESS_MONITOR/PDF/NONFILE`)).toEqual({
      status: 400,
      message: expect.stringMatching(/^OutResultType .*JSON.*XMLP.*WEBROWSET.*HTML.*EXCEL.*CSV/),
    });
  });

  it('a format of delivery that there is not is 400, which names those that there are', async () => {
    expect(await failure('', `${BASE}/PUBLIC/PROCESS_MONITOR/JSON/MAIL`)).toEqual({
      status: 400,
      message: expect.stringMatching(/^OutResultFormat .*NONFILE.*FILE/),
    });
  });
});

describe('errors', () => {
  it.each([
    ['maxrows=-1', 'maxrows'],
    ['maxrows=ten', 'maxrows'],
    ['maxrows=1.5', 'maxrows'],
    ['maxrows=1&maxrows=2', 'maxrows'],
    ['isconnectedquery=maybe', 'isconnectedquery'],
    ['isconnectedquery=Y', 'isconnectedquery'],
    ['json_resp=perhaps', 'json_resp'],
    ['prompt_uniquepromptname=NOPE&prompt_fieldvalue=1', 'NOPE'],
    ['prompt_uniquepromptname=oprid&prompt_fieldvalue=1', 'oprid'],
    ['prompt_uniquepromptname=OPRID,OPRID&prompt_fieldvalue=1,2', 'OPRID'],
    [`prompt_uniquepromptname=OPRID&prompt_fieldvalue=${'x'.repeat(31)}`, 'OPRID'],
    ['prompt_psqueryname=OTHER&prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1', 'OTHER'],
    ['prompt_psqueryname=,PROCESS_MONITOR&prompt_uniquepromptname=OPRID&prompt_fieldvalue=VP1', 'prompt_psqueryname'],
    ['prompt_fieldvalue=VP1', 'prompt_fieldvalue'],
    ['filterfields=NOPE', 'NOPE'],
    ['filterfields=oprid', 'oprid'],
    ['maxrows=%ff', 'maxrows'],
    ['maxrows=%00', 'maxrows'],
    ['maxrows=%c0%b1', 'maxrows'],
    ['maxrows=%zz', 'maxrows'],
  ])('%s is 400 and names it', async (query, name) => {
    expect(await failure(query)).toEqual({ status: 400, message: expect.stringContaining(name) });
  });

  it('an unknown query is 404', async () => {
    expect(await failure('', `${BASE}/PUBLIC/NO_SUCH/JSON/NONFILE`)).toEqual({
      status: 404,
      message: 'There is no query NO_SUCH that you may run.',
    });
    expect((await failure('', `${BASE}/PRIVATE/PROCESS_MONITOR/JSON/NONFILE`)).status).toBe(404);
  });

  it.each([
    ['XMLP', ''],
    ['WEBROWSET', ''],
    ['JSON', '&json_resp=false'],
    ['JSON', '&json_resp=0'],
    ['CSV', '&json_resp=false'],
  ])('are XML where the caller reads XML: %s%s', async (type, more) => {
    const reply = await gateway.call(`${BASE}/PUBLIC/PROCESS_MONITOR/${type}/NONFILE?maxrows=x${more}`);
    expect(reply.status).toBe(400);
    expect(reply.headers['content-type']).toBe('application/xml');
    expect(reply.text).toContain('<status>failure</status>');
    expect(reply.text).toContain('<message>maxrows ');
  });

  it.each([
    ['CSV', ''],
    ['CSV', '&json_resp=true'],
    ['XMLP', '&json_resp=true'],
    ['WEBROWSET', '&json_resp=1'],
  ])('are JSON where the caller reads JSON: %s%s', async (type, more) => {
    expect(await failure(`maxrows=x${more}`, `${BASE}/PUBLIC/PROCESS_MONITOR/${type}/NONFILE`)).toEqual({
      status: 400,
      message: expect.stringMatching(/^maxrows /),
    });
  });

  it('no credentials are 401, no grant is 403, each with the fault document', async () => {
    const without = await gateway.call(MONITOR, { anonymous: true });
    expect(without.status).toBe(401);
    expect(without.headers['www-authenticate']).toBe('Basic realm="signalbox", charset="UTF-8"');
    expect(JSON.parse(without.text)).toMatchObject({ status: 'failure' });
    const guest = await gateway.call(MONITOR, { headers: { authorization: GUEST } });
    expect(guest.status).toBe(403);
    expect(JSON.parse(guest.text)).toMatchObject({
      status: 'failure',
      error: { message: 'User guest may not use operation QAS_EXECUTEQRY_REST_GET.' },
    });
  });
});
