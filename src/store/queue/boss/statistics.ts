import type { PgBoss } from 'pg-boss';
import { SCHEMA } from './boss.ts';

/** Milliseconds between two looks. */
const LOOK = 2000;

/** Seconds for which statistics are taken as they are. */
const FRESH = 10;

/** The tables that jobs of pg-boss are in, one of which there is. */
const TABLES = `select c.oid, c.relname, c.oid::regclass::text as name from pg_class c
  where c.relnamespace = '${SCHEMA}'::regnamespace and c.relname in ('job', 'job_common') and c.relkind = 'r'`;

/**
 * Keeps the planner's picture of pg-boss's jobs up to date. It believes what it saw last: that of an empty queue makes each
 * look at a full one go through all of it, and autovacuum comes once a minute at best.
 * @returns what ends it
 */
export function keepStatistics(boss: PgBoss, report: (error: Error) => void): () => Promise<void> {
  let running: Promise<void> | undefined;
  const look = (work: () => Promise<void>): void => {
    running ??= work()
      .catch(report)
      .finally(() => {
        running = undefined;
      });
  };
  look(() => declare(boss).then(() => renew(boss)));
  const timer = setInterval(() => look(() => renew(boss)), LOOK);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Says that queues are few: of a table with one job of each, the planner would conclude that no queue has two. */
async function declare(boss: PgBoss): Promise<void> {
  const { rows } = await boss.getDb().executeSql(`
    with jobs as (${TABLES})
    select jobs.name from jobs join pg_attribute a on a.attrelid = jobs.oid
    where a.attname = 'name' and a.attoptions is null
  `);
  for (const { name } of rows) {
    await boss.getDb().executeSql(`alter table ${name} alter column name set (n_distinct = 3)`);
  }
}

/** Looks anew at what has changed by half, unless another gateway did so just now. */
async function renew(boss: PgBoss): Promise<void> {
  const { rows } = await boss.getDb().executeSql(`
    with jobs as (${TABLES})
    select jobs.name from jobs
    join pg_class c on c.oid = jobs.oid
    join pg_stat_user_tables s on s.relid = jobs.oid
    where s.n_mod_since_analyze > 500 + greatest(c.reltuples, 0) / 2
      and coalesce(greatest(s.last_analyze, s.last_autoanalyze) < clock_timestamp() - interval '${FRESH} seconds', true)
  `);
  for (const { name } of rows) await boss.getDb().executeSql(`analyze (skip_locked) ${name}`);
}
