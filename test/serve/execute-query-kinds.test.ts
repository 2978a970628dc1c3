import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';

describe('queries of other kinds', () => {
  /** `demo` may run every query but one, whose list nobody holds. */
  const USERS = `permission-list: EVERYTHING
operations: [QAS_QRY_SERVICE.*]
---
permission-list: NOBODY
---
role: ALL
permission-lists: [EVERYTHING]
---
user: demo
password: $scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [ALL]
sample: true
`;
  const QUERIES = `query: ECHO
permission: EVERYTHING
prompts: { A: { type: string, required: true }, B: string, C: { type: integer, default: 7 } }
columns: { T.A: string, T.B: string, C: integer }
sql: select :A as "t.a", :B as "t.b", :C as c
---
query: CAPPED
permission: EVERYTHING
rows: 2
columns: { N: integer }
sql: select 1 as n union all select 2 union all select 3
---
query: ENDLESS
permission: EVERYTHING
timeout: 300 ms
columns: { N: integer }
sql: with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) as n from c
---
query: OVERFLOW
permission: EVERYTHING
columns: { N: integer }
sql: select abs(-9223372036854775807 - 1) as n
---
query: UNGRANTED
permission: NOBODY
columns: { N: integer }
sql: select 1 as n
`;
  const of = (name: string, type = 'JSON'): string =>
    `/gateway/RESTListeningConnector/ExecuteQuery.v1/PUBLIC/${name}/${type}/NONFILE`;
  const said = (text: string): unknown => JSON.parse(text).error.message;

  let other: TestGateway;
  beforeAll(async () => {
    other = await startTestGateway({
      files: {
        'definitions/gateway.yaml': gatewayText('delivered: [QAS_QRY_SERVICE.v1]'),
        'definitions/users.yaml': USERS,
        'definitions/queries.yaml': QUERIES,
      },
    });
  });
  afterAll(() => other.stop());

  it.each([
    ['prompt_uniquepromptname=A,B&prompt_fieldvalue=x%2Cy,z', ['x,y', 'z', 7]],
    ['prompt_uniquepromptname=A,B&prompt_fieldvalue=x%2Cy', ['x', 'y', 7]],
    ['prompt_uniquepromptname=A&prompt_fieldvalue=x%2Cy', ['x,y', '', 7]],
    ['prompt_uniquepromptname=A,B,C&prompt_fieldvalue=x%2Cy', ['x,y', '', 7]],
    ['prompt_uniquepromptname=A,B,C&prompt_fieldvalue=x,,12', ['x', '', 12]],
    ['prompt_uniquepromptname=B,A&prompt_fieldvalue=,x', ['x', '', 7]],
    ['prompt_uniquepromptname=A%2CB&prompt_fieldvalue=x&prompt_fieldvalue=y%2Cz', ['x', 'y,z', 7]],
  ])('take %s, in columns named with an alias', async (query, [a, b, c]) => {
    const reply = await other.call(`${of('ECHO')}?${query}`);
    expect(reply.text).toBe(
      `{"status":"success","data":{"query":{"numrows":1,"queryname=":"ECHO","rows":[{"attr:rownumber":1,"T.A":${JSON.stringify(a)},"T.B":${JSON.stringify(b)},"C":${c}}]}}}`,
    );
  });

  it.each([
    ['', 'Prompt A is missing.'],
    ['prompt_uniquepromptname=A&prompt_fieldvalue=', 'Prompt A is missing.'],
    ['prompt_uniquepromptname=B&prompt_fieldvalue=x', 'Prompt A is missing.'],
    ['prompt_uniquepromptname=A,C&prompt_fieldvalue=x,y', 'Prompt C is not an integer.'],
  ])('refuse prompts that are missing or wrong: %j', async (query, message) => {
    const reply = await other.call(`${of('ECHO')}?${query}`);
    expect([reply.status, said(reply.text)]).toEqual([400, message]);
  });

  it.each([
    ['', 2, 'true'],
    ['maxrows=0', 2, 'true'],
    ['maxrows=100000', 2, 'true'],
    ['maxrows=9223372036854775807', 2, 'true'],
    ['maxrows=2', 2, undefined],
    ['maxrows=1', 1, undefined],
  ])('say so where the row cap cut them: %j', async (query, count, truncated) => {
    for (const [type, row] of [
      ['JSON', /"N":/g],
      ['XMLP', /<row /g],
      ['WEBROWSET', /<currentRow>/g],
      ['CSV', /^\d/gm],
    ] as const) {
      const reply = await other.call(`${of('CAPPED', type)}?${query}`);
      expect(reply.text.match(row)).toHaveLength(count);
      expect(reply.headers['rows-truncated']).toBe(truncated);
    }
  });

  it('answer 504 where they take too long', async () => {
    const reply = await other.call(of('ENDLESS'));
    expect([reply.status, reply.text]).toEqual([
      504,
      '{"status":"failure","error":{"message":"Query ENDLESS took longer than 300 ms and was stopped.","detail":""}}',
    ]);
  });

  it('keep what the database says from the caller, and tell the log once', async () => {
    const reply = await other.call(of('OVERFLOW', 'XMLP'));
    expect([reply.status, reply.text]).toEqual([
      500,
      '<QAS_FAILURE><status>failure</status><error><message>Query OVERFLOW failed because of an internal error.</message><detail/></error></QAS_FAILURE>',
    ]);
    const told = other.log().filter(({ level }) => level === 'error');
    expect(told).toHaveLength(1);
    expect(JSON.stringify(told)).toContain('SQLITE_ERROR: integer overflow');
  });

  it('need a grant of their own', async () => {
    const reply = await other.call(of('UNGRANTED'));
    expect([reply.status, said(reply.text)]).toEqual([404, 'There is no query UNGRANTED that you may run.']);
  });
});
