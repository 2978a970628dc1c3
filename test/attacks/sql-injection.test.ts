import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadProject } from '../../src/load/index.ts';
import type { Query } from '../../src/model/query.ts';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectUnharmed, LOOKUP, MONITOR, REST } from './support/attack.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
/** Tables are there, and hold what they held. */
afterAll(async () => {
  await expectUnharmed(gateway, ['Query LOADS failed because of an internal error.']);
  expect(await employees()).toBe(people);
  await gateway.stop();
});

const INJECTIONS: readonly string[] = [
  "'",
  "''",
  "' or '1'='1",
  "' or 1=1 --",
  "N' or 'a'='a",
  '" or ""="',
  "'; drop table employee_tbl; --",
  "'; delete from location_tbl where '1'='1",
  "' union select name, email_addr, phone, title, deptname from employee_tbl --",
  "') or ('1'='1",
  '1 or 1=1',
  '1; select sqlite_version()',
  "' and randomblob(1000000000) --",
  "' || (select group_concat(name) from sqlite_master) || '",
  "\\' or 1=1 --",
  '%27%20or%201=1',
  '/**/or/**/1=1',
  '\u02bc or 1=1 --',
  '\uff07 or 1=1 --',
  ':REGION',
  '$1',
  '?1',
  '%',
  '_',
  '*',
];

const enc = encodeURIComponent;
const prompted = (query: string, name: string, value: string, more: readonly (readonly [string, string])[] = []) => {
  const given = [[name, value], ...more] as const;
  const names = given.map(([each]) => enc(each)).join();
  const values = given.map(([, each]) => enc(each.replaceAll(',', '\\,'))).join();
  return `${REST}/ExecuteQuery.v1/PUBLIC/${query}/JSON/NONFILE?json_resp=true&prompt_uniquepromptname=${names}&prompt_fieldvalue=${values}`;
};

/** Every prompt of the sample, with what the others of its query take that are required. */
const PROMPTS = [...sampleQueries()].flatMap(({ id, prompts }) =>
  prompts.map(({ name }) => {
    const others = prompts.filter((other) => other.required && other.name !== name);
    return [id, name, others.map((other) => [other.name, String(other.example)] as const)] as const;
  }),
);

function sampleQueries(): Iterable<Query> {
  const { registry } = loadProject({ root: fileURLToPath(new URL('../../', import.meta.url)) });
  return registry?.queries.values() ?? [];
}

const rowsOf = ({ text }: Reply): unknown[] => JSON.parse(text).data.query.rows;

/** Nothing was found, or what was said is refused; never rows, never words of a database. */
function expectNoRows(reply: Reply, what: string): void {
  expect([200, 400, 404], what).toContain(reply.status);
  if (reply.status === 200) expect(rowsOf(reply), what).toEqual([]);
  expectNoWords(reply, what);
}

function expectNoWords({ text }: Reply, what: string): void {
  expect(text, what).not.toMatch(/SQLITE_[A-Z]|syntax error|unrecognized token|near "|no such (table|column)/);
}

let people: number;
async function employees(): Promise<number> {
  const reply = await gateway.call(prompted('DEPARTMENTS', '', '').replace(/&prompt.*/, ''));
  return (rowsOf(reply) as { EMPLOYEES: number }[]).reduce((sum, { EMPLOYEES }) => sum + EMPLOYEES, 0);
}
beforeAll(async () => {
  people = await employees();
  expect(people).toBeGreaterThan(0);
});

describe.each(INJECTIONS)('%j', (text) => {
  it.each(PROMPTS)('as a prompt of %s, %s, is a value', async (query, name, more) => {
    expectNoRows(await gateway.call(prompted(query, name, text, more)), text);
  });

  it('in a path or query of a handler is a value', async () => {
    for (const path of [LOOKUP.replace('=N', `=${enc(text)}`), `${LOOKUP.split('?')[0]}N/?location=${enc(text)}`]) {
      const reply = await gateway.call(path);
      expect(reply.status === 200 || (reply.status >= 400 && reply.status < 500), `${reply.status} ${path}`).toBe(true);
      expect(reply.text).not.toMatch(/NYC01|@/);
      expectNoWords(reply, path);
    }
  });

  it('as a name is a name that nothing has', async () => {
    const named = [
      `${REST}/ExecuteQuery.v1/PUBLIC/${enc(text)}/JSON/NONFILE`,
      `${REST}/ExecuteQuery.v1/PRIVATE/${enc(text)}/JSON/NONFILE`,
      prompted('EMPLOYEES_BY_DEPT', text, 'FINANCE'),
      `${REST}/QueryFile.v1/${enc(text)}/x.json`,
      `${REST}/ProcessRequest.v1/requests/${enc(text)}`,
    ];
    for (const path of named) {
      const reply = await gateway.call(path);
      expect(reply.status >= 400 && reply.status < 500, `${reply.status} ${path}`).toBe(true);
      expectNoWords(reply, path);
    }
    // The query services say in a 200 that there is no such instance.
    for (const path of ['QueryStatus.v1/getstatus', 'QueryResults.v1/getresults', 'CancelQuery.v1/cancelquery']) {
      const reply = await gateway.call(`${REST}/${path}?instanceid=${enc(text)}&json_resp=true`);
      expect(reply.text, path).not.toMatch(/"rows"|success|queued|running/);
      expectNoWords(reply, path);
    }
  });

  it('as a number or a list of columns adds nothing', async () => {
    const plain = await gateway.call(`${MONITOR}?json_resp=true`);
    for (const parameter of ['maxrows', 'filterfields', 'isconnectedquery']) {
      const reply = await gateway.call(`${MONITOR}?json_resp=true&${parameter}=${enc(text)}`);
      expectNoWords(reply, parameter);
      if (reply.status !== 200) expect(reply.status).toBe(400);
      else expect(rowsOf(reply).length).toBeLessThanOrEqual(rowsOf(plain).length);
    }
  });

  it('in a search finds what has it in its name', async () => {
    const { status, text: found } = await gateway.call(
      `${REST}/ListQuery.v1/PUBLIC?json_resp=true&search=${enc(text)}`,
    );
    if (status !== 200) return expect(status).toBe(400);
    for (const { QueryName, Descr } of JSON.parse(found).queries as { QueryName: string; Descr: string }[]) {
      expect(`${QueryName} ${Descr}`.toLowerCase()).toContain(text.replace(/[%*]/g, '').toLowerCase());
    }
  });

  it('kept in a record, and read again, is what it was', async () => {
    const path = `${REST}/LocationSetup.v1/Locations/N/SQL`;
    const record = { REGION: 'N', LOCATION: 'SQL', DESCR: text.slice(0, 30), EFFDT: '2026-01-01' };
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const kept = await gateway.call(path, { method: 'PUT', headers, body: JSON.stringify(record) });
    expect([200, 201], kept.text).toContain(kept.status);
    expect(JSON.parse((await gateway.call(path, { headers })).text)).toMatchObject(record);
    expect((await gateway.call(path, { method: 'DELETE' })).status).toBeLessThan(300);
  });
});

it('prompts that are answered at all take what they are meant to', async () => {
  expect(PROMPTS.map(([query, name]) => `${query} ${name}`).toSorted()).toEqual([
    'EMPLOYEES_BY_DEPT DEPTNAME',
    'EMPLOYEES_BY_LOCATION LOCATION',
    'EMPLOYEES_BY_LOCATION REGION',
    'LOCATIONS_BY_REGION REGION',
    'LOCATION_LIST REGION',
    'PROCESS_MONITOR OPRID',
    'PROCESS_MONITOR PRCSTYPE',
    'PROCESS_MONITOR RUNSTATUS',
  ]);
  const reply = await gateway.call(prompted('EMPLOYEES_BY_LOCATION', 'REGION', 'N', [['LOCATION', 'NYC01']]));
  expect(rowsOf(reply).length).toBeGreaterThan(0);
});

describe('a query that a user saves', () => {
  const save = (definition: object): Promise<Reply> =>
    gateway.call(`${REST}/QuerySave.v1/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(definition),
    });
  const one = { query: 'MINE', columns: { N: 'text' }, sql: "select 'a' as n" };

  it.each(INJECTIONS)('has no name like %j', async (query) => {
    const reply = await save({ ...one, query });
    expect(reply.status).toBe(400);
    expectNoWords(reply, query);
  });

  it.each([
    'drop table employee_tbl',
    'select 1 as n; drop table employee_tbl',
    'delete from employee_tbl returning name as n',
    'with gone as (delete from employee_tbl returning *) select 1 as n from gone',
    'insert into employee_tbl (emplid) values (1) returning emplid as n',
    "attach database '/tmp/attached.db' as other",
    'pragma writable_schema = 1',
    "select readfile('/etc/passwd') as n",
    'select sql as n from sqlite_master',
    'select sql as n from main.sqlite_schema',
    'select name as n from pragma_table_list',
    'select password as n from signalbox_user',
    'select id as n from signalbox_query_run',
    'vacuum',
    'begin; select 1 as n',
  ])('is refused where its SQL is %s', async (sql) => {
    const reply = await save({ ...one, sql });
    expect(reply.status, reply.text).toBe(400);
    expect((await gateway.call(`${REST}/ExecuteQuery.v1/PRIVATE/MINE/JSON/NONFILE`)).status).toBe(404);
  });

  it('loads no code into the database, though its SQL is a SELECT', async () => {
    await save({ ...one, query: 'LOADS', sql: "select load_extension('/tmp/evil') as n" });
    const reply = await gateway.call(`${REST}/ExecuteQuery.v1/PRIVATE/LOADS/JSON/NONFILE`);
    expect(reply.status).toBeGreaterThanOrEqual(400);
  });

  it('takes a prompt that was saved with it as a value too', async () => {
    const prompts = { P: { type: 'text' } };
    const sql = 'select name as n from employee_tbl where name = :P';
    expect((await save({ query: 'SECOND', prompts, columns: { N: 'text' }, sql })).status).toBe(200);
    for (const text of INJECTIONS) {
      const path = prompted('SECOND', 'P', text).replace('/PUBLIC/', '/PRIVATE/');
      expectNoRows(await gateway.call(path), text);
    }
  });
});
