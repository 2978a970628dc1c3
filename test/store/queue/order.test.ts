import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type JobQueue, JobRefused, openQueue, type Store, type Worker } from '../../../src/store/index.ts';
import { hasPostgres } from '../../support/postgres.ts';
import { eventually } from '../../support/project.ts';
import { postgresPlace, sqlitePlace } from '../engines.ts';
import { countsOf, drained, enter, QUEUE, queueOver, worker } from './support.ts';

/** What is to become of a job. */
interface Fate {
  readonly key: string | null;
  /** Attempts that fail, of three. */
  readonly failures: number;
  readonly refused: boolean;
  /** Whether it ends in a transaction of its own. */
  readonly completes: boolean;
  /** After how many later jobs it is cancelled. */
  readonly cancelledAfter: number | null;
  /** Whether it is entered in the transaction of the job before it. */
  readonly joined: boolean;
}

const fates = fc.array(
  fc.record<Fate>({
    key: fc.option(fc.constantFrom('a', 'b')),
    failures: fc.integer({ min: 0, max: 3 }),
    refused: fc.boolean(),
    completes: fc.boolean(),
    cancelledAfter: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 3 }),
    joined: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

/** What happened: attempts as they began and ended, and ids that were cancelled. */
interface Seen {
  readonly begun: { readonly n: number; readonly attempt: number }[];
  readonly ended: Set<number>;
  readonly cancelled: Set<number>;
}

function work(queue: JobQueue, all: readonly Fate[], seen: Seen): void {
  const busy = new Set<number>();
  queue.work(QUEUE, {
    concurrency: 4,
    retry: { attempts: 3, first: 1, longest: 1 },
    async run(job) {
      const n = job.data.n as number;
      const { failures, refused, completes } = all[n] as Fate;
      const beside = [...busy].filter((m) => all[m]?.key === all[n]?.key);
      if (job.key !== undefined) expect(beside).toEqual([]);
      busy.add(n);
      seen.begun.push({ n, attempt: job.attempt });
      try {
        await new Promise((resolve) => setImmediate(resolve));
        if (job.attempt <= failures) throw refused ? new JobRefused('refused') : new Error('failed');
      } finally {
        busy.delete(n);
      }
      if (completes) await job.complete(async () => void seen.ended.add(n));
      else seen.ended.add(n);
    },
  });
}

async function enterAll(store: Store, queue: JobQueue, all: readonly Fate[], seen: Seen): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < all.length; ) {
    await store.transaction(async (tx) => {
      do {
        const { key } = all[n] as Fate;
        ids.push(await queue.send(tx, { queue: QUEUE, data: { n }, ...(key !== null && { key }) }));
      } while (all[++n]?.joined === true);
    });
    for (const [m, { cancelledAfter }] of all.entries()) {
      if (cancelledAfter === null || m + cancelledAfter > n || m >= n || seen.cancelled.has(m)) continue;
      seen.cancelled.add(m);
      if (!(await store.transaction((tx) => queue.cancel(tx, QUEUE, ids[m] as string)))) seen.cancelled.delete(m);
    }
  }
  return ids;
}

it('whatever fails, is refused or is cancelled, jobs of a key keep their order, none beside another, and none is lost', async () => {
  const store = await (await sqlitePlace()).migrated();
  await fc.assert(
    fc.asyncProperty(fates, async (all) => {
      const queue = await openQueue(store);
      const seen: Seen = { begun: [], ended: new Set(), cancelled: new Set() };
      work(queue, all, seen);
      await queue.start();
      try {
        const ids = await enterAll(store, queue, all, seen);
        await eventually('the end', async () =>
          (await countsOf(queue)).every(({ waiting, running }) => waiting + running === 0) ? true : undefined,
        );
        const letters = new Map((await queue.deadLetters()).map((letter) => [letter.id, letter.attempts]));
        for (const [n, fate] of all.entries()) {
          if (seen.cancelled.has(n)) continue;
          const dies = fate.failures > (fate.refused ? 0 : 2);
          expect([n, seen.ended.has(n), letters.get(ids[n] as string)]).toEqual([
            n,
            !dies,
            dies ? (fate.refused ? 1 : 3) : undefined,
          ]);
        }
        for (const key of ['a', 'b']) {
          const those = seen.begun.filter(({ n }) => all[n]?.key === key);
          expect(those).toEqual(those.toSorted((x, y) => x.n - y.n || x.attempt - y.attempt));
        }
      } finally {
        await queue.close({ timeoutMs: 0 });
      }
    }),
    { numRuns: 8 },
  );
});

it.skipIf(!hasPostgres)(
  'jobs of a key that are entered, cancelled and ended by many at once leave none behind',
  async () => {
    const where = await postgresPlace({ migrated: true });
    await where.migrated();
    const stores = await Promise.all([1, 2, 3].map(() => where.open()));
    const queues = await Promise.all(stores.map((store) => queueOver(store)));
    const busy = new Set<string>();
    const overlaps: string[] = [];
    const ended = new Set<string>();
    const cancelled = new Set<string>();
    const run: Worker['run'] = async ({ id, key = '', attempt, data }) => {
      if (busy.has(key)) overlaps.push(id);
      busy.add(key);
      await new Promise((resolve) => setImmediate(resolve));
      busy.delete(key);
      if (attempt === 1 && data.fails === true) throw new Error('once more');
      ended.add(id);
    };
    for (const queue of queues) {
      queue.work(QUEUE, worker(run, { concurrency: 3, retry: { attempts: 2, first: 1, longest: 1 } }));
      await queue.start();
    }
    const all: string[] = [];
    const one = async (n: number): Promise<void> => {
      const [store, queue] = [stores[n % 3] as Store, queues[n % 3] as JobQueue];
      all.push(await enter(store, queue, { key: `k${n % 2}`, data: { fails: n % 5 === 0 } }));
      if (n % 4 !== 0) return;
      const other = all[(n * 7) % all.length] as string;
      if (await store.transaction((tx) => queue.cancel(tx, QUEUE, other))) cancelled.add(other);
    };
    for (let n = 0; n < 60; n += 12) await Promise.all(Array.from({ length: 12 }, (_, m) => one(n + m)));
    await drained(queues[0] as JobQueue);
    expect(overlaps).toEqual([]);
    expect(all.filter((id) => !ended.has(id) && !cancelled.has(id))).toEqual([]);
    for (const table of ['signalbox_job_key', 'signalbox_job']) {
      expect(await where.run(`select * from ${table}`)).toEqual([]);
    }
  },
);
