import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { freePort } from '../../support/free-port.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { eventually } from '../../support/project.ts';
import { postgresPlace } from '../engines.ts';
import { temporaryFolder } from '../support.ts';
import { countsOf, drained, enter, gate, QUEUE, queueOver, worker } from './support.ts';

describe.skipIf(!hasPostgres)('the queue on PostgreSQL', () => {
  it('goes on when the database that went away is back, with the job that ran meanwhile', {
    timeout: 40_000,
  }, async () => {
    const server = startPostgres(await freePort());
    onTestFinished(() => server.remove());
    const store = await openStore({ url: server.url, root: temporaryFolder() });
    onTestFinished(() => store.close());
    await store.migrate();
    const errors: Error[] = [];
    const queue = await queueOver(store, { onError: (error) => errors.push(error) });
    const [begun, end] = [gate(), gate()];
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async ({ data }) => {
        begun.open();
        await end.opened;
        ran.push(data.n);
      }),
    );
    await queue.start();
    await enter(store, queue, { data: { n: 1 } });
    await begun.opened;
    server.stop();
    end.open();
    await eventually('word of it', () => (errors.length > 0 ? true : undefined));
    await expect(enter(store, queue)).rejects.toThrow();
    server.start();
    await eventually('its end', async () => {
      const counts = await countsOf(queue).catch(() => undefined);
      return counts?.length === 0 ? true : undefined;
    });
    await enter(store, queue, { data: { n: 2 } });
    await drained(queue);
    expect(ran).toEqual([1, 2]);
  });

  it('is made once by gateways that start together, and each job is done by one of them', async () => {
    const where = await postgresPlace({ migrated: true });
    await where.migrated();
    const stores = await Promise.all([1, 2, 3, 4, 5].map(() => where.open()));
    const queues = await Promise.all(stores.map((store) => queueOver(store)));
    const ran: unknown[] = [];
    for (const queue of queues)
      queue.work(
        QUEUE,
        worker(async ({ data }) => void ran.push(data.n), { concurrency: 2 }),
      );
    await Promise.all(queues.map((queue) => queue.start()));
    const jobs = Array.from({ length: 50 }, (_, n) => n);
    await Promise.all(
      jobs.map((n) => enter(stores[n % 5]!, queues[n % 5]!, { data: { n }, ...(n % 3 === 0 && { key: 'k' }) })),
    );
    await drained(queues[0]!);
    expect(ran.toSorted((a, b) => Number(a) - Number(b))).toEqual(jobs);
  });
});
