import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callerOf, FAILING } from '../serve/failure-project.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres } from '../support/postgres.ts';
import { eventually, gatewayText } from '../support/project.ts';

const settings = (timeout: string): string =>
  `limits: { timeout: ${timeout} }\ndelivered: [QAS_QRY_SERVICE.v1, PROCESSREQUEST.v1]\nsample-data: sample/*.sql`;

/** A class before a save that ends once the file TEXT is there. */
const SLOW = `component: SLOW_NOTES
table: note
shape: NOTE
keys: [ID]
events: [{ event: SavePreChange, service: BEFORE_SLOW }]
---
{ related-content: BEFORE_SLOW, class: before-slow, public: true }
---
service: SlowNotes.v1
permission: EVERYTHING
operations: { SLOW_PUT: { put: "Slow/{ID}", save: SLOW_NOTES } }
`;

const BEFORE_SLOW = `import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { ServiceInterface } from 'signalbox';
export default class extends ServiceInterface {
  async execute({ after, signal }) {
    writeFileSync(after.TEXT + '-knocked', '');
    while (!existsSync(after.TEXT)) await setTimeout(10, undefined, { signal });
  }
}
`;

/** Ends in a transaction that takes as long as the file DOOR is not there. */
const WAITING = `import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
export default {
  async run({ ITEM, DOOR }, context) {
    await context.complete(async ({ execute }) => {
      await execute('insert into effect (item, attempt) values (:ITEM, 1)', { ITEM });
      writeFileSync(DOOR + '-knocked', '');
      while (!existsSync(DOOR)) await setTimeout(10);
    });
  },
};
`;

const FILES = {
  ...FAILING,
  'definitions/slow.yaml': SLOW,
  'src/handlers/before-slow.ts': BEFORE_SLOW,
  'src/handlers/waiting.ts': WAITING,
};

/** Starts a gateway whose `database:` has these settings. @param timeout of a call */
async function start(timeout: string, url?: string, database?: string): Promise<TestGateway> {
  const text = gatewayText(settings(timeout));
  const gateway =
    database === undefined
      ? text
      : text.replace(/^database: .*$/m, `database: { url: '\${env:DATABASE_URL}', ${database} }`);
  const started = await startTestGateway({
    files: { ...FILES, 'definitions/gateway.yaml': gateway },
    ...(url === undefined ? {} : { env: { DATABASE_URL: url } }),
  });
  onTestFinished(() => started.stop());
  return started;
}

/** A file that does not exist yet, removed at the end. */
function door(): { readonly path: string; open(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'door-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'd');
  return { path, open: () => writeFileSync(path, '') };
}

const slowNote = ({ call }: TestGateway, id: string, path: string) =>
  call(`/gateway/RESTListeningConnector/SlowNotes.v1/Slow/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ TEXT: path }),
  });

/** What keeps callers waiting, and what they ask for then; the answers of others, which need nothing of it. */
interface Contended {
  readonly prepare?: (gateway: TestGateway) => Promise<unknown>;
  readonly statement: string;
  readonly values?: (prepared: never) => unknown[];
  readonly hot: (caller: ReturnType<typeof callerOf>, prepared: never) => Promise<{ readonly status: number }>;
  readonly others: (
    caller: ReturnType<typeof callerOf>,
    prepared: never,
  ) => readonly Promise<{ readonly status: number }>[];
  readonly answered: readonly number[];
  /** What all but the first are answered once it is free; 200 by default. */
  readonly free?: number;
}

const CONTENDED: Readonly<Record<string, Contended>> = {
  'a record': {
    prepare: ({ call }) => callerOf({ call }).note('hot'),
    statement: "select 1 from note where id = 'hot' for update",
    hot: ({ note }) => note('hot'),
    others: ({ note, get, schedule }) => [
      get('Notes.v1/Notes/hot'),
      note('cold'),
      get('ExecuteQueryPoll.v1/PUBLIC/EFFECTS/JSON/NONFILE'),
      schedule('ITEM', '/'),
    ],
    answered: [200, 201, 200, 201],
  },
  'a process request': {
    prepare: ({ call }) => callerOf({ call }).scheduled('LATER', '/', { RunDateTime: '2100-01-01T00:00:00Z' }),
    statement: 'select 1 from psprcsrqst where prcsinstance = $1 for update',
    values: (instance) => [instance],
    hot: ({ act }, instance) => act(instance, 'Hold'),
    others: ({ get, note }, instance) => [get(`ProcessRequest.v1/requests/${instance}`), note('cold')],
    answered: [200, 201],
    // It is held already.
    free: 409,
  },
  'the queries of a user': {
    statement:
      "insert into signalbox_job_key (queue, key, last) values ('query-runs', '0 demo', 1), ('query-runs', '1 demo', 1)",
    hot: ({ get }) => get('ExecuteQueryPoll.v1/PUBLIC/EFFECTS/JSON/NONFILE'),
    others: ({ get, note }) => [note('cold'), get('ProcessRequest.v1/requests')],
    answered: [201, 200],
  },
};

describe.skipIf(!hasPostgres)('many callers of what is locked in PostgreSQL', () => {
  /** Thirty callers of a gateway with four connections for its tables, whose database has a lock that another program holds. */
  async function locked({ prepare, statement, values, hot }: Contended, timeout: string, lock: string) {
    const database = await createDatabase({ migrated: true });
    onTestFinished(database.drop);
    const gateway = await start(timeout, database.url, `connections: 10, timeouts: { lock: ${lock} }`);
    const prepared = (await prepare?.(gateway)) as never;
    const other = new pg.Client(database.url);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin');
    await other.query(statement, values?.(prepared) ?? []);
    const caller = callerOf(gateway);
    let answered = 0;
    const waiting = Array.from({ length: 30 }, async () => {
      const { status } = await hot(caller, prepared);
      answered++;
      return status;
    });
    return { caller, prepared, waiting, answered: () => answered, unlock: () => other.query('rollback') };
  }

  describe.each(Object.entries(CONTENDED))('%s', (_, contended) => {
    it('takes no connection from the others, and is had by one after the other once it is free', async () => {
      const { caller, prepared, waiting, answered, unlock } = await locked(contended, '60 s', '50 s');
      const others = await Promise.all(contended.others(caller, prepared));
      expect(others.map(({ status }) => status)).toEqual(contended.answered);
      expect(answered()).toBe(0);
      await unlock();
      const { free = 200 } = contended;
      expect((await Promise.all(waiting)).sort()).toEqual([200, ...waiting.slice(1).map(() => free)]);
    });

    it('is waited for as long as the lock of a statement may take, and answered 503', async () => {
      const { waiting } = await locked(contended, '50 s', '400 ms');
      for (const status of await Promise.all(waiting)) expect(status).toBe(503);
    });
  });
});

/** Of a call: what keeps the connection keeps it until there is an answer. */
const TIMEOUT = '2 s';

describe('a SQLite database whose only connection is in use', () => {
  const answers = async ({ call }: TestGateway) => {
    const { get, note, schedule } = callerOf({ call });
    return await Promise.all([
      get('Notes.v1/Notes/one'),
      note('two'),
      get('ExecuteQueryPoll.v1/PUBLIC/EFFECTS/JSON/NONFILE'),
      schedule('ITEM', '/'),
      get('ProcessRequest.v1/requests'),
    ]);
  };
  const refused = [503, 503, 503, 503, 503];

  it('by a class before a save answers others 503 when its time is over', async () => {
    const gateway = await start(TIMEOUT);
    const { path, open } = door();
    const slow = slowNote(gateway, 'slow', path);
    await eventually('the class to have the connection', () => (existsSync(`${path}-knocked`) ? true : undefined));
    const found = await answers(gateway);
    expect(found.map(({ status }) => status)).toEqual(refused);
    expect((await gateway.call('/health/ready')).status).toBe(200);
    open();
    await slow;
    expect((await callerOf(gateway).note('two')).status).toBe(201);
  });

  it('by the transaction of a process answers others 503 when its time is over', async () => {
    const gateway = await start(TIMEOUT);
    const { path, open } = door();
    const { schedule, untilProcess, note } = callerOf(gateway);
    const { text } = await schedule('HELD', path);
    await eventually('the process to have the connection', () => (existsSync(`${path}-knocked`) ? true : undefined));
    const found = await answers(gateway);
    expect(found.map(({ status }) => status)).toEqual(refused);
    open();
    await untilProcess(JSON.parse(text).ProcessInstance, 'Success');
    expect((await note('two')).status).toBe(201);
  });

  it('by another program answers 503 when its time is over', async () => {
    const gateway = await start(TIMEOUT);
    const other = new Database(join(gateway.folder, 'test.db'));
    onTestFinished(() => void other.close());
    other.exec('begin immediate');
    const { note, schedule } = callerOf(gateway);
    const found = await Promise.all([note('one'), schedule('ITEM', '/')]);
    expect(found.map(({ status }) => status)).toEqual([503, 503]);
    other.exec('rollback');
    expect((await note('one')).status).toBe(201);
  });
});
