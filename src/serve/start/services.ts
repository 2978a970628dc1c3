import { hostname } from 'node:os';
import { type Components, openComponents } from '../../event/index.ts';
import {
  type MessageControl,
  type Messages,
  openMessageControl,
  openMessages,
  removedJobs,
} from '../../messaging/run/index.ts';
import type { MessageHandler, ProcessHandler, ReplyHandler, SaveHandler, Settings } from '../../model/handler.ts';
import type { Redactor } from '../../model/redactor.ts';
import type { Registry } from '../../model/registry.ts';
import type { ServiceClass } from '../../model/service-interface.ts';
import type { OpenWork } from '../../model/work.ts';
import { openScheduler, type Scheduler } from '../../process/index.ts';
import {
  openQueryRuns,
  openSavedQueries,
  type QueryRuns,
  type RunOwners,
  type SavedQueries,
} from '../../query/index.ts';
import { may } from '../../security/authorise.ts';
import { retainedCallers, retainedTrail } from '../../security/directory/directory.ts';
import type { Directory, Owners } from '../../security/directory/directory-port.ts';
import { retainedSessions } from '../../security/sign-in/session-rows.ts';
import {
  type Answers,
  type Db,
  type JobQueue,
  openAnswers,
  openQueue,
  openRetention,
  type QueueControl,
  type Retention,
  retainedActions,
  retainedAnswers,
  retainedDead,
  retainedStatistics,
} from '../../store/index.ts';
import type { Tracer } from '../../trace/trace.ts';
import { type Clock, SYSTEM_CLOCK } from '../../wire/waiting.ts';
import { faultOfCall } from '../answer/failed-call.ts';
import type { Outbound } from '../answer/outbound.ts';
import { compileQueryRows } from '../answer/query-rows.ts';
import { type Transactions, Work, type WorkPorts } from '../answer/work.ts';
import type { Log } from '../log/log.ts';
import type { Metrics } from '../log/metrics.ts';
import { createAccount, REPLY_CONNECTOR } from '../log/record.ts';
import type { Data } from './data.ts';
import { jobOwners } from './queues.ts';

/** Answers operations other than by code and queries, and runs background work. */
export interface Services {
  readonly components: Components;
  readonly runs: QueryRuns;
  readonly saved: SavedQueries;
  readonly scheduler: Scheduler;
  readonly queues: QueueControl;
  readonly messages: Messages;
  readonly messageControl: MessageControl;
  /** For code that answers operations. */
  readonly transactions: Transactions;
}

/** The same with the queue that they use. */
interface RunningServices extends Services {
  readonly queue: JobQueue;
  /** The first answers of calls that callers may repeat. */
  readonly answers: Answers;
  readonly retention: Pick<Retention, 'removed' | 'sweep'>;
  /** Begins to take work. */
  start(): Promise<void>;
  /** Takes no more work; what runs goes on. */
  stopTaking(): void;
  /** Takes no more work, and lets running work finish for at most `timeoutMs`. */
  close(timeoutMs: number): Promise<void>;
}

interface ServicesOptions {
  readonly data: Data;
  readonly outbound: Outbound;
  readonly log: Log;
  /** What code reads as `context.settings`. */
  readonly settings: Settings;
  readonly redactor: Redactor;
  /** The audit log. */
  readonly audit: Log;
  /** Counts attempts. */
  readonly metrics: Pick<Metrics, 'attempted' | 'published'>;
  readonly directory: Directory;
  readonly processes: ReadonlyMap<string, ProcessHandler>;
  readonly messages: ReadonlyMap<string, MessageHandler>;
  readonly replies: ReadonlyMap<string, ReplyHandler>;
  /** The public address of the gateway, with its context. */
  readonly base: () => string;
  readonly classes: ReadonlyMap<string, ServiceClass>;
  readonly saves: ReadonlyMap<string, SaveHandler>;
  readonly clock?: Clock;
  /** Records spans; `undefined` when nothing is exported. */
  readonly tracer?: Tracer | undefined;
}

/** How often expired data is removed. */
const SWEEP = '*/10 * * * *';

/** Opens the services that work from the queue; they take no work before {@link RunningServices.start}. */
export async function openServices(registry: Registry, options: ServicesOptions): Promise<RunningServices> {
  const { data, outbound, log, settings, redactor, directory, processes, classes } = options;
  const { store, queries, blobs } = data;
  const onError = (err: Error, facts: Readonly<Record<string, unknown>>): void =>
    log.error({ ...facts, err }, err.message);
  const account = createAccount(options.audit, options.metrics, (error) => faultOfCall(error, registry));
  const server = serverName();
  const { unknown } = registry.gateway.limits;
  const { now } = options.clock ?? SYSTEM_CLOCK;
  const queued = { onError, unknown, now, gateway: server, tracer: options.tracer };
  const queue = redacting(await openQueue(store, queued), redactor);
  const saved = openSavedQueries({ registry, store });
  const runs = openQueryRuns({
    registry,
    store,
    queue,
    blobs,
    queries,
    saved,
    owners: runOwners(directory),
    now,
    onError,
    account,
  });
  // The code of components can itself save components.
  const later: Components = {
    read: (...given) => components.read(...given),
    save: (...given) => components.save(...given),
    saveInside: (...given) => components.saveInside(...given),
    busy: (...given) => components.busy(...given),
  };
  const transactions: Transactions = {
    kind: store.kind,
    async run(user, code) {
      // Work that it queues runs for the user later. It is kept before, because SQLite has one transaction at a time.
      if (user !== undefined) await directory.keep(user);
      return store.transaction(code);
    },
    schedule: (...given) => scheduler.scheduleInside(...given),
    messages: {
      publish: (...given) => messages.publish(...given),
      publishInside: (...given) => messages.publishInside(...given),
    },
    wake: (published) => messages.wake(published),
  };
  const ports = { registry, blobs, queries, outbound, transactions, settings, log, redactor };
  const work = createOpenWork({ ...ports, components: later });
  const components = openComponents({
    ...{ registry, store, queue, directory, classes, work, redactor, onError, account },
    saves: options.saves,
    publisherOf: (publication) => messages.publisherOf(publication),
  });
  const scheduler = openScheduler({
    registry,
    store,
    queue,
    directory,
    blobs,
    queries,
    saved,
    handlers: processes,
    now,
    work,
    redactor,
    server,
    onError,
    account,
  });
  const queues = queue.control({ owners: jobOwners(registry), removed: removedJobs, redactor });
  const messages = openMessages({
    ...{ registry, store, queue, blobs, directory, work, outbound, redactor, now, onError, account },
    handlers: options.messages,
    replies: options.replies,
    replyAddress: () => `${options.base()}/${REPLY_CONNECTOR}`,
    pause: (...given) => queues.pause(...given),
    gateway: server,
    onWarning: (words, facts) => log.warn(facts, words),
    onNews: (words, facts) => log.info(facts, words),
    onPublished: (operation) => options.metrics.published(operation),
  });
  const answers = openAnswers(store, {
    now,
    onError: (err) =>
      log.warn({ err }, 'The database does not answer. Calls with a key that run here may be repeated.'),
  });
  const { retention: keep } = registry.gateway;
  const retention = openRetention({
    store,
    now,
    kinds: [
      ...[runs.retained, ...scheduler.retained, ...messages.retained, retainedDead(keep['failed-jobs'])],
      retainedCallers(keep.callers, [runs.busy, scheduler.busy, components.busy, messages.busy]),
      ...[retainedTrail(keep.audit), retainedActions(keep.audit), retainedAnswers(now)],
      ...[retainedSessions(keep.sessions), retainedStatistics(keep.statistics)],
    ],
    onRemoved: (kind, count) => log.info({ retention: kind, count }, 'Expired data was removed.'),
  });
  queue.recur({
    name: 'sweep',
    cron: SWEEP,
    zone: 'UTC',
    due: async () => async () =>
      void retention.sweep().catch((error: Error) => onError(error, { what: 'the removal of expired data' })),
  });
  return {
    components,
    runs,
    saved,
    scheduler,
    messages,
    messageControl: openMessageControl({ registry, store, queue, blobs, redactor, now }),
    transactions,
    queues,
    queue,
    answers,
    retention,
    start: () => queue.start(),
    stopTaking: () => queue.stopTaking(),
    async close(timeoutMs) {
      await Promise.all([queue.close({ timeoutMs }), retention.close()]);
      answers.close();
    },
  };
}

/** How process requests name this gateway, in at most 64 characters: its host, and its process there. */
export function serverName(): string {
  const [host = ''] = hostname().split('.');
  return `${host.slice(0, 50)}:${process.pid}`;
}

/** The queue with workers whose errors contain no secrets when they are stored with a job or reported. */
export function redacting(queue: JobQueue, redactor: Redactor): JobQueue {
  return {
    ...queue,
    work(name, worker) {
      const run: typeof worker.run = async (job) => {
        try {
          await worker.run(job);
        } catch (error) {
          throw redactor.error(error);
        }
      };
      queue.work(name, { ...worker, run });
    },
  };
}

/** The context for code that runs in the background. */
function createOpenWork(ports: WorkPorts): OpenWork<Db> {
  const rows = compileQueryRows(ports);
  return ({ user, signal, ...facts }) => {
    const context = new Work(ports, rows, { ...facts, user, gone: () => signal });
    return { context, inside: (tx, depth) => context.inside(tx, depth), done: () => context.done() };
  };
}

/** The owners of query runs. A run has the grants that its owner has when it begins. */
function runOwners(directory: Owners): RunOwners {
  return {
    keep: (user) => directory.keep(user),
    async mayRun(owner, queries) {
      const user = owner === '' ? undefined : await directory.findOwner(owner);
      if (owner !== '' && user === undefined) return false;
      return queries.every((query) => (query.owner === undefined ? may(user, query) : query.owner === user?.id));
    },
  };
}
