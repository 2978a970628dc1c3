import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Job } from '../../../src/store/index.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines } from '../engines.ts';
import { controlOf, drained, enter, gate, QUEUE, queueOver, RETRIES, worker } from './support.ts';

describeEngines('jobs with keys', ({ kind, place }) => {
  it('come in the order of one transaction, three of a key, 20 times of 20', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran = new Map<string, unknown[]>();
    queue.work(
      QUEUE,
      worker(async ({ key = '', data }) => void ran.set(key, [...(ran.get(key) ?? []), data.n]), { concurrency: 8 }),
    );
    await queue.start();
    for (let round = 0; round < 20; round++)
      await store.transaction(async (tx) => {
        for (const n of [1, 2, 3]) await queue.send(tx, { queue: QUEUE, data: { n }, key: `k${round}` });
      });
    await drained(queue);
    expect([...ran.values()]).toEqual(Array.from({ length: 20 }, () => [1, 2, 3]));
  });

  // Transactions of SQLite run one after the other.
  it.skipIf(kind === 'sqlite')(
    'come in the order in which transactions locked the key, whichever began first',
    async () => {
      const where = await place();
      const [store, elsewhere] = [await where.migrated(), await where.open()];
      const [queue, other] = [await queueOver(store), await queueOver(elsewhere)];
      const [begun, entered, end] = [gate(), gate(), gate()];
      const earlier = store.transaction(async (tx) => {
        await tx.selectFrom('signalbox_migration').select('name').execute();
        begun.open();
        await entered.opened;
        // Waits for the lock of the other transaction, which began later.
        await queue.send(tx, { queue: QUEUE, data: { n: 3 }, key: 'k' });
      });
      await begun.opened;
      const later = elsewhere.transaction(async (tx) => {
        await other.send(tx, { queue: QUEUE, data: { n: 1 }, key: 'k' });
        entered.open();
        await pause(50);
        await other.send(tx, { queue: QUEUE, data: { n: 2 }, key: 'k' });
        end.open();
      });
      await Promise.all([earlier, later, end.opened]);
      const ran: unknown[] = [];
      queue.work(
        QUEUE,
        worker(async ({ data }) => void ran.push(data.n)),
      );
      await queue.start();
      await drained(queue);
      expect(ran).toEqual([1, 2, 3]);
    },
  );

  it('keep those behind them back while they are tried again, and free them as dead letters', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    let broken = true;
    const ran: string[] = [];
    queue.work(
      QUEUE,
      worker(
        async ({ data, attempt }) => {
          ran.push(`${data.n} attempt ${attempt}`);
          if (data.n === 1 && broken) throw new Error('broken');
        },
        { concurrency: 4, retry: RETRIES },
      ),
    );
    const id = await enter(store, queue, { data: { n: 1 }, key: 'k' });
    await enter(store, queue, { data: { n: 2 }, key: 'k' });
    await queue.start();
    await drained(queue);
    expect(ran).toEqual(['1 attempt 1', '1 attempt 2', '1 attempt 3', '2 attempt 1']);
    // Sent again, it is the last of its key.
    broken = false;
    const [begun, end] = [gate(), gate()];
    await queue.close();
    const again = await queueOver(store);
    const order: unknown[] = [];
    again.work(
      QUEUE,
      worker(
        async ({ data, attempt }) => {
          begun.open();
          await end.opened;
          order.push([data.n, attempt]);
        },
        { concurrency: 4 },
      ),
    );
    await again.start();
    await enter(store, again, { data: { n: 3 }, key: 'k' });
    await begun.opened;
    await controlOf(again).resubmit(id, 'ada');
    await enter(store, again, { data: { n: 4 }, key: 'k' });
    end.open();
    await drained(again);
    expect(order).toEqual([
      [3, 1],
      [1, 1],
      [4, 1],
    ]);
  });

  it('free those behind them when they are cancelled before they run, the first and one in the middle', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ids: string[] = [];
    for (const n of [1, 2, 3, 4]) ids.push(await enter(store, queue, { data: { n }, key: 'k' }));
    for (const id of [ids[2], ids[0]]) {
      expect(await store.transaction((tx) => queue.cancel(tx, QUEUE, id as string))).toBe(true);
    }
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async ({ data }) => void ran.push(data.n), { concurrency: 4 }),
    );
    await queue.start();
    await drained(queue);
    expect(ran).toEqual([2, 4]);
  });

  it('run next to those of other keys and to those without, in two gateways', { timeout: 30_000 }, async () => {
    const where = await place();
    const stores = [await where.migrated(), await where.open()];
    const queues = await Promise.all(stores.map((store) => queueOver(store)));
    const ran = new Map<string, unknown[]>();
    const busy = new Set<string>();
    const overlaps: string[] = [];
    let running = 0;
    // More at a time than one gateway works at: without both, the first jobs would wait for ever.
    const together = Promise.withResolvers<void>();
    const run = async ({ key, data }: Job): Promise<void> => {
      if (key !== undefined && busy.has(key)) overlaps.push(key);
      if (key !== undefined) busy.add(key);
      if (++running > 8) together.resolve();
      await together.promise;
      running -= 1;
      if (key !== undefined) busy.delete(key);
      ran.set(key ?? '', [...(ran.get(key ?? '') ?? []), data.n]);
    };
    const keys = Array.from({ length: 30 }, (_, k) => `k${k}`);
    for (const [at, store] of stores.entries())
      await store.transaction(async (tx) => {
        for (const key of keys)
          for (const n of [1, 2]) await queues[at]?.send(tx, { queue: QUEUE, data: { n: 2 * at + n }, key });
        for (let n = 0; n < 20; n++) await queues[at]?.send(tx, { queue: QUEUE, data: { n: 20 * at + n } });
      });
    for (const queue of queues) {
      queue.work(QUEUE, worker(run, { concurrency: 8 }));
      await queue.start();
    }
    await Promise.all(queues.map(drained));
    expect(overlaps).toEqual([]);
    for (const key of keys) expect([key, ran.get(key)]).toEqual([key, [1, 2, 3, 4]]);
    expect(ran.get('')?.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  it('hand over to the next in the transaction that ends them, or not at all', async () => {
    const where = await place();
    const store = await where.migrated();
    const queue = await queueOver(store, { onError: () => {} });
    const seen: unknown[] = [];
    queue.work(
      QUEUE,
      worker(
        async (job) => {
          if (job.data.n === 2) return void seen.push('2 began');
          await job.complete(async () => {
            if (job.attempt === 1) throw new Error('undone');
          });
          seen.push(`1 ended at attempt ${job.attempt}`);
        },
        { concurrency: 2, retry: RETRIES },
      ),
    );
    await enter(store, queue, { data: { n: 1 }, key: 'k' });
    await enter(store, queue, { data: { n: 2 }, key: 'k' });
    await queue.start();
    await eventually('both', () => (seen.length === 2 ? true : undefined));
    expect(seen).toEqual(['1 ended at attempt 2', '2 began']);
  });
});
