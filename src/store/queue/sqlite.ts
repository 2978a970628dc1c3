import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../port.ts';
import { LockFile } from '../sqlite/lock-file.ts';
import type { JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import { forgetAttempts, GATEWAY_GONE, recordAttempt } from './attempts.ts';
import type { Claim, Listener, QueueEngine } from './engine.ts';
import { repeat } from './repeat.ts';
import { causeIn, causeText, hasWaiting, type JobChange, type Line, measureJobs, notBegun, PLACE } from './rows.ts';

/** Milliseconds between two looks, which find what other processes enter. */
const POLL = 250;

/** Milliseconds for which unknown jobs wait outside of their key, unless they have a pause. */
const ASIDE = 5000;

/** A job that was not begun. */
const FRESH = { attempt: 0, cancelled: 0 };

/** The columns of a job that is taken. */
type TakenRow = Pick<JobTable, 'id' | 'key' | 'kind' | 'data' | 'cause' | 'due' | 'attempt' | 'began' | 'unknown'> & {
  readonly sequence: number;
  readonly failed: number;
  readonly recorded: number;
  readonly entered: number | null;
};

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
    async insert(tx, { queue, id, key = null, kind = null, data, after, cause }) {
      const time = now();
      const wait = after === undefined ? { due: time, since: time } : { due: after.getTime(), since: null };
      const place = key === null ? PLACE.free : after === undefined ? await placeIn(tx, { queue, key }) : PLACE.coming;
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('signalbox_job')
        .values({
          ...{ queue, id, key, kind, data: JSON.stringify(data), place, ...wait },
          ...{ ...FRESH, entered: time, cause: causeText(cause) },
        })
        .onConflict((conflict) => conflict.columns(['queue', 'id']).doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    remove,
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
      return ended.filter(({ cancelled }) => cancelled === 0).length;
    },
    postpone: (tx, claim, pause) =>
      giveUp(tx, mine([claim]), { ...pausing(now(), pause), failed: claim.attempt, unknown: null, recorded: 1 }),
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

async function remove(
  tx: Db,
  queue: string,
  id: string,
  { unlessRunning }: { readonly unlessRunning?: true } = {},
): Promise<boolean> {
  const job = await tx
    .selectFrom('signalbox_job')
    .select(['sequence', 'key', 'place', 'worker', 'cancelled'])
    .where('queue', '=', queue)
    .where('id', '=', id)
    .executeTakeFirst();
  if (job === undefined || job.cancelled === 1 || (unlessRunning && job.worker !== null)) return false;
  const { sequence, key } = job;
  if (key !== null && job.worker !== null) {
    await tx.updateTable('signalbox_job').set({ cancelled: 1 }).where('sequence', '=', sequence).execute();
    return true;
  }
  await tx.deleteFrom('signalbox_job').where('sequence', '=', sequence).execute();
  await forgetAttempts(tx, [{ queue, id }]);
  if (key !== null && job.place === PLACE.free) await moveOn(tx, { queue, key });
  return true;
}

async function giveUp(tx: Db, mine: RawBuilder<boolean>, change: JobChange): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('signalbox_job')
    .set({ ...change, worker: null, mark: null, started: null })
    .where(mine)
    .where('cancelled', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

const pausing = (now: number, pause: number) => ({ due: now + pause, since: now });

/** Takes the jobs that have been due for longest. */
function takeJobs(of: {
  readonly queue: string;
  readonly limit: number;
  readonly but: readonly string[];
  readonly mark: number;
  readonly worker: string;
  readonly now: number;
  readonly gateway: string;
}): RawBuilder<TakenRow> {
  const others = of.but.length === 0 ? sql`` : sql`and (kind is null or kind not in (${sql.join(of.but)}))`;
  return sql<TakenRow>`
    update signalbox_job set worker = ${of.worker}, mark = ${of.mark}, attempt = attempt + 1,
      began = coalesce(began, ${of.now}), started = ${of.now}, gateway = ${of.gateway}
    where sequence in (
      select sequence from signalbox_job
      where queue = ${of.queue} and worker is null and place = 0 and due <= ${of.now} ${others}
      order by due, sequence limit ${of.limit}
    )
    returning sequence, id, key, kind, data, cause, due, attempt, began, unknown, failed, recorded, entered
  `;
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

/** The place of a new job: behind the first of its key, when the key has one. */
async function placeIn(tx: Db, { queue, key }: Line): Promise<number> {
  const head = await tx
    .selectFrom('signalbox_job')
    .select('sequence')
    .where('queue', '=', queue)
    .where('key', '=', key)
    .where(sql<boolean>`place = 0 and key is not null`)
    .executeTakeFirst();
  return head === undefined ? PLACE.free : PLACE.behind;
}

/** Makes the next job of a key its first, once the first is gone. */
async function moveOn(tx: Db, { queue, key }: Line): Promise<void> {
  await sql`
    update signalbox_job set place = ${PLACE.free} where sequence = (
      select sequence from signalbox_job where queue = ${queue} and key = ${key} and place = 1 order by sequence limit 1
    )
  `.execute(tx);
}

/** Ends jobs that run, and moves on their keys. */
async function endJobs(
  tx: Db,
  which: RawBuilder<boolean>,
): Promise<readonly Pick<JobTable, 'queue' | 'id' | 'key' | 'cancelled'>[]> {
  const ended = await tx
    .deleteFrom('signalbox_job')
    .where(which)
    .returning(['queue', 'id', 'key', 'cancelled'])
    .execute();
  for (const { queue, key } of ended) if (key !== null) await moveOn(tx, { queue, key });
  return ended;
}

/** Milliseconds by which the clock was set back if a pause begins later than now; less comes of a look that began before it. */
const SET_BACK = 1000;

/**
 * Applies the passing of time: a job that has become due joins the line of its key, and a pause does not become longer because
 * the clock was set back.
 */
async function catchUp(
  db: Db,
  transaction: (work: (tx: Db) => Promise<void>) => Promise<void>,
  of: Due,
): Promise<void> {
  const { queue, now } = of;
  const isLater = sql`worker is null and place = 0 and since > ${now} and (due = since or since > ${now + SET_BACK})`;
  const { rows } = await sql`
    select 1 from signalbox_job where queue = ${queue} and ${isLater}
    union all select 1 from signalbox_job where queue = ${queue} and place = 2 and due <= ${now}
    limit 1
  `.execute(db);
  if (rows.length === 0) return;
  await transaction(async (tx) => {
    await sql`
      update signalbox_job set due = ${now}, since = ${now} where queue = ${queue} and ${isLater}
    `.execute(tx);
    await takePlaces(tx, of);
  });
}

/** A queue, and the time of the look. */
interface Due {
  readonly queue: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

async function takePlaces(tx: Db, { queue, now }: Due): Promise<void> {
  const coming = await tx
    .selectFrom('signalbox_job')
    .select(['sequence', 'key'])
    .where('queue', '=', queue)
    .where(sql<boolean>`place = 2`)
    .where('due', '<=', now)
    .orderBy('due')
    .orderBy('sequence')
    .execute();
  for (const { sequence, key } of coming) {
    await tx
      .updateTable('signalbox_job')
      .set({
        // The last of all jobs is the last of its key.
        sequence: sql<number>`(select max(sequence) + 1 from signalbox_job)`,
        place: await placeIn(tx, { queue, key: key as string }),
        since: now,
      })
      .where('sequence', '=', sequence)
      .execute();
  }
}
