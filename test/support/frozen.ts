import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { callerOf, FAILING } from '../serve/failure-project.ts';
import { type Call, call, type Reply } from './gateway.ts';
import { createDatabase, type TestDatabase } from './postgres.ts';
import { PostgresWire, type Writes } from './postgres-wire.ts';
import { eventually, gatewayText, type TestProject, writeProject } from './project.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const COMMAND = join(repository, 'dist/cli/main.js');
export const REST = '/gateway/RESTListeningConnector';

/** Milliseconds after which the database ends a transaction of a process that hangs. */
export const TRANSACTION = 600;

/** Milliseconds in which another gateway answers all that is asked of it at once: `limits.timeout`. */
const BOUND = 3000;

/** Milliseconds that a machine which is in use may add. */
const SLOW = 1000;

const GATEWAY = gatewayText(
  `limits: { timeout: ${BOUND} ms }\ndelivered: [QAS_QRY_SERVICE.v1, PROCESSREQUEST.v1, QUEUES.v1]\nsample-data: sample/*.sql`,
).replace(
  /^database: .*$/m,
  `database: { url: '\${env:DATABASE_URL}', timeouts: { transaction: ${TRANSACTION} ms, lock: 400 ms } }`,
);

const PROCESSES = `process: FAILS
type: Application Engine
permission: EVERYTHING
retry: { attempts: 2, first: 10 ms, longest: 10 ms }
---
process: RECURS
type: Application Engine
permission: EVERYTHING
recurs: YEARLY
run-as: demo
---
recurrence: YEARLY
cron: 0 0 1 1 *
`;

const FILES = {
  ...FAILING,
  'definitions/gateway.yaml': GATEWAY,
  'definitions/users.yaml': (FAILING['definitions/users.yaml'] as string).replace(
    'PROCESSREQUEST.*',
    'PROCESSREQUEST.*, QUEUES.*',
  ),
  'definitions/processes.yaml': PROCESSES,
  'src/handlers/fails.ts': "export default { run: () => Promise.reject(new Error('never')) };\n",
  'src/handlers/recurs.ts': 'export default { run: async () => {} };\n',
};

/** Users of the database: the polled queries of `demo` may have to wait for each other, and `gone` is disabled and enabled. */
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
    const child = command(root, url, ['serve']);
    const lines: string[] = [];
    child.stderr?.on('data', (bytes) => lines.push(String(bytes)));
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      lines.push(line);
      const port = /is ready on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port === undefined) continue;
      child.stdout?.resume();
      return new Gateway(child, Number(port));
    }
    throw new Error(`the gateway did not start: ${lines.join('\n')}`);
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }
}

function command(cwd: string, url: string, words: readonly string[]): ChildProcess {
  const env = { ...process.env, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: url, NO_COLOR: '1' };
  return spawn(process.execPath, [COMMAND, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What another gateway answered while one was frozen. */
interface Answer {
  readonly what: string;
  readonly status: number;
  readonly isLate: boolean;
}

/** What {@link Pair.freeze} finds when no one notices that a gateway hangs. */
export const UNTOUCHED: readonly Answer[] = Object.entries({
  ready: 200,
  schedule: 201,
  save: 201,
  poll: 200,
  query: 200,
  find: 200,
  user: 404,
  queues: 200,
  hold: 200,
  keep: 200,
}).map(([what, status]) => ({ what, status, isLate: false }));

/** Two gateways on one database. One of them, which can be frozen in any of its transactions, reaches it through a proxy. */
export class Pair {
  readonly database: TestDatabase;
  readonly wire: PostgresWire;
  readonly project: TestProject;
  readonly frozen: Gateway;
  readonly other: Gateway;
  /** What was accepted and has to have its effect, once. */
  readonly #accepted: string[] = [];
  /** Accepted process requests, which end as failed if their gateway hung while they ran. */
  readonly #scheduled: string[] = [];
  #entered = 0;

  private constructor(
    database: TestDatabase,
    wire: PostgresWire,
    project: TestProject,
    gateways: readonly [Gateway, Gateway],
  ) {
    this.database = database;
    this.wire = wire;
    this.project = project;
    [this.frozen, this.other] = gateways;
  }

  static async start(): Promise<Pair> {
    const database = await createDatabase({ migrated: true });
    const wire = await PostgresWire.open(database.url);
    const project = writeProject(FILES);
    mkdirSync(join(project.root, 'node_modules'));
    symlinkSync(repository, join(project.root, 'node_modules/signalbox'), 'dir');
    writeFileSync(join(project.root, 'open'), '');
    const [password] = /\$scrypt\S+omzwek\S+/.exec(FILES['definitions/users.yaml']) as RegExpExecArray;
    await database.run(
      `insert into signalbox_user (id, password, roles, created, changed)
       select id, $1, $2, '2026-01-01', '2026-01-01' from unnest(array['kept', 'gone']) as named (id)`,
      [password, JSON.stringify(['ALL'])],
    );
    // The first one loads the sample data.
    const frozen = await Gateway.start(project.root, wire.through(database.url));
    const other = await Gateway.start(project.root, database.url);
    return new Pair(database, wire, project, [frozen, other]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.frozen.stop(), this.other.stop()]);
    await this.wire.close();
    this.project.remove();
    await this.database.drop();
  }

  async note({ caller }: Gateway): Promise<number> {
    const id = this.#item();
    const { status } = await caller.note(id);
    if (status < 300) this.#accepted.push(`after ${id}`);
    return status;
  }

  async schedule({ caller }: Gateway): Promise<number> {
    const name = this.#item();
    const { status } = await caller.schedule(name, this.open);
    if (status === 201) this.#scheduled.push(name);
    return status;
  }

  /** Schedules the run of a query as a report, or another process. */
  async run({ caller }: Gateway, ProcessType: string, ProcessName: string): Promise<number> {
    return (await caller.schedule('', '', { ProcessType, ProcessName, parameters: [] })).status;
  }

  async poll({ caller }: Gateway): Promise<number> {
    return (await caller.get('ExecuteQueryPoll.v1/PUBLIC/EFFECTS/JSON/NONFILE')).status;
  }

  /** The file that processes wait for, which is there. */
  get open(): string {
    return join(this.project.root, 'open');
  }

  /** A request that no gateway takes. @returns its number */
  waiting(): Promise<number> {
    return this.other.caller.scheduled('LATER', '/', { RunDateTime: '2100-01-01T00:00:00Z' });
  }

  /** Makes something that recurs due now. */
  due(name: string): Promise<unknown> {
    return this.database.run(
      "update signalbox_recurring set next = '2000-01-01T00:00:00.000Z' where name like $1 || '%'",
      [name],
    );
  }

  /** The id of a dead letter. */
  async dead(): Promise<string> {
    return eventually('a dead letter', async () => {
      const { rows } = await this.database.run('select id from signalbox_dead_letter limit 1');
      if (rows.length === 0) await this.run(this.other, 'Application Engine', 'FAILS');
      return rows[0]?.id as string | undefined;
    });
  }

  keepQuery(gateway: Gateway, query: string): Promise<Reply> {
    return this.post(gateway, 'QuerySave.v1/', { query, columns: { ITEM: 'string' }, sql: 'select item from effect' });
  }

  post({ call: ask }: Gateway, path: string, body?: object): Promise<Reply> {
    const headers = { 'content-type': 'application/json' };
    return ask(`${REST}/${path}`, {
      method: 'POST',
      ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }),
    });
  }

  /**
   * Stops a process in front of a commit, asks the other gateway for all that it does while the transaction is open, and lets
   * the process go on when the database has ended it.
   * @returns what the other gateway answered, and after how many milliseconds the transaction was ended
   */
  async freeze({ is, cause, by, pause = 150, after }: Kind): Promise<{ answers: Answer[]; ended: number }> {
    let victim = this.frozen.child;
    let stopped = 0;
    const caused: Promise<unknown>[] = [];
    this.wire.onCommit = (writes) => {
      if (stopped > 0 || !is(writes)) return 'forward';
      stopped = performance.now();
      victim.kill('SIGSTOP');
      return 'hold';
    };
    try {
      if (by !== undefined) {
        victim = command(this.project.root, this.wire.through(this.database.url), by);
        caused.push(new Promise((resolve) => victim.once('exit', resolve)));
      }
      await eventually('the transaction', async () => {
        if (stopped > 0) return true;
        if (cause !== undefined) caused.push(cause(this).catch(() => undefined));
        for (let ms = 0; stopped === 0 && ms < pause; ms += 10) await new Promise((resolve) => setTimeout(resolve, 10));
        return stopped > 0 || undefined;
      });
      const [answers, ended] = await Promise.all([this.#ask(), this.#ended(victim)]);
      return { answers, ended: ended - stopped };
    } finally {
      this.wire.onCommit = () => 'forward';
      victim.kill('SIGCONT');
      await eventually('the gateway itself', async () =>
        (await this.frozen.call('/health/ready')).status === 200 ? true : undefined,
      );
      await Promise.all(caused);
      await after?.(this);
    }
  }

  /** Has nothing that was accepted been lost, and nothing been done twice? @returns what is wrong */
  async account(): Promise<string[]> {
    await eventually('the end of all work', async () => {
      const { rows } = await this.database.run('select 1 from signalbox_job where due < 4000000000000');
      return rows.length === 0 || undefined;
    });
    const { rows } = await this.database.run('select item from effect');
    const effects = rows.map((row) => row.item as string);
    const failed = await this.database.run(
      "select count(*)::int as failed from psprcsrqst where runstatus not in ('9', '5') and prcsname = 'WAITING'",
    );
    const lost = this.#scheduled.filter((each) => !effects.includes(each));
    return [
      ...effects.filter((each, index) => effects.indexOf(each) < index).map((each) => `${each} was done twice`),
      ...this.#accepted.filter((each) => !effects.includes(each)).map((each) => `${each} was lost`),
      ...(lost.length > failed.rows[0].failed ? lost.map((each) => `${each} was lost`) : []),
    ];
  }

  /** When the database has ended the transactions of a process; others have theirs, and answers may take longer than that. */
  async #ended({ pid }: ChildProcess): Promise<number> {
    return eventually('the end of the transaction', async () => {
      const { rows } = await this.database.run(
        "select pid from pg_stat_activity where application_name like $1 and state like 'idle in transaction%'",
        [`signalbox % %:${pid}`],
      );
      return rows.length === 0 ? performance.now() : undefined;
    });
  }

  async #ask(): Promise<Answer[]> {
    const { other } = this;
    const ofKept = (path: string): Promise<Reply> =>
      other.call(`${REST}/${path}`, { headers: { authorization: KEPT } });
    const asked = {
      ready: async () => (await other.call('/health/ready')).status,
      schedule: () => this.schedule(other),
      save: () => this.note(other),
      poll: async () => (await ofKept('ExecuteQueryPoll.v1/PUBLIC/EFFECTS/JSON/NONFILE')).status,
      query: async () => (await other.caller.get('ExecuteQuery.v1/PUBLIC/EFFECTS/JSON/NONFILE')).status,
      find: async () => (await other.caller.get('ProcessRequest.v1/requests')).status,
      user: async () => (await ofKept('Notes.v1/Notes/none')).status,
      queues: async () => (await other.caller.get('Queues.v1/queues')).status,
      hold: async () => (await other.caller.act(await this.waiting(), 'Hold')).status,
      keep: async () => (await this.keepQuery(other, 'OTHER')).status,
    };
    return Promise.all(
      Object.entries(asked).map(async ([what, ask]) => {
        const since = performance.now();
        const status = await ask();
        return { what, status, isLate: performance.now() - since > BOUND + SLOW };
      }),
    );
  }

  /** A name that nothing else has. */
  #item(): string {
    this.#entered += 1;
    return `item-${this.#entered}`;
  }
}

/** A kind of transaction, and what makes a gateway begin it. */
export interface Kind {
  /** By what all transactions of the kind write, whatever else they do. */
  is(writes: Writes): boolean;
  /** Is repeated until a transaction is seen. */
  readonly cause?: (pair: Pair) => Promise<unknown>;
  /** A command that begins it, instead of the gateway. */
  readonly by?: readonly string[];
  /** Milliseconds before it is caused again; 150. */
  readonly pause?: number;
  readonly after?: (pair: Pair) => Promise<unknown>;
}
