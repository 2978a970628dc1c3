import { type RawBuilder, sql } from 'kysely';
import { LockFile } from '../sqlite/lock-file.ts';
import type { Store } from '../store-port.ts';
import { forgetAttempts, GATEWAY_GONE, recordAttempt } from './attempts.ts';
import type { Claim, Listener, QueueEngine } from './engine.ts';
import { repeat } from './repeat.ts';
import { causeIn, HELD, hasWaiting, measureJobs, notBegun, PLACE, replacing, unattempted } from './rows.ts';
import {
  catchUp,
  endJobs,
  firstWaiting,
  giveUp,
  insertJobs,
  moveOn,
  pausing,
  remove,
  takeJobs,
} from './sqlite-jobs.ts';

/** Milliseconds between two looks, which find what other processes enter. */
const POLL = 250;

/** Milliseconds for which unknown jobs wait outside of their key, unless they have a pause. */
const ASIDE = 5000;

/**
 * The queue on SQLite: a table. A job is held by a process, whose lock file shows that it is alive. Of the jobs of a key one
 * may be taken; the others are marked as waiting behind it, so that no look has to skip them.
 * @param now milliseconds since 1970
 */
export function sqliteEngine(store: Store, now: () => number): QueueEngine {
  const workers = new SqliteWorkers(store, now);
  let marks = 0;
  const mine = (claims: readonly Claim[]): RawBuilder<boolean> =>
    sql`worker = ${workers.name} and (id, mark) in (values ${sql.join(claims.map(({ id, mark }) => sql`(${id}, ${mark})`))})`;
  return {
    poll: POLL,
    lease: undefined,
    insert: (tx, jobs) => insertJobs(tx, jobs, now()),
    remove,
    async replace(tx, id, job) {
      const time = now();
      const { numUpdatedRows } = await tx
        .updateTable('signalbox_job')
        .set({ ...replacing(job), due: time, since: time, entered: time })
        .where('queue', '=', job.queue)
        .where('id', '=', id)
        .where('worker', 'is', null)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async hasten(tx, queue, id) {
      const time = now();
      const { numUpdatedRows } = await tx
        .updateTable('signalbox_job')
        .set({ due: time, since: time })
        .where('queue', '=', queue)
        .where('id', '=', id)
        .where('worker', 'is', null)
        .where('due', '>', time)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async claim(queue, limit, but, gateway) {
      const db = await store.tables();
      const time = now();
      await catchUp(db, store.transaction, { queue, now: time });
      const mark = ++marks;
      const by = { mark, worker: workers.name, now: time, gateway };
      const { rows } = await takeJobs({ queue, limit, but, ...by }).execute(db);
      const inOrder = rows.toSorted((a, b) => a.due - b.due || a.sequence - b.sequence);
      return inOrder.map(({ id, key, kind, data, cause, attempt, entered, ...row }) => ({
        ...{ id, queue, key: key ?? undefined, kind: kind ?? undefined, data: JSON.parse(data) },
        ...{ cause: causeIn(cause), attempt, mark },
        elapsed: time - (row.began ?? time),
        unknownFor: row.unknown === null ? undefined : time - row.unknown,
        died: row.failed < attempt - 1,
        ...{ entered, started: time, recorded: row.recorded === 1 },
      }));
    },
    async finish(tx, claims) {
      const ended = await endJobs(tx, mine(claims));
      return { ended: ended.filter(({ cancelled }) => cancelled === 0).length, next: [] };
    },
    postpone: (tx, claim, pause) =>
      giveUp(tx, mine([claim]), { ...pausing(now(), pause), failed: claim.attempt, unknown: null, recorded: 1 }),
    park: (tx, claim, pause) => giveUp(tx, mine([claim]), { ...unattempted, due: now() + pause, since: null }),
    keep: (tx, claim, attempt) =>
      giveUp(tx, mine([claim]), { due: HELD, since: null, attempt, failed: attempt, unknown: null, recorded: 1 }),
    async hold(tx, queue, which) {
      const { numUpdatedRows } = await tx
        .updateTable('signalbox_job')
        .set({ due: HELD, since: null })
        .where('queue', '=', queue)
        .where('id' in which ? sql<boolean>`id = ${which.id}` : firstWaiting({ queue, ...which }))
        .where('worker', 'is', null)
        .where('due', '<>', HELD)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
    async unhold(tx, queue, which) {
      const time = now();
      const { numUpdatedRows } = await tx
        .updateTable('signalbox_job')
        .set({ ...unattempted, due: time, since: time })
        .where('queue', '=', queue)
        .where('id' in which ? sql<boolean>`id = ${which.id}` : sql<boolean>`key = ${which.key}`)
        .where('due', '=', HELD)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
    release: (tx, claim) => giveUp(tx, mine([claim]), notBegun(claim)),
    async leave(tx, claim, { pause, aside } = {}) {
      const { queue, key } = claim;
      const time = now();
      const unknown = sql<number>`coalesce(unknown, ${time})`;
      const wait = pause === undefined ? {} : pausing(time, pause);
      if (!(await giveUp(tx, mine([claim]), { ...notBegun(claim), ...wait, unknown }))) return false;
      if (!aside || key === undefined) return true;
      const out = { ...pausing(time, pause ?? ASIDE), place: PLACE.coming };
      let others = tx.updateTable('signalbox_job').set(out).where('queue', '=', queue).where('key', '=', key);
      if (pause === undefined)
        others = others.where(({ or, eb }) => or([eb('id', '=', claim.id), eb('kind', '=', claim.kind ?? null)]));
      else others = others.where('id', '=', claim.id);
      await others.execute();
      await moveOn(tx, { queue, key });
      return true;
    },
    async clear(tx, claim) {
      await endJobs(tx, sql`${mine([claim])} and cancelled = 1`);
    },
    async held(claims) {
      const db = await store.tables();
      const rows = await db
        .selectFrom('signalbox_job')
        .select(['id', 'mark', 'cancelled'])
        .where(mine(claims))
        .execute();
      const found = new Map(rows.map(({ id, mark, cancelled }) => [`${mark} ${id}`, cancelled === 1]));
      const held = new Map<Claim, 'held' | 'cancelled'>();
      for (const claim of claims) {
        const cancelled = found.get(`${claim.mark} ${claim.id}`);
        if (cancelled !== undefined) held.set(claim, cancelled ? 'cancelled' : 'held');
      }
      return held;
    },
    begin: (_, listener: Listener) => workers.begin(listener),
    depths: async () => measureJobs(await store.tables(), now()),
    isFull: async (queue, most, tx) => hasWaiting(tx ?? (await store.tables()), queue, most, now()),
    end: (leaving) => workers.end(leaving),
  };
}

/** Milliseconds between two checks for processes that died. */
const SWEEP = 3000;

/** This process among those that run jobs of a database file, and the jobs of dead ones. */
class SqliteWorkers {
  readonly #store: Store;
  readonly #folder: string;
  readonly #now: () => number;
  #lock: LockFile | undefined;
  #endSweeps: (() => Promise<void>) | undefined;

  constructor(store: Store, now: () => number) {
    this.#store = store;
    this.#now = now;
    this.#folder = `${store.files}-workers`;
  }

  /** The name of this process. @throws Error before {@link begin} */
  get name(): string {
    if (this.#lock === undefined) throw new Error('the queue has not begun to take work');
    return this.#lock.name;
  }

  async begin(listener: Listener): Promise<void> {
    this.#lock ??= LockFile.create(this.#folder);
    await this.#sweep(listener);
    this.#endSweeps = repeat(
      SWEEP,
      () => this.#sweep(listener),
      (error) => listener.report(error),
    );
  }

  /** @param leaving whether jobs of this process are left for others to find */
  async end(leaving: boolean): Promise<void> {
    await this.#endSweeps?.();
    if (!leaving) this.#lock?.end(true);
  }

  /** Gives back the jobs of dead processes, or ends those that were cancelled. Attempts were counted when they began. */
  async #sweep(listener: Listener): Promise<void> {
    const db = await this.#store.tables();
    const rows = await db
      .selectFrom('signalbox_job')
      .select('worker')
      .distinct()
      .where('worker', 'is not', null)
      .execute();
    const holders = rows.map(({ worker }) => worker as string).filter((worker) => worker !== this.#lock?.name);
    // Read after the holders: a process creates its file before it holds a job.
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
      await forgetAttempts(tx, ended);
      const given = await tx
        .updateTable('signalbox_job')
        .set({ worker: null, mark: null, recorded: 1 })
        .where('worker', '=', worker)
        .returning(['queue', 'id as job', 'attempt', 'gateway', 'started as began'])
        .execute();
      const noticed = { ended: this.#now(), reason: GATEWAY_GONE };
      for (const attempt of given) await recordAttempt(tx, { ...attempt, ...noticed });
      return ended.length + given.length;
    });
    if (given > 0) listener.wake();
  }
}
