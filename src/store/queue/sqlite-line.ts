import { type RawBuilder, sql } from 'kysely';
import type { JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import { type Line, PLACE } from './rows.ts';

/** The place of a job that comes now: behind the one of its key whose turn it is, where there is one. */
export async function placeIn(tx: Db, { queue, key }: Line): Promise<number> {
  const head = await tx
    .selectFrom('signalbox_job')
    .select('sequence')
    .where('queue', '=', queue)
    .where('key', '=', key)
    .where(sql<boolean>`place = 0 and key is not null`)
    .executeTakeFirst();
  return head === undefined ? PLACE.free : PLACE.behind;
}

/** The one whose turn it was has gone: the next of its key may be taken. */
export async function moveOn(tx: Db, { queue, key }: Line): Promise<void> {
  await sql`
    update signalbox_job set place = ${PLACE.free} where sequence = (
      select sequence from signalbox_job where queue = ${queue} and key = ${key} and place = 1 order by sequence limit 1
    )
  `.execute(tx);
}

/** Ends jobs that run, and lets those of their keys move on. */
export async function endJobs(
  tx: Db,
  which: RawBuilder<boolean>,
): Promise<readonly Pick<JobTable, 'queue' | 'key' | 'cancelled'>[]> {
  const ended = await tx.deleteFrom('signalbox_job').where(which).returning(['queue', 'key', 'cancelled']).execute();
  for (const { queue, key } of ended) if (key !== null) await moveOn(tx, { queue, key });
  return ended;
}

/**
 * Sees to what time has changed: what waited for a time of the day takes its place in its line, and what waits for so long
 * does not wait for longer because the clock was set back.
 */
export async function catchUp(
  db: Db,
  transaction: (work: (tx: Db) => Promise<void>) => Promise<void>,
  of: Due,
): Promise<void> {
  const { queue, now } = of;
  const { rows } = await sql`
    select 1 from signalbox_job where queue = ${queue} and worker is null and place = 0 and since > ${now}
    union all select 1 from signalbox_job where queue = ${queue} and place = 2 and due <= ${now}
    limit 1
  `.execute(db);
  if (rows.length === 0) return;
  await transaction(async (tx) => {
    await sql`
      update signalbox_job set due = ${now}, since = ${now}
      where queue = ${queue} and worker is null and place = 0 and since > ${now}
    `.execute(tx);
    await takePlaces(tx, of);
  });
}

/** What is looked for, and when. */
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
        // The last of all is the last of its line.
        sequence: sql<number>`(select max(sequence) + 1 from signalbox_job)`,
        place: await placeIn(tx, { queue, key: key as string }),
        since: now,
      })
      .where('sequence', '=', sequence)
      .execute();
  }
}
