import { randomUUID } from 'node:crypto';
import type { BlobStore } from '../model/blob.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import { PROCESS_RETRY, queueRule } from '../model/retry.ts';
import type { User } from '../model/security.ts';
import { beginAccount } from '../model/work.ts';
import { ownerOf } from '../security/directory/directory-port.ts';
import {
  type Db,
  type FailedJob,
  type Job,
  JobLost,
  JobUnknown,
  needRoom,
  noteAction,
  readBlobs,
  type StoreReader,
  type Worker,
} from '../store/index.ts';
import { Attempt, errorWords, isFinal } from './attempt.ts';
import { type Clock, createClock, instantText } from './clock.ts';
import {
  type EntryPorts,
  enterNext,
  enterRequest,
  InstanceNumbers,
  nextInstance,
  QUEUE,
  type RequestData,
  sendJob,
} from './enter.ts';
import { checkAccess, findMessages, findRequests } from './find.ts';
import { withTrail } from './message-log.ts';
import { ACTIONS, type MonitorPorts, openMonitor } from './monitor.ts';
import type { RequestAction, RequestReader, RequestTrailLine, RunPorts, Scheduler } from './process-port.ts';
import {
  findProgram,
  findProgramOf,
  kindOfProgram,
  kindsOfPrograms,
  type Program,
  programNamesOf,
  QUERY_TYPE,
} from './program.ts';
import { findReport, findReported, REPORTS, type ReportContents } from './reports.ts';
import { busyOperators, retainedRequests } from './retention.ts';
import { findRow, type RequestRow, shownRequest, updateOwn } from './rows.ts';
import { enterRecurring, readRequest, requestOf } from './schedule.ts';
import { DISTRIBUTION, mayTake, move, RUN_STATUS, type Step, wordOf } from './status.ts';
import { endForgotten, failRequest, initiate, isFollowed, retryRequest, unlessBegun } from './steps.ts';

interface SchedulerOptions extends Omit<RunPorts, 'clock' | 'grace' | 'reports'> {
  readonly blobs: BlobStore;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** {@link RunPorts.grace}; 5 s. */
  readonly grace?: number;
}

const GRACE = 5000;
/** Longer than a grace period plus the second that a cancellation needs to arrive: the gateway of such a request is gone. */
const FORGOTTEN = 60_000;

/** Opens the process scheduler and registers its worker at the queue, which must not be started yet. */
export function openScheduler({ blobs, now = Date.now, grace = GRACE, ...options }: SchedulerOptions): Scheduler {
  const { registry, store, queue, directory } = options;
  const clock = createClock(registry.gateway.timezone, now);
  const ports: RunPorts = { ...options, clock, grace, reports: blobs.scope(REPORTS) };
  const numbers = store.apart && new InstanceNumbers(store.apart, store.kind);
  queue.work(QUEUE, createWorker(ports));
  recur(ports);
  return {
    ...openReader(ports),
    async schedule(request, user, actor) {
      const entry = await readRequest(ports, clock, request, user);
      await directory.keep(user);
      await needRoom(queue, QUEUE, registry.gateway.limits.queued, 'process requests');
      const instance = await enterNext(store, async (tx, next) => {
        await enterRequest(tx, ports, entry, next);
        if (actor !== undefined) await noteAtRequest(tx, clock, { instance: next, action: 'schedule', actor });
        return next;
      });
      return instance;
    },
    async scheduleInside(tx, process, parameters, { runControl = '', at }, user) {
      const entry = requestOf(process, clock, { parameters, runControl, at }, user);
      await needRoom(queue, QUEUE, registry.gateway.limits.queued, 'process requests', tx);
      // In the transaction, the row that counts would stay locked until its end: all that schedule would run one after another.
      const instance = await (numbers?.next() ?? nextInstance(tx, store.kind));
      await enterRequest(tx, ports, entry, instance);
      return instance;
    },
    async get(instance, user) {
      const row = await findRow(await store.tables(), instance);
      checkAccess(registry, row, user, 'see');
      return shownRequest(row, clock);
    },
    async update(instance, action, user, actor) {
      const [row, report] = await store.transaction(async (tx) => {
        const removed = await updateRequest(tx, registry, ports, { instance, action, user, actor });
        return [await findRow(tx, instance), removed];
      }, `request ${instance}`);
      if (report !== undefined) await ports.reports.delete(report);
      return shownRequest(row, clock);
    },
    reported: async (contentId) => findReported(await store.tables(), contentId),
    names: (type, user) => programNamesOf(ports, user, type),
    retained: retainedRequests(registry.gateway.retention, ports.reports),
    busy: busyOperators,
  };
}

/** The content of a report. */
interface ReadableReport {
  stream(): AsyncIterable<Uint8Array>;
}

interface ReaderOptions extends Pick<SchedulerOptions, 'registry' | 'redactor'> {
  readonly store: Pick<StoreReader, 'kind' | 'location' | 'tables'>;
}

/** The requests of a database for reading, by an operator who is not a user: such a reader owns no private queries. */
export function readRequests({ registry, store, redactor }: ReaderOptions): RequestReader<ReadableReport> {
  const clock = createClock(registry.gateway.timezone, Date.now);
  const saved = { find: async () => undefined, list: async () => [] };
  return openReader({ registry, store, redactor, saved, clock, reports: readBlobs(store, REPORTS) });
}

function openReader<Content>(
  ports: MonitorPorts & { readonly reports: ReportContents<Content> },
): RequestReader<Content> {
  const { store, clock } = ports;
  const monitor = openMonitor(ports);
  return {
    ...monitor,
    async find(filter, user) {
      const rows = await findRequests(await store.tables(), ports, filter, user);
      return rows.map((row) => shownRequest(row, clock));
    },
    messages: async (instance, page, user) => findMessages(await store.tables(), ports, instance, page, user),
    async log(instance, { from, count }, user) {
      const { mayUse, trail } = await monitor.detail(instance, user);
      const page = { from, count: count + 1 };
      const found = mayUse ? await findMessages(await store.tables(), ports, instance, page, user) : [];
      const next = found[count];
      const entries = withTrail(found.slice(0, count), trail, { from, next });
      return next === undefined ? { entries } : { entries, next: next.sequence };
    },
    report: async (instance, user) => findReport(await store.tables(), ports, instance, user),
  };
}

/** Registers recurring processes, and the regular check for forgotten requests. */
function recur(ports: RunPorts): void {
  const { registry, store, queue, clock } = ports;
  for (const process of registry.processes.values()) {
    if (process.recurs === undefined) continue;
    const { cron, zone } = process.recurs;
    queue.recur({
      name: `process ${process.id}`,
      cron,
      zone,
      due: async (at) => {
        const instance = await nextInstance(await store.tables(), store.kind);
        return (tx) => enterRecurring(tx, ports, process, at, instance);
      },
    });
  }
  queue.recur({
    name: 'cancelled process requests without a gateway',
    cron: '* * * * *',
    zone: 'UTC',
    due: async () => (tx) => endForgotten(tx, clock, clock.now() - FORGOTTEN),
  });
}

/**
 * Takes the step of an action, as part of a transaction.
 * @returns the key of a report that is no longer needed, whose content has to be removed
 * @throws Fault NOT_FOUND, FORBIDDEN, CONFLICT
 */
async function updateRequest(
  tx: Db,
  registry: Registry,
  ports: RunPorts,
  { instance, action, user, actor }: { instance: number; action: RequestAction; user: User; actor: string },
): Promise<string | undefined> {
  const { steps, verb, words } = ACTIONS[action];
  for (;;) {
    const row = await findRow(tx, instance);
    checkAccess(registry, row, user, 'use');
    const step = steps.find((each) => mayTake(each, row.runstatus));
    const conflict = (reason: string): Fault => Fault.of('CONFLICT', { what: `Process request ${instance}`, reason });
    if (step === undefined) throw conflict(`is ${wordOf(RUN_STATUS, row.runstatus)} and can't be ${words}`);
    if (step === 'restart' && row.job === null) throw conflict("was entered by another system and can't be restarted");
    // A worker may have taken a step since the row was read: then it is read again.
    if (await move(tx, step, instance, changesOf(step, row, ports))) {
      await noteAtRequest(tx, ports.clock, { instance, action: verb, actor });
      return takeAlong(tx, step, row, ports);
    }
  }
}

/** Adds a line about a request to the trail of what operators did. */
async function noteAtRequest(
  tx: Db,
  clock: Clock,
  { instance, ...line }: Omit<RequestTrailLine, 'at'> & { readonly instance: number },
): Promise<void> {
  await noteAction(tx, { at: instantText(clock.now()), queue: QUEUE, request: instance, ...line });
}

function changesOf(step: Step, row: RequestRow, { clock }: EntryPorts) {
  if (step === 'cancel') return { enddttm: clock.local(clock.now()) };
  if (step === 'restart') return { begindttm: null, enddttm: null, servernamerun: '', diststatus: DISTRIBUTION.None };
  return step === 'delete' && row.report !== null ? { diststatus: DISTRIBUTION.Delete } : {};
}

/** Changes the job and the gateway's own row along with a step. */
async function takeAlong(tx: Db, step: Step, row: RequestRow, ports: RunPorts): Promise<string | undefined> {
  const { queue, clock } = ports;
  const { prcsinstance: instance, job, report } = row;
  if (job === null) return undefined;
  const update = (values: Parameters<typeof updateOwn>[2]) => updateOwn(tx, instance, values);
  const now = clock.now();
  if (step === 'restart') {
    // The dead letter that it may have become.
    await queue.cancel(tx, QUEUE, job);
    const next = randomUUID();
    // A request that was put on hold before its time keeps that time.
    const runs = Math.max(now, Date.parse(row.runs ?? ''));
    const fresh = { run: null, attempt: 0, began: null, ended: null, cancelled: null, percent: null, progress: null };
    await update({ ...fresh, job: next, report: null, content: null });
    const { prcstype: type, prcsname: name, oprid: operator } = row;
    const program = findProgram(ports.registry, type, name);
    const kind = program === undefined ? undefined : kindOfProgram(program, row.recurname);
    const isDeclared = ports.registry.users.has(operator);
    await sendJob(tx, queue, { instance, type, name, operator, isDeclared }, { job: next, kind, runs, now });
    return report ?? undefined;
  }
  await queue.cancel(tx, QUEUE, job);
  if (step === 'ask') await update({ cancelled: instantText(now) });
  if (step === 'cancel') await update({ cancelled: instantText(now), ended: instantText(now) });
  if (step === 'delete' && row.ended === null) await update({ ended: instantText(now) });
  if (step !== 'delete' || report === null) return undefined;
  await update({ report: null, content: null });
  return report;
}

const PRIVATE_RETRY = queueRule(PROCESS_RETRY);

/** The worker of the queue of process requests. */
function createWorker(ports: RunPorts): Worker {
  const { registry, clock } = ports;
  const report = (job: FailedJob, error: Error, facts: Readonly<Record<string, unknown>>): void => {
    const { id: entry, queue, attempt } = job;
    const { instance, name } = dataOf(job);
    ports.onError(error, { work: 'process', name, id: instance, instance, attempt, queue, job: entry, ...facts });
  };
  return {
    concurrency: registry.gateway.limits.processes,
    retry({ data }) {
      const { type, name } = dataOf({ data });
      const program = findProgram(registry, type, name);
      // It is unknown here, or private.
      if (program === undefined) return type === QUERY_TYPE ? PRIVATE_RETRY : undefined;
      return queueRule(program.process?.retry ?? PROCESS_RETRY);
    },
    kinds: () => kindsOfPrograms(registry),
    reports: true,
    run: (job) => runJob(ports, job),
    async onRetry(tx, job, error, next) {
      const words = `Attempt ${job.attempt} failed: ${errorWords(error)} The next begins at ${instantText(next.getTime())}.`;
      await retryRequest(tx, dataOf(job).instance, { level: 'warning', text: words, said: instantText(clock.now()) });
      report(job, error, { next, what: 'an attempt at a process, which is tried again' });
    },
    async onDead(tx, job, error) {
      const words =
        error instanceof JobUnknown
          ? `${error.message}.`
          : `Attempt ${job.attempt} failed and no other follows: ${errorWords(error)}`;
      await failRequest(tx, clock, dataOf(job).instance, {
        level: 'error',
        text: words,
        said: instantText(clock.now()),
      });
      report(job, error, { what: 'an attempt at a process, which is given up' });
    },
  };
}

function dataOf({ data }: Pick<FailedJob, 'data'>): RequestData {
  return data as unknown as RequestData;
}

async function runJob(ports: RunPorts, job: Job): Promise<void> {
  const { instance, type, name, operator, isDeclared = false } = dataOf(job);
  const run = randomUUID();
  const { id, attempt, kind } = job;
  const user = await ownerOf(ports.directory, operator, isDeclared);
  const program = await findProgramOf(ports, type, name, operator);
  const wanted = { id, attempt, instance, program, user, isDeclared, kind };
  const taken = await unlessBegun(async () =>
    (await isFollowed(ports.store, instance))
      ? ports.store.transaction((tx) => initiate(tx, ports, wanted, run))
      : enterNext(ports.store, (tx, next) => initiate(tx, ports, wanted, run, next)),
  );
  if (taken === undefined) return;
  const current = new Attempt(ports, job, taken, user);
  const tell = beginAccount(ports.account, { kind: 'process', name, id: instance, user: operator, attempt });
  try {
    await current.run();
    tell();
  } catch (error) {
    // The code has ended the request itself: a later error does not change that.
    tell(job.completed ? undefined : error);
    await onFailure(ports, job, current, program, error);
  } finally {
    await current.close();
  }
}

async function onFailure(
  ports: RunPorts,
  job: Job,
  current: Attempt,
  program: Program | undefined,
  error: unknown,
): Promise<void> {
  const { instance } = current;
  if (job.completed) {
    ports.onError(error as Error, { instance, what: 'the code of a process after its end' });
    return;
  }
  if (await current.settle()) return;
  if (job.signal.aborted || error instanceof JobLost) throw error;
  if (isFinal(error, program?.process)) {
    await current.refuse(error);
    return;
  }
  throw error;
}
