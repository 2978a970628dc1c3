import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../store.ts';
import type { Db } from '../tables.ts';
import type { Claim, Listener, QueueEngine } from './engine.ts';
import { SqliteWorkers } from './sqlite-workers.ts';

/** Milliseconds between two looks: what another process enters is found by them. */
const POLL = 250;

/** A job as it is taken. */
interface TakenRow {
  readonly sequence: number;
  readonly id: string;
  readonly key: string | null;
  readonly data: string;
  readonly attempt: number;
}

/**
 * The queue on SQLite: a table. A job is held by a process, by the lock file that tells whether that lives.
 * @param now milliseconds since 1970
 */
export function sqliteEngine(store: Store, now: () => number): QueueEngine {
  const workers = new SqliteWorkers(store);
  let marks = 0;
  const mine = (claims: readonly Claim[]): RawBuilder<boolean> =>
    sql`worker = ${workers.name} and (id, mark) in (values ${sql.join(claims.map(({ id, mark }) => sql`(${id}, ${mark})`))})`;
  return {
    poll: POLL,
    lease: undefined,
    async insert(tx, { queue, id, key = null, data, after }) {
      const row = { queue, id, key, data: JSON.stringify(data), due: after?.getTime() ?? now(), attempt: 0 };
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('signalbox_job')
        .values(row)
        .onConflict((conflict) => conflict.columns(['queue', 'id']).doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    async remove(tx, queue, id) {
      const { numDeletedRows } = await tx
        .deleteFrom('signalbox_job')
        .where('queue', '=', queue)
        .where('id', '=', id)
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },
    async claim(queue, limit) {
      const mark = ++marks;
      const taken = takeJobs({ queue, limit, mark, worker: workers.name, now: now() });
      const { rows } = await taken.execute(await store.tables());
      const inOrder = rows.toSorted((a, b) => a.sequence - b.sequence);
      return inOrder.map(({ id, key, data, attempt }) => {
        return { id, queue, key: key ?? undefined, data: JSON.parse(data), attempt, mark };
      });
    },
    async finish(tx, claims) {
      const { numDeletedRows } = await tx.deleteFrom('signalbox_job').where(mine(claims)).executeTakeFirst();
      return Number(numDeletedRows);
    },
    postpone: (tx, claim, until) => giveUp(tx, mine([claim]), { due: until.getTime() }),
    async release(tx, claim) {
      await giveUp(tx, mine([claim]), { attempt: claim.attempt - 1 });
    },
    async held(claims) {
      const db = await store.tables();
      const rows = await db.selectFrom('signalbox_job').select(['id', 'mark']).where(mine(claims)).execute();
      const found = new Set(rows.map(({ id, mark }) => `${mark} ${id}`));
      return new Set(claims.filter(({ id, mark }) => found.has(`${mark} ${id}`)));
    },
    begin: (_, listener: Listener) => workers.begin(listener),
    async counts() {
      const db = await store.tables();
      const { rows } = await sql<{ queue: string; waiting: number; running: number }>`
        select queue, count(*) - count(worker) as waiting, count(worker) as running from signalbox_job group by queue
      `.execute(db);
      return rows;
    },
    end: (leaving) => workers.end(leaving),
  };
}

async function giveUp(
  tx: Db,
  mine: RawBuilder<boolean>,
  change: { readonly due?: number; readonly attempt?: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('signalbox_job')
    .set({ ...change, worker: null, mark: null })
    .where(mine)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Takes the oldest that are due. One with a key waits for the one of its key that was begun before, which runs or waits
 * for its next attempt, and for those that are due and were entered before it.
 */
function takeJobs(of: {
  readonly queue: string;
  readonly limit: number;
  readonly mark: number;
  readonly worker: string;
  readonly now: number;
}): RawBuilder<TakenRow> {
  return sql<TakenRow>`
    update signalbox_job set worker = ${of.worker}, mark = ${of.mark}, attempt = attempt + 1
    where sequence in (
      select job.sequence from signalbox_job as job
      where job.queue = ${of.queue} and job.worker is null and job.due <= ${of.now}
        and (job.key is null or not exists (
          select 1 from signalbox_job as begun
          where begun.queue = job.queue and begun.key = job.key and begun.attempt > 0 and begun.sequence <> job.sequence
        ))
        and (job.key is null or job.attempt > 0 or not exists (
          select 1 from signalbox_job as earlier
          where earlier.queue = job.queue and earlier.key = job.key and earlier.sequence < job.sequence
            and earlier.due <= ${of.now}
        ))
      order by job.sequence limit ${of.limit}
    )
    returning sequence, id, key, data, attempt
  `;
}
