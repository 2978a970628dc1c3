import { expect, it } from 'vitest';
import { type Job, JobLost, JobRefused, type Store } from '../../../src/store/index.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines } from '../engines.ts';
import { drained, enter, gate, QUEUE, queueOver, worker } from './support.ts';

const RETRIES = { attempts: 2, first: 1, longest: 5 };

/** Work of a job that the database shows: a row of a table that the tests have no other use for. */
const note = (name: string) => (tx: Parameters<Parameters<Store['transaction']>[0]>[0]) =>
  tx.insertInto('signalbox_sample_data').values({ name, loaded: '' }).execute();

describeEngines('the queue', ({ kind, place }) => {
  it('runs a job that was committed, with its data, and none that was rolled back', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const data = { text: 'Zürich \u0000 東京 "\\', number: 1.5, nested: { z: [null, true], a: {} } };
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async (job) => void ran.push([job.id, job.data, job.key, job.attempt])),
    );
    await queue.start();
    const undone = store.transaction(async (tx) => {
      await queue.send(tx, { queue: QUEUE, data: { undone: true } });
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    const id = await enter(store, queue, { data });
    await drained(queue);
    expect(ran).toEqual([[id, data, undefined, 1]]);
  });

  it('refuses an id that it has already', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const id = await enter(store, queue);
    await expect(enter(store, queue, { id })).rejects.toThrow(`queue ${QUEUE} has a job ${id} already`);
    expect(await queue.counts()).toEqual([{ queue: QUEUE, waiting: 1, running: 0, dead: 0 }]);
  });

  it('is full where as many jobs wait as may, whatever is not due yet', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    await enter(store, queue, { after: new Date(Date.now() + 60_000) });
    expect(await queue.isFull(QUEUE, 1)).toBe(false);
    for (const key of ['k', 'k', 'l']) await enter(store, queue, { key });
    expect([await queue.isFull(QUEUE, 3), await queue.isFull(QUEUE, 4), await queue.isFull('other', 1)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('runs jobs of a key one after the other in the order in which they were entered, others beside them', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const order = new Map<string, unknown[]>();
    let running = 0;
    let most = 0;
    const busy = new Set<string>();
    queue.work(
      QUEUE,
      worker(
        async ({ key = '', data }) => {
          expect(busy.has(key)).toBe(false);
          busy.add(key);
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
          order.set(key, [...(order.get(key) ?? []), data.n]);
          running--;
          busy.delete(key);
        },
        { concurrency: 8 },
      ),
    );
    await store.transaction(async (tx) => {
      for (let n = 0; n < 30; n++) await queue.send(tx, { queue: QUEUE, data: { n }, key: `k${n % 3}` });
    });
    await queue.start();
    await drained(queue);
    const every = [0, 1, 2].map((k) => [`k${k}`, Array.from({ length: 10 }, (_, i) => 3 * i + k)]);
    expect(Object.fromEntries(order)).toEqual(Object.fromEntries(every));
    expect(most).toBe(3);
  });

  // Those of SQLite run one after the other.
  it.skipIf(kind === 'sqlite')('has a job behind one that was entered before it in a later transaction', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    const begun = gate();
    const other = gate();
    const first = store.transaction(async (tx) => {
      await tx.selectFrom('signalbox_migration').select('name').execute();
      begun.open();
      await other.opened;
      await queue.send(tx, { queue: QUEUE, data: { n: 2 }, key: 'k' });
    });
    await begun.opened;
    await enter(store, queue, { data: { n: 1 }, key: 'k' });
    other.open();
    await first;
    queue.work(
      QUEUE,
      worker(async ({ data }) => void ran.push(data.n)),
    );
    await queue.start();
    await drained(queue);
    expect(ran).toEqual([1, 2]);
  });

  it('leaves a job alone until it is due', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: string[] = [];
    queue.work(
      QUEUE,
      worker(async (job) => void ran.push(job.id)),
    );
    await queue.start();
    const soon = await enter(store, queue, { after: new Date(Date.now() + 400), key: 'k' });
    const late = await enter(store, queue, { after: new Date(Date.now() + 3_600_000), key: 'k' });
    const now = await enter(store, queue, { key: 'k' });
    const [first] = await eventually('the first', () => (ran.length > 0 ? ran : undefined));
    expect(first).toBe(now);
    await eventually('the second', () => (ran.length > 1 ? ran : undefined));
    expect(ran).toEqual([now, soon]);
    expect(ran).not.toContain(late);
    await eventually('its end', async () => ((await queue.counts())[0]?.running === 0 ? true : undefined));
    expect(await queue.counts()).toEqual([{ queue: QUEUE, waiting: 1, running: 0, dead: 0 }]);
  });

  it('puts a job that becomes due behind those of its key that wait', async () => {
    const where = await place();
    const store = await where.migrated();
    const queue = await queueOver(store);
    const [begun, end] = [gate(), gate()];
    const ran: unknown[] = [];
    const run = async ({ data }: Job): Promise<void> => {
      begun.open();
      await end.opened;
      ran.push(data.n);
    };
    queue.work(QUEUE, worker(run, { concurrency: 2 }));
    await queue.start();
    await enter(store, queue, { key: 'k', data: { n: 1 } });
    await begun.opened;
    const soon = await enter(store, queue, { key: 'k', data: { n: 3 }, after: new Date(Date.now() + 200) });
    const never = await enter(store, queue, { key: 'k', after: new Date(Date.now() + 300) });
    await enter(store, queue, { key: 'k', data: { n: 2 } });
    const behind =
      kind === 'sqlite' ? 'select id from signalbox_job where place = 1' : 'select id from signalbox_job_follower';
    await eventually('both in their places', async () => ((await where.run(behind)).length === 3 ? true : undefined));
    expect(await queue.counts()).toEqual([{ queue: QUEUE, waiting: 3, running: 1, dead: 0 }]);
    await expect(enter(store, queue, { id: soon })).rejects.toThrow(`queue ${QUEUE} has a job ${soon} already`);
    expect(await store.transaction((tx) => queue.cancel(tx, QUEUE, never))).toBe(true);
    end.open();
    await drained(queue);
    expect(ran).toEqual([1, 2, 3]);
  });

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
        retry: { ...RETRIES, attempts: 1 },
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
    expect(await queue.counts()).toEqual([{ queue: QUEUE, waiting: 0, running: 0, dead: 1 }]);
  });

  it('enters a dead letter again, with its id and all its attempts', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    let broken = true;
    const ran: number[] = [];
    queue.work(
      QUEUE,
      worker(async ({ attempt }) => {
        ran.push(attempt);
        if (broken) throw new Error('broken');
      }),
    );
    await queue.start();
    const id = await enter(store, queue, { data: { a: 1 } });
    await eventually('a dead letter', async () => (await queue.deadLetters())[0]);
    broken = false;
    expect(await queue.redrive(QUEUE, id)).toBe(true);
    await eventually('the second run', () => (ran.length === 2 ? true : undefined));
    await drained(queue);
    expect(ran).toEqual([1, 1]);
    expect(await queue.deadLetters()).toEqual([]);
    expect(await queue.redrive(QUEUE, id)).toBe(false);
  });

  it('ends a job in the transaction of its work: both or neither', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    // Asked here and looked at below: what a worker throws after its job has ended ends no test.
    const after: unknown[] = [];
    queue.work(
      QUEUE,
      worker(
        async (job) => {
          await job.complete(async (tx) => {
            await note(`attempt ${job.attempt}`)(tx);
            if (job.attempt === 1) throw new Error('not yet');
          });
          after.push(job.completed, await job.complete(note('twice')).catch((error: unknown) => error));
        },
        { retry: RETRIES },
      ),
    );
    await queue.start();
    await enter(store, queue);
    await drained(queue);
    await eventually('the refusal', () => (after.length > 0 ? true : undefined));
    expect(after).toEqual([true, expect.objectContaining({ message: expect.stringMatching(/is completed twice$/) })]);
    const notes = await (await store.tables()).selectFrom('signalbox_sample_data').select('name').execute();
    expect(notes).toEqual([{ name: 'attempt 2' }]);
    expect(await queue.deadLetters()).toEqual([]);
  });

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
    expect(await queue.counts()).toEqual([]);
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
      const [counts] = await queue.counts();
      return counts?.running === 1 && counts.waiting === 1 ? true : undefined;
    });
    end.open();
    await drained(queue);
    expect(happened.filter((each) => !each.startsWith('3'))).toEqual(['1 began', '1 ended', '2 began', '2 ended']);
    expect(await queue.deadLetters()).toEqual([]);
  });

  it('is worked at by any gateway: what one enters another does, each job once', async () => {
    const where = await place();
    const stores = [await where.migrated(), await where.open(), await where.open()];
    const [entry, ...workers] = await Promise.all(stores.map((store) => queueOver(store)));
    const ran: unknown[] = [];
    for (const each of workers) {
      each.work(
        QUEUE,
        worker(async (job) => job.complete(async () => void ran.push(job.data.n)), { concurrency: 4 }),
      );
      await each.start();
    }
    for (let n = 0; n < 20; n++)
      await enter(stores[0]!, entry!, { data: { n }, ...(n % 2 === 0 && { key: `${n % 4}` }) });
    await drained(entry!);
    expect(ran.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it('gives back at its close what does not end in time, without an attempt less', async () => {
    const where = await place();
    const [store, elsewhere] = [await where.migrated(), await where.open()];
    const queue = await queueOver(store);
    const begun = gate();
    const order: string[] = [];
    const stopping = async ({ signal }: Job): Promise<void> => {
      begun.open();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    queue.work(QUEUE, worker(stopping));
    await queue.start();
    await enter(store, queue, { key: 'k', data: { n: 1 } });
    await enter(store, queue, { key: 'k', data: { n: 2 } });
    await begun.opened;
    await queue.close({ timeoutMs: 10 });
    const other = await queueOver(elsewhere);
    expect(await other.counts()).toEqual([{ queue: QUEUE, waiting: 2, running: 0, dead: 0 }]);
    other.work(
      QUEUE,
      worker(async ({ data, attempt }) => void order.push(`${data.n} attempt ${attempt}`)),
    );
    await other.start();
    await drained(other);
    expect(order).toEqual(['1 attempt 1', '2 attempt 1']);
  });

  it('lets what runs end when it is closed, and takes nothing more', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const [begun, end] = [gate(), gate()];
    let ran = 0;
    queue.work(
      QUEUE,
      worker(async () => {
        ran++;
        begun.open();
        await end.opened;
      }),
    );
    await queue.start();
    await enter(store, queue);
    await enter(store, queue);
    await begun.opened;
    const closed = queue.close({ timeoutMs: 10_000 });
    end.open();
    await closed;
    expect(ran).toBe(1);
    expect(await (await queueOver(store)).counts()).toEqual([{ queue: QUEUE, waiting: 1, running: 0, dead: 0 }]);
  });
});
