import { randomUUID } from 'node:crypto';
import type { Store } from '../port.ts';
import { countDead, deadLetters, exhume } from './dead-letters.ts';
import type { QueueEngine } from './engine.ts';
import type { JobQueue, QueueCounts } from './port.ts';
import { quietReport } from './quiet-report.ts';
import { Recurrences } from './recurrences.ts';
import type { Report, Shop } from './shop.ts';
import { Workforce } from './workforce.ts';

/** How a queue is opened. */
export interface QueueOptions {
  readonly onError?: Report;
  /** Milliseconds since 1970; the system's clock. Of the SQLite queue, and of what recurs. */
  readonly now?: () => number;
}

/** How long {@link JobQueue.close} lets jobs end, in milliseconds. */
const CLOSE_TIMEOUT = 10_000;

/**
 * Opens the queue of a database that is migrated: a table of SQLite, or pg-boss on PostgreSQL.
 * @throws StoreError where that can't be reached, or used for it
 */
export async function openQueue(store: Store, options: QueueOptions = {}): Promise<JobQueue> {
  const { now = Date.now, onError = () => {} } = options;
  const report = quietReport(onError);
  const engine = await openEngine(store, now, (error) => report(error, {}));
  const shop: Shop = { store, engine, now, report };
  const workforce = new Workforce(shop);
  const recurrences = new Recurrences(shop);
  let closing: Promise<void> | undefined;
  return {
    async send(tx, job) {
      const id = job.id ?? randomUUID();
      if (!(await engine.insert(tx, { ...job, id }, job.id !== undefined))) {
        throw new Error(`queue ${job.queue} has a job ${id} already`);
      }
      // On SQLite the look waits for the end of the transaction, on PostgreSQL the commit says it once more.
      workforce.wake(job.queue);
      return id;
    },
    cancel: (tx, queue, id) => engine.remove(tx, queue, id),
    work: (queue, worker) => workforce.add(queue, worker),
    recur: (recurring) => recurrences.add(recurring),
    async start() {
      await workforce.start();
      await recurrences.start();
    },
    wake: (queue) => workforce.wake(queue),
    async counts() {
      const [alive, dead] = await Promise.all([engine.counts(), countDead(await store.tables())]);
      return allCounts(alive, dead);
    },
    isFull: (queue, most) => engine.isFull(queue, most),
    deadLetters: async (which = {}) => deadLetters(await store.tables(), which),
    async redrive(queue, id) {
      const found = await store.transaction(async (tx) => {
        const job = await exhume(tx, queue, id);
        if (job !== undefined && !(await engine.insert(tx, job, true)))
          throw new Error(`queue ${queue} has a job ${id} already`);
        return job !== undefined;
      });
      if (found) workforce.wake(queue);
      return found;
    },
    close({ timeoutMs = CLOSE_TIMEOUT } = {}) {
      closing ??= Promise.all([recurrences.close(), workforce.close(timeoutMs)]).then(() => {});
      return closing;
    },
  };
}

/** Each is loaded where it is needed: pg-boss takes longer than the rest of a start. */
async function openEngine(store: Store, now: () => number, report: (error: Error) => void): Promise<QueueEngine> {
  if (store.postgres === undefined) return (await import('./sqlite/engine.ts')).sqliteEngine(store, now);
  const [{ bossEngine }, { describePostgres }] = await Promise.all([
    import('./boss/engine.ts'),
    import('../postgres/error.ts'),
  ]);
  try {
    return await bossEngine(store, store.postgres, report);
  } catch (error) {
    throw describePostgres(store.location, error);
  }
}

function allCounts(
  alive: readonly Omit<QueueCounts, 'dead'>[],
  dead: ReadonlyMap<string, number>,
): readonly QueueCounts[] {
  const found = new Map(alive.map((each) => [each.queue, { ...each, dead: 0 }]));
  for (const [queue, count] of dead) {
    found.set(queue, { ...(found.get(queue) ?? { queue, waiting: 0, running: 0 }), dead: count });
  }
  return [...found.values()].toSorted((a, b) => (a.queue < b.queue ? -1 : 1));
}
