import { type RawBuilder, sql } from 'kysely';
import type { JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import { GATEWAY_GONE, recordAttempt } from './attempts.ts';
import type { Claim } from './engine.ts';
import type { NewJob } from './port.ts';
import { causeIn, causeText, type JobChange, type Line, PLACE } from './rows.ts';

/** The time of the database, in milliseconds since 1970. */
export const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** A new job, with its id. */
export type EnteredJob = NewJob & { readonly id: string };

/** A new job with a key. */
export type KeyedJob = EnteredJob & Line;

/**
 * Enters a job that waits only until it is due. A job with a key gets its place behind the others of the key then.
 * @returns whether its id was new
 */
export async function enter(tx: Db, { queue, id, key, kind, data, after, cause }: EnteredJob): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('signalbox_job')
    .values({
      ...{ queue, id, key: key ?? null, kind: kind ?? null, data: JSON.stringify(data), sequence: 0 },
      place: key === undefined ? PLACE.free : PLACE.coming,
      due: after?.getTime() ?? NOW,
      ...{ attempt: 0, cancelled: 0, entered: NOW, cause: causeText(cause) },
    })
    .onConflict((conflict) => conflict.columns(['queue', 'id']).doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/**
 * Enters a job behind the others of its key. The row of the key stays locked until the transaction ends, so that the order
 * of the jobs is the order in which transactions got that lock, whichever began first.
 * @returns its place; `undefined` when its id was not new
 */
export async function enterBehind(
  tx: Db,
  { queue, key, id, kind, data, cause }: KeyedJob,
): Promise<number | undefined> {
  const { rows } = await sql<{ last: number; place: number | null }>`
    with line as (${nextNumber({ queue, key })}), entered as (
      insert into signalbox_job (queue, id, key, kind, data, cause, sequence, place, due, entered)
      select ${queue}::text, ${id}::uuid, ${key}::text, ${kind ?? null}::text, ${JSON.stringify(data)}::text, ${causeText(cause)}::text, last,
        ${placeAt()}, ${NOW}, ${NOW}
      from line
      on conflict (queue, id) do nothing
      returning place
    )
    select last, (select place from entered) as place from line
  `.execute(tx);
  return placed(tx, { queue, key }, rows);
}

/** Puts a job that has become due behind the others of its key. @returns its place; `undefined` when it was taken out */
export async function fallIn(tx: Db, { queue, key, id }: Line & { readonly id: string }): Promise<number | undefined> {
  const { rows } = await sql<{ last: number; place: number | null }>`
    with line as (${nextNumber({ queue, key })}), entered as (
      update signalbox_job set sequence = last, place = ${placeAt()} from line
      where signalbox_job.queue = ${queue} and id = ${id} and place = ${PLACE.coming}
      returning place
    )
    select last, (select place from entered) as place from line
  `.execute(tx);
  return placed(tx, { queue, key }, rows);
}

/** Locks a key, creates it if necessary, and takes its next number. A key exists exactly as long as it has a first job. */
function nextNumber({ queue, key }: Line): RawBuilder<unknown> {
  return sql`
    insert into signalbox_job_key (queue, key, last) values (${queue}, ${key}, 1)
    on conflict (queue, key) do update set last = signalbox_job_key.last + 1
    returning last
  `;
}

/** The place of a job by its number: 1 means that the key had no job. */
function placeAt(): RawBuilder<number> {
  return sql`case when last = 1 then ${sql.lit(PLACE.free)} else ${sql.lit(PLACE.behind)} end`;
}

async function placed(
  tx: Db,
  line: Line,
  rows: readonly { last: number; place: number | null }[],
): Promise<number | undefined> {
  const [row] = rows;
  if (row?.place != null) return row.place;
  // The key was created for a job that was not entered.
  if (row?.last === 1) await ofLine(tx.deleteFrom('signalbox_job_key'), line).execute();
  return undefined;
}

/** Locks a key, so that no other transaction changes the places of its jobs. */
export async function lockLine(tx: Db, line: Line): Promise<void> {
  await ofLine(tx.selectFrom('signalbox_job_key'), line).select('last').forUpdate().execute();
}

/** Ends the jobs, without keys, that claims still hold. @returns their ids */
export async function endFree(tx: Db, queue: string, claims: readonly Claim[]): Promise<readonly string[]> {
  const attempts = claims.map(({ id, mark }) => sql`(${id}::uuid, ${mark}::bigint)`);
  const rows = await tx
    .deleteFrom('signalbox_job')
    .where('queue', '=', queue)
    // The index serves ids, not pairs.
    .where(
      'id',
      'in',
      claims.map(({ id }) => id),
    )
    .where(sql<boolean>`(id, mark) in (${sql.join(attempts)})`)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Ends the first job of a key when a condition holds of it. The key is locked before the job, as everywhere.
 * @returns the job; `undefined` when there was none
 */
export async function endFirst(
  tx: Db,
  { queue, key, id }: Line & { readonly id: string },
  holds: RawBuilder<boolean>,
): Promise<Pick<JobTable, 'cancelled'> | undefined> {
  const { rows } = await sql<Pick<JobTable, 'cancelled'>>`
    with line as (select from signalbox_job_key where queue = ${queue} and key = ${key} for update)
    delete from signalbox_job
    where queue = ${queue} and id = ${id} and place = ${PLACE.free} and ${holds} and exists (select from line)
    returning cancelled
  `.execute(tx);
  return rows[0];
}

/** Makes the next job of a locked key its first, or removes the key. @returns that job */
export async function moveOn(tx: Db, { queue, key }: Line): Promise<Pick<JobTable, 'id' | 'kind'> | undefined> {
  const { rows } = await sql<Pick<JobTable, 'id' | 'kind'>>`
    with next as (
      update signalbox_job set place = ${PLACE.free} where queue = ${queue} and id = (
        select id from signalbox_job where queue = ${queue} and key = ${key} and place = ${sql.lit(PLACE.behind)}
        order by sequence limit 1
      )
      returning id, kind
    ), gone as (
      delete from signalbox_job_key where queue = ${queue} and key = ${key} and not exists (select from next)
    )
    select id, kind from next
  `.execute(tx);
  return rows[0];
}

/** Lets the jobs behind in a locked key that have the kind of a claim wait outside of it. @returns them */
export function stepOut(
  tx: Db,
  { queue, key, kind }: Line & Pick<Claim, 'kind'>,
): Promise<readonly Pick<JobTable, 'id' | 'kind'>[]> {
  return tx
    .updateTable('signalbox_job')
    .set({ place: PLACE.coming })
    .where('queue', '=', queue)
    .where('key', '=', key)
    .where(sql<boolean>`place = ${sql.lit(PLACE.behind)}`)
    .where(sql<boolean>`kind = ${kind ?? null}`)
    .returning(['id', 'kind'])
    .execute();
}

/** The condition that a claim still holds its job. */
export function heldBy({ mark }: Claim) {
  return sql<boolean>`mark = ${mark}`;
}

/** A change to jobs, as a query. */
export function change(db: Db, queue: string, ids: readonly string[]) {
  return db.updateTable('signalbox_job').where('queue', '=', queue).where('id', 'in', ids);
}

/** The state of a job, as a query. */
export function selectJob(db: Db, queue: string, id: string) {
  return db
    .selectFrom('signalbox_job')
    .select(['key', 'place', 'mark', 'cancelled'])
    .where('queue', '=', queue)
    .where('id', '=', id);
}

/**
 * Begins an attempt at jobs that pg-boss has handed out. It does not wait for those that others change: their locks come before
 * those of pg-boss. A job that has an attempt still was run by a gateway that died: that attempt is recorded.
 * @returns the claims by id, of the jobs that may run
 */
export async function take(
  tx: Db,
  queue: string,
  ids: readonly string[],
  { mark, gateway }: { readonly mark: number; readonly gateway: string },
): Promise<ReadonlyMap<string, Claim>> {
  const rows = await tx
    .updateTable('signalbox_job as job')
    .from((from) =>
      from
        .selectFrom('signalbox_job')
        .select(['id', 'started', 'gateway'])
        .where('queue', '=', queue)
        .where('id', 'in', ids)
        .where('place', '=', PLACE.free)
        .where('cancelled', '=', 0)
        .forUpdate()
        .skipLocked()
        .as('was'),
    )
    .set((job) => ({
      ...{ mark, gateway, started: NOW },
      attempt: job('job.attempt', '+', 1),
      began: sql`coalesce(job.began, ${NOW})`,
      recorded: sql<number>`case when was.started is null then job.recorded else 1 end`,
    }))
    .whereRef('job.id', '=', 'was.id')
    .where('job.queue', '=', queue)
    .returning(['job.id', 'key', 'kind', 'data', 'cause', 'attempt', 'failed', 'recorded', 'job.started', 'entered'])
    .returning(['was.started as diedFrom', 'was.gateway as diedOn'])
    .returning([sql<number>`${NOW} - began`.as('elapsed'), sql<number | null>`${NOW} - unknown`.as('unknownFor')])
    .execute();
  for (const { id, attempt, started, diedFrom, diedOn } of rows) {
    if (diedFrom === null) continue;
    const died = { attempt: attempt - 1, gateway: diedOn, began: diedFrom, ended: Number(started) };
    await recordAttempt(tx, { queue, job: id, ...died, reason: GATEWAY_GONE });
  }
  return new Map(
    rows.map(({ id, key, kind, data, cause, attempt, failed, elapsed, unknownFor, started, recorded, entered }) => [
      id,
      {
        ...{ id, queue, key: key ?? undefined, kind: kind ?? undefined, data: JSON.parse(data), attempt, mark },
        ...{ cause: causeIn(cause), elapsed, unknownFor: unknownFor ?? undefined, died: failed < attempt - 1 },
        ...{ started: Number(started), recorded: recorded === 1, entered },
      },
    ]),
  );
}

/** Changes a job that a claim still holds and that is not cancelled. @returns whether there was one */
export async function changeHeld(tx: Db, claim: Claim, values: JobChange): Promise<boolean> {
  const { numUpdatedRows } = await change(tx, claim.queue, [claim.id])
    .set({ ...values, mark: null, started: null })
    .where(heldBy(claim))
    .where('cancelled', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

function ofLine<T extends { where(column: 'queue' | 'key', is: '=', value: string): T }>(query: T, line: Line): T {
  return query.where('queue', '=', line.queue).where('key', '=', line.key);
}
