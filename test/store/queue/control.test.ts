import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRedactor } from '../../../src/codec/redact/redactor.ts';
import { type OwnedJob, readQueues } from '../../../src/store/index.ts';
import { MOST_ATTEMPTS } from '../../../src/store/queue/attempts.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines } from '../engines.ts';
import { controlOf, drained, enter, gate, noteAttempts, QUEUE, queueOver, worker } from './support.ts';

const HOUR = 3_600_000;
const AWAY = 'a0a0a0a0-0000-4000-8000-000000000000';

describeEngines('an operator at the queue', ({ place }) => {
  it('sees each queue: what waits, runs, is delayed and is dead, and for how long the oldest has waited', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const control = controlOf(queue);
    expect(await control.overview()).toEqual([
      { queue: QUEUE, waiting: 0, running: 0, delayed: 0, held: 0, dead: 0, donePerMinute: 0 },
    ]);
    const [begun, end] = [gate(), gate()];
    queue.work(
      QUEUE,
      worker(async ({ data }) => {
        if (data.fails === true) throw new Error('broken');
        begun.open();
        await end.opened;
      }),
    );
    await queue.start();
    await enter(store, queue, { data: { fails: true } });
    await eventually('a dead letter', async () => (await control.overview())[0]?.dead === 1 || undefined);
    await enter(store, queue);
    await begun.opened;
    await enter(store, queue);
    await enter(store, queue, { after: new Date(Date.now() + HOUR) });
    const [seen] = await control.overview();
    expect(seen).toMatchObject({ waiting: 1, running: 1, delayed: 1, dead: 1 });
    expect(seen?.oldestSeconds).toBeLessThan(60);
    const later = await eventually('a second', async () => {
      const [now] = await control.overview();
      return (now?.oldestSeconds ?? 0) >= 1 ? now : undefined;
    });
    expect(later?.oldestSeconds).toBeLessThan(60);
    end.open();
  });

  it('sees how many jobs are done a minute, by all gateways', async () => {
    const store = await (await place()).migrated();
    const [one, two] = [await queueOver(store, { gateway: 'one' }), await queueOver(store, { gateway: 'two' })];
    for (const each of [one, two]) {
      each.work(
        QUEUE,
        worker(async () => {}),
      );
      await each.start();
    }
    for (let n = 0; n < 20; n++) await enter(store, one);
    const rate = await eventually('the rate', async () => {
      const [seen] = await controlOf(two).overview();
      // Of twenty in the four to five minutes that are looked at.
      return (seen?.donePerMinute ?? 0) >= 4 ? seen?.donePerMinute : undefined;
    });
    expect(rate).toBeLessThanOrEqual(5);
  });

  it('lists the jobs of a state in parts, the oldest or the newest first', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const control = controlOf(queue);
    const waiting: string[] = [];
    const delayed: string[] = [];
    for (let n = 0; n < 7; n++) {
      waiting.push(await enter(store, queue, { key: `k${n % 2}` }));
      delayed.push(await enter(store, queue, { after: new Date(Date.now() + HOUR + n) }));
      await pause(2);
    }
    const all = async (state: 'waiting' | 'delayed', order: 'oldest' | 'newest'): Promise<string[]> => {
      const found: string[] = [];
      let after: string | undefined;
      do {
        const page = await control.list(QUEUE, { state, order, limit: 3, ...(after === undefined ? {} : { after }) });
        expect(page.jobs.length).toBeLessThanOrEqual(3);
        found.push(...page.jobs.map(({ id }) => id));
        after = page.next;
      } while (after !== undefined);
      return found;
    };
    expect(await all('waiting', 'oldest')).toEqual(waiting);
    expect(await all('waiting', 'newest')).toEqual(waiting.toReversed());
    expect(await all('delayed', 'newest')).toEqual(delayed.toReversed());
    const [first] = (await control.list(QUEUE, { state: 'waiting', limit: 1 })).jobs;
    expect(first).toMatchObject({ id: waiting[0], queue: QUEUE, state: 'waiting', key: 'k0', attempts: 0 });
    expect(Date.parse(first?.entered ?? '')).toBeGreaterThan(Date.now() - 60_000);
    await expect(control.list('wrok', { state: 'dead', limit: 1 })).rejects.toThrow('There is no queue wrok.');
    await expect(control.list(QUEUE, { state: 'dead', limit: 1, after: "1' or 1=1" })).rejects.toThrow('After is not');
  });

  it('lists dead letters in parts', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const control = controlOf(queue);
    queue.work(
      QUEUE,
      worker(async ({ data }) => {
        throw new Error(`broken ${data.n}`);
      }),
    );
    await queue.start();
    for (let n = 0; n < 5; n++) await enter(store, queue, { data: { n } });
    await drained(queue);
    const first = await control.list(QUEUE, { state: 'dead', order: 'newest', limit: 3 });
    const rest = await control.list(QUEUE, {
      ...{ state: 'dead', order: 'newest', limit: 3 },
      ...(first.next === undefined ? {} : { after: first.next }),
    });
    const all = [...first.jobs, ...rest.jobs];
    expect([first.jobs.length, rest.jobs.length, rest.next]).toEqual([3, 2, undefined]);
    expect(all.map(({ died }) => died)).toEqual(
      all
        .map(({ died }) => died)
        .toSorted()
        .reverse(),
    );
    expect(new Set(all.map(({ reason }) => reason)).size).toBe(5);
    expect(all[0]).toMatchObject({ state: 'dead', attempts: 1, reason: expect.stringMatching(/^broken \d$/) });
  });

  it('sees each attempt at a job: when and where it ran and why it failed, also of one that runs', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store, { gateway: 'gateway-7' });
    const [begun, end] = [gate(), gate()];
    queue.work(
      QUEUE,
      worker(
        async ({ attempt }) => {
          if (attempt < 3) throw new Error(`failed ${attempt}`);
          begun.open();
          await end.opened;
        },
        { retry: { attempts: 4, first: 1, longest: 1 } },
      ),
    );
    const id = await enter(store, queue, { data: { a: 1 } });
    await queue.start();
    await begun.opened;
    const seen = await controlOf(queue).get(id);
    const at = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(seen).toMatchObject({ id, state: 'running', attempts: 3, gateway: 'gateway-7', payload: { a: 1 } });
    expect(seen.tried).toEqual([
      { attempt: 1, gateway: 'gateway-7', began: at, ended: at, reason: 'failed 1' },
      { attempt: 2, gateway: 'gateway-7', began: at, ended: at, reason: 'failed 2' },
      { attempt: 3, gateway: 'gateway-7', began: at },
    ]);
    end.open();
    await drained(queue);
    await expect(controlOf(queue).get(id)).rejects.toThrow(`There is no job ${id}.`);
    const left = await (await store.tables()).selectFrom('signalbox_job_attempt').selectAll().execute();
    expect(left).toEqual([]);
  });

  it('sees the latest attempts of a job that has failed without end', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const most = MOST_ATTEMPTS + 5;
    queue.work(
      QUEUE,
      worker(
        async ({ attempt }) => {
          throw new Error(`failed ${attempt} ${'x'.repeat(5000)}`);
        },
        { retry: { attempts: most, first: 0, longest: 0 } },
      ),
    );
    const id = await enter(store, queue);
    await queue.start();
    await eventually('the dead letter', async () => (await queue.deadLetters())[0]);
    const { tried, attempts } = await controlOf(queue).get(id);
    expect([attempts, tried.length, tried[0]?.attempt, tried.at(-1)?.attempt]).toEqual([most, MOST_ATTEMPTS, 6, most]);
    expect(tried[0]?.reason).toHaveLength(2000);
  });

  it('runs a dead letter again, which keeps its history, and lets its owner say whether it can', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    let broken = true;
    const ran = noteAttempts(queue, async () => {
      if (broken) throw new Error('broken');
    });
    await queue.start();
    const id = await enter(store, queue);
    await eventually('a dead letter', async () => (await queue.deadLetters())[0]);
    const asked: OwnedJob[] = [];
    const closed = controlOf(queue, {
      async onResubmitted(_, job, actor) {
        asked.push(job);
        return `${actor} is not its friend`;
      },
    });
    await expect(closed.resubmit(id, 'ada')).rejects.toThrow(
      `Job ${id} of ${QUEUE} can't run again: ada is not its friend.`,
    );
    expect(asked).toMatchObject([{ id, state: 'dead', data: {} }]);
    expect(await closed.resubmitFailed(QUEUE, { most: 10 }, 'ada')).toEqual({
      resubmitted: 0,
      refused: [{ id, reason: 'ada is not its friend' }],
    });
    expect(ran).toEqual([1]);
    const control = controlOf(queue);
    expect(await control.resubmit(id, 'ada')).toMatchObject({ id, state: 'dead' });
    const again = await eventually('the second death', async () => {
      const { tried, state } = await control.get(id);
      return tried.length === 2 && state === 'dead' ? tried : undefined;
    });
    expect(again.map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [1, 'broken'],
      [1, 'broken'],
    ]);
    broken = false;
    await control.resubmit(id, 'ada');
    await eventually('the third run', () => ran.length === 3 || undefined);
    await drained(queue);
    expect(await control.trail(10)).toMatchObject([
      { actor: 'ada', action: 'resubmit', queue: QUEUE, job: id },
      { actor: 'ada', action: 'resubmit', queue: QUEUE, job: id },
    ]);
  });

  it('runs a delayed job now: one of a schedule, one that failed, and one that joins the jobs of its key', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    let failed = false;
    queue.work(
      QUEUE,
      worker(
        async ({ data, attempt }) => {
          if (data.n === 1 && !failed) {
            failed = true;
            throw new Error('broken');
          }
          ran.push([data.n, attempt]);
        },
        { retry: { attempts: 2, first: HOUR, longest: HOUR } },
      ),
    );
    await queue.start();
    const after = new Date(Date.now() + HOUR);
    const ids = [
      await enter(store, queue, { data: { n: 0 }, after }),
      await enter(store, queue, { data: { n: 1 } }),
      await enter(store, queue, { data: { n: 2 }, after, key: 'k' }),
    ];
    const control = controlOf(queue);
    await eventually('three delayed jobs', async () => (await control.overview())[0]?.delayed === 3 || undefined);
    for (const id of ids) expect(await control.resubmit(id, 'ada')).toMatchObject({ state: 'delayed' });
    await drained(queue);
    expect(ran.toSorted()).toEqual([
      [0, 1],
      [1, 2],
      [2, 1],
    ]);
  });

  it('runs the dead letters of a queue again that died since a time, in parts', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const control = controlOf(queue);
    let broken = true;
    let ran = 0;
    queue.work(
      QUEUE,
      worker(
        async () => {
          if (broken) throw new Error('broken');
          ran++;
        },
        { concurrency: 8 },
      ),
    );
    await queue.start();
    await enter(store, queue);
    await drained(queue);
    await pause(5);
    const since = new Date();
    await store.transaction(async (tx) => {
      for (let n = 0; n < 120; n++) await queue.send(tx, { queue: QUEUE, data: { n } });
    });
    await drained(queue);
    broken = false;
    expect(await control.resubmitFailed(QUEUE, { since, most: 60 }, 'ada')).toEqual({
      resubmitted: 60,
      refused: [],
      next: expect.any(String),
    });
    expect(await control.resubmitFailed(QUEUE, { since, most: 1000 }, 'ada')).toEqual({ resubmitted: 60, refused: [] });
    await eventually('all runs', () => ran === 120 || undefined);
    expect((await control.list(QUEUE, { state: 'dead', limit: 10 })).jobs).toHaveLength(1);
  });

  it('runs the dead letters again that come after others which are refused', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const control = controlOf(queue, { onResubmitted: async (_, { data }) => (data.n === 121 ? undefined : 'no') });
    let broken = true;
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async ({ data }) => {
        if (broken) throw new Error('broken');
        ran.push(data.n);
      }),
    );
    await queue.start();
    // Jobs that die in the same millisecond are in the order of their ids.
    const idOf = (n: number): string => AWAY.replace(/\d{12}$/, String(n).padStart(12, '0'));
    for (let n = 1; n <= 121; n++) await enter(store, queue, { data: { n }, key: 'k', id: idOf(n) });
    await drained(queue);
    broken = false;
    const most = 60;
    const calls = [await control.resubmitFailed(QUEUE, { most }, 'ada')];
    for (let after = calls[0]?.next; after !== undefined; after = calls.at(-1)?.next)
      calls.push(await control.resubmitFailed(QUEUE, { most, after }, 'ada'));
    expect(calls.map(({ resubmitted, refused }) => [resubmitted, refused.length])).toEqual([
      [0, 60],
      [0, 60],
      [1, 0],
    ]);
    await eventually('its run', () => ran.length === 1 || undefined);
    expect(ran).toEqual([121]);
    await expect(control.resubmitFailed(QUEUE, { most, after: 'yesterday' }, 'ada')).rejects.toThrow('After');
  });

  it('drops jobs that wait, are delayed or are dead, and lets the next of a key go on', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const dropped: unknown[] = [];
    const control = controlOf(queue, {
      onCancelled: async (_, { data, state }, actor) => void dropped.push([data.n, state, actor]),
    });
    const first = await enter(store, queue, { data: { n: 1 }, key: 'k' });
    await enter(store, queue, { data: { n: 2 }, key: 'k' });
    const delayed = await enter(store, queue, { data: { n: 3 }, after: new Date(Date.now() + HOUR) });
    await control.cancel(first, 'ada');
    await control.cancel(delayed, 'ada');
    const [begun, end] = [gate(), gate()];
    queue.work(
      QUEUE,
      worker(async () => {
        begun.open();
        await end.opened;
        throw new Error('broken');
      }),
    );
    await queue.start();
    await begun.opened;
    const [running] = (await control.list(QUEUE, { state: 'running', limit: 9 })).jobs;
    const id = running?.id ?? '';
    await expect(control.cancel(id, 'ada')).rejects.toThrow(
      `Job ${id} of ${QUEUE} runs; cancel what it belongs to instead.`,
    );
    await expect(control.resubmit(id, 'ada')).rejects.toThrow('runs already');
    end.open();
    await eventually('a dead letter', async () => (await queue.deadLetters())[0]);
    await control.cancel(id, 'eve');
    expect(dropped).toEqual([
      [1, 'waiting', 'ada'],
      [3, 'delayed', 'ada'],
      [2, 'dead', 'eve'],
    ]);
    expect(await control.overview()).toMatchObject([{ waiting: 0, running: 0, delayed: 0, dead: 0 }]);
    await expect(control.cancel(id, 'ada')).rejects.toThrow(`There is no job ${id}.`);
    await expect(control.cancel('no id', 'ada')).rejects.toThrow('There is no job no id.');
    expect((await control.trail(10)).map(({ action, actor }) => [action, actor])).toEqual([
      ['cancel', 'eve'],
      ['cancel', 'ada'],
      ['cancel', 'ada'],
    ]);
    const left = await (await store.tables()).selectFrom('signalbox_job_attempt').selectAll().execute();
    expect(left).toEqual([]);
  });

  it('changes nothing where the owner of a job fails', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const id = await enter(store, queue, { key: 'k' });
    const control = controlOf(queue, {
      async onCancelled() {
        throw new Error('no');
      },
    });
    await expect(control.cancel(id, 'ada')).rejects.toThrow('no');
    expect(await control.get(id)).toMatchObject({ state: 'waiting' });
    expect(await control.trail(10)).toEqual([]);
  });

  it('pauses a queue for all gateways, those that start later too, while jobs are entered', async () => {
    const where = await place();
    const stores = [await where.migrated(), await where.open(), await where.open()] as const;
    const queues = await Promise.all(stores.map((store, n) => queueOver(store, { gateway: `gateway-${n}` })));
    const [first, second, third] = queues as [(typeof queues)[0], (typeof queues)[0], (typeof queues)[0]];
    const ran: unknown[] = [];
    for (const [n, each] of queues.entries())
      each.work(
        QUEUE,
        worker(async ({ data }) => void ran.push([n, data.n]), { concurrency: 4 }),
      );
    await first.start();
    await second.start();
    const control = controlOf(first);
    expect([await control.pause(QUEUE, 'ada'), await control.pause(QUEUE, 'eve')]).toEqual([true, false]);
    await expect(control.pause('wrok', 'ada')).rejects.toThrow('There is no queue wrok.');
    expect(await control.overview()).toMatchObject([{ paused: { actor: 'ada', since: expect.any(String) } }]);
    await third.start();
    const untaken = (): Promise<true> =>
      eventually('a job that nobody takes', async () => {
        const [seen] = await control.overview();
        return (seen?.oldestSeconds ?? 0) >= 2 || undefined;
      });
    // Gateways that run may take one before they notice, for a second.
    await eventually('all to have noticed', async () => {
      const [seen] = await control.overview();
      if (seen?.waiting === 0) await enter(stores[0], first, { data: { n: -1 } });
      return (seen?.oldestSeconds ?? 0) >= 1 || undefined;
    });
    const before = ran.length;
    for (let n = 0; n < 12; n++) await enter(stores[0], first, { data: { n } });
    await untaken();
    expect(ran).toHaveLength(before);
    expect(await control.overview()).toMatchObject([{ waiting: 13 }]);
    expect([await controlOf(third).resume(QUEUE, 'eve'), await control.resume(QUEUE, 'eve')]).toEqual([true, false]);
    await drained(first);
    expect(ran).toHaveLength(before + 13);
    expect((await control.trail(10)).map(({ action, actor }) => [action, actor])).toEqual([
      ['resume', 'eve'],
      ['pause', 'ada'],
    ]);
  });

  it('reads without the queue being open, and masks what its jobs carry, in reasons too', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    queue.work(
      QUEUE,
      worker(async ({ data }) => {
        throw new Error(`the pin ${data.pin} was refused by https://user:hunter22@host/`);
      }),
    );
    await queue.start();
    const id = await enter(store, queue, { data: { pin: 'p1n-7Q', open: 'and p1n-7Q' } });
    await eventually('a dead letter', async () => (await queue.deadLetters())[0]);
    const owner = {
      onResubmitted: async () => undefined,
      onCancelled: async () => {},
      read: async (_: unknown, data: Readonly<Record<string, unknown>>) => ({
        payload: { ...data, pin: '***' },
        secrets: [String(data.pin)],
      }),
    };
    const reader = readQueues({
      store,
      owners: new Map([[QUEUE, owner]]),
      removed: () => owner,
      redactor: createRedactor(),
    });
    const seen = await reader.get(id);
    expect(seen).toMatchObject({
      payload: { pin: '***', open: 'and ***' },
      reason: 'the pin *** was refused by https://user:***@host/',
      tried: [{ reason: 'the pin *** was refused by https://user:***@host/' }],
    });
    const listed = await reader.list(QUEUE, { state: 'dead', limit: 1 });
    expect(JSON.stringify(listed)).not.toContain('hunter22');
    await expect(reader.get(AWAY)).rejects.toThrow(`There is no job ${AWAY}.`);
  });
});
