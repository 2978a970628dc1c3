import { type DatabaseOptions, fromKysely, type JobInsert, PgBoss } from 'pg-boss';
import type { PostgresAccess } from '../port.ts';
import type { Db } from '../tables.ts';

/** The schema of pg-boss, which creates and upgrades it. */
const SCHEMA = 'signalbox_queue';

/** Seconds without a sign of life after which pg-boss gives a job to another gateway; it accepts no shorter time. */
export const HEARTBEAT = 10;

/** Seconds between two checks for such jobs, by one gateway of all. */
const SUPERVISION = 2;

/** Seconds after which pg-boss deletes a job that somebody ended with its own tools: it is then entered again. */
const ENDED = 60;

/** Seconds where pg-boss wants an end to something that has none: some sixty years. */
const EVER = 2_000_000_000;

/** The attempts that pg-boss is told to make: when a job has failed for good is decided here. */
const NO_END = 1_000_000_000;

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
  readonly #queues = new Map<string, Promise<void>>();

  constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  /** Creates a queue when it does not exist. */
  ensure(queue: string): Promise<void> {
    const known = this.#queues.get(queue);
    if (known !== undefined) return known;
    const created = this.#boss
      .createQueue(queue, {
        policy: 'standard',
        retryLimit: NO_END,
        retryDelay: 0,
        heartbeatSeconds: HEARTBEAT,
        retentionSeconds: EVER,
        deleteAfterSeconds: ENDED,
      })
      .catch((error: unknown) => {
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

  /** The tables that its jobs are in, with their schema. */
  async tables(): Promise<readonly string[]> {
    const queues = await this.#boss.getQueues();
    return [...new Set(queues.map(({ table }) => `${SCHEMA}.${table}`))];
  }

  /**
   * Listens to a channel of the database.
   * @param heard gets the payload of each notification
   * @param missed is called when notifications may have been missed
   * @returns what ends it
   */
  async listen(channel: string, heard: (payload: string) => void, missed: () => void): Promise<() => Promise<void>> {
    const listening = await this.#boss.getDb().listen?.(channel, heard, missed);
    return async () => listening?.close();
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false });
  }
}

/** Starts pg-boss. @throws errors of the database when it can't be reached */
export async function openBoss(access: PostgresAccess, report: (error: Error) => void): Promise<Boss> {
  const { config, engine, connections } = access;
  // Our readers of values are for our tables: pg-boss expects those of the driver.
  const { types: _, ...reach } = config;
  const boss = new PgBoss({
    ...(reach as DatabaseOptions),
    application_name: 'signalbox queue',
    schema: SCHEMA,
    backend: engine === 'postgresql' ? 'postgres' : engine,
    max: connections.queue,
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
    return new Boss(await boss.start());
  } catch (error) {
    await boss.stop({ graceful: false });
    throw error;
  }
}
