import { sql } from 'kysely';
import type { Store } from '../store-port.ts';
import type { JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import { forgetAttempts, GATEWAY_GONE, recordAttempt } from './attempts.ts';
import type { Claim } from './engine.ts';
import { LEASE, lockLines, moveOn, NOW } from './postgres-jobs.ts';
import { repeat } from './repeat.ts';
import { PLACE } from './rows.ts';

/** Milliseconds between two looks for jobs whose gateway is gone, and for statistics that are out of date. */
const LOOK = 2000;

/** Seconds after which statistics may be renewed. */
const FRESH = 10;

/** Jobs that are looked at at once. */
const PAGE = 1000;

/** Where lost jobs are looked for. */
interface Lost {
  readonly store: Store;
  /** Connections that requests do not wait for. */
  readonly db: Db;
  /** The schema of pg-boss in the version before. */
  readonly schema: string;
}

/** A job that runs, or whose gateway is gone. */
type Running = Pick<JobTable, 'queue' | 'id' | 'key' | 'place' | 'mark' | 'cancelled' | 'attempt'> & {
  readonly gateway: string | null;
  readonly started: number | null;
};

/**
 * Gives back the jobs of gateways that are gone, or ends those that were cancelled. Attempts were counted when they began.
 * @param given is called when there were some @returns what ends it
 */
export function returnLostJobs(lost: Lost, given: () => void, report: (error: Error) => void): () => Promise<void> {
  const work = async (): Promise<void> => {
    const jobs = await findLost(lost);
    for (const job of jobs) await lost.store.transaction((tx) => giveBack(tx, job));
    if (jobs.length > 0) given();
  };
  return repeat(LOOK, work, report);
}

/** The jobs without a sign of life of their gateway. */
async function findLost({ db, schema }: Lost): Promise<readonly Running[]> {
  const { rows } = await sql<Running & { readonly is_old: boolean }>`
    select queue, id, key, place, mark, cancelled, attempt, gateway, started from signalbox_job
    where mark is not null and (place = ${sql.lit(PLACE.free)} or coalesce(since, started) < ${NOW} - ${sql.lit(LEASE)})
    limit ${PAGE}
  `.execute(db);
  // Those of gateways of the version before are at the place of the first, and pg-boss has their signs of life.
  const former = rows.filter(({ place }) => place === PLACE.free);
  const alive =
    former.length === 0
      ? new Set()
      : await aliveInBoss(
          db,
          schema,
          former.map(({ id }) => id),
        );
  return rows.filter(({ place, id }) => place !== PLACE.free || !alive.has(id));
}

/** Those of some jobs that run in a gateway of the version before. */
async function aliveInBoss(db: Db, schema: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const table = `${schema}.job`;
  const { rows: found } = await sql<{ found: boolean }>`select to_regclass(${table}) is not null as found`.execute(db);
  if (!found[0]?.found) return new Set();
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where id = any(${ids}::uuid[]) and state = 'active'
      and greatest(heartbeat_on, started_on) > clock_timestamp() - ${`${LEASE} milliseconds`}::interval
  `.execute(db);
  return new Set(rows.map(({ id }) => id));
}

async function giveBack(tx: Db, { queue, id, key, mark, attempt, gateway, started }: Running): Promise<void> {
  if (key !== null) await lockLines(tx, queue, [key]);
  const own = tx
    .selectFrom('signalbox_job')
    .select(['cancelled', 'place'])
    .where('queue', '=', queue)
    .where('id', '=', id);
  // One that is locked may be about to end.
  const job = await own.where('mark', '=', mark).forUpdate().skipLocked().executeTakeFirst();
  if (job === undefined) return;
  if (job.cancelled === 1 && key !== null) {
    await tx.deleteFrom('signalbox_job').where('queue', '=', queue).where('id', '=', id).execute();
    await forgetAttempts(tx, [{ queue, id }]);
    await moveOn(tx, queue, [key]);
    return;
  }
  await tx
    .updateTable('signalbox_job')
    .set({ place: PLACE.free, mark: null, started: null, since: null, recorded: 1 })
    .where('queue', '=', queue)
    .where('id', '=', id)
    .execute();
  const ended = sql<{ now: number }>`select ${NOW} as now`.execute(tx);
  const noticed = { ended: (await ended).rows[0]?.now ?? 0, reason: GATEWAY_GONE };
  await recordAttempt(tx, { queue, job: id, attempt, gateway, began: started, ...noticed });
}

/**
 * Keeps the planner's statistics of jobs up to date. With those of an empty table, a look at a full one may read and sort all of
 * it, and autovacuum comes once a minute at best.
 * @returns what ends it
 */
export function keepStatistics(db: Db, report: (error: Error) => void): () => Promise<void> {
  return repeat(LOOK, () => renew(db), report);
}

/** Renews the statistics if the table has changed by half, unless another gateway has just done so. */
async function renew(db: Db): Promise<void> {
  const { rows } = await sql`
    select 1 from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.relid = to_regclass('signalbox_job') and s.n_mod_since_analyze > 500 + greatest(c.reltuples, 0) / 2
      and coalesce(greatest(s.last_analyze, s.last_autoanalyze) < clock_timestamp() - ${`${FRESH} seconds`}::interval, true)
  `.execute(db);
  if (rows.length > 0) await sql`analyze (skip_locked) signalbox_job`.execute(db);
}

/** Milliseconds between two signs of life of a gateway that has kinds, and after which one without any counts as gone. */
const SIGN = 10_000;
export const GONE = 3 * SIGN;
/** Milliseconds for which the row of a gateway is kept after its last sign of life, at least. */
const KEPT = 86_400_000;

/** The kinds of jobs that a gateway has. */
interface Announcement {
  readonly gateway: string;
  readonly kinds: readonly string[];
  /** Milliseconds of the past that other gateways may ask about. */
  readonly within: number;
}

/**
 * Keeps the kinds of a gateway in a row of its own, with a sign of life. The row outlives the gateway: jobs wait for one that is
 * started again.
 * @returns what ends it @throws errors of the database
 */
export async function announceKinds(
  store: Store,
  { gateway, kinds, within }: Announcement,
  report: (error: Error) => void,
): Promise<() => Promise<void>> {
  const sign = async (): Promise<void> => {
    const db = await store.tables();
    // Not written again: an update of the time alone leaves a long list where it is.
    const { numUpdatedRows } = await db
      .updateTable('signalbox_job_gateway')
      .set({ seen: NOW })
      .where('gateway', '=', gateway)
      .executeTakeFirst();
    if (numUpdatedRows === 1n) return;
    await db.insertInto('signalbox_job_gateway').values({ gateway, kinds, seen: NOW }).execute();
    const old = sql<number>`${NOW} - ${Math.max(KEPT, 2 * within)}::bigint`;
    await db.deleteFrom('signalbox_job_gateway').where('seen', '<', old).execute();
  };
  await sign();
  return repeat(SIGN, sign, report);
}

/** Whether another gateway has been alive for which a job is not unknown, as far as its kind says. */
export async function isKnownElsewhere(
  store: Store,
  { queue, id, kind }: Pick<Claim, 'queue' | 'id' | 'kind'>,
  { gateway, within }: Pick<Announcement, 'gateway' | 'within'>,
): Promise<boolean> {
  if (kind === undefined) return false;
  const { rows } = await sql`
    select 1 from signalbox_job_gateway as other, signalbox_job as job
    where job.queue = ${queue} and job.id = ${id} and other.gateway <> ${gateway} and ${kind} = any(other.kinds)
      and other.seen > ${NOW} - ${Math.max(within, GONE)}::bigint
      and strpos(coalesce(job.unknown_by, ''), other.gateway) = 0
    limit 1
  `.execute(await store.tables());
  return rows.length > 0;
}
