import { describe, expect, it, vi } from 'vitest';
import { repeat } from '../../../src/store/queue/repeat.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { eventually } from '../../support/project.ts';
import { postgresPlace } from '../engines.ts';
import { enter, gate, queueOver, worker } from './support.ts';

describe.skipIf(!hasPostgres)('the queue on PostgreSQL', () => {
  it('renews the statistics of the planner after many jobs came', async () => {
    const where = await postgresPlace({ migrated: true });
    const store = await where.migrated();
    const queue = await queueOver(store);
    await enter(store, queue);
    // What the planner saw last is a table with one job in it, some time ago.
    await where.run('analyze signalbox_job');
    await where.run(`select pg_stat_reset_single_table_counters('signalbox_job'::regclass)`);
    await where.run(`
      insert into signalbox_job (sequence, queue, id, data, place, due)
      select 0, 'other', gen_random_uuid(), '{}', 0, due from signalbox_job, generate_series(1, 3000)
    `);
    const known = async (): Promise<unknown> =>
      (await where.run(`select reltuples from pg_class where oid = 'signalbox_job'::regclass`))[0]?.reltuples;
    expect(await known()).toBe(1);
    queue.work(
      'another',
      worker(async () => {}),
    );
    await queue.start();
    await eventually('statistics of all jobs', async () => (Number(await known()) > 3000 ? true : undefined));
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
