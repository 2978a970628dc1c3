import { sql } from 'kysely';
import { type DatabaseOptions, PgBoss } from 'pg-boss';
import type { PostgresAccess } from '../../port.ts';

/** The schema of pg-boss: it makes it and brings it up to date under a lock of its own. */
export const SCHEMA = 'signalbox_queue';

/** Its table of jobs. */
export const JOB = sql.table(`${SCHEMA}.job`);

/** Seconds after which a job is another's whose gateway said nothing. pg-boss has no shorter ones. */
export const HEARTBEAT = 10;

/** Seconds between two looks for such jobs, by one gateway of all. */
const SUPERVISION = 2;

/** Seconds that stand for ever where pg-boss asks for an end: some sixty years. */
const EVER = 2_000_000_000;

/** Attempts that pg-boss is told of: when a job has failed for good is not its business. */
const NO_END = 1_000_000_000;

/** Starts pg-boss. @throws errors of the database where it can't be reached */
export async function openBoss(access: PostgresAccess, report: (error: Error) => void): Promise<PgBoss> {
  const { config, engine, connections } = access;
  // Own readers of values are for own tables: pg-boss expects those of the driver.
  const { types: _, ...reach } = config;
  const boss = new PgBoss({
    ...(reach as DatabaseOptions),
    application_name: 'signalbox queue',
    schema: SCHEMA,
    backend: engine === 'postgresql' ? 'postgres' : engine,
    max: connections.queue,
    // What recurs is our own, on both engines.
    schedule: false,
    superviseIntervalSeconds: SUPERVISION,
    monitorIntervalSeconds: SUPERVISION,
    monitorVacuum: false,
    // Jobs that wait are no mistake; `counts` tells of them.
    warningQueueSize: 2 ** 31 - 1,
    // Flows, which are not used here.
    flowIntervalSeconds: 3600,
  });
  boss.on('error', report);
  boss.on('warning', ({ message }) => report(new Error(message)));
  try {
    return await boss.start();
  } catch (error) {
    await boss.stop({ graceful: false });
    throw error;
  }
}

/** Makes queues of pg-boss when they are first used. */
export class BossQueues {
  readonly #boss: PgBoss;
  readonly #made = new Map<string, Promise<void>>();

  constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  ensure(name: string): Promise<void> {
    const known = this.#made.get(name);
    if (known !== undefined) return known;
    const made = this.#make(name).catch((error: unknown) => {
      this.#made.delete(name);
      throw error;
    });
    this.#made.set(name, made);
    return made;
  }

  async #make(name: string): Promise<void> {
    await this.#boss.createQueue(name, {
      policy: 'standard',
      retryLimit: NO_END,
      retryDelay: 0,
      heartbeatSeconds: HEARTBEAT,
      retentionSeconds: EVER,
    });
    // pg-boss takes no more than a day, and would begin a job anew that runs for longer; the heartbeat tells who lives.
    await this.#boss.getDb().executeSql(`update ${SCHEMA}.queue set expire_seconds = $2 where name = $1`, [name, EVER]);
  }
}
