import { type RawBuilder, sql } from 'kysely';
import type { JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import type { Claim, EnteredJob, Succession } from './engine.ts';
import { causeIn, causeText, type JobChange, PLACE, type QueueKey } from './rows.ts';

/** The time of the database, in milliseconds since 1970. */
export const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** The time of the database when a statement begins, which an index can be searched for. */
const ONCE = sql<number>`(select ${NOW})`;

/** Milliseconds without a sign of life of its gateway after which a job may be taken by another. */
export const LEASE = 10_000;

const FREE = sql.lit(PLACE.free);
const BEHIND = sql.lit(PLACE.behind);
const COMING = sql.lit(PLACE.coming);

/**
 * Enters jobs. One with a key that is due goes behind the others of its key; one that is not due gets its place there then. The
 * rows of the keys stay locked until the transaction ends, so that the order of the jobs of a key is the order in which
 * transactions got that lock, whichever began first.
 * @returns the jobs whose ids were new
 */
export async function enter(
  tx: Db,
  jobs: readonly EnteredJob[],
): Promise<readonly Pick<JobTable, 'queue' | 'id' | 'place'>[]> {
  const lines = new Map<string, QueueKey & { count: number }>();
  // In reverse: a job is so many places before the last of its key.
  const before = jobs.toReversed().map(({ queue, key, after }) => {
    if (key === undefined || after !== undefined) return 0;
    const name = JSON.stringify([queue, key]);
    const line = lines.get(name) ?? { queue, key, count: 0 };
    lines.set(name, line);
    return line.count++;
  });
  // In one order, so that no two transactions wait for each other.
  const sorted = [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  const rows = JSON.stringify(
    jobs.map(({ queue, id, key, kind, data, cause, after }, at) => {
      const due = after?.getTime();
      return {
        queue,
        id,
        key,
        kind,
        data: JSON.stringify(data),
        cause: causeText(cause),
        due,
        before: before.at(-1 - at),
      };
    }),
  );
  const given = sql`json_to_recordset(${rows}::json) as given (
    queue text, id uuid, key text, kind text, data text, cause text, due bigint, before bigint)`;
  const values = sql`given.queue, given.id, given.key, kind, data, cause, coalesce(due, ${NOW}), ${NOW}`;
  const columns = sql`signalbox_job (queue, id, key, kind, data, cause, due, entered, sequence, place)`;
  const inserted = sql`on conflict (queue, id) do nothing returning queue, id, place`;
  // In this form they are kept prepared.
  const insert = sql<Pick<JobTable, 'queue' | 'id' | 'place'>>`insert into ${columns}
    select ${values}, 0, case when given.key is null then ${FREE} else ${COMING} end from ${given} ${inserted}`;
  const insertBehind = sql<Pick<JobTable, 'queue' | 'id' | 'place'>>`with line as (
      insert into signalbox_job_key (queue, key, last)
      select queue, key, count from json_to_recordset(${JSON.stringify(sorted)}::json) as line (queue text, key text, count bigint)
      on conflict (queue, key) do update set last = signalbox_job_key.last + excluded.last
      returning queue, key, last
    )
    insert into ${columns}
    select ${values}, coalesce(last - before, 0), case
      when given.key is null then ${FREE} when due is not null then ${COMING}
      when last - before = 1 then ${FREE} else ${BEHIND} end
    from ${given} left join line on line.queue = given.queue and line.key = given.key and due is null
    ${inserted}`;
  const { rows: entered } = await (sorted.length === 0 ? insert : insertBehind).execute(tx);
  // A key that was created for a job that was not entered.
  if (entered.length < jobs.length) for (const line of sorted) await removeEmpty(tx, line);
  return entered;
}

/** Removes a locked key without jobs. */
async function removeEmpty(tx: Db, line: QueueKey): Promise<void> {
  await ofLine(tx.deleteFrom('signalbox_job_key'), line)
    .where(({ not, exists, selectFrom }) =>
      not(exists(ofLine(selectFrom('signalbox_job').select('id'), line).where('place', '<>', PLACE.coming))),
    )
    .execute();
}

/** The jobs of a queue that are due and have to join their key, but none of certain kinds. */
export async function dueToCome(
  db: Db,
  queue: string,
  but: readonly string[],
): Promise<readonly (Pick<QueueKey, 'key'> & { readonly id: string })[]> {
  const { rows } = await sql<{ readonly key: string; readonly id: string }>`
    select key, id from signalbox_job
    where queue = ${queue} and place = ${COMING} and due <= ${ONCE} and ${isNone(but)}
    order by due limit 100
  `.execute(db);
  return rows;
}

/** Puts a job that has become due behind the others of its key. */
export async function fallIn(tx: Db, { queue, key, id }: QueueKey & { readonly id: string }): Promise<void> {
  const { rows } = await sql<{ place: number | null }>`
    with line as (
      insert into signalbox_job_key (queue, key, last) values (${queue}, ${key}, 1)
      on conflict (queue, key) do update set last = signalbox_job_key.last + 1
      returning last
    ), entered as (
      update signalbox_job set sequence = last, place = case when last = 1 then ${FREE} else ${BEHIND} end from line
      where signalbox_job.queue = ${queue} and id = ${id} and place = ${COMING} and due <= ${NOW}
      returning place
    )
    select (select place from entered) as place from line
  `.execute(tx);
  // It was taken out before, and the key may have been created for it.
  if (rows[0]?.place === null) await removeEmpty(tx, { queue, key });
}

/** Locks keys, in one order, so that no other transaction changes the places of their jobs. */
export async function lockLines(tx: Db, queue: string, keys: readonly string[]): Promise<void> {
  await tx
    .selectFrom('signalbox_job_key')
    .select('last')
    .where('queue', '=', queue)
    .where('key', 'in', keys)
    .orderBy('key')
    .forUpdate()
    .execute();
}

/** Locks a key. @returns the first job of it that does not run; `undefined` when there is none */
export async function firstWaiting(tx: Db, line: QueueKey): Promise<string | undefined> {
  await lockLines(tx, line.queue, [line.key]);
  const jobs = ofLine(tx.selectFrom('signalbox_job').select('id'), line).where('mark', 'is', null);
  const first = await jobs.where('place', '=', PLACE.free).executeTakeFirst();
  if (first !== undefined) return first.id;
  const isBehind = sql<boolean>`place = ${BEHIND}`;
  return (await jobs.where(isBehind).orderBy('sequence').limit(1).executeTakeFirst())?.id;
}

/** What is known of claims, as rows for a comparison. */
function attempts(claims: readonly Claim[]): RawBuilder<unknown> {
  return sql`select * from unnest(${claims.map(({ id }) => id)}::uuid[], ${claims.map(({ mark }) => mark)}::bigint[])`;
}

/**
 * The condition that jobs are those of claims. The index serves ids, not pairs. For a single one, which most deliveries end by
 * themselves, PostgreSQL plans this form in half the time.
 */
function heldBy(queue: string, claims: readonly Claim[]): RawBuilder<boolean> {
  const [only] = claims;
  if (only !== undefined && claims.length === 1)
    return sql<boolean>`queue = ${queue} and id = ${only.id}::uuid and mark = ${only.mark}::bigint`;
  return sql<boolean>`queue = ${queue} and id = any(${claims.map(({ id }) => id)}::uuid[]) and (id, mark) in (${attempts(claims)})`;
}

/** Ends the jobs, without keys, that claims still hold. @returns their number */
export async function endFree(tx: Db, queue: string, claims: readonly Claim[]): Promise<number> {
  const { numAffectedRows } = await sql`delete from signalbox_job where ${heldBy(queue, claims)}`.execute(tx);
  return Number(numAffectedRows);
}

/** How jobs are taken. */
interface Taking extends Pick<Succession, 'but' | 'gateway'> {
  readonly mark: number;
  /** The keys of which a job is taken. */
  readonly keys: readonly string[];
}

/** The result of moving keys on to their next jobs. */
interface Moved {
  readonly taken: readonly Claim[];
  /** Whether one that was not taken may be taken now. */
  readonly isReady: boolean;
}

/** A job with a key that has ended. */
interface EndedJob {
  readonly key: string;
  readonly cancelled: number;
}

/**
 * Ends the jobs with keys that claims still hold, when a condition holds of them, and makes the next jobs of their keys the
 * first, or removes the keys. All keys are locked before the jobs, in one order.
 * @param taking takes the next jobs of some keys that are due
 */
export async function endKeyed(
  tx: Db,
  queue: string,
  claims: readonly Claim[],
  holds: RawBuilder<boolean>,
  taking?: Taking,
): Promise<Moved & { readonly ended: readonly EndedJob[] }> {
  const keys = claims.flatMap(({ key }) => (key === undefined ? [] : [key]));
  if (keys.length === 0) return { ended: [], taken: [], isReady: false };
  const { rows } = await sql<NextRow & EndedJob & { readonly ended_key: string; readonly is_last: boolean }>`
    with line as (
      select key, last from signalbox_job_key where queue = ${queue} and key = any(${keys}::text[]) order by key for update
    ), ended as (
      delete from signalbox_job
      where ${heldBy(queue, claims)} and ${holds} and (select count(*) from line) > 0
      returning key, cancelled, sequence
    ), next as (${nextOf(queue, sql`ended`, taking)}), gone as (
      delete from signalbox_job_key as gone using ended
      where gone.queue = ${queue} and gone.key = ended.key and gone.last = ended.sequence
    )
    select ended.key as ended_key, ended.cancelled, ended.sequence = line.last as is_last, next.*
    from ended join line on line.key = ended.key left join next on next.key = ended.key
  `.execute(tx);
  const moved = movedBy(
    rows.filter(({ id }) => id !== null),
    queue,
  );
  // While the statement waited for a key, another transaction may have entered a job that it can't see, or removed the last one.
  const unsure = rows.filter(({ id, is_last }) => id === null && !is_last).map((row) => row.ended_key);
  const more = unsure.length === 0 ? undefined : await moveOn(tx, queue, unsure, taking);
  return {
    ended: rows.map((row) => ({ key: row.ended_key, cancelled: row.cancelled })),
    taken: [...moved.taken, ...(more?.taken ?? [])],
    isReady: moved.isReady || more?.isReady === true,
  };
}

/** Makes the next jobs of locked keys their first, or removes the keys. @param taking takes those of some keys that are due */
export async function moveOn(tx: Db, queue: string, keys: readonly string[], taking?: Taking): Promise<Moved> {
  const { rows } = await sql<NextRow>`
    with next as (${nextOf(queue, sql`unnest(${keys}::text[]) as line (key)`, taking)}), gone as (
      delete from signalbox_job_key where queue = ${queue} and key = any(${keys}::text[]) and key not in (select key from next)
    )
    select * from next
  `.execute(tx);
  return movedBy(rows, queue);
}

/** The next jobs of keys, which become the first, or are taken. @param lines a table with a column `key` */
function nextOf(queue: string, lines: RawBuilder<unknown>, taking: Taking | undefined): RawBuilder<unknown> {
  const isTaken =
    taking === undefined || taking.keys.length === 0
      ? undefined
      : sql`(due <= ${NOW} and cancelled = 0 and key = any(${taking.keys}::text[]) and ${isNone(taking.but)})`;
  const changes =
    taking === undefined || isTaken === undefined
      ? sql`place = ${FREE}`
      : sql`(place, mark, started, gateway, began, attempt) = (
          select case when taken then ${BEHIND} else ${FREE} end, case when taken then ${taking.mark}::bigint end,
            case when taken then ${NOW} end, case when taken then ${taking.gateway}::text else gateway end,
            case when taken then coalesce(began, ${NOW}) else began end, attempt + taken::int
          from (select ${isTaken} as taken) as it
        ), since = null`;
  return sql`
    update signalbox_job set ${changes}
    where queue = ${queue} and id = any(array(
      select (
        select id from signalbox_job where queue = ${queue} and key = lines.key and place = ${BEHIND} and mark is null
        order by sequence limit 1
      ) from (select key from ${lines}) as lines
    ))
    returning ${TAKEN}, mark, mark is null and due <= ${NOW} as is_ready
  `;
}

type NextRow = TakenRow & { readonly mark: number | null; readonly is_ready: boolean };

function movedBy(rows: readonly NextRow[], queue: string): Moved {
  const taken = rows.filter(({ mark }) => mark !== null).map((row) => claimOf(row, queue, row.mark as number));
  return { taken, isReady: rows.some((row) => row.is_ready) };
}

/** Lets the jobs behind in a locked key that have a kind wait outside of it. */
export async function stepOut(tx: Db, { queue, key, kind }: QueueKey & Pick<Claim, 'kind'>): Promise<void> {
  await tx
    .updateTable('signalbox_job')
    .set({ place: PLACE.coming })
    .where('queue', '=', queue)
    .where('key', '=', key)
    .where(sql<boolean>`place = ${BEHIND} and mark is null`)
    .where(sql<boolean>`kind = ${kind ?? null}`)
    .execute();
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

/** The columns of a job that is taken. */
interface TakenRow extends Pick<JobTable, 'id' | 'key' | 'kind' | 'data' | 'cause' | 'attempt'> {
  readonly failed: number;
  readonly recorded: number;
  readonly started: number;
  readonly entered: number | null;
  readonly elapsed: number;
  readonly unknown_for: number | null;
  readonly due: number;
  readonly sequence: number;
}

const TAKEN = sql`id, key, kind, data, cause, attempt, failed, recorded, started, entered, due, sequence,
  ${NOW} - began as elapsed, ${NOW} - unknown as unknown_for`;

function claimOf(row: TakenRow, queue: string, mark: number): Claim {
  const { id, key, kind, data, cause, attempt, failed, recorded, started, entered, elapsed } = row;
  return {
    ...{ id, queue, key: key ?? undefined, kind: kind ?? undefined, data: JSON.parse(data), attempt, mark },
    ...{ cause: causeIn(cause), elapsed, unknownFor: row.unknown_for ?? undefined, died: failed < attempt - 1 },
    ...{ started, recorded: recorded === 1, entered },
  };
}

/**
 * Takes jobs that are due, without a key or first of theirs; it waits for none that another transaction changes. The ids are an
 * array, so that the plan does not depend on the statistics of the table, which many new jobs make useless.
 */
export async function take(
  db: Db,
  queue: string,
  limit: number,
  { mark, but, gateway }: Omit<Taking, 'keys'>,
): Promise<readonly Claim[]> {
  const { rows } = await sql<TakenRow>`
    update signalbox_job set mark = ${mark}, place = ${BEHIND}, gateway = ${gateway}, started = ${NOW}, since = null,
      attempt = attempt + 1, began = coalesce(began, ${NOW})
    where queue = ${queue} and id = any(array(
      select id from signalbox_job
      where queue = ${queue} and place = ${FREE} and mark is null and cancelled = 0 and due <= ${ONCE} and ${isNone(but)}
      order by due, sequence limit ${limit} for update skip locked
    ))
    returning ${TAKEN}
  `.execute(db);
  return rows.toSorted((a, b) => a.due - b.due || a.sequence - b.sequence).map((row) => claimOf(row, queue, mark));
}

/** The condition that a job has none of some kinds. */
function isNone(kinds: readonly string[]): RawBuilder<boolean> {
  return kinds.length === 0 ? sql`true` : sql`(kind is null or kind <> all(${kinds}::text[]))`;
}

/** Shows that the gateway of jobs is alive. Those that are about to end are locked, and need no sign. */
export async function touch(db: Db, queue: string, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await sql`
    update signalbox_job set since = ${NOW} where queue = ${queue} and id = any(array(
      select id from signalbox_job where ${heldBy(queue, claims)} for update skip locked
    ))
  `.execute(db);
}

/** Lets a job that a claim still holds, and that is not cancelled, wait again. @returns whether there was one */
export async function changeHeld(tx: Db, claim: Claim, values: JobChange): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('signalbox_job')
    .set({ place: PLACE.free, ...values, mark: null, started: null, since: null })
    .where(heldBy(claim.queue, [claim]))
    .where('cancelled', '=', 0)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

function ofLine<T extends { where(column: 'queue' | 'key', is: '=', value: string): T }>(query: T, line: QueueKey): T {
  return query.where('queue', '=', line.queue).where('key', '=', line.key);
}
