import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Connection } from '../../../src/store/postgres/client.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { eventually } from '../../support/project.ts';
import { type Place, postgresPlace } from '../engines.ts';
import { countsOf, drained, enter, gate, noteAttempts, QUEUE, queueOver, RETRIES, worker } from './support.ts';

/** How the version before takes a job that pg-boss has handed to it. */
const TAKE = `update signalbox_job as job set mark = 7, gateway = 'old', started = job.due, attempt = job.attempt + 1
  from (select id from signalbox_job where place = 0 and cancelled = 0 for update skip locked) as was
  where job.id = was.id returning job.id`;

/** The table that pg-boss has, as far as it is read. */
async function inBoss(where: Place, id: string, seconds: number): Promise<void> {
  await where.run(`
    create table if not exists signalbox_queue.job (id uuid, state text, started_on timestamptz, heartbeat_on timestamptz);
    delete from signalbox_queue.job;
    insert into signalbox_queue.job values
      ('${id}', 'active', now() - interval '1 hour', now() - interval '${seconds} seconds')`);
}

describe.skipIf(!hasPostgres)('a gateway beside one of the version before, to which pg-boss hands jobs', () => {
  it('runs jobs that the other does not take, with the key or without', async () => {
    const where = await postgresPlace({ migrated: true });
    const store = await where.migrated();
    const queue = await queueOver(store);
    const [begun, end] = [gate(), gate()];
    let running = 0;
    const run = async (): Promise<void> => {
      if (++running === 2) begun.open();
      await end.opened;
    };
    queue.work(QUEUE, worker(run, { concurrency: 2 }));
    await queue.start();
    await enter(store, queue, { key: 'k' });
    await enter(store, queue);
    await begun.opened;
    expect(await where.run(TAKE)).toEqual([]);
    // It restores the jobs that pg-boss has lost: those that are not behind others.
    expect(await where.run('select id from signalbox_job where place <> 1')).toEqual([]);
    end.open();
    await drained(queue);
  });

  it('leaves alone what the other runs, until that gives no sign of life', { timeout: 20_000 }, async () => {
    const where = await postgresPlace({ migrated: true });
    const store = await where.migrated();
    const queue = await queueOver(store);
    const [id] = [await enter(store, queue, { key: 'k' })];
    await enter(store, queue, { key: 'k' });
    expect(await where.run(TAKE)).toEqual([{ id }]);
    await inBoss(where, id, 5);
    const attempts = noteAttempts(queue, async () => {}, { retry: RETRIES });
    await queue.start();
    // This one is entered after the others, and is done first.
    await enter(store, queue, { data: { n: 1 } });
    await eventually('another job', () => (attempts.length === 1 ? true : undefined));
    expect(await countsOf(queue)).toEqual([{ queue: QUEUE, waiting: 1, running: 1, dead: 0 }]);
    await inBoss(where, id, 11);
    await drained(queue);
    expect(attempts).toEqual([1, 2, 1]);
  });

  it('takes what the other has entered and what it has not begun, in any order of their starts', async () => {
    const where = await postgresPlace({ migrated: true });
    const store = await where.migrated();
    const ids = [randomUUID(), randomUUID()];
    await where.run(`
      insert into signalbox_job_key (queue, key, last) values ('${QUEUE}', 'k', 2);
      insert into signalbox_job (queue, id, key, data, sequence, place, due) values
        ('${QUEUE}', '${ids[0]}', 'k', '{}', 1, 0, 1), ('${QUEUE}', '${ids[1]}', 'k', '{}', 2, 1, 1)`);
    const queue = await queueOver(store);
    const ran: string[] = [];
    queue.work(
      QUEUE,
      worker(async ({ id }) => void ran.push(id)),
    );
    await queue.start();
    await drained(queue);
    expect(ran).toEqual(ids);
    expect(await where.run('select * from signalbox_job_key')).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)('the notifications of jobs', () => {
  it('go on over a new connection when the one that listened is lost, also when a first one can not listen', async () => {
    const where = await postgresPlace({ migrated: true });
    const queue = await queueOver(await where.migrated());
    queue.work(
      QUEUE,
      worker(async () => {}),
    );
    await queue.start();
    const { ask } = Connection.prototype;
    let listened = 0;
    const spy = vi.spyOn(Connection.prototype, 'ask').mockImplementation(function (this: Connection, ...given) {
      const fails = String(given[1]).startsWith('listen ') && ++listened === 1;
      return fails ? Promise.reject(new Error('not now')) : Reflect.apply(ask, this, given);
    });
    onTestFinished(() => spy.mockRestore());
    const listening = `from pg_stat_activity where datname = current_database() and query like 'listen %'`;
    await where.run(`select pg_terminate_backend(pid) ${listening}`);
    await eventually('a connection that listens', async () => {
      return (listened === 2 && (await where.run(`select pid ${listening}`)).length === 1) || undefined;
    });
  });
});
