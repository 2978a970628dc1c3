import { expect, it } from 'vitest';
import { type Job, JobLost } from '../../../src/store/index.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines } from '../engines.ts';
import { countsOf, drained, enter, gate, note, QUEUE, queueOver, RETRIES, worker } from './support.ts';

describeEngines('a job that is cancelled', ({ place }) => {
  it('takes out a job that waits if the transaction commits', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async ({ data }) => void ran.push(data.n)),
    );
    const kept = await enter(store, queue, { data: { n: 1 } });
    const gone = await enter(store, queue, { data: { n: 2 }, key: 'k' });
    const undone = store.transaction(async (tx) => {
      expect(await queue.cancel(tx, QUEUE, kept)).toBe(true);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await store.transaction((tx) => queue.cancel(tx, QUEUE, gone))).toBe(true);
    expect(await store.transaction((tx) => queue.cancel(tx, QUEUE, gone))).toBe(false);
    await queue.start();
    await drained(queue);
    expect(ran).toEqual([1]);
    expect(await store.transaction((tx) => queue.cancel(tx, QUEUE, kept))).toBe(false);
  });

  it('stops a job that runs in another gateway when it is cancelled, and does not try it again', async () => {
    const where = await place();
    const [store, elsewhere] = [await where.migrated(), await where.open()];
    const [queue, other] = [await queueOver(store), await queueOver(elsewhere)];
    const ended: unknown[] = [];
    const begun = gate();
    const run = async (job: Job): Promise<void> => {
      begun.open();
      await new Promise((resolve) => job.signal.addEventListener('abort', resolve));
      ended.push(job.signal.reason, await job.complete(note('late')).catch((error: unknown) => error));
      throw new Error('cancelled');
    };
    queue.work(QUEUE, worker(run, { retry: RETRIES }));
    await queue.start();
    const id = await enter(store, queue);
    await begun.opened;
    expect(await elsewhere.transaction((tx) => other.cancel(tx, QUEUE, id))).toBe(true);
    await eventually('its end', () => (ended.length === 2 ? true : undefined));
    expect(ended).toEqual([expect.any(JobLost), expect.any(JobLost)]);
    expect(await countsOf(queue)).toEqual([]);
    expect(await queue.deadLetters()).toEqual([]);
    expect(await (await store.tables()).selectFrom('signalbox_sample_data').select('name').execute()).toEqual([]);
  });

  it('begins the next of a key when the one that was cancelled has stopped, and not before', async () => {
    const where = await place();
    const [store, elsewhere] = [await where.migrated(), await where.open()];
    const [queue, other] = [await queueOver(store), await queueOver(elsewhere)];
    const [begun, asked, end] = [gate(), gate(), gate()];
    const happened: string[] = [];
    const run = async ({ data, signal }: Job): Promise<void> => {
      happened.push(`${data.n} began`);
      if (data.n === 1) {
        signal.addEventListener('abort', () => asked.open());
        begun.open();
        await end.opened;
      }
      happened.push(`${data.n} ended`);
    };
    queue.work(QUEUE, worker(run, { concurrency: 2 }));
    await queue.start();
    other.work(QUEUE, worker(run, { concurrency: 2 }));
    const id = await enter(store, queue, { key: 'k', data: { n: 1 } });
    await begun.opened;
    await enter(store, queue, { key: 'k', data: { n: 2 } });
    await other.start();
    expect(await elsewhere.transaction((tx) => other.cancel(tx, QUEUE, id))).toBe(true);
    expect(await elsewhere.transaction((tx) => other.cancel(tx, QUEUE, id))).toBe(false);
    await asked.opened;
    // Both gateways have looked at it before this one has ended.
    await enter(elsewhere, other, { data: { n: 3 } });
    await eventually('another', () => (happened.includes('3 ended') ? true : undefined));
    expect(happened).not.toContain('2 began');
    await eventually('one that runs and one behind it', async () => {
      const [counts] = await countsOf(queue);
      return counts?.running === 1 && counts.waiting === 1 ? true : undefined;
    });
    end.open();
    await drained(queue);
    expect(happened.filter((each) => !each.startsWith('3'))).toEqual(['1 began', '1 ended', '2 began', '2 ended']);
    expect(await queue.deadLetters()).toEqual([]);
  });
});
