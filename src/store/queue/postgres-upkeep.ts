import { sql } from 'kysely';
import type { Store } from '../port.ts';
import type { JobTable } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import { type Boss, type Given, HEARTBEAT } from './boss.ts';
import type { Claim } from './engine.ts';
import { NOW } from './postgres-jobs.ts';
import { repeat } from './repeat.ts';
import { PLACE } from './rows.ts';

/** Milliseconds between two looks for jobs that pg-boss has lost, and for statistics that are out of date. */
const RESTORE = 60_000;
const LOOK = 2000;

/** Seconds after which statistics may be renewed. */
const FRESH = 10;

/** Jobs that are looked at in one transaction. */
const PAGE = 1000;

/** The last job that was looked at. */
type Cursor = Pick<JobTable, 'queue' | 'id'>;

/**
 * Gives pg-boss again the jobs that it does not have any more: an operator deleted or ended them with its tools, or restored a
 * database without its schema. They, and all jobs behind them, would wait for ever.
 * @returns what ends it
 */
export function restoreJobs(store: Store, boss: Boss, report: (error: Error) => void): () => Promise<void> {
  let cursor: Cursor | undefined;
  const work = async (): Promise<void> => {
    const { next, restored } = await restorePage(store, boss, cursor);
    cursor = next;
    if (restored > 0)
      report(new Error(`${restored} jobs of the queue were missing in pg-boss, and were given to it again`));
  };
  return repeat(RESTORE, work, report);
}

/** Restores the jobs after a job, up to {@link PAGE}. @returns the job to go on after, `undefined` at the end */
export async function restorePage(
  store: Store,
  boss: Boss,
  after: Cursor | undefined,
): Promise<{ readonly next: Cursor | undefined; readonly restored: number }> {
  const db = await store.tables();
  let query = candidates(db).orderBy('id').orderBy('queue').limit(PAGE);
  if (after !== undefined) query = query.where(sql<boolean>`(id, queue) > (${after.id}::uuid, ${after.queue})`);
  const page = await query.execute();
  const next = page.length < PAGE ? undefined : page.at(-1);
  const missing = await missingOf(db, boss, page);
  if (missing.length === 0) return { next, restored: 0 };
  return store.transaction(async (tx) => {
    // Only these are locked, and none that is about to end: it must not be given again.
    const rows = await candidates(tx).where('id', 'in', missing).forUpdate().skipLocked().execute();
    let restored = 0;
    for (const [queue, those] of Map.groupBy(rows, (row) => row.queue)) {
      // pg-boss ignores the ids that it has.
      const given = await boss.give(tx, queue, those.map(again));
      restored += given.length;
      // A gateway that runs one of them notices that it has lost it, and stops the job.
      if (given.length > 0) {
        await tx
          .updateTable('signalbox_job')
          .set({ mark: null })
          .where('queue', '=', queue)
          .where('id', 'in', given)
          .execute();
      }
    }
    return { next, restored };
  });
}

/** The jobs that pg-boss should have. */
function candidates(db: Db) {
  return db
    .selectFrom('signalbox_job')
    .select(['queue', 'id', 'kind', 'due', 'mark'])
    .where('place', '<>', PLACE.behind);
}

/** The ids of the jobs that pg-boss does not have. */
async function missingOf(db: Db, boss: Boss, jobs: readonly { readonly id: string }[]): Promise<readonly string[]> {
  const missing = new Set(jobs.map(({ id }) => id));
  for (const table of missing.size === 0 ? [] : await boss.tables()) {
    const ids = [...missing];
    const found = await sql<{ id: string }>`select id from ${sql.table(table)} where id = any(${ids}::uuid[])`.execute(
      db,
    );
    for (const { id } of found.rows) missing.delete(id);
  }
  return [...missing];
}

/** A job that a gateway may still be running begins only after the time to stop. */
function again({ id, kind, due, mark }: Pick<JobTable, 'id' | 'kind' | 'due' | 'mark'>): Given {
  return { id, kind, after: mark === null ? new Date(due) : HEARTBEAT };
}

/**
 * Keeps the planner's statistics of pg-boss's jobs up to date. With those of an empty queue, each fetch from a full one reads
 * and sorts all of it (115 ms instead of 0.5 ms at 50,000 jobs), and autovacuum comes once a minute at best.
 * @returns what ends it
 */
export function keepStatistics(store: Store, boss: Boss, report: (error: Error) => void): () => Promise<void> {
  return repeat(LOOK, () => renew(store, boss), report);
}

/** Renews the statistics of tables that have changed by half, unless another gateway has just done so. */
async function renew(store: Store, boss: Boss): Promise<void> {
  const names = await boss.tables();
  if (names.length === 0) return;
  const db = await store.tables();
  const { rows } = await sql<{ name: string }>`
    select s.schemaname || '.' || s.relname as name from pg_stat_user_tables s join pg_class c on c.oid = s.relid
    where s.schemaname || '.' || s.relname in (${sql.join(names)})
      and s.n_mod_since_analyze > 500 + greatest(c.reltuples, 0) / 2
      and coalesce(greatest(s.last_analyze, s.last_autoanalyze) < clock_timestamp() - ${`${FRESH} seconds`}::interval, true)
  `.execute(db);
  for (const { name } of rows) await sql`analyze (skip_locked) ${sql.table(name)}`.execute(db);
}

/** Milliseconds between two signs of life of a gateway that has kinds, and after which one without any counts as gone. */
const SIGN = 10_000;
const GONE = 3 * SIGN;
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
