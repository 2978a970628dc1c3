import pg from 'pg';
import { fromKysely, getConstructionPlans, getMigrationPlans, type JobInsert, PgBoss } from 'pg-boss';
import type { DatabaseEngine } from '../../model/gateway.ts';
import type { PoolStatus } from '../../model/metrics.ts';
import { unhurried } from '../deadline.ts';
import type { PendingMigration, PostgresAccess } from '../port.ts';
import { Connection, type ConnectionConfig } from '../postgres/client.ts';
import { applicationName, openPool, type TablePool } from '../postgres/pool.ts';
import type { Db } from '../tables.ts';

/** Every queue of a gateway: they are created with the tables. */
const QUEUES = ['events', 'processes', 'query-runs'] as const;

/** Seconds without a sign of life after which pg-boss gives a job to another gateway; it accepts no shorter time. */
export const HEARTBEAT = 10;

/** Seconds between two checks for such jobs, by one gateway of all. */
const SUPERVISION = 2;

/** Seconds after which pg-boss deletes a job that an operator ended with its own tools: it is then entered again. */
const ENDED = 60;

/** Seconds where pg-boss wants an end to something that has none: some sixty years. */
const EVER = 2_000_000_000;

/** The attempts that pg-boss may make: this queue decides when a job has failed for good. */
const NO_END = 1_000_000_000;

const QUEUE_OPTIONS = {
  policy: 'standard',
  retryLimit: NO_END,
  retryDelay: 0,
  heartbeatSeconds: HEARTBEAT,
  retentionSeconds: EVER,
  deleteAfterSeconds: ENDED,
} as const;

/** A job as pg-boss gets it: everything else about it is in `signalbox_job`. */
export interface Given {
  readonly id: string;
  /** Not before then, or so many seconds from now. */
  readonly after?: Date | number;
  readonly kind?: string | null;
}

/**
 * pg-boss, by its public functions alone: it hands each job that may run to one gateway, and hands it on when that gateway
 * dies. A job that has ended is deleted; attempts, pauses, keys and data are not its business.
 */
export class Boss {
  readonly #boss: PgBoss;
  readonly #pool: TablePool;
  readonly #config: ConnectionConfig;
  /** The schema of its tables, and the name of the channel that announces jobs. */
  readonly schema: string;
  readonly #queues = new Map<string, Promise<void>>();

  constructor(boss: PgBoss, pool: TablePool, config: ConnectionConfig, schema: string) {
    this.#boss = boss;
    this.#pool = pool;
    this.#config = config;
    this.schema = schema;
  }

  /** Creates a queue when it does not exist. */
  ensure(queue: string): Promise<void> {
    const known = this.#queues.get(queue);
    if (known !== undefined) return known;
    const created = this.#boss.createQueue(queue, QUEUE_OPTIONS).catch((error: unknown) => {
      this.#queues.delete(queue);
      throw error;
    });
    this.#queues.set(queue, created);
    return created;
  }

  /** Gives it jobs as part of a transaction. @returns the ids of those that it did not have */
  async give(tx: Db, queue: string, jobs: readonly Given[]): Promise<readonly string[]> {
    await this.ensure(queue);
    const rows = jobs.map(({ id, after, kind }): JobInsert => {
      // A queue accepts a day at most, and a job that runs for longer would begin anew: the heartbeat says who lives.
      const group = kind == null ? {} : { group: { id: kind } };
      return { id, expireInSeconds: EVER, ...group, ...(after !== undefined && { startAfter: after }) };
    });
    return (await this.#boss.insert(queue, rows, { db: fromKysely(tx), returnId: true })) ?? [];
  }

  /** Takes jobs back, in whatever state they are. */
  async takeBack(tx: Db, queue: string, ids: readonly string[]): Promise<void> {
    await this.#boss.deleteJob(queue, [...ids], { db: fromKysely(tx) });
  }

  /** Lets a job that runs wait again, at its place among those without a pause. @param pause in seconds */
  async again(tx: Db, queue: string, id: string, pause?: number): Promise<void> {
    const db = fromKysely(tx);
    await this.#boss.fail(queue, id, null, { db });
    if (pause !== undefined) await this.#boss.update(queue, undefined, { id, startAfter: pause, db });
  }

  /** Makes a job that waits for a later time due now. */
  async hasten(tx: Db, queue: string, id: string): Promise<void> {
    await this.#boss.update(queue, undefined, { id, startAfter: 0, db: fromKysely(tx) });
  }

  /**
   * Takes jobs that are due, in the order in which they were given, as part of a transaction, but none of certain kinds.
   * @returns their ids
   */
  async fetch(tx: Db, queue: string, limit: number, but: readonly string[]): Promise<readonly string[]> {
    const jobs = await this.#boss.fetch(queue, { batchSize: limit, ignoreGroups: [...but], db: fromKysely(tx) });
    return jobs.map(({ id }) => id);
  }

  /** Keeps jobs that run from being handed on. */
  async touch(queue: string, ids: readonly string[]): Promise<void> {
    await this.#boss.touch(queue, [...ids]);
  }

  /** Its connections, but for the one that listens. */
  pool(): PoolStatus {
    return this.#pool.status();
  }

  /** The tables that its jobs are in, with their schema. */
  async tables(): Promise<readonly string[]> {
    const queues = await this.#boss.getQueues();
    return [...new Set(queues.map(({ table }) => `${this.schema}.${table}`))];
  }

  /**
   * Listens to a channel of the database.
   * @param heard gets the payload of each notification
   * @param missed is called when notifications may have been missed
   * @param lost is called for each connection that is lost; another follows
   * @returns what ends it
   */
  async listen(
    channel: string,
    { heard, missed, lost }: { heard(payload: string): void; missed(): void; lost(error: Error): void },
  ): Promise<() => Promise<void>> {
    const listening = new Listening(this.#config, channel, { heard, missed, lost });
    await listening.begin();
    return () => listening.end();
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false });
    await this.#pool.end();
  }
}

/** Milliseconds between two checks of a connection that listens, and before another is opened. */
const CHECK = 10_000;
const AGAIN = 1000;

/** Milliseconds for the answer to such a check. */
const CHECKED = 5000;

/** What a listening connection reports. */
interface Hearing {
  heard(payload: string): void;
  missed(): void;
  lost(error: Error): void;
}

/** A connection that listens to a channel; it is replaced when it is lost. */
class Listening {
  readonly #config: ConnectionConfig;
  readonly #channel: string;
  readonly #hearing: Hearing;
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #open = true;

  constructor(config: ConnectionConfig, channel: string, hearing: Hearing) {
    this.#config = config;
    this.#channel = channel;
    this.#hearing = hearing;
  }

  /** @throws errors of the connection */
  async begin(): Promise<void> {
    const connection = new Connection({ ...this.#config, application_name: applicationName('notifications') });
    connection.on('notification', ({ payload = '' }) => this.#hearing.heard(payload));
    await connection.connect();
    try {
      await connection.ask(CHECKED, `listen "${this.#channel}"`);
    } catch (error) {
      connection.cut();
      throw error;
    }
    if (!this.#open) return connection.cut();
    this.#connection = connection;
    connection.once('end', () => this.#again(connection, new Error('connection ended')));
    this.#hearing.missed();
    this.#checkLater(connection);
  }

  async end(): Promise<void> {
    this.#open = false;
    clearTimeout(this.#timer);
    await this.#connection?.end().catch(() => {});
  }

  /** A connection that nothing comes from may be one that has vanished. */
  #checkLater(connection: Connection): void {
    this.#timer = setTimeout(() => {
      const checked = connection.ask(CHECKED, 'select 1');
      checked.then(
        () => this.#checkLater(connection),
        (error: Error) => this.#again(connection, error),
      );
    }, CHECK);
  }

  #again(connection: Connection, error: Error): void {
    if (!this.#open || this.#connection !== connection) return;
    this.#connection = undefined;
    connection.cut();
    this.#hearing.lost(error);
    this.#retry();
  }

  #retry(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.begin().catch(() => {
        if (this.#open && this.#connection === undefined) this.#retry();
      });
    }, AGAIN);
  }
}

/** Runs the statements of pg-boss on connections of our own, which have our settings and time limits. */
function databaseOf(
  pool: TablePool,
  pace: <T>(work: () => T) => T,
): NonNullable<ConstructorParameters<typeof PgBoss>[0]['db']> {
  return {
    async executeSql(text: string, values: unknown[] = []) {
      const connection = await pool.connect();
      try {
        return (await pace(() => connection.query(text, values))) as never;
      } finally {
        connection.release();
      }
    },
  };
}

/** The state of pg-boss in a schema. */
interface FoundBoss {
  /** The version of its tables; `undefined` when they do not exist. */
  readonly version: number | undefined;
  readonly queues: readonly string[];
}

/** Reads the state of pg-boss in a schema. */
export async function findBoss(db: Db, schema: string, engine: DatabaseEngine): Promise<FoundBoss> {
  const boss = new PgBoss({ db: fromKysely(db), schema, backend: backendOf(engine) });
  if (!(await boss.isInstalled())) return { version: undefined, queues: [] };
  const queues = await boss.getQueues();
  return { version: (await boss.schemaVersion()) ?? undefined, queues: queues.map(({ name }) => name) };
}

/** The statements that bring the tables of pg-boss in a schema up to date, and create the queues, for one transaction. */
export function planBoss(schema: string, engine: DatabaseEngine, { version, queues }: FoundBoss): PendingMigration[] {
  const options = { backend: backendOf(engine), createSchema: false };
  const construction = getConstructionPlans(schema, options);
  const latest = Number(/\.version\(version\) VALUES \('(\d+)'\)/.exec(construction)?.[1]);
  const statements: string[] = [];
  if (version === undefined) statements.push(inside(construction));
  // The tables of a newer version are left as they are.
  else if (version < latest) statements.push(inside(getMigrationPlans(schema, version, options)));
  for (const queue of QUEUES)
    if (!queues.includes(queue))
      statements.push(`select ${schema}.create_queue('${queue}', '${JSON.stringify(QUEUE_OPTIONS)}');`);
  if (statements.length === 0) return [];
  return [{ of: 'signalbox', name: `pg-boss ${latest} in ${schema}`, statements }];
}

/** A plan of pg-boss without the begin and the commit around it, on one line. */
function inside(plan: string): string {
  const [, statements] = /^\s*BEGIN;(.*)COMMIT;\s*$/s.exec(plan) ?? [];
  if (statements === undefined) throw new TypeError('the plan of pg-boss is not one transaction');
  return statements.replaceAll(/\s*\n\s*/g, ' ').trim();
}

/** The name of an engine's profile in pg-boss. */
function backendOf(engine: DatabaseEngine): 'postgres' | Exclude<DatabaseEngine, 'postgresql'> {
  return engine === 'postgresql' ? 'postgres' : engine;
}

/** Starts pg-boss. @throws errors of the database when it can't be reached */
export async function openBoss(
  { config: given, engine, connections, queue }: PostgresAccess,
  report: (error: Error) => void,
): Promise<Boss> {
  const schema = await queue();
  const config = { ...given, application_name: applicationName('queue') };
  // pg-boss expects the values that the driver reads by default, not those of our tables.
  const pool = openPool({ ...config, types: pg.types }, connections.queue, report);
  let starting = true;
  const boss = new PgBoss({
    // At the start it may have tables to change.
    db: databaseOf(pool, (work) => (starting ? unhurried(work) : work())),
    schema,
    // It was created when the queue was given to this installation.
    createSchema: false,
    backend: backendOf(engine),
    // What recurs is ours, on both engines.
    schedule: false,
    superviseIntervalSeconds: SUPERVISION,
    monitorIntervalSeconds: SUPERVISION,
    maintenanceIntervalSeconds: ENDED,
    monitorVacuum: false,
    // Many waiting jobs are not an error; the metrics count them.
    warningQueueSize: 2 ** 31 - 1,
    // Flows, which are not used here.
    flowIntervalSeconds: 3600,
  });
  boss.on('error', report);
  boss.on('warning', ({ message }) => report(new Error(message)));
  try {
    await boss.start();
    starting = false;
    return new Boss(boss, pool, config, schema);
  } catch (error) {
    await boss.stop({ graceful: false });
    await pool.end();
    throw error;
  }
}
