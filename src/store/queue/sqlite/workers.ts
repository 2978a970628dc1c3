import { sql } from 'kysely';
import type { Store } from '../../port.ts';
import { LockFile } from '../../sqlite/lock-file.ts';
import type { Listener } from '../engine.ts';
import { endJobs } from './line.ts';

/** Milliseconds between two looks for processes that died. */
const SWEEP = 3000;

/** This process among those that work at the queue of a file, and what is left of dead ones. */
export class SqliteWorkers {
  readonly #store: Store;
  readonly #folder: string;
  #lock: LockFile | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
    this.#folder = `${store.files}-workers`;
  }

  /** Of this process. @throws Error before {@link begin} */
  get name(): string {
    if (this.#lock === undefined) throw new Error('the queue has not begun to take work');
    return this.#lock.name;
  }

  async begin(listener: Listener): Promise<void> {
    this.#lock ??= LockFile.create(this.#folder);
    await this.#sweep(listener);
    this.#timer = setInterval(() => {
      this.#sweeping = this.#sweep(listener).catch((error: Error) => listener.report(error));
    }, SWEEP);
  }

  /** @param leaving whether something of this process is to be found by those who live on */
  async end(leaving: boolean): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
    if (!leaving) this.#lock?.end(true);
  }

  /** Gives back what dead processes hold, or ends what was cancelled. Attempts were counted when they were begun. */
  async #sweep(listener: Listener): Promise<void> {
    const db = await this.#store.tables();
    const rows = await db
      .selectFrom('signalbox_job')
      .select('worker')
      .distinct()
      .where('worker', 'is not', null)
      .execute();
    const holders = rows.map(({ worker }) => worker as string).filter((worker) => worker !== this.#lock?.name);
    // Read after the holders: who holds a job made its file before.
    const files = LockFile.names(this.#folder);
    const gone = holders.filter((holder) => !files.includes(holder));
    for (const worker of gone) await this.#giveBack(worker, listener);
    for (const file of files) {
      const dead = LockFile.take(this.#folder, file);
      if (dead === undefined) continue;
      let given = false;
      try {
        await this.#giveBack(file, listener);
        given = true;
      } finally {
        dead.end(given);
      }
    }
  }

  async #giveBack(worker: string, listener: Listener): Promise<void> {
    const given = await this.#store.transaction(async (tx) => {
      const ended = await endJobs(tx, sql`worker = ${worker} and cancelled = 1`);
      const { numUpdatedRows } = await tx
        .updateTable('signalbox_job')
        .set({ worker: null, mark: null })
        .where('worker', '=', worker)
        .executeTakeFirst();
      return ended.length + Number(numUpdatedRows);
    });
    if (given > 0) listener.wake();
  }
}
