import { expect, it } from 'vitest';
import { type Job, JobRefused } from '../../../src/store/index.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines } from '../engines.ts';
import {
  controlOf,
  countsOf,
  drained,
  enter,
  gate,
  note,
  noteAttempts,
  QUEUE,
  queueOver,
  RETRIES,
  worker,
} from './support.ts';

const DAY = 86_400_000;
const FOR_A_DAY = { for: DAY, first: 1, longest: 1 };

describeEngines('attempts at a job', ({ place }) => {
  it('tries again, counts the attempts, holds back the key, and says when the next attempt is', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    const said: unknown[] = [];
    queue.work(
      QUEUE,
      worker(
        async ({ data, attempt }) => {
          ran.push([data.n, attempt]);
          if (data.n === 1 && attempt < 3) throw new Error(`no ${attempt}`);
        },
        {
          concurrency: 4,
          retry: RETRIES,
          onRetry: async (tx, job, error, next) => {
            await note(`retry ${job.attempt}`)(tx);
            said.push([job.attempt, error.message, next instanceof Date]);
          },
        },
      ),
    );
    await store.transaction(async (tx) => {
      for (const n of [1, 2]) await queue.send(tx, { queue: QUEUE, data: { n }, key: 'k' });
    });
    await queue.start();
    await drained(queue);
    expect(ran).toEqual([1, 2, 3].map((attempt) => [1, attempt]).concat([[2, 1]]));
    expect(said).toEqual([1, 2].map((attempt) => [attempt, `no ${attempt}`, true]));
    expect(await queue.deadLetters()).toEqual([]);
  });

  it('makes a dead letter of a job that failed for good, together with what its worker does then', async () => {
    const store = await (await place()).migrated();
    const errors: string[] = [];
    const queue = await queueOver(store, { onError: (error) => errors.push(error.message) });
    let times = 0;
    queue.work(
      QUEUE,
      worker(() => Promise.reject(new Error('broken')), {
        retry: { ...RETRIES, attempts: 2 },
        onDead: async (tx, job, error) => {
          await note(`dead ${job.attempt} ${error.message}`)(tx);
          // Nothing is kept of the first time: the letter neither.
          if (++times === 1) throw new Error('the database said no');
        },
      }),
    );
    await queue.start();
    const id = await enter(store, queue, { data: { a: 1 }, key: 'k' });
    await drained(queue);
    const [letter] = await queue.deadLetters({ queue: QUEUE });
    expect(letter).toMatchObject({ id, queue: QUEUE, data: { a: 1 }, attempts: 2, error: 'broken' });
    expect(letter?.died).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(times).toBe(2);
    const notes = await (await store.tables()).selectFrom('signalbox_sample_data').select('name').execute();
    expect(notes).toEqual([{ name: 'dead 2 broken' }]);
    await eventually('the word of it', () => (errors.includes('broken') ? true : undefined));
    expect(errors).toContain('the database said no');
  });

  it('tries again until the time of the rule is over, whatever the number of attempts', async () => {
    const store = await (await place()).migrated();
    let moved = 0;
    const queue = await queueOver(store, { now: () => Date.now() + moved });
    const { opened, open } = gate();
    const fail = async ({ attempt }: Job): Promise<void> => {
      if (attempt === 4) await opened;
      throw new Error(`no ${attempt}`);
    };
    const ran = noteAttempts(queue, fail, { retry: FOR_A_DAY });
    await queue.start();
    const id = await enter(store, queue);
    await eventually('the fourth attempt', () => (ran.length === 4 ? true : undefined));
    moved = DAY;
    open();
    await drained(queue);
    expect(await queue.deadLetters()).toMatchObject([{ id, attempts: 4, error: 'no 4' }]);
  });

  it('counts that time from the first attempt, and makes one after a longer outage', async () => {
    const where = await place();
    const store = await where.migrated();
    const queue = await queueOver(store);
    const fail = ({ attempt }: Job): Promise<void> => Promise.reject(new Error(`no ${attempt}`));
    const ran = noteAttempts(queue, fail, { retry: FOR_A_DAY });
    const id = await enter(store, queue);
    await where.run(`update signalbox_job set attempt = 3, failed = 3, began = ${Date.now() - 3 * DAY}`);
    await queue.start();
    await drained(queue);
    expect(ran).toEqual([4]);
    expect(await queue.deadLetters()).toMatchObject([{ id, attempts: 4, error: 'no 4' }]);
  });

  it('does not begin again what ended with its gateway when that time is over', async () => {
    const where = await place();
    const store = await where.migrated();
    const queue = await queueOver(store);
    const ran = noteAttempts(queue, async () => {}, { retry: FOR_A_DAY });
    const late = await enter(store, queue);
    await where.run(`update signalbox_job set attempt = 3, failed = 2, began = ${Date.now() - 2 * DAY}`);
    await enter(store, queue);
    await where.run(`update signalbox_job set attempt = 3, failed = 2, began = ${Date.now()} where attempt = 0`);
    await queue.start();
    await drained(queue);
    expect(ran).toEqual([4]);
    expect(await queue.deadLetters()).toMatchObject([
      { id: late, attempts: 3, error: 'the process that ran attempt 3 in work died' },
    ]);
  });

  it('tries again only what the rule names', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    const on = ({ message }: Error): boolean => message === 'busy';
    queue.work(
      QUEUE,
      worker(
        async ({ data, attempt }) => {
          ran.push([data.words, attempt]);
          throw new Error(String(data.words));
        },
        { retry: { ...RETRIES, attempts: 2, on } },
      ),
    );
    await queue.start();
    await enter(store, queue, { data: { words: 'busy' } });
    await drained(queue);
    await enter(store, queue, { data: { words: 'broken' } });
    await drained(queue);
    expect(ran).toEqual([
      ['busy', 1],
      ['busy', 2],
      ['broken', 1],
    ]);
  });

  it('does not try again what its worker refuses, and takes the next of the key', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(
        async ({ data }) => {
          ran.push(data.n);
          if (data.n === 1) throw new JobRefused('not this one');
        },
        { retry: RETRIES },
      ),
    );
    await enter(store, queue, { data: { n: 1 }, key: 'k' });
    await enter(store, queue, { data: { n: 2 }, key: 'k' });
    await queue.start();
    await drained(queue);
    expect(ran).toEqual([1, 2]);
    expect(await queue.deadLetters()).toMatchObject([{ attempts: 1, error: 'not this one', data: { n: 1 } }]);
    expect(await countsOf(queue)).toEqual([{ queue: QUEUE, waiting: 0, running: 0, dead: 1 }]);
  });

  it('enters a dead letter again, with its id and all its attempts', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    let broken = true;
    const ran = noteAttempts(queue, async () => {
      if (broken) throw new Error('broken');
    });
    await queue.start();
    const id = await enter(store, queue, { data: { a: 1 } });
    await eventually('a dead letter', async () => (await queue.deadLetters())[0]);
    broken = false;
    expect(await controlOf(queue).resubmit(id, 'ada')).toMatchObject({ id, state: 'dead', attempts: 1 });
    await eventually('the second run', () => (ran.length === 2 ? true : undefined));
    await drained(queue);
    expect(ran).toEqual([1, 1]);
    expect(await queue.deadLetters()).toEqual([]);
    await expect(controlOf(queue).resubmit(id, 'ada')).rejects.toThrow(`There is no job ${id}.`);
  });
});
