import { type RawBuilder, sql } from 'kysely';
import type { JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import { forgetAttempts } from './attempts.ts';
import type { EnteredJob } from './engine.ts';
import { causeText, type JobChange, PLACE, type QueueKey } from './rows.ts';

/** The columns of a job that is taken. */
type TakenRow = Pick<JobTable, 'id' | 'key' | 'kind' | 'data' | 'cause' | 'due' | 'attempt' | 'began' | 'unknown'> & {
  readonly sequence: number;
  readonly failed: number;
  readonly recorded: number;
  readonly entered: number | null;
};

/** Enters jobs: their values are one JSON text, so that their number has no limit. */
export async function insertJobs(tx: Db, jobs: readonly EnteredJob[], now: number): Promise<readonly string[]> {
  const lines = jobs.flatMap(({ queue, key, after }) =>
    key === undefined || after !== undefined ? [] : [[queue, key]],
  );
  const busy = new Set(lines.length === 0 ? [] : await firstsOf(tx, lines));
  const rows = jobs.map(({ queue, id, key, kind, data, after, cause }) => {
    const line = key !== undefined && after === undefined ? JSON.stringify([queue, key]) : undefined;
    const isBehind = line !== undefined && busy.has(line);
    if (line !== undefined) busy.add(line);
    const place = isBehind ? PLACE.behind : key !== undefined && after !== undefined ? PLACE.coming : PLACE.free;
    const due = after?.getTime();
    return [
      queue,
      id,
      key,
      kind,
      JSON.stringify(data),
      causeText(cause),
      place,
      due ?? now,
      due === undefined ? now : null,
    ];
  });
  const { rows: entered } = await sql<{ readonly id: string }>`
    insert into signalbox_job (queue, id, key, kind, data, cause, place, due, since, entered, attempt, cancelled)
    select value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8, ${now}, 0, 0
    from json_each(${JSON.stringify(rows)}) where true order by json_each.key
    on conflict (queue, id) do nothing
    returning id
  `.execute(tx);
  return entered.map(({ id }) => id);
}

/** Those of some keys that have a first job, each as the JSON text of queue and key. */
async function firstsOf(tx: Db, lines: readonly (readonly string[])[]): Promise<readonly string[]> {
  const { rows } = await sql<QueueKey>`
    select job.queue, job.key from json_each(${JSON.stringify(lines)}) as line cross join signalbox_job as job
    where job.queue = line.value->>0 and job.key = line.value->>1 and place = 0 and job.key is not null
  `.execute(tx);
  return rows.map(({ queue, key }) => JSON.stringify([queue, key]));
}

/** The first job of a key that does not run, as a condition. */
export function firstWaiting({ queue, key }: QueueKey): RawBuilder<boolean> {
  return sql<boolean>`sequence = coalesce(
    (select sequence from signalbox_job where queue = ${queue} and key = ${key} and place = 0 and key is not null and worker is null),
    (select min(sequence) from signalbox_job where queue = ${queue} and key = ${key} and place = 1))`;
}

export async function remove(
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

export async function giveUp(tx: Db, mine: RawBuilder<boolean>, change: JobChange): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('signalbox_job')
    .set({ ...change, worker: null, mark: null, started: null })
    .where(mine)
    .where('cancelled', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export const pausing = (now: number, pause: number) => ({ due: now + pause, since: now });

/** Takes the jobs that have been due for longest. */
export function takeJobs(of: {
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

/** The place of a new job: behind the first of its key, when the key has one. */
async function placeIn(tx: Db, { queue, key }: QueueKey): Promise<number> {
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
export async function moveOn(tx: Db, { queue, key }: QueueKey): Promise<void> {
  await sql`
    update signalbox_job set place = ${PLACE.free} where sequence = (
      select sequence from signalbox_job where queue = ${queue} and key = ${key} and place = 1 order by sequence limit 1
    )
  `.execute(tx);
}

/** Ends jobs that run, and moves on their keys. */
export async function endJobs(
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
export async function catchUp(
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
