import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../tables.ts';
import { JOB } from './boss.ts';

/** A job in the line of its key. */
export interface Standing {
  readonly queue: string;
  readonly key: string;
  readonly id: string;
}

/**
 * Puts a job behind those of its key. Whoever does so has the key locked until the transaction ends, so that the order is
 * that in which they came, whoever commits first.
 * @returns whether it is its turn: it is to be told to pg-boss then; undefined where there is one with its id
 */
export async function stand(tx: Db, { queue, key, id }: Standing, data: string): Promise<boolean | undefined> {
  const { head, number } = await tx
    .insertInto('signalbox_job_key')
    .values({ queue, key, head: id, last: 0, waiting: 0, cancelled: 0 })
    .onConflict((conflict) =>
      conflict.columns(['queue', 'key']).doUpdateSet({
        last: sql<number>`signalbox_job_key.last + 1`,
        waiting: sql<number>`signalbox_job_key.waiting + 1`,
      }),
    )
    .returning(['head', 'last as number'])
    .executeTakeFirstOrThrow();
  if (number === 0) return true;
  if (head === id) return undefined;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('signalbox_job_follower')
    .values({ queue, key, number, id, data })
    .onConflict((conflict) => conflict.columns(['queue', 'id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n ? false : undefined;
}

/**
 * Ends a job of pg-boss, and gives its place there to the next of its key, where it was the first of that.
 * @param fence what has to hold of the job
 * @returns whether it was cancelled while it ran; undefined where there is none such job
 */
export async function moveOn(
  tx: Db,
  standing: Standing,
  fence: RawBuilder<boolean>,
): Promise<{ readonly cancelled: boolean } | undefined> {
  for (;;) {
    const { held, cancelled } = await endLast(tx, standing, fence);
    if (!held) return undefined;
    if (cancelled !== null) return { cancelled: cancelled === 1 };
    const line = await lock(tx, standing);
    if (line?.head !== standing.id) {
      await sql`delete from ${JOB} where name = ${standing.queue} and id = ${standing.id}`.execute(tx);
      return { cancelled: false };
    }
    // None waits any more where they were cancelled meanwhile.
    if (line.waiting === 0) continue;
    await replace(tx, standing);
    return { cancelled: line.cancelled === 1 };
  }
}

/** Marks the first of a line as cancelled, so that it stays the first. @returns whether it is, and was not marked before */
export async function markCancelled(tx: Db, standing: Standing): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('signalbox_job_key')
    .set({ cancelled: 1 })
    .where(isHead(standing))
    .where('cancelled', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** What is known of the first of a line; undefined where it is not the first. */
export async function headOf(db: Db, standing: Standing): Promise<{ readonly cancelled: boolean } | undefined> {
  const row = await db.selectFrom('signalbox_job_key').select('cancelled').where(isHead(standing)).executeTakeFirst();
  return row && { cancelled: row.cancelled === 1 };
}

/** Takes out a job that stands behind another. @returns whether there was one */
export async function takeFollower(tx: Db, queue: string, id: string): Promise<boolean> {
  const found = await tx
    .selectFrom('signalbox_job_follower')
    .select('key')
    .where('queue', '=', queue)
    .where('id', '=', id)
    .executeTakeFirst();
  if (found === undefined) return false;
  const { key } = found;
  await lock(tx, { queue, key });
  const { numDeletedRows } = await tx
    .deleteFrom('signalbox_job_follower')
    .where('queue', '=', queue)
    .where('id', '=', id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await tx
    .updateTable('signalbox_job_key')
    .set({ waiting: sql<number>`waiting - 1` })
    .where('queue', '=', queue)
    .where('key', '=', key)
    .execute();
  return true;
}

/** Jobs that stand behind others, by queue. */
export async function countFollowers(db: Db): Promise<readonly { readonly queue: string; readonly waiting: number }[]> {
  const rows = await db
    .selectFrom('signalbox_job_key')
    .select(({ fn }) => ['queue', fn.sum<number | string>('waiting').as('waiting')])
    .groupBy('queue')
    .execute();
  return rows.map(({ queue, waiting }) => ({ queue, waiting: Number(waiting) }));
}

/** Those of some jobs that were cancelled and keep the head of their line, by queue and id. */
export async function cancelledOf(db: Db, standing: readonly Standing[]): Promise<ReadonlySet<string>> {
  if (standing.length === 0) return new Set();
  const rows = await db
    .selectFrom('signalbox_job_key')
    .select(['queue', 'head'])
    .where('cancelled', '=', 1)
    .where(sql<boolean>`(${sql.join(standing.map(isHead), sql` or `)})`)
    .execute();
  return new Set(rows.map(({ queue, head }) => `${queue} ${head}`));
}

/** Keeps everybody else from changing a line until the transaction ends. */
function lock(tx: Db, { queue, key }: Omit<Standing, 'id'>) {
  return tx
    .selectFrom('signalbox_job_key')
    .select(['head', 'waiting', 'cancelled'])
    .where('queue', '=', queue)
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Ends a job that is the last of its key. It is locked first; that nobody waits behind it the row of the line says itself,
 * because what stands beside that could be older than its lock.
 */
async function endLast(
  tx: Db,
  standing: Standing,
  fence: RawBuilder<boolean>,
): Promise<{ readonly held: boolean; readonly cancelled: number | null }> {
  const { queue, id } = standing;
  const { rows } = await sql<{ held: boolean; cancelled: number | null }>`
    with held as (
      select id from ${JOB} where name = ${queue} and id = ${id} and ${fence} for update
    ), line as (
      delete from signalbox_job_key where ${isHead(standing)} and waiting = 0 and exists (select from held)
      returning cancelled
    ), job as (
      delete from ${JOB} where name = ${queue} and id = ${id} and exists (select from line)
    )
    select exists (select from held) as held, (select cancelled from line) as cancelled
  `.execute(tx);
  return rows[0] as (typeof rows)[number];
}

/** Makes the next of a locked line its first, in the place that the first has in pg-boss. */
async function replace(tx: Db, { queue, key, id }: Standing): Promise<void> {
  await sql`
    with next as (
      delete from signalbox_job_follower where queue = ${queue} and key = ${key} and number = (
        select min(number) from signalbox_job_follower where queue = ${queue} and key = ${key}
      ) returning id, data
    ), line as (
      update signalbox_job_key set head = next.id, waiting = waiting - 1, cancelled = 0
      from next where queue = ${queue} and key = ${key}
    )
    update ${JOB} as job set id = next.id::uuid, state = 'created', retry_count = 0, start_after = now(), created_on = now(),
      started_on = null, heartbeat_on = null, output = null,
      data = jsonb_build_object('data', next.data, 'key', ${key}::text, 'released', 0)
    from next where job.name = ${queue} and job.id = ${id}
  `.execute(tx);
}

function isHead({ queue, key, id }: Standing): RawBuilder<boolean> {
  return sql`(queue = ${queue} and key = ${key} and head = ${id})`;
}
