import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';
import type { Pace } from './engine.ts';
import { repeat } from './repeat.ts';

/** Milliseconds between two looks for queues that were paused or resumed. */
const LOOK = 1000;
/** Milliseconds between two writes of the numbers of jobs done. */
const WRITE = 2000;

const MINUTE = 60_000;
/** Minutes of which the rate of a queue is the average, the present one included. */
const WINDOW = 5;

interface PaceOptions {
  readonly store: Store;
  /** The name of this gateway. */
  readonly gateway: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly report: (error: Error) => void;
  /** Is called when a queue was resumed. */
  readonly onResumed: (queue: string) => void;
}

/**
 * Follows the paused queues of the database, and counts there what this gateway has done: a row for each queue and minute,
 * which no other gateway writes.
 */
export class QueuePace implements Pace {
  readonly #options: PaceOptions;
  #paused: ReadonlySet<string> = new Set();
  /** The names under which each queue is paused. */
  readonly #names = new Map<string, readonly string[]>();
  #done = new Map<string, number>();
  #ends: (() => Promise<void>)[] = [];

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  isPaused(queue: string): boolean {
    return (this.#names.get(queue) ?? [queue]).some((name) => this.#paused.has(name));
  }

  /** Pauses a queue under other names too. */
  alsoAs(queue: string, names: readonly string[]): void {
    this.#names.set(queue, [queue, ...names]);
  }

  done(queue: string, count = 1): void {
    this.#done.set(queue, (this.#done.get(queue) ?? 0) + count);
  }

  /** Reads the paused queues, and goes on to follow them. @throws errors of the database */
  async start(): Promise<void> {
    const { report } = this.#options;
    await this.#look();
    this.#ends = [repeat(LOOK, () => this.#look(), report), repeat(WRITE, () => this.#write(), report)];
  }

  /** Ends after what is being done; numbers that were not written are lost. */
  async close(): Promise<void> {
    for (const end of this.#ends) await end();
  }

  async #look(): Promise<void> {
    const paused = new Set((await readPauses(await this.#options.store.tables())).keys());
    const before = [...new Set([...this.#paused, ...this.#names.keys()])].filter((queue) => this.isPaused(queue));
    this.#paused = paused;
    for (const queue of before) if (!this.isPaused(queue)) this.#options.onResumed(queue);
  }

  async #write(): Promise<void> {
    const counted = this.#done;
    if (counted.size === 0) return;
    this.#done = new Map();
    try {
      await this.#add(counted);
    } catch (error) {
      for (const [queue, done] of counted) this.done(queue, done);
      throw error;
    }
  }

  async #add(counted: ReadonlyMap<string, number>): Promise<void> {
    const { store, gateway, now } = this.#options;
    const minute = Math.floor(now() / MINUTE);
    await store.transaction(async (tx) => {
      for (const [queue, done] of counted) {
        await tx
          .insertInto('signalbox_job_rate')
          .values({ queue, minute, gateway, done })
          .onConflict((conflict) =>
            conflict
              .columns(['queue', 'minute', 'gateway'])
              .doUpdateSet(({ eb }) => ({ done: eb('signalbox_job_rate.done', '+', done) })),
          )
          .execute();
      }
      // Each gateway removes its own rows, and those of gateways that are long gone.
      await tx
        .deleteFrom('signalbox_job_rate')
        .where(({ or, and, eb }) =>
          or([and([eb('gateway', '=', gateway), eb('minute', '<=', minute - WINDOW)]), eb('minute', '<', minute - 60)]),
        )
        .execute();
    });
  }
}

/** The paused queues, with since when and by whom. */
export async function readPauses(
  db: Db,
): Promise<ReadonlyMap<string, { readonly paused: string; readonly actor: string }>> {
  const rows = await db.selectFrom('signalbox_paused_queue').selectAll().execute();
  return new Map(rows.map(({ queue, ...pause }) => [queue, pause]));
}

/** Jobs done a minute by all gateways, by queue: the average of the last five minutes. @param now milliseconds since 1970 */
export async function readRates(db: Db, now: number): Promise<ReadonlyMap<string, number>> {
  const minute = Math.floor(now / MINUTE);
  const rows = await db
    .selectFrom('signalbox_job_rate')
    .select(({ fn }) => ['queue', fn.sum<number | string>('done').as('done')])
    .where('minute', '>', minute - WINDOW)
    .groupBy('queue')
    .execute();
  const minutes = WINDOW - 1 + (now % MINUTE) / MINUTE;
  return new Map(rows.map(({ queue, done }) => [queue, Math.round((10 * Number(done)) / minutes) / 10]));
}
