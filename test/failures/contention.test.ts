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

/** Milliseconds in which a call is answered, and in which one that needs nothing of what is locked is. */
const TIMEOUT = 2000;
const SOON = 1000;

const SETTINGS = `limits: { timeout: ${TIMEOUT} ms }\ndelivered: [QAS_QRY_SERVICE.v1, PROCESSREQUEST.v1]\nsample-data: sample/*.sql`;

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

/** Starts a gateway whose `database:` has these settings. */
async function start(url?: string, database?: string): Promise<TestGateway> {
  const text = gatewayText(SETTINGS);
  const settings =
    database === undefined
      ? text
      : text.replace(/^database: .*$/m, `database: { url: '\${env:DATABASE_URL}', ${database} }`);
  const gateway = await startTestGateway({
    files: { ...FILES, 'definitions/gateway.yaml': settings },
    ...(url === undefined ? {} : { env: { DATABASE_URL: url } }),
  });
  onTestFinished(() => gateway.stop());
  return gateway;
}

/** A file that does not exist yet, removed at the end. */
function door(): { readonly path: string; open(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'door-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'd');
  return { path, open: () => writeFileSync(path, '') };
}

/** Replies with their time. */
async function timed(ask: () => Promise<{ readonly status: number }>): Promise<{ status: number; ms: number }> {
  const since = performance.now();
  const { status } = await ask();
  return { status, ms: performance.now() - since };
}

const slowNote = ({ call }: TestGateway, id: string, path: string) =>
  call(`/gateway/RESTListeningConnector/SlowNotes.v1/Slow/${id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ TEXT: path }),
  });

describe.skipIf(!hasPostgres)('many callers of what is locked in PostgreSQL', () => {
  /** A gateway with four connections for its tables, whose database has a lock that another program holds. */
  async function locked(
    prepare: (gateway: TestGateway) => Promise<unknown>,
    statement: string,
    values: (prepared: never) => unknown[] = () => [],
  ): Promise<ReturnType<typeof callerOf> & { readonly prepared: never; unlock(): Promise<unknown> }> {
    const database = await createDatabase({ migrated: true });
    onTestFinished(database.drop);
    const gateway = await start(database.url, 'connections: 10, timeouts: { lock: 400 ms }');
    const prepared = (await prepare(gateway)) as never;
    const other = new pg.Client(database.url);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin');
    await other.query(statement, values(prepared));
    return { ...callerOf(gateway), prepared, unlock: () => other.query('rollback') };
  }

  it('of a record take no connection from the others', async () => {
    const { note, get, schedule } = await locked(
      ({ call }) => callerOf({ call }).note('hot'),
      "select 1 from note where id = 'hot' for update",
    );
    const hot = Array.from({ length: 30 }, () => timed(() => note('hot')));
    const others = await Promise.all([
      timed(() => get('Notes.v1/Notes/hot')),
      timed(() => note('cold')),
      timed(() => get('ExecuteQueryPoll.v1/PUBLIC/EFFECTS/JSON/NONFILE')),
      timed(() => schedule('ITEM', '/')),
    ]);
    expect(others.map(({ status }) => status)).toEqual([200, 201, 200, 201]);
    for (const { ms } of others) expect(ms).toBeLessThan(SOON);
    for (const { status, ms } of await Promise.all(hot)) {
      expect(status).toBe(503);
      expect(ms).toBeLessThan(TIMEOUT + SOON);
    }
  });

  it('of a process request take no connection from the others', async () => {
    const { get, note, act, prepared } = await locked(
      ({ call }) => callerOf({ call }).scheduled('LATER', '/', { RunDateTime: '2100-01-01T00:00:00Z' }),
      'select 1 from psprcsrqst where prcsinstance = $1 for update',
      (instance) => [instance],
    );
    const hot = Array.from({ length: 30 }, () => timed(() => act(prepared, 'Hold')));
    const others = await Promise.all([
      timed(() => get(`ProcessRequest.v1/requests/${prepared}`)),
      timed(() => note('cold')),
    ]);
    expect(others.map(({ status }) => status)).toEqual([200, 201]);
    for (const { ms } of others) expect(ms).toBeLessThan(SOON);
    for (const { status } of await Promise.all(hot)) expect(status).toBe(503);
  });

  it('of the queries of a user take no connection from the others', async () => {
    const { get, note } = await locked(
      async () => {},
      "insert into signalbox_job_key (queue, key, last) values ('query-runs', '0 demo', 1), ('query-runs', '1 demo', 1)",
    );
    const hot = Array.from({ length: 30 }, () => timed(() => get('ExecuteQueryPoll.v1/PUBLIC/EFFECTS/JSON/NONFILE')));
    const others = await Promise.all([timed(() => note('cold')), timed(() => get('ProcessRequest.v1/requests'))]);
    expect(others.map(({ status }) => status)).toEqual([201, 200]);
    for (const { ms } of others) expect(ms).toBeLessThan(SOON);
    for (const { status, ms } of await Promise.all(hot)) {
      expect(status).toBe(503);
      expect(ms).toBeLessThan(TIMEOUT + SOON);
    }
  });

  it('save one after the other once it is free', async () => {
    const { note, get, unlock } = await locked(
      ({ call }) => callerOf({ call }).note('hot'),
      "select 1 from note where id = 'hot' for update",
    );
    const hot = Array.from({ length: 30 }, () => note('hot'));
    expect((await get('Notes.v1/Notes/hot')).status).toBe(200);
    await unlock();
    expect((await Promise.all(hot)).map(({ status }) => status)).toEqual(hot.map(() => 200));
  });
});

describe('a SQLite database whose only connection is in use', () => {
  const answers = async ({ call }: TestGateway) => {
    const { get, note, schedule } = callerOf({ call });
    return await Promise.all([
      timed(() => get('Notes.v1/Notes/one')),
      timed(() => note('two')),
      timed(() => get('ExecuteQueryPoll.v1/PUBLIC/EFFECTS/JSON/NONFILE')),
      timed(() => schedule('ITEM', '/')),
      timed(() => get('ProcessRequest.v1/requests')),
    ]);
  };
  const refused = [503, 503, 503, 503, 503];

  it('by a class before a save answers others 503 in time', async () => {
    const gateway = await start();
    const { path, open } = door();
    const slow = timed(() => slowNote(gateway, 'slow', path));
    await eventually('the class to have the connection', () => (existsSync(`${path}-knocked`) ? true : undefined));
    const found = await answers(gateway);
    expect(found.map(({ status }) => status)).toEqual(refused);
    for (const { ms } of found) expect(ms).toBeLessThan(TIMEOUT + SOON);
    expect((await gateway.call('/health/ready')).status).toBe(200);
    open();
    await slow;
    expect((await callerOf(gateway).note('two')).status).toBe(201);
  });

  it('by the transaction of a process answers others 503 in time', async () => {
    const gateway = await start();
    const { path, open } = door();
    const { schedule, untilProcess, note } = callerOf(gateway);
    const { text } = await schedule('HELD', path);
    await eventually('the process to have the connection', () => (existsSync(`${path}-knocked`) ? true : undefined));
    const found = await answers(gateway);
    expect(found.map(({ status }) => status)).toEqual(refused);
    for (const { ms } of found) expect(ms).toBeLessThan(TIMEOUT + SOON);
    open();
    await untilProcess(JSON.parse(text).ProcessInstance, 'Success');
    expect((await note('two')).status).toBe(201);
  });

  it('by another program answers 503 in time', async () => {
    const gateway = await start();
    const other = new Database(join(gateway.folder, 'test.db'));
    onTestFinished(() => void other.close());
    other.exec('begin immediate');
    const { note, schedule } = callerOf(gateway);
    const found = await Promise.all([timed(() => note('one')), timed(() => schedule('ITEM', '/'))]);
    expect(found.map(({ status }) => status)).toEqual([503, 503]);
    for (const { ms } of found) expect(ms).toBeLessThan(TIMEOUT + SOON);
    other.exec('rollback');
    expect((await note('one')).status).toBe(201);
  });
});
