import { readFileSync } from 'node:fs';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';

const DEFINITIONS = `query: COUNTED
permission: EVERYTHING
prompts: { N: { type: integer, required: true } }
columns: { N: integer, NAME: string }
sql: |
  with recursive counted(n) as (select 1 union all select n + 1 from counted where n < :N)
  select n, 'row ' || n || '${' of many'.repeat(80)}' as name from counted where n <= :N
---
query: ENDLESS
permission: EVERYTHING
columns: { N: integer }
sql: with recursive c(n) as (select 1 union all select n + 1 from c) select max(n) as n from c
---
query: EFFECTS
permission: EVERYTHING
columns: { ITEM: string, ATTEMPT: integer }
sql: select item, attempt from effect order by item
---
process: WAITING
type: Application Engine
permission: EVERYTHING
parameters: { ITEM: { type: string(30), required: true }, DOOR: { type: text, required: true } }
---
document: NOTE
fields: { ID: { type: string(30), required: true }, TEXT: string(100) }
---
component: NOTES
table: note
shape: NOTE
keys: [ID]
events: [{ event: SavePostChange, service: AFTER_NOTE }]
---
{ related-content: AFTER_NOTE, class: after-note, public: true }
---
service: Notes.v1
permission: EVERYTHING
operations:
  NOTE_GET: { get: "Notes/{ID}", read: NOTES }
  NOTE_PUT: { put: "Notes/{ID}", save: NOTES }
`;

/** Waits until the file DOOR is there, then leaves a row in the transaction that ends it. */
const WAITING = `import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
export default {
  async run({ ITEM, DOOR }, context) {
    context.message('info', 'begun');
    while (!existsSync(DOOR)) await setTimeout(10, undefined, { signal: context.signal });
    await context.complete(async ({ execute }) => {
      const values = { ITEM, ATTEMPT: context.attempt };
      await execute('insert into effect (item, attempt) values (:ITEM, :ATTEMPT)', values);
    });
  },
};
`;

const AFTER_NOTE = `import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute({ execute, after }) {
    await execute('insert into effect (item, attempt) values (:ITEM, 1)', { ITEM: 'after ' + after.ID });
  }
}
`;

/** The project of {@link startFailing}, by path. */
export const FAILING: Readonly<Record<string, string>> = {
  'definitions/gateway.yaml': gatewayText(
    'delivered: [QAS_QRY_SERVICE.v1, PROCESSREQUEST.v1]\nsample-data: sample/*.sql',
  ),
  'definitions/users.yaml': USERS.replace(
    'EVERYTHING',
    'EVERYTHING\noperations: [QAS_QRY_SERVICE.*, PROCESSREQUEST.*]',
  ),
  'definitions/all.yaml': DEFINITIONS,
  'definitions/sample/010.sql': `create table effect (item varchar(100), attempt integer);
create table note (id varchar(30) primary key, text varchar(100));
`,
  'src/handlers/waiting.ts': WAITING,
  'src/handlers/after-note.ts': AFTER_NOTE,
};

/** A gateway with all that keeps something: queries, processes and a component. @param url of its database */
export function startFailing(url?: string): Promise<TestGateway> {
  return startTestGateway({ files: FAILING, ...(url === undefined ? {} : { env: { DATABASE_URL: url } }) });
}

const REST = '/gateway/RESTListeningConnector';

/** What a test asks of such a gateway. */
export function callerOf({ call }: Pick<TestGateway, 'call'>) {
  const get = (path: string, method = 'GET'): Promise<Reply> => call(`${REST}/${path}`, { method });
  const send = (method: string, path: string, body: object): Promise<Reply> =>
    call(`${REST}/${path}`, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const json = async (path: string) => JSON.parse((await get(path)).text);
  const schedule = (item: string, door: string, more: object = {}): Promise<Reply> => {
    const parameters = Object.entries({ ITEM: item, DOOR: door }).map(([Name, Value]) => ({ Name, Value }));
    const what = { RunControlId: 'RC', ProcessType: 'Application Engine', ProcessName: 'WAITING' };
    return send('POST', 'ProcessRequest.v1/requests', { ...what, parameters, ...more });
  };
  const until = (what: string, path: string, key: string, wanted: string) =>
    eventually(`${what} to be ${wanted}`, async () => {
      const found = await json(path);
      return found[key] === wanted ? found : undefined;
    });
  return {
    get,
    json,
    schedule,
    /** Changes the state of a request: `Hold`, `Restart`, `Cancelled` or `Deleted`. */
    act: (instance: number, RunStatus: string): Promise<Reply> =>
      send('PATCH', `ProcessRequest.v1/requests/${instance}`, { RunStatus }),
    scheduled: async (...given: Parameters<typeof schedule>): Promise<number> => {
      const { status, text } = await schedule(...given);
      if (status !== 201) throw new Error(`${status} ${text}`);
      return JSON.parse(text).ProcessInstance;
    },
    note: (id: string): Promise<Reply> => send('PUT', `Notes.v1/Notes/${id}`, { TEXT: 'kept' }),
    /** Enters a polled query and returns its id. */
    poll: async (query: string, more = 'JSON/NONFILE'): Promise<string> =>
      /[0-9a-f-]{36}/.exec((await get(`ExecuteQueryPoll.v1/PUBLIC/${query}/${more}`)).text)?.[0] ?? '',
    untilProcess: (instance: number, status: string) =>
      until(`process ${instance}`, `ProcessRequest.v1/requests/${instance}`, 'RunStatus', status),
    untilRun: (id: string, status: string) =>
      until(`run ${id}`, `QueryStatus.v1/getstatus?instanceid=${id}&json_resp=true`, 'status', status),
    effects: async (): Promise<{ ITEM: string; ATTEMPT: number }[]> =>
      (await json('ExecuteQuery.v1/PUBLIC/EFFECTS/JSON/NONFILE')).data.query.rows.map(
        ({ ITEM, ATTEMPT }: { ITEM: string; ATTEMPT: number }) => ({ ITEM, ATTEMPT }),
      ),
  };
}

/** Processes of this one's own that run a program, by their arguments: readers of SQLite, say. Of Linux. */
export function childrenRunning(program: string): number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim().split(' ');
  return children.filter((pid) => pid !== '' && argumentsOf(pid).includes(program)).map(Number);
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}
