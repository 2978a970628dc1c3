import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { clientOf, startQueryServices } from './query-services-project.ts';
import { keptFiles } from './soap-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startQueryServices();
});
afterAll(() => gateway.stop());

const { get, json, fetch } = clientOf(() => gateway);
const message = async (path: string, as: 'demo' | 'guest' = 'demo') => {
  const { status, body } = await json(path, as);
  return { status, message: body.error.message };
};

describe('the list of queries', () => {
  it('holds those that the caller may run, in the order of their names', async () => {
    const { body } = await json('ListQuery.v1/PUBLIC');
    expect(body.queries.map((query: { QueryName: string }) => query.QueryName)).toEqual([
      'CAPPED',
      'COUNTED',
      'DEPARTMENTS',
      'ENDLESS',
      'PEOPLE',
      'SLOW',
    ]);
    expect(body.queries[2]).toEqual({
      QueryName: 'DEPARTMENTS',
      Descr: 'Departments and who works there.',
      OwnerType: 'PUBLIC',
      IsConnectedQuery: 'Y',
    });
    expect(
      (await json('ListQuery.v1/public', 'guest')).body.queries.map((each: { QueryName: string }) => each.QueryName),
    ).toEqual(['COUNTED', 'DEPARTMENTS']);
  });

  it('takes a prefix in any case, a limit, and connected queries alone', async () => {
    const names = async (query: string, as: 'demo' | 'guest' = 'demo') =>
      (await json(`ListQuery.v1/PUBLIC?${query}`, as)).body.queries.map(
        (each: { QueryName: string }) => each.QueryName,
      );
    expect(await names('search=c')).toEqual(['CAPPED', 'COUNTED']);
    expect(await names('search=C&maxrows=1')).toEqual(['CAPPED']);
    expect(await names('search=&maxrows=0')).toHaveLength(6);
    expect(await names('isconnectedquery=Y')).toEqual(['DEPARTMENTS']);
    expect(await names('isconnectedquery=Y', 'guest'), 'its member is not granted').toEqual([]);
    expect(await names('search=NONE')).toEqual([]);
  });

  it('is XML where json_resp or Accept ask for it', async () => {
    const { text, headers } = await get('ListQuery.v1/PUBLIC?search=CAP&json_resp=false');
    expect(headers['content-type']).toBe('application/xml');
    expect(text).toContain(
      '<QAS_QUERIES><queries><item><QueryName>CAPPED</QueryName><Descr/><OwnerType>PUBLIC</OwnerType><IsConnectedQuery>N</IsConnectedQuery></item></queries></QAS_QUERIES>',
    );
  });
});

describe('the fields of a query', () => {
  it('are its columns in the words of the query services', async () => {
    const { body } = await json('QueryFields.v1/PUBLIC/DEPARTMENTS');
    expect(body).toEqual({
      fields: [
        {
          ColumnNumber: 1,
          FieldName: 'DEPT',
          FieldType: 'Character',
          FieldLength: 10,
          FieldDecimal: 0,
          HeadingText: 'DEPT',
          UniqueFieldName: 'DEPT',
        },
        {
          ColumnNumber: 2,
          FieldName: 'BUDGET',
          FieldType: 'Number',
          FieldLength: 8,
          FieldDecimal: 2,
          HeadingText: 'Yearly budget',
          UniqueFieldName: 'BUDGET',
        },
      ],
    });
  });

  it('of a connected query are those of its members too', async () => {
    const { body } = await json('QueryFields.v1/PUBLIC/DEPARTMENTS?isconnectedquery=Y');
    const seen = body.fields.map((each: Record<string, unknown>) => [
      each.QueryName,
      each.ColumnNumber,
      each.FieldName,
      each.UniqueFieldName,
    ]);
    expect(seen).toEqual([
      ['DEPARTMENTS', 1, 'DEPT', 'DEPT'],
      ['DEPARTMENTS', 2, 'BUDGET', 'BUDGET'],
      ['PEOPLE', 1, 'DEPT', 'DEPT'],
      ['PEOPLE', 2, 'NAME', 'E.NAME'],
      ['PEOPLE', 3, 'SINCE', 'SINCE'],
    ]);
    expect(await message('QueryFields.v1/PUBLIC/PEOPLE?isconnectedquery=Y')).toEqual({
      status: 400,
      message: 'isconnectedquery is Y, and PEOPLE is not a connected query.',
    });
  });
});

describe('the prompts of a query', () => {
  it('come with their types and values', async () => {
    const { body } = await json('QueryPrompts.v1/PUBLIC/PEOPLE');
    expect(body).toEqual({
      prompts: [
        {
          QueryName: 'PEOPLE',
          FieldName: 'GRADE',
          HeadingText: 'Grade of pay',
          FieldType: 'Character',
          FieldLength: 1,
          UniquePromptName: 'GRADE',
          Required: 'N',
          DefaultValue: 'A',
          Values: ['A', 'B'],
        },
        {
          QueryName: 'PEOPLE',
          FieldName: 'SINCE',
          HeadingText: 'SINCE',
          FieldType: 'Date',
          FieldLength: 10,
          UniquePromptName: 'SINCE',
          Required: 'N',
        },
      ],
    });
  });

  it('of a connected query are those of its members too', async () => {
    expect((await json('QueryPrompts.v1/PUBLIC/DEPARTMENTS')).body).toEqual({ prompts: [] });
    const { body } = await json('QueryPrompts.v1/PUBLIC/DEPARTMENTS?isconnectedquery=Y');
    expect(body.prompts.map((each: { UniquePromptName: string }) => each.UniquePromptName)).toEqual(['GRADE', 'SINCE']);
  });

  it('are told to those alone who may run it', async () => {
    expect((await get('QueryPrompts.v1/PUBLIC/PEOPLE', 'guest')).status).toBe(403);
    expect(await message('QueryPrompts.v1/PUBLIC/NONE')).toEqual({
      status: 404,
      message: 'There is no query NONE that you may run.',
    });
  });
});

describe('a connected query', () => {
  const run = (more: string, type = 'JSON') =>
    json(`ExecuteQuery.v1/PUBLIC/DEPARTMENTS/${type}/NONFILE?isconnectedquery=Y&${more}`);

  it('nests the rows of its member, with prompts that name it', async () => {
    const prompts =
      'prompt_psqueryname=PEOPLE,PEOPLE&prompt_uniquepromptname=GRADE,SINCE&prompt_fieldvalue=A,2020-06-01';
    const { body } = await run(prompts);
    expect(body.data.query.numrows).toBe(3);
    expect(body.data.query.rows.map((row: Record<string, unknown>) => [row.DEPT, row.PEOPLE])).toEqual([
      ['HR', []],
      ['IT', [{ 'attr:rownumber': 1, DEPT: 'IT', 'E.NAME': 'Cy', SINCE: '2021-02-28' }]],
      ['NIL', []],
    ]);
  });

  it('is run alone with N', async () => {
    const { body } = await json('ExecuteQuery.v1/PUBLIC/DEPARTMENTS/JSON/NONFILE?isconnectedquery=N');
    expect(body.data.query.rows[0]).toEqual({ 'attr:rownumber': 1, DEPT: 'HR', BUDGET: 10.5 });
  });

  it('refuses what can’t be meant, by name', async () => {
    const refused = async (more: string, type = 'JSON') => (await run(more, type)).body.error.message;
    expect(await refused('prompt_uniquepromptname=GRADE&prompt_fieldvalue=A')).toBe(
      'prompt_uniquepromptname names "GRADE", which DEPARTMENTS does not have; it has: none.',
    );
    expect(await refused('prompt_psqueryname=OTHER&prompt_uniquepromptname=GRADE&prompt_fieldvalue=A')).toBe(
      'prompt_psqueryname names "OTHER", which is not part of DEPARTMENTS.',
    );
    expect(
      await refused('prompt_psqueryname=PEOPLE&prompt_uniquepromptname=SINCE&prompt_fieldvalue=soon'),
      'the query whose prompt it is',
    ).toBe('Prompt SINCE of PEOPLE is not a date (yyyy-MM-dd).');
    expect(await refused('', 'CSV')).toMatch(/^OutResultType is CSV, which can't nest/);
    expect((await get('ExecuteQuery.v1/PUBLIC/DEPARTMENTS/JSON/NONFILE?isconnectedquery=Y', 'guest')).status).toBe(404);
  });
});

describe('a result in a file', () => {
  const run = (type: string, more = '') =>
    get(`ExecuteQuery.v1/PUBLIC/DEPARTMENTS/${type}/FILE?filterfields=DEPT&${more}`);
  const urlOf = async (type: string, more = ''): Promise<string> =>
    JSON.parse((await run(type, more)).text).data.fileurl;

  it('is answered by its address, and fetched there in its own type', async () => {
    const { status, text, headers } = await run('CSV');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    const { status: said, data } = JSON.parse(text);
    expect(said).toBe('success');
    expect(data.fileurl).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/gateway\/RESTListeningConnector\/QueryFile\.v1\/[0-9a-f-]{36}\/DEPARTMENTS\.csv$/,
    );
    const file = await fetch(data.fileurl);
    expect(file.text).toBe('DEPT\r\nHR\r\nIT\r\nNIL\r\n');
    expect(file.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="DEPARTMENTS.csv"',
      'content-length': '19',
    });
    for (const accept of ['text/csv', 'application/vnd.ms-excel', 'application/json'])
      expect((await gateway.call(new URL(data.fileurl).pathname, { headers: { accept } })).text).toBe(file.text);
  });

  it('can be had in every type', async () => {
    const types: [string, string, string][] = [
      ['JSON', 'json', '{"status":"success","data":{"query":{"numrows":3'],
      ['XMLP', 'xml', '<?xml version="1.0" encoding="UTF-8"?><QAS_GETQUERYRESULTS_RESP_MSG>'],
      ['WEBROWSET', 'xml', '<?xml version="1.0" encoding="UTF-8"?><webRowSet'],
      ['HTML', 'html', '<!'],
      ['EXCEL', 'xlsx', 'PK'],
    ];
    for (const [type, extension, start] of types) {
      const { text } = await run(type);
      const url = text.startsWith('{')
        ? JSON.parse(text).data.fileurl
        : (/<FILEURL>(.*)<\/FILEURL>/.exec(text)?.[1] ?? '');
      expect(url, type).toMatch(new RegExp(`/DEPARTMENTS\\.${extension}$`));
      expect((await fetch(url)).text.slice(0, start.length), type).toBe(start);
    }
  });

  it('is answered in XML where json_resp is false', async () => {
    const { text } = await run('CSV', 'json_resp=false');
    expect(text).toMatch(
      /<QAS_GETQUERYRESULTS_RESP_MSG><FILEURL>http:.*\.csv<\/FILEURL><status>success<\/status><\/QAS_GETQUERYRESULTS_RESP_MSG>$/,
    );
  });

  it('is fetched by whoever may run the query, and by nobody else', async () => {
    const shared = await urlOf('CSV');
    expect((await fetch(shared, 'guest')).status).toBe(200);
    const people = JSON.parse((await get('ExecuteQuery.v1/PUBLIC/PEOPLE/CSV/FILE')).text).data.fileurl;
    expect((await fetch(people)).status).toBe(200);
    expect((await fetch(people, 'guest')).status).toBe(404);
    expect((await gateway.call(new URL(shared).pathname, { anonymous: true })).status).toBe(401);
  });

  it('is not there under another name or id', async () => {
    const url = await urlOf('CSV');
    expect((await fetch(url.replace('.csv', '.xlsx'))).status).toBe(404);
    expect((await fetch(url.replace(/\/[0-9a-f]{8}-/, '/00000000-'))).status).toBe(404);
    expect((await fetch(url.replace(/[0-9a-f-]{36}/, 'x'))).status).toBe(404);
  });

  it('says that the row cap cut it', async () => {
    const { text, headers } = await get('ExecuteQuery.v1/PUBLIC/CAPPED/CSV/FILE');
    expect(headers['rows-truncated']).toBe('true');
    const file = await fetch(JSON.parse(text).data.fileurl);
    expect([file.text, file.headers['rows-truncated']]).toEqual(['N\r\n1\r\n2\r\n', 'true']);
  });

  it('keeps nothing where the query fails', async () => {
    const before = keptFiles(gateway);
    expect(await message('ExecuteQuery.v1/PUBLIC/SLOW/CSV/FILE')).toEqual({
      status: 504,
      message: 'Query SLOW took longer than 100 ms and was stopped.',
    });
    expect(keptFiles(gateway)).toEqual(before);
  });
});
