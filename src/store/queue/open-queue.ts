import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Fault } from '../../model/fault.ts';
import { causeOf, currentTrace, inSpan, type SpanStart, type Tracer } from '../../trace/trace.ts';
import type { Store } from '../store-port.ts';
import type { Db } from '../tables.ts';
import { afterCommit } from '../transaction.ts';
import { forgetAttempts } from './attempts.ts';
import { noteAction, openControl } from './control.ts';
import { countDead, deadLetters, exhume } from './dead-letters.ts';
import { type EnteredJob, messageOf, type QueueContext, type QueueEngine, type Report } from './engine.ts';
import { QueuePace } from './pace.ts';
import type { JobOrKey, JobQueue, NewJob } from './queue-port.ts';
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
 * Opens the queue of a migrated database.
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
  const context: QueueContext = { store, engine, gateway, pace, now, unknown, report, tracer };
  const workforce: Workforce = new Workforce(context);
  const recurrences = new Recurrences(context);
  const at = (): string => new Date(now()).toISOString();
  let closing: Promise<void> | undefined;

  const sendMany: JobQueue['sendMany'] = async (tx, given) => {
    const jobs = given.map((job) => ({ ...job, id: job.id ?? randomUUID() }));
    const [first] = jobs;
    if (first === undefined) return [];
    const entered = await inSpan(
      () => sendingOf(jobs),
      // Within the span, which is what causes them.
      () =>
        engine.insert(
          tx,
          jobs.map((job) => ({ ...job, ...causeNow(job) })),
        ),
    );
    if (entered.length < jobs.length) {
      const news = new Set(entered);
      const { queue, id } = jobs.find((job) => !news.delete(job.id)) ?? first;
      throw new Error(`queue ${queue} has a job ${id} already`);
    }
    // What is due later is found by the looks that follow at intervals.
    const queues = new Set(jobs.filter(({ after }) => after === undefined).map((job) => job.queue));
    afterCommit(tx, () => {
      for (const queue of queues) workforce.wake(queue);
    });
    return jobs.map(({ id }) => id);
  };

  return {
    send: async (tx, job) => (await sendMany(tx, [job]))[0] as string,
    sendMany,
    async cancel(tx, queue, id) {
      if (await engine.remove(tx, queue, id)) return true;
      if ((await exhume(tx, queue, id)) !== undefined) await forgetAttempts(tx, [{ queue, id }]);
      return false;
    },
    async hold(tx, queue, which, actor) {
      const held = await engine.hold(tx, queue, which);
      if (held > 0 && actor !== undefined)
        await noteAction(tx, { at: at(), actor, action: 'hold', queue, ...jobIn(which) });
      return held;
    },
    async release(tx, queue, which, actor) {
      const released = await engine.unhold(tx, queue, which);
      if (released > 0 && actor !== undefined)
        await noteAction(tx, { at: at(), actor, action: 'release', queue, ...jobIn(which) });
      afterCommit(tx, () => workforce.wake(queue));
      return released;
    },
    async replace(tx, id, job) {
      const { queue } = job;
      if (!(await engine.replace(tx, id, { ...job, ...causeNow(job) }))) return false;
      await forgetAttempts(tx, [{ queue, id }]);
      afterCommit(tx, () => workforce.wake(queue));
      return true;
    },
    async hasten(tx, queue, id) {
      const hastened = await engine.hasten(tx, queue, id);
      if (hastened) afterCommit(tx, () => workforce.wake(queue));
      return hastened;
    },
    work(queue, worker) {
      if (worker.pausedAs !== undefined) pace.alsoAs(queue, worker.pausedAs);
      workforce.add(queue, worker);
    },
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
      const none = { waiting: 0, delayed: 0, running: 0, held: 0, oldest: 0 };
      const found = new Map(alive.map((each) => [each.queue, each]));
      const queues = new Set([...workforce.queues, ...found.keys(), ...dead.keys()]);
      return [...queues]
        .toSorted()
        .map((queue) => ({ ...none, ...found.get(queue), queue, dead: dead.get(queue) ?? 0 }));
    },
    pool: () => engine.pool?.(),
    isFull: (queue, most, tx) => engine.isFull(queue, most, tx),
    deadLetters: async (which = {}) => deadLetters(await store.tables(), which),
    control: (given) => openControl(context, given, (queue) => workforce.wake(queue)),
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

/** The span of entering jobs. */
function sendingOf(jobs: readonly EnteredJob[]): SpanStart {
  const [{ queue, id }] = jobs as readonly [EnteredJob];
  const isOne = jobs.length === 1;
  const queues = new Set(jobs.map((job) => job.queue)).size;
  return {
    name: `send ${queues === 1 ? queue : `${queues} queues`}`,
    kind: 'producer',
    attributes: {
      ...(isOne
        ? messageOf(queue, id)
        : { 'messaging.system': 'signalbox', 'messaging.batch.message_count': jobs.length }),
      'messaging.operation.type': 'send',
    },
  };
}

/** The job of a line of the trail. */
function jobIn(which: JobOrKey): { readonly job?: string } {
  return 'id' in which ? { job: which.id } : {};
}

/** The cause of a job that is entered. */
function causeNow({ cause }: NewJob): Pick<NewJob, 'cause'> {
  const trace = currentTrace();
  if (cause !== undefined || trace === undefined) return cause === undefined ? {} : { cause };
  return { cause: causeOf(trace) };
}

/** Each engine is loaded only when it is needed. */
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
