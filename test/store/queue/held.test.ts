import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Job, JobQueue, Worker } from '../../../src/store/index.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines } from '../engines.ts';
import { controlOf, drained, enter, gate, QUEUE, queueOver, worker } from './support.ts';

/** Waits until so many jobs are held. */
const heldJobs = (queue: JobQueue, count = 1) =>
  eventually(`${count} held jobs`, async () => {
    const { jobs } = await controlOf(queue).list(QUEUE, { state: 'held', limit: 10 });
    return jobs.length === count ? jobs : undefined;
  });

/** A worker that holds, and fails as long as `broken` has the number of a job. */
function failing(broken: Set<unknown>, ran: unknown[], more: Partial<Worker> = {}): Worker {
  const run = async ({ data, attempt }: Job): Promise<void> => {
    ran.push(`${data.n} attempt ${attempt}`);
    if (broken.has(data.n)) throw new Error(`${data.n} is broken`);
  };
  return worker(run, { concurrency: 4, holds: true, retry: { attempts: 2, first: 1, longest: 1 }, ...more });
}

describeEngines('jobs that are held', ({ place }) => {
  it('fail for good and hold back only those of their key, until one is released: then with all attempts', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const broken = new Set<unknown>([1]);
    const ran: unknown[] = [];
    const told: unknown[] = [];
    const onHeld: Worker['onHeld'] = async (tx, { id, attempt, key }, { message }) => {
      await tx.insertInto('signalbox_sample_data').values({ name: id, loaded: '' }).execute();
      told.push([id, attempt, key, message]);
    };
    queue.work(QUEUE, failing(broken, ran, { onHeld }));
    await queue.start();
    const first = await enter(store, queue, { key: 'k', data: { n: 1 } });
    await enter(store, queue, { key: 'k', data: { n: 2 } });
    await enter(store, queue, { key: 'l', data: { n: 3 } });
    const [held] = await heldJobs(queue);
    expect(held).toMatchObject({ id: first, key: 'k', state: 'held', attempts: 2, reason: '1 is broken' });
    expect(held).not.toHaveProperty('due');
    await eventually('the other key', async () => {
      const [depth] = await queue.depths();
      return (ran.includes('3 attempt 1') && depth?.running === 0) || undefined;
    });
    expect(told).toEqual([[first, 2, 'k', '1 is broken']]);
    const notes = await (await store.tables()).selectFrom('signalbox_sample_data').select('name').execute();
    expect(notes).toEqual([{ name: first }]);
    expect(await queue.deadLetters()).toEqual([]);
    expect((await controlOf(queue).overview())[0]).toMatchObject({
      waiting: 1,
      running: 0,
      delayed: 0,
      held: 1,
      dead: 0,
    });
    expect(await queue.isFull(QUEUE, 2)).toBe(false);

    broken.clear();
    expect(await store.transaction((tx) => queue.release(tx, QUEUE, { key: 'k' }, 'ann'))).toBe(1);
    await drained(queue);
    expect(ran.filter((each) => each !== '3 attempt 1')).toEqual([
      '1 attempt 1',
      '1 attempt 2',
      '1 attempt 1',
      '2 attempt 1',
    ]);
    expect(await controlOf(queue).trail(10)).toEqual([
      { at: expect.any(String), actor: 'ann', action: 'release', queue: QUEUE },
    ]);
  });

  it('without a key become dead letters', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    queue.work(QUEUE, failing(new Set([1]), []));
    await queue.start();
    const id = await enter(store, queue, { data: { n: 1 } });
    await eventually('a dead letter', async () => ((await queue.deadLetters())[0]?.id === id ? true : undefined));
    expect((await controlOf(queue).overview())[0]).toMatchObject({ held: 0, dead: 1 });
  });

  it('let the next of their key run when they are dropped or cancelled', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    queue.work(QUEUE, failing(new Set([1, 2]), ran));
    await queue.start();
    const ids = await store.transaction((tx) =>
      queue.sendMany(
        tx,
        [1, 2, 3].map((n) => ({ queue: QUEUE, key: 'k', data: { n } })),
      ),
    );
    await heldJobs(queue);
    expect(await controlOf(queue).cancel(ids[0] as string, 'ann')).toMatchObject({ id: ids[0], state: 'held' });
    await eventually('the second to be held', async () =>
      (await heldJobs(queue))[0]?.id === ids[1] ? true : undefined,
    );
    expect(await store.transaction((tx) => queue.cancel(tx, QUEUE, ids[1] as string))).toBe(true);
    await drained(queue);
    expect(ran.at(-1)).toBe('3 attempt 1');
    expect((await controlOf(queue).overview())[0]).toMatchObject({ waiting: 0, held: 0, dead: 0 });
  });

  it('run again when an operator retries them', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const broken = new Set<unknown>([1]);
    queue.work(QUEUE, failing(broken, []));
    await queue.start();
    const id = await enter(store, queue, { key: 'k', data: { n: 1 } });
    await heldJobs(queue);
    expect(await controlOf(queue).get(id)).toMatchObject({ state: 'held', reason: '1 is broken', tried: [{}, {}] });
    broken.clear();
    expect(await controlOf(queue).resubmit(id, 'ann')).toMatchObject({ id, state: 'held' });
    await drained(queue);
    expect(await queue.deadLetters()).toEqual([]);
  });

  it('are those that an operator holds: one that waits, or the first of a key and so all behind it', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    const end = gate();
    const run = async ({ data }: Job): Promise<void> => {
      ran.push(data.n);
      if (data.n === 1) await end.opened;
    };
    queue.work(QUEUE, worker(run, { concurrency: 4 }));
    const one = await enter(store, queue, { data: { n: 0 } });
    expect(await store.transaction((tx) => queue.hold(tx, QUEUE, { id: one }, 'ann'))).toBe(1);
    expect(await store.transaction((tx) => queue.hold(tx, QUEUE, { id: one }))).toBe(0);
    expect(await store.transaction((tx) => queue.hold(tx, QUEUE, { key: 'k' }))).toBe(0);
    for (const n of [1, 2, 3]) await enter(store, queue, { key: 'k', data: { n } });
    await queue.start();
    await eventually('the first', () => (ran.includes(1) ? true : undefined));
    // The one that runs goes on; those behind it are held with the second.
    expect(await store.transaction((tx) => queue.hold(tx, QUEUE, { key: 'k' }))).toBe(1);
    end.open();
    await heldJobs(queue, 2);
    await enter(store, queue, { data: { n: 9 } });
    await eventually('another', () => (ran.includes(9) ? true : undefined));
    expect(ran).toEqual([1, 9]);
    expect((await controlOf(queue).overview())[0]).toMatchObject({ waiting: 1, held: 2, delayed: 0 });
    expect(await store.transaction((tx) => queue.release(tx, QUEUE, { id: one }, 'ann'))).toBe(1);
    expect(await store.transaction((tx) => queue.release(tx, QUEUE, { key: 'k' }))).toBe(1);
    await drained(queue);
    expect(ran).toHaveLength(5);
    expect(ran.filter((n) => n === 2 || n === 3)).toEqual([2, 3]);
    expect((await controlOf(queue).trail(10)).map(({ action, job }) => [action, job])).toEqual([
      ['release', one],
      ['hold', one],
    ]);
  });
});

describeEngines('many jobs entered at once', ({ place }) => {
  it('keep the order of their keys, in several queues, and run when they are due', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    for (const name of [QUEUE, 'other'])
      queue.work(
        name,
        worker(async ({ key, data }) => void ran.push(`${name} ${key ?? ''} ${data.n}`), { concurrency: 3 }),
      );
    await enter(store, queue, { key: 'k', data: { n: 0 } });
    const later = randomUUID();
    const jobs = [1, 2, 3].flatMap((n) => [
      { queue: QUEUE, key: 'k', data: { n } },
      { queue: 'other', key: 'k', data: { n } },
      { queue: QUEUE, data: { n } },
    ]);
    const ids = await store.transaction((tx) =>
      queue.sendMany(tx, [
        ...jobs,
        { queue: QUEUE, id: later, key: 'k', data: { n: 4 }, after: new Date(Date.now() + 300) },
      ]),
    );
    expect(ids).toHaveLength(10);
    expect(ids.at(-1)).toBe(later);
    expect(await store.transaction((tx) => queue.sendMany(tx, []))).toEqual([]);
    await queue.start();
    await drained(queue);
    const of = (prefix: string) => ran.filter((each) => String(each).startsWith(prefix));
    expect(of(`${QUEUE} k`)).toEqual([0, 1, 2, 3, 4].map((n) => `${QUEUE} k ${n}`));
    expect(of('other k')).toEqual([1, 2, 3].map((n) => `other k ${n}`));
    expect(of(`${QUEUE}  `)).toHaveLength(3);
  });

  it('are refused together when the queue has one of them', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const id = await enter(store, queue, { key: 'k' });
    const jobs = [
      { queue: QUEUE, key: 'l', data: {} },
      { queue: QUEUE, id, key: 'l', data: {} },
    ];
    await expect(store.transaction((tx) => queue.sendMany(tx, jobs))).rejects.toThrow(
      `queue ${QUEUE} has a job ${id} already`,
    );
    expect((await controlOf(queue).overview())[0]).toMatchObject({ waiting: 1 });
  });

  it('of the same keys by several publishers do not block each other for good', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const keys = Array.from({ length: 20 }, (_, n) => `k${n}`);
    const publish = (of: readonly string[]) =>
      store.transaction((tx) =>
        queue.sendMany(
          tx,
          of.map((key) => ({ queue: QUEUE, key, data: {} })),
        ),
      );
    await Promise.all(Array.from({ length: 10 }, (_, n) => publish(n % 2 === 0 ? keys : keys.toReversed())));
    expect((await queue.depths())[0]).toMatchObject({ queue: QUEUE, waiting: 200 });
  });

  it('are as many as there are', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const jobs = Array.from({ length: 12_000 }, (_, n) => ({ queue: QUEUE, key: `k${n % 7}`, data: { n } }));
    await store.transaction((tx) => queue.sendMany(tx, jobs));
    expect((await queue.depths())[0]).toMatchObject({ queue: QUEUE, waiting: 12_000 });
  });
});
