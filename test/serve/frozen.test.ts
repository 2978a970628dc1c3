import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Call, call, type Reply } from '../support/gateway.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { PostgresWire } from '../support/postgres-wire.ts';
import { eventually, gatewayText, type TestProject, writeProject } from '../support/project.ts';
import { callerOf, FAILING } from './failure-project.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Milliseconds after which the database ends a transaction of a gateway that hangs. */
const TRANSACTION = 600;

const GATEWAY = gatewayText(
  'limits: { timeout: 3 s }\ndelivered: [QAS_QRY_SERVICE.v1, PROCESSREQUEST.v1]\nsample-data: sample/*.sql',
).replace(
  /^database: .*$/m,
  `database: { url: '\${env:DATABASE_URL}', timeouts: { transaction: ${TRANSACTION} ms, lock: 400 ms } }`,
);

/** Milliseconds in which another gateway answers all that is asked of it at once. */
const BOUND = 3000;

/** A user of the database. The polled queries of one user begin in order, so those of `demo` may have to wait. */
const KEPT = `Basic ${Buffer.from('kept:guest').toString('base64')}`;

/** A gateway in a process of its own, from the built package. */
class Gateway {
  readonly child: ChildProcess;
  readonly port: number;
  readonly caller: ReturnType<typeof callerOf>;

  private constructor(child: ChildProcess, port: number) {
    this.child = child;
    this.port = port;
    this.caller = callerOf(this);
  }

  readonly call = (path: string, given?: Call): Promise<Reply> => call(this.port, path, given);

  static async start(root: string, url: string): Promise<Gateway> {
    const child = spawn(process.execPath, [join(repository, 'dist/cli/main.js'), 'serve'], {
      cwd: root,
      env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: url, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', process.env.FROZEN_DEBUG ? 'inherit' : 'ignore'],
    });
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const port = /is ready on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (process.env.FROZEN_DEBUG) console.error(line);
      if (port === undefined) continue;
      child.stdout?.resume();
      return new Gateway(child, Number(port));
    }
    throw new Error('the gateway did not start');
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }
}

describe.skipIf(!hasPostgres)('a gateway that hangs', () => {
  let database: TestDatabase;
  let wire: PostgresWire;
  let project: TestProject;
  let frozen: Gateway;
  let other: Gateway;

  beforeAll(async () => {
    database = await createDatabase({ migrated: true });
    wire = await PostgresWire.open(database.url);
    project = writeProject({ ...FAILING, 'definitions/gateway.yaml': GATEWAY });
    mkdirSync(join(project.root, 'node_modules'));
    symlinkSync(repository, join(project.root, 'node_modules/signalbox'), 'dir');
    writeFileSync(join(project.root, 'open'), '');
    const [password] = /\$scrypt\S+omzwek\S+/.exec(FAILING['definitions/users.yaml'] as string) as RegExpExecArray;
    await database.run(
      "insert into signalbox_user (id, password, roles, created, changed) values ('kept', $1, $2, '2026-01-01', '2026-01-01')",
      [password, JSON.stringify(['ALL'])],
    );
    frozen = await Gateway.start(project.root, wire.through(database.url));
    other = await Gateway.start(project.root, database.url);
  }, 40_000);
  afterAll(async () => {
    await Promise.all([frozen?.stop(), other?.stop()]);
    await wire?.close();
    project?.remove();
    await database?.drop();
  });

  /** Enters something that only this row needs; items that were accepted are accounted for at the end. */
  let entered = 0;
  const accepted = { notes: [] as string[], items: [] as string[] };
  const item = (): string => {
    entered += 1;
    return `item-${entered}`;
  };
  const note = async ({ caller }: Gateway): Promise<number> => {
    const id = item();
    const { status } = await caller.note(id);
    if (status < 300) accepted.notes.push(id);
    return status;
  };
  const process = async ({ caller }: Gateway, more: object = {}): Promise<{ status: number; instance: number }> => {
    const name = item();
    const { status, text } = await caller.schedule(name, join(project.root, 'open'), more);
    if (status === 201 && Object.keys(more).length === 0) accepted.items.push(name);
    return { status, instance: status === 201 ? JSON.parse(text).ProcessInstance : 0 };
  };
  const poll = async ({ caller }: Gateway): Promise<number> =>
    (await caller.get('ExecuteQueryPoll.v1/PUBLIC/EFFECTS/JSON/NONFILE')).status;
  const ofKept = (path: string): Promise<Reply> =>
    other.call(`/gateway/RESTListeningConnector/${path}`, { headers: { authorization: KEPT } });
  const report = { ProcessType: 'PSQuery', ProcessName: 'EFFECTS', parameters: [] };

  /**
   * Every transaction of the product, by the tables that it writes, and what makes a gateway begin it: a request to the gateway
   * that hangs in it, or work that it takes.
   */
  const TRANSACTIONS: Readonly<Record<string, () => Promise<unknown>>> = {
    'psprcsrqst process_request job pgboss': async () => process(frozen),
    'note job_key job pgboss': () => note(frozen),
    'query_run job_key job pgboss': () => poll(frozen),
    'pgboss job': () => process(other),
    'psprcsrqst process_request': () => process(other),
    psprcsrqst: () => process(other),
    'process_request process_message': () => process(other),
    'effect psprcsrqst process_request job pgboss': () => process(other),
    'effect job pgboss job_key': () => note(other),
    'loose_blob blob': () => poll(other),
    'query_run job pgboss job_key': () => poll(other),
    process_request: () => process(other, report),
    recurring: () =>
      database.run("update signalbox_recurring set next = '2000-01-01T00:00:00.000Z' where name like 'canc%'"),
  };

  it.each(Object.entries(TRANSACTIONS))(
    'in the transaction of %s keeps no other from its work',
    async (name, cause) => {
      let stopped = 0;
      onTestFinished(() => void frozen.child.kill('SIGCONT'));
      wire.onCommit = (transaction) => {
        if (transaction !== name || stopped > 0) return 'forward';
        stopped = performance.now();
        frozen.child.kill('SIGSTOP');
        return 'hold';
      };
      const caused: Promise<unknown>[] = [];
      await eventually(`a transaction of ${name}`, async () => {
        if (stopped > 0) return true;
        caused.push(cause().catch(() => undefined));
        await new Promise((resolve) => setTimeout(resolve, 150));
        return stopped > 0 || undefined;
      });
      const answers = {
        ready: async () => (await other.call('/health/ready')).status,
        schedule: async () => (await process(other)).status,
        save: () => note(other),
        poll: async () => (await ofKept('ExecuteQueryPoll.v1/PUBLIC/EFFECTS/JSON/NONFILE')).status,
        query: async () => (await other.caller.get('ExecuteQuery.v1/PUBLIC/EFFECTS/JSON/NONFILE')).status,
        find: async () => (await other.caller.get('ProcessRequest.v1/requests')).status,
        user: async () => (await ofKept('Notes.v1/Notes/none')).status,
      };
      const found = await Promise.all(
        Object.entries(answers).map(async ([what, ask]) => {
          const since = performance.now();
          const status = await ask();
          return { what, status, isLate: performance.now() - since > BOUND };
        }),
      );
      expect(found).toEqual([
        { what: 'ready', status: 200, isLate: false },
        { what: 'schedule', status: 201, isLate: false },
        { what: 'save', status: 201, isLate: false },
        { what: 'poll', status: 200, isLate: false },
        { what: 'query', status: 200, isLate: false },
        { what: 'find', status: 200, isLate: false },
        { what: 'user', status: 404, isLate: false },
      ]);
      await eventually('the end of the transaction', async () => {
        const { rows } = await database.run(
          "select pid from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
        );
        return rows.length === 0 || undefined;
      });
      expect(performance.now() - stopped).toBeLessThan(TRANSACTION + 3000);
      frozen.child.kill('SIGCONT');
      await eventually('the gateway itself', async () =>
        (await frozen.call('/health/ready')).status === 200 ? true : undefined,
      );
      await Promise.all(caused);
    },
    30_000,
  );

  it('has begun no transaction that is not among these', () => {
    const atStart = ['sample_data', 'pgboss', 'recurring'];
    // They follow when one of these could not commit: the attempt is repeated, given back or buried, its content removed.
    const afterwards = [
      'job pgboss',
      'job pgboss query_run',
      'job pgboss dead_letter',
      'job pgboss dead_letter query_run',
      'job pgboss dead_letter psprcsrqst process_request process_message',
      'job_key job pgboss',
      'blob loose_blob',
      'loose_blob blob_chunk',
    ];
    const known = new Set(['', ...Object.keys(TRANSACTIONS), ...atStart, ...afterwards]);
    expect([...wire.seen].filter((name) => !known.has(name))).toEqual([]);
  });

  it('answers in time when its database stops answering without closing, and recovers', async () => {
    const within = async (ms: number, ask: () => Promise<number>): Promise<{ status: number; inTime: boolean }> => {
      const since = performance.now();
      const status = await ask();
      return { status, inTime: performance.now() - since < ms };
    };
    wire.stall(true);
    try {
      const answers = await Promise.all([
        within(2500, async () => (await frozen.call('/health/ready')).status),
        within(3500, async () => (await process(frozen)).status),
        within(3500, () => note(frozen)),
        within(3500, () => poll(frozen)),
        within(3500, async () => (await frozen.caller.get('ProcessRequest.v1/requests')).status),
      ]);
      expect(answers).toEqual(answers.map(() => ({ status: 503, inTime: true })));
    } finally {
      wire.stall(false);
    }
    await eventually('the gateway', async () =>
      (await frozen.call('/health/ready')).status === 200 ? true : undefined,
    );
    expect((await process(frozen)).status).toBe(201);
    expect(await note(frozen)).toBe(201);
  }, 20_000);

  it('has lost nothing that was accepted, and done nothing twice', async () => {
    const effects = async (): Promise<string[]> => {
      const { rows } = await database.run('select item from effect order by item');
      return rows.map((row) => row.item as string);
    };
    await eventually('the end of all work', async () => {
      const { rows } = await database.run('select 1 from signalbox_job where due < 4000000000000');
      return rows.length === 0 || undefined;
    });
    const all = await effects();
    expect(new Set(all).size, 'each effect once').toBe(all.length);
    const notes = accepted.notes.map((id) => `after ${id}`);
    expect(notes.filter((each) => !all.includes(each))).toEqual([]);
    const { rows } = await database.run(
      "select count(*)::int as failed from psprcsrqst where runstatus not in ('9', '5')",
    );
    expect(accepted.items.filter((each) => !all.includes(each)).length).toBeLessThanOrEqual(rows[0].failed);
  });
});
