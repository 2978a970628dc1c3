import type { PgBoss } from 'pg-boss';
import { describe, expect, it, vi } from 'vitest';
import { keepStatistics } from '../../../src/store/queue/boss/statistics.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { eventually } from '../../support/project.ts';
import { postgresPlace } from '../engines.ts';
import { enter, gate, QUEUE, queueOver, worker } from './support.ts';

describe.skipIf(!hasPostgres)('the queue on PostgreSQL', () => {
  it('tells the planner of jobs that came in large numbers, so that a look does not go through all of them', async () => {
    const where = await postgresPlace({ migrated: true });
    const store = await where.migrated();
    const queue = await queueOver(store);
    await enter(store, queue);
    // What the planner saw last is a table with one job in it, some time ago.
    await where.run('analyze signalbox_queue.job_common');
    await where.run(`select pg_stat_reset_single_table_counters('signalbox_queue.job_common'::regclass)`);
    await where.run(`
      insert into signalbox_queue.job_common (name, data, retry_limit, expire_seconds, keep_until, policy)
      select name, data, retry_limit, expire_seconds, keep_until, policy from signalbox_queue.job_common, generate_series(1, 3000)
    `);
    const look = (): Promise<Record<string, unknown>[]> =>
      where.run(`
        explain select id from signalbox_queue.job_common
        where name = '${QUEUE}' and state < 'active' and not blocked and start_after <= now()
        order by priority desc, created_on limit 8 for update skip locked
      `);
    expect(JSON.stringify(await look())).toContain('Sort Key');
    queue.work(
      'another',
      worker(async () => {}),
    );
    await queue.start();
    await eventually('a plan that stops early', async () =>
      JSON.stringify(await look()).includes('Sort Key') ? undefined : true,
    );
    const options = await where.run(`
      select attoptions from pg_attribute where attrelid = 'signalbox_queue.job_common'::regclass and attname = 'name'
    `);
    expect(options).toEqual([{ attoptions: ['n_distinct=3'] }]);
  });
});

it('looks at statistics do not pile up while the database does not answer', async () => {
  const answer = gate();
  let asked = 0;
  const executeSql = async (): Promise<{ rows: unknown[] }> => {
    asked += 1;
    await answer.opened;
    return { rows: [] };
  };
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const end = keepStatistics({ getDb: () => ({ executeSql }) } as unknown as PgBoss, () => {});
    await vi.advanceTimersByTimeAsync(60_000);
    const ended = end();
    answer.open();
    await ended;
  } finally {
    vi.useRealTimers();
  }
  // What is said of the table, and the first look.
  expect(asked).toBe(2);
});
