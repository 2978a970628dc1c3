import { expect, it } from 'vitest';
import type { Job } from '../../../src/store/index.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines } from '../engines.ts';
import { controlOf, drained, enter, note, QUEUE, queueOver, worker } from './support.ts';

const LONG = 3_600_000;

describeEngines('a job that is parked', ({ place }) => {
  it('holds back those of its key and no worker, until it is hastened: then with all attempts', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    const run = async (job: Job): Promise<void> => {
      const { data, attempt } = job;
      ran.push(`${data.n} attempt ${attempt}`);
      if (data.n !== 1 || ran.length > 3) return;
      if (attempt === 1) throw new Error('not yet');
      await job.park(async (tx) => {
        await note('parked')(tx);
        return LONG;
      });
    };
    queue.work(QUEUE, worker(run, { retry: { attempts: 2, for: LONG, first: 1, longest: 1 } }));
    await queue.start();
    const [first] = await store.transaction((tx) =>
      queue.sendMany(
        tx,
        [1, 2].map((n) => ({ queue: QUEUE, key: 'k', data: { n } })),
      ),
    );
    await eventually('it to be parked', async () => {
      const [depth] = await queue.depths();
      return depth?.delayed === 1 && depth.running === 0 && ran.length >= 2 ? true : undefined;
    });
    // One job at a time, and the parked one is none of them.
    await enter(store, queue, { key: 'l', data: { n: 3 } });
    await eventually('another key', async () => (ran.length === 3 ? true : undefined));
    expect(ran).toEqual(['1 attempt 1', '1 attempt 2', '3 attempt 1']);
    const notes = await (await store.tables()).selectFrom('signalbox_sample_data').select('name').execute();
    expect(notes).toEqual([{ name: 'parked' }]);

    expect(await store.transaction((tx) => queue.hasten(tx, QUEUE, first as string))).toBe(true);
    await drained(queue);
    expect(ran.slice(3)).toEqual(['1 attempt 1', '2 attempt 1']);
    expect(await store.transaction((tx) => queue.hasten(tx, QUEUE, first as string))).toBe(false);
  });

  it('begins again when its time has come', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: number[] = [];
    queue.work(
      QUEUE,
      worker(async (job) => {
        ran.push(job.attempt);
        if (ran.length === 1) await job.park(async () => 20);
      }),
    );
    await queue.start();
    await enter(store, queue);
    await drained(queue);
    expect(ran).toEqual([1, 1]);
  });

  it('is cancelled like one that waits, and the next of its key begins', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async (job) => {
        ran.push(job.data.n);
        if (job.data.n === 1) await job.park(async () => LONG);
      }),
    );
    await queue.start();
    const id = await enter(store, queue, { key: 'k', data: { n: 1 } });
    await enter(store, queue, { key: 'k', data: { n: 2 } });
    await eventually('it to be parked', async () => {
      const { jobs } = await controlOf(queue).list(QUEUE, { state: 'delayed', limit: 10 });
      return jobs.length === 1 ? jobs : undefined;
    });
    expect(await store.transaction((tx) => queue.cancel(tx, QUEUE, id))).toBe(true);
    await drained(queue);
    expect(ran).toEqual([1, 2]);
  });

  it('keeps nothing of a park that fails', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    queue.work(
      QUEUE,
      worker((job) =>
        job.park(async (tx) => {
          await note('parked')(tx);
          throw new Error('no');
        }),
      ),
    );
    await queue.start();
    const id = await enter(store, queue);
    await eventually('a dead letter', async () => ((await queue.deadLetters())[0]?.id === id ? true : undefined));
    expect(await (await store.tables()).selectFrom('signalbox_sample_data').select('name').execute()).toEqual([]);
  });
});
