import { expect, it } from 'vitest';
import { type Job, type JobQueue, JobUnknown, type Store } from '../../../src/store/index.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines } from '../engines.ts';
import { countsOf, drained, enter, gate, note, QUEUE, queueOver, worker } from './support.ts';

/** A gateway that knows some kinds of work, and what it was given. */
async function gatewayWith(
  store: Store,
  kinds: readonly string[],
  options: {
    readonly unknown?: number;
    readonly dead?: string[];
    readonly words?: string[];
    readonly isUnordered?: true;
    /** The kinds of which it refuses the jobs, although it has them. */
    readonly refused?: readonly string[];
    /** What a job waits for before it is done. */
    readonly until?: Promise<void>;
  } = {},
): Promise<{ readonly queue: JobQueue; readonly given: Job[]; readonly done: unknown[] }> {
  const given: Job[] = [];
  const done: unknown[] = [];
  const { unknown = 60_000, dead = [], words = [], isUnordered, refused = [], until } = options;
  const queue = await queueOver(store, { unknown, onError: ({ message }) => void words.push(message) });
  queue.work(
    QUEUE,
    worker(
      async (job) => {
        given.push(job);
        if (!kinds.includes(String(job.kind))) throw new JobUnknown(`there is no ${job.kind} here`);
        if (refused.includes(String(job.kind))) throw new JobUnknown('not for this user', { allOfKind: false });
        await until;
        done.push([job.data.n, job.attempt]);
      },
      {
        concurrency: 2,
        kinds: () => kinds,
        ...(isUnordered && { isUnordered }),
        retry: { attempts: 1, first: 1, longest: 1 },
        onDead: async (tx, job, error) => {
          dead.push(`${job.attempt} ${error.message}`);
          await note('dead')(tx);
        },
      },
    ),
  );
  return { queue, given, done };
}

const numbers = (n: number): readonly number[] => Array.from({ length: n }, (_, index) => index + 1);

describeEngines('work that a gateway does not know', ({ kind, place }) => {
  it('is done by one that knows it, at the first attempt, and does not keep the other from its own', async () => {
    const store = await (await place()).migrated();
    const words: string[] = [];
    const old = await gatewayWith(store, ['old'], { words });
    const began = performance.now();
    await old.queue.start();
    await store.transaction(async (tx) => {
      for (const n of numbers(30)) await old.queue.send(tx, { queue: QUEUE, kind: 'new', data: { n } });
      for (const n of numbers(30)) await old.queue.send(tx, { queue: QUEUE, kind: 'old', data: { n } });
    });
    await eventually('the old work to be done', () => (old.done.length === 30 ? true : undefined));
    const fresh = await gatewayWith(store, ['old', 'new']);
    await fresh.queue.start();
    await drained(old.queue);
    const sorted = (done: readonly unknown[]) => done.toSorted((a, b) => (a as number[])[0]! - (b as number[])[0]!);
    expect(sorted(fresh.done)).toEqual(numbers(30).map((n) => [n, 1]));
    expect(sorted(old.done)).toEqual(numbers(30).map((n) => [n, 1]));
    // It looked at no more of them than it had hands, and again five seconds later at the earliest.
    const looks = old.given.filter((job) => job.kind === 'new').length;
    expect(looks).toBeLessThanOrEqual(2 + 2 * Math.floor((performance.now() - began) / 5000));
    expect(words).toEqual(['there is no new here; it is left to other gateways until none has known it for 1 m']);
    expect(await old.queue.deadLetters()).toEqual([]);
  });

  it('keeps its place before the later jobs of its key', async () => {
    const store = await (await place()).migrated();
    const old = await gatewayWith(store, ['old']);
    await old.queue.start();
    await store.transaction(async (tx) => {
      for (const n of numbers(6))
        await old.queue.send(tx, { queue: QUEUE, key: 'k', kind: n % 2 === 1 ? 'new' : 'old', data: { n } });
    });
    await enter(store, old.queue, { kind: 'old', data: { n: 7 } });
    await eventually('other work to be done', () => (old.done.length === 1 ? true : undefined));
    const fresh = await gatewayWith(store, ['new']);
    await fresh.queue.start();
    await drained(old.queue);
    expect(fresh.done).toEqual([1, 3, 5].map((n) => [n, 1]));
    expect(old.done).toEqual([7, 2, 4, 6].map((n) => [n, 1]));
  });

  it('is dead with its reason when no gateway has known it for the time that is set', async () => {
    const store = await (await place()).migrated();
    const dead: string[] = [];
    const { queue, done } = await gatewayWith(store, ['old'], { unknown: 400, dead });
    await queue.start();
    const id = await enter(store, queue, { kind: 'gone', key: 'k', data: { n: 1 } });
    await enter(store, queue, { kind: 'old', key: 'k', data: { n: 2 } });
    await drained(queue);
    const reason = 'No gateway has been able to run it for 400 ms: there is no gone here';
    expect(await queue.deadLetters()).toMatchObject([{ id, attempts: 0, error: reason }]);
    expect(dead).toEqual([`0 ${reason}`]);
    expect(done).toEqual([[2, 1]]);
  });

  it.skipIf(kind === 'sqlite')('waits for a gateway that knows it for as long as that one is busy', async () => {
    const store = await (await place()).migrated();
    const busy = gate();
    const [dead, unknown] = [[] as string[], 300];
    const old = await gatewayWith(store, ['old'], { unknown, dead });
    const fresh = await gatewayWith(store, ['old', 'new'], { unknown, dead, until: busy.opened });
    await fresh.queue.start();
    for (const n of numbers(2)) await enter(store, fresh.queue, { kind: 'new', data: { n } });
    await eventually('its hands to be full', () => (fresh.given.length === 2 ? true : undefined));
    await enter(store, fresh.queue, { kind: 'new', data: { n: 3 } });
    await enter(store, fresh.queue, { kind: 'gone', data: { n: 4 } });
    await old.queue.start();
    // The time is over for both: one of the kinds has a gateway, which has no hand free.
    await eventually('the other to be dead', () => (dead.length === 1 ? true : undefined));
    const seen = () => old.given.filter((job) => job.kind === 'new').length;
    const before = seen();
    await eventually('more looks at the first', () => (seen() > before + 1 ? true : undefined));
    busy.open();
    await drained(old.queue);
    expect(fresh.done.toSorted()).toEqual(numbers(3).map((n) => [n, 1]));
    expect(dead).toEqual(['0 No gateway has been able to run it for 300 ms: there is no gone here']);
  });

  it.skipIf(kind === 'sqlite')('is dead when each gateway that has its kind has refused it', async () => {
    const store = await (await place()).migrated();
    const dead: string[] = [];
    const options = { unknown: 300, dead, refused: ['mine'] };
    const gateways = [await gatewayWith(store, ['mine'], options), await gatewayWith(store, ['mine'], options)];
    for (const { queue } of gateways) await queue.start();
    await enter(store, gateways[0]!.queue, { kind: 'mine' });
    await eventually('its end', () => (dead.length === 1 ? true : undefined));
    expect(gateways.every(({ given }) => given.length > 0)).toBe(true);
    expect(dead).toEqual(['0 No gateway has been able to run it for 300 ms: not for this user']);
  });

  it('does not hold back the others of its key where their order has no meaning', async () => {
    const store = await (await place()).migrated();
    const options = { isUnordered: true } as const;
    const old = await gatewayWith(store, ['old'], options);
    await store.transaction(async (tx) => {
      for (const n of numbers(6))
        await old.queue.send(tx, { queue: QUEUE, key: 'k', kind: n <= 4 ? 'new' : 'old', data: { n } });
    });
    await old.queue.start();
    await eventually('the known ones', () => (old.done.length === 2 ? true : undefined));
    expect(old.done).toEqual([5, 6].map((n) => [n, 1]));
    expect(old.given.filter((job) => job.kind === 'new').length).toBeLessThanOrEqual(2);
    await old.queue.close();
    const fresh = await gatewayWith(store, ['new'], options);
    await fresh.queue.start();
    await drained(fresh.queue);
    expect(fresh.done.toSorted()).toEqual(numbers(4).map((n) => [n, 1]));
  });

  it.skipIf(kind === 'sqlite')('is taken at once by one that knows it, and one at a time of its key', async () => {
    const store = await (await place()).migrated();
    const options = { isUnordered: true } as const;
    const old = await gatewayWith(store, ['old'], options);
    await old.queue.start();
    await store.transaction(async (tx) => {
      for (const n of numbers(4)) await old.queue.send(tx, { queue: QUEUE, key: 'k', kind: 'new', data: { n } });
    });
    await enter(store, old.queue, { key: 'k', kind: 'old', data: { n: 5 } });
    await eventually('the known one', () => (old.done.length === 1 ? true : undefined));
    const busy = gate();
    const fresh = await gatewayWith(store, ['new'], { ...options, until: busy.opened });
    await fresh.queue.start();
    const running = () => fresh.given.filter((job) => job.kind === 'new').length;
    await eventually('the first to run', () => (running() > 0 ? true : undefined));
    await enter(store, old.queue, { key: 'k', kind: 'old', data: { n: 6 } });
    await enter(store, old.queue, { kind: 'old', data: { n: 7 } });
    await eventually('one without a key', () => (old.done.length === 2 ? true : undefined));
    expect([running(), old.done.at(-1)]).toEqual([1, [7, 1]]);
    busy.open();
    await drained(old.queue);
    expect(fresh.done.toSorted()).toEqual(numbers(4).map((n) => [n, 1]));
  });

  it('waits longer and longer when it has no kind, or is not like others of its kind', async () => {
    const store = await (await place()).migrated();
    const old = await queueOver(store, { unknown: 60_000 });
    const began = performance.now();
    let given = 0;
    const seen = new Set<string>();
    old.work(
      QUEUE,
      worker(
        async ({ id, data }) => {
          if (data.known === true) return;
          given += 1;
          seen.add(id);
          throw new JobUnknown('there is no such value here', { allOfKind: false });
        },
        { concurrency: 2 },
      ),
    );
    await old.start();
    await enter(store, old, { data: {} });
    await enter(store, old, { kind: 'new', data: {} });
    // On a busy machine one of them may have been seen twice by then.
    await eventually('both to be seen', () => (seen.size === 2 ? true : undefined));
    await enter(store, old, { kind: 'new', data: { known: true } });
    await eventually('the known one to be done', async () => {
      const [{ waiting, running } = { waiting: 0, running: 0 }] = await countsOf(old);
      return waiting + running === 2 ? true : undefined;
    });
    // Each waits for half a second at least.
    expect(given).toBeLessThanOrEqual(2 + 2 * ((performance.now() - began) / 500));
  });
});
