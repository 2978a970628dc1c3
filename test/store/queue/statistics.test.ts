import { describe, expect, it, vi } from 'vitest';
import { repeat } from '../../../src/store/queue/repeat.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { eventually } from '../../support/project.ts';
import { postgresPlace } from '../engines.ts';
import { enter, gate, QUEUE, queueOver, worker } from './support.ts';

describe.skipIf(!hasPostgres)('the queue on PostgreSQL', () => {
  it('renews the statistics of the planner after many jobs came, so that a fetch does not read all of them', async () => {
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
  });
});

it('upkeep does not pile up while the database does not answer, and goes on when it does', async () => {
  const answer = gate();
  let asked = 0;
  const work = async (): Promise<void> => {
    asked += 1;
    await answer.opened;
    throw new Error('no answer');
  };
  const errors: string[] = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const end = repeat(2000, work, ({ message }) => errors.push(message));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(1);
    answer.open();
    await vi.advanceTimersByTimeAsync(2000);
    await end();
  } finally {
    vi.useRealTimers();
  }
  expect([asked, errors]).toEqual([2, ['no answer', 'no answer']]);
});
