import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROCESS_PROJECT, REST } from '../serve/process-project.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';

const ROOT = '/gateway/RESTListeningConnector';
const JSON_BODY = { 'content-type': 'application/json' };

const RECORDS = `document: PLACE
fields: { ID: { type: integer, required: true }, NAME: string(20) }
---
service: Places.v1
public: true
operations:
  PLACE_PUT: { put: "places/{ID}", save: PLACES }
---
component: PLACES
table: place
shape: PLACE
keys: [ID]
`;

/** What both versions of the definitions have. */
const BOTH: Readonly<Record<string, string>> = {
  ...PROCESS_PROJECT,
  'definitions/gateway.yaml': `${PROCESS_PROJECT['definitions/gateway.yaml']}sample-data: data/*.sql
limits: { unknown: 1 m }
`,
  'definitions/data/tables.sql': `create table place (id integer primary key, name text);
create table seen (n serial primary key, id integer, name text, attempt integer, oprid text);
`,
};

const OLD = { ...BOTH, 'definitions/records.yaml': RECORDS };

/** The next version: a process, a parameter, a recurrence, a user, a class and a query that the one before lacks. */
const NEW = {
  ...BOTH,
  'definitions/processes.yaml': `${PROCESS_PROJECT['definitions/processes.yaml']?.replace(
    'parameters: { WORDS: text }',
    'parameters: { WORDS: text, MORE: text }',
  )}---
process: FRESH
type: Application Engine
permission: EVERYTHING
handler: open
parameters: { WORDS: text }
---
recurrence: DAILY
cron: 0 6 * * *
---
query: EVENS
permission: EVERYTHING
prompts: { LAST: { type: integer, required: true } }
columns: { N: integer }
sql: select :LAST as n
`,
  'definitions/users.yaml': `${PROCESS_PROJECT['definitions/users.yaml']}---
user: newcomer
password: $scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ
roles: [ALL]
sample: true
---
permission-list: LISTENING
---
role: LISTENERS
permission-lists: [LISTENING]
`,
  'definitions/records.yaml': `${RECORDS}events:
  - { event: SavePostChange, service: WATCH, as: LISTENERS }
---
{ related-content: WATCH, class: watch, permission: LISTENING }
`,
  'src/handlers/watch.ts': `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute({ execute, after, attempt, caller }) {
    await execute('insert into seen (id, name, attempt, oprid) values (:id, :name, :attempt, :user)',
      { id: after.ID, name: after.NAME, attempt, user: caller.user });
  }
}
`,
};

const NEWCOMER = `Basic ${Buffer.from('newcomer:demo').toString('base64')}`;
const numbers = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index + 1);

describe.skipIf(!hasPostgres)('gateways with different definitions over one database', () => {
  let database: TestDatabase;
  let older: TestGateway;
  let newer: TestGateway;
  const rows = async (sql: string): Promise<Record<string, unknown>[]> => (await database.run(sql)).rows;
  beforeAll(async () => {
    database = await createDatabase({ migrated: true });
    const env = { DATABASE_URL: database.url };
    older = await startTestGateway({ files: OLD, env });
    newer = await startTestGateway({ files: NEW, env });
  });
  afterAll(async () => {
    await newer.stop();
    await older.stop();
    await database.drop();
  });

  const schedule = async (body: object, authorization?: string): Promise<number> => {
    const { text } = await newer.call(`${REST}/requests`, {
      method: 'POST',
      headers: { ...JSON_BODY, ...(authorization === undefined ? {} : { authorization }) },
      body: JSON.stringify({ RunControlId: 'RC', ...body }),
    });
    return Number(/^\{"ProcessInstance":(\d+)\}$/.exec(text)?.[1] ?? expect.fail(text));
  };
  /** The results of requests: how many ended with each status, after how many attempts. */
  const results = (name: string): Promise<Record<string, unknown>[]> =>
    eventually(
      `the end of ${name}`,
      async () => {
        const found = await rows(`select runstatus, attempt, ended is not null as over, count(*)::int as requests
        from psprcsrqst join signalbox_process_request on instance = prcsinstance
        where prcsname = '${name}' and (recurname = '' or runs < now()::text) group by 1, 2, 3`);
        return found.every(({ over }) => over === true) ? found.map(({ over: _, ...each }) => each) : undefined;
        // Chance decides how often the gateway that lacks what a single job needs is the first to see it again.
      },
      40,
    );

  it('run requests of a process that one of them has there, at the first attempt', async () => {
    for (const _ of numbers(30)) await schedule({ ProcessType: 'Application Engine', ProcessName: 'FRESH' });
    expect(await results('FRESH')).toEqual([{ runstatus: '9', attempt: 1, requests: 30 }]);
  });

  it('run a request with a parameter that one of them has there, and the others of its process anywhere', async () => {
    for (const n of numbers(10)) {
      const parameters = [{ Name: n % 2 === 0 ? 'MORE' : 'WORDS', Value: 'x' }];
      await schedule({ ProcessType: 'SQR Report', ProcessName: 'OPEN', parameters });
    }
    expect(await results('OPEN')).toEqual([{ runstatus: '9', attempt: 1, requests: 10 }]);
  });

  it('run a request of a user whom one of them has there', async () => {
    const asked = {
      ProcessType: 'Application Engine',
      ProcessName: 'EXTRACT',
      parameters: [{ Name: 'REGION', Value: 'N' }],
    };
    for (const _ of numbers(5)) await schedule(asked, NEWCOMER);
    expect(await results('EXTRACT')).toEqual([{ runstatus: '9', attempt: 1, requests: 5 }]);
  });

  it('go on with a recurrence that one of them has', async () => {
    const asked = { ProcessType: 'Crystal', ProcessName: 'NUMBERS_LIST', Recurrence: 'DAILY' };
    const parameters = [{ Name: 'LAST', Value: '3' }];
    for (const _ of numbers(5)) await schedule({ ...asked, RunDateTime: '2026-01-01T00:00:00Z', parameters });
    await results('NUMBERS_LIST');
    const all = await rows(`select runstatus, count(*)::int as requests from psprcsrqst where recurname = 'DAILY'
      group by 1 order by 1`);
    expect(all).toEqual([
      { runstatus: '5', requests: 5 },
      { runstatus: '9', requests: 5 },
    ]);
  });

  it('run a class that one of them has, in the order of the saves, under the grants of its role', async () => {
    for (const name of ['a', 'b', 'c'])
      for (const id of numbers(10)) {
        const body = JSON.stringify({ NAME: name });
        const { status } = await newer.call(`${ROOT}/Places.v1/places/${id}`, {
          method: 'PUT',
          headers: JSON_BODY,
          body,
        });
        expect(status).toBeLessThan(300);
      }
    const seen = await eventually('all classes', async () => {
      const found = await rows(`select id, string_agg(name, '' order by n) as names, max(attempt) as attempts
        from seen group by id having count(*) = 3 order by id`);
      return found.length === 10 ? found : undefined;
    });
    expect(seen).toEqual(numbers(10).map((id) => ({ id, names: 'abc', attempts: 1 })));
  });

  it('run polled queries that one of them has there', async () => {
    const asked = 'EVENS/JSON/NONFILE?prompt_uniquepromptname=LAST&prompt_fieldvalue=4';
    for (const _ of numbers(20)) {
      const { text } = await newer.call(`${ROOT}/ExecuteQueryPoll.v1/PUBLIC/${asked}`);
      expect(text).toMatch(/[0-9a-f-]{36}/);
    }
    const states = await eventually('all runs', async () => {
      const found = await rows(
        `select state, count(*)::int as runs from signalbox_query_run where query = 'EVENS' group by 1`,
      );
      return found.every(({ state }) => state === 'success' || state === 'error') ? found : undefined;
    });
    expect(states).toEqual([{ state: 'success', runs: 20 }]);
  });

  it('end what none of them has any more as an error with its reason, after the time that is set', async () => {
    await newer.stop();
    await older.stop();
    const settings = String(BOTH['definitions/gateway.yaml']).replace('1 m', '1 s');
    const env = { DATABASE_URL: database.url };
    older = await startTestGateway({ files: { ...OLD, 'definitions/gateway.yaml': settings }, env });
    const [{ max: instance } = {}] = await rows(`select max(prcsinstance) from psprcsrqst where prcsname = 'FRESH'`);
    await rows(`update psprcsrqst set runstatus = '10' where prcsinstance = ${instance}`);
    const restarted = await older.call(`${REST}/requests/${instance}`, {
      method: 'PATCH',
      headers: JSON_BODY,
      body: JSON.stringify({ RunStatus: 'Restart' }),
    });
    expect(restarted.status).toBe(200);
    const lines = await eventually('the end of it', async () => {
      const { text } = await older.call(`${REST}/requests/${instance}`);
      if (JSON.parse(text).RunStatus !== 'Error') return undefined;
      return JSON.parse((await older.call(`${REST}/requests/${instance}/messages`)).text).messages;
    });
    const reason =
      'No gateway has been able to run it for 1 s: there is no process FRESH of the type Application Engine here.';
    expect(lines.at(-1)).toMatchObject({ Level: 'error', Text: reason });
    const dead = await rows(`select attempts, error from signalbox_dead_letter where queue = 'processes'`);
    expect(dead).toEqual([{ attempts: 0, error: expect.stringContaining('there is no process FRESH') }]);
    expect(older.log().filter(({ msg }) => String(msg).includes('there is no process FRESH')).length).toBeGreaterThan(
      0,
    );
  });
});
