import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Fault } from '../../model/fault.ts';
import { causeOf, currentTrace, inSpan, type Tracer } from '../../trace/trace.ts';
import type { Store } from '../port.ts';
import type { Db } from '../tables.ts';
import { forgetAttempts } from './attempts.ts';
import { openControl } from './control.ts';
import { countDead, deadLetters, exhume } from './dead-letters.ts';
import { messageOf, type QueueEngine, type Report, type Shop } from './engine.ts';
import { QueuePace } from './pace.ts';
import type { JobQueue, NewJob } from './port.ts';
import { Recurrences } from './recurrences.ts';
import { Workforce } from './workforce.ts';

/** How a queue is opened. */
export interface QueueOptions {
  readonly onError?: Report;
  /** Milliseconds since 1970; by default the system's clock. Used by the SQLite queue and by what recurs. */
  readonly now?: () => number;
  /** Milliseconds after which a job that no gateway knows is a dead letter; an hour. */
  readonly unknown?: number;
  /** Records the spans of jobs. */
  readonly tracer?: Tracer | undefined;
  /** The name of this gateway, which is kept with the jobs that it runs; by default that of the machine. */
  readonly gateway?: string;
}

const UNKNOWN = 3_600_000;

/** Milliseconds that {@link JobQueue.close} waits for jobs to end. */
const CLOSE_TIMEOUT = 10_000;

/**
 * Opens the queue of a migrated database: a table on SQLite, pg-boss and a table on PostgreSQL.
 * @throws StoreError when the database can't be reached, or not be used for it
 */
export async function openQueue(store: Store, options: QueueOptions = {}): Promise<JobQueue> {
  const { now = Date.now, onError = () => {}, unknown = UNKNOWN, gateway = hostname(), tracer } = options;
  const report = quietReport(onError);
  const engine = await openEngine(store, now, (error) => report(error, {}));
  const pace = new QueuePace({
    ...{ store, gateway, now },
    report: (error) => report(error, {}),
    onResumed: (queue) => workforce.wake(queue),
  });
  const shop: Shop = { store, engine, gateway, pace, now, unknown, report, tracer };
  const workforce: Workforce = new Workforce(shop);
  const recurrences = new Recurrences(shop);
  let closing: Promise<void> | undefined;
  return {
    async send(tx, job) {
      const id = job.id ?? randomUUID();
      const entered = await inSpan(
        () => ({
          name: `send ${job.queue}`,
          kind: 'producer',
          attributes: { ...messageOf(job.queue, id), 'messaging.operation.type': 'send' },
        }),
        () => engine.insert(tx, { ...job, id, ...causeNow(job) }),
      );
      if (!entered) throw new Error(`queue ${job.queue} has a job ${id} already`);
      // On SQLite the look waits for the end of the transaction; on PostgreSQL the commit wakes the workers again.
      workforce.wake(job.queue);
      return id;
    },
    async cancel(tx, queue, id) {
      if (await engine.remove(tx, queue, id)) return true;
      if ((await exhume(tx, queue, id)) !== undefined) await forgetAttempts(tx, [{ queue, id }]);
      return false;
    },
    work: (queue, worker) => workforce.add(queue, worker),
    recur: (recurring) => recurrences.add(recurring),
    async start() {
      await pace.start();
      await workforce.start();
      await recurrences.start();
    },
    wake: (queue) => workforce.wake(queue),
    async hurry() {
      await recurrences.hurry();
      for (const queue of workforce.queues) workforce.wake(queue);
    },
    async depths() {
      const [alive, dead] = await Promise.all([engine.depths(), countDead(await store.tables())]);
      const none = { waiting: 0, delayed: 0, running: 0, oldest: 0 };
      const found = new Map(alive.map((each) => [each.queue, each]));
      const queues = new Set([...workforce.queues, ...found.keys(), ...dead.keys()]);
      return [...queues]
        .toSorted()
        .map((queue) => ({ ...none, ...found.get(queue), queue, dead: dead.get(queue) ?? 0 }));
    },
    pool: () => engine.pool?.(),
    isFull: (queue, most, tx) => engine.isFull(queue, most, tx),
    deadLetters: async (which = {}) => deadLetters(await store.tables(), which),
    control: (given) => openControl(shop, given, (queue) => workforce.wake(queue)),
    stopTaking() {
      recurrences.stopTaking();
      workforce.stopTaking();
    },
    close({ timeoutMs = CLOSE_TIMEOUT } = {}) {
      closing ??= Promise.all([recurrences.close(), pace.close(), workforce.close(timeoutMs)]).then(() => {});
      return closing;
    },
  };
}

/** The cause of a job that is entered. */
function causeNow({ cause }: NewJob): Pick<NewJob, 'cause'> {
  const trace = currentTrace();
  if (cause !== undefined || trace === undefined) return cause === undefined ? {} : { cause };
  return { cause: causeOf(trace) };
}

/** Each engine is loaded only when it is needed: pg-boss takes longer than the rest of a start. */
async function openEngine(store: Store, now: () => number, report: (error: Error) => void): Promise<QueueEngine> {
  if (store.postgres === undefined) return (await import('./sqlite.ts')).sqliteEngine(store, now);
  const [{ postgresEngine }, { describePostgres }] = await Promise.all([
    import('./postgres.ts'),
    import('../postgres/error.ts'),
  ]);
  try {
    return await postgresEngine(store, store.postgres, report);
  } catch (error) {
    throw describePostgres(store.location, error);
  }
}

/** Milliseconds for which the same message is not reported again. */
const QUIET = 10_000;

/** Limits how often the same error is reported: without the database, every look at the queue fails. */
export function quietReport(report: Report): Report {
  const said = new Map<string, number>();
  return (error, facts) => {
    const now = performance.now();
    for (const [words, at] of said) if (now - at >= QUIET) said.delete(words);
    const words = `${error.name}: ${error.message}`;
    if (said.has(words)) return;
    said.set(words, now);
    report(error, facts);
  };
}

/** Seconds after which a caller may try again. */
const AGAIN = 5;

/**
 * Rejects a job when its queue is full.
 * @param most the jobs that may wait; `undefined` for any number, without a look at the database
 * @param what the name of such jobs, as `process requests`
 * @throws Fault UNAVAILABLE
 */
export async function needRoom(
  jobs: Pick<JobQueue, 'isFull'>,
  queue: string,
  most: number | undefined,
  what: string,
  tx?: Db,
): Promise<void> {
  if (most === undefined || !(await jobs.isFull(queue, most, tx))) return;
  throw Fault.of(
    'UNAVAILABLE',
    { reason: `too many ${what} are waiting` },
    { headers: { 'Retry-After': String(AGAIN) }, reason: `queue depth of ${queue}` },
  );
}
