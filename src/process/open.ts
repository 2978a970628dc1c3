import type { BlobStore } from '../model/blob.ts';
import { needRoom } from '../store/index.ts';
import { createClock } from './clock.ts';
import { enterRequest, QUEUE } from './enter.ts';
import { checkAccess, findMessages, findRequests } from './find.ts';
import type { RunPorts, Scheduler } from './port.ts';
import { programNamesOf } from './program.ts';
import { findReport, findReported, REPORTS, sweepReports } from './reports.ts';
import { findRow, shownRequest } from './rows.ts';
import { enterRecurring, readRequest } from './schedule.ts';
import { endForgotten } from './steps.ts';
import { updateRequest } from './update.ts';
import { createWorker } from './worker.ts';

export interface SchedulerOptions extends Omit<RunPorts, 'clock' | 'grace' | 'reports'> {
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
  queue.work(QUEUE, createWorker(ports));
  recur(ports);
  return {
    async schedule(request, user) {
      const entry = await readRequest(ports, clock, request, user);
      await directory.keep(user);
      await needRoom(queue, QUEUE, registry.gateway.limits.queued, 'process requests');
      const instance = await store.transaction((tx) => enterRequest(tx, ports, entry));
      queue.wake(QUEUE);
      return instance;
    },
    async find(filter, user) {
      const rows = await findRequests(await store.tables(), registry, filter, user);
      return rows.map((row) => shownRequest(row, clock));
    },
    async get(instance, user) {
      const row = await findRow(await store.tables(), instance);
      checkAccess(registry, row, user, 'see');
      return shownRequest(row, clock);
    },
    async update(instance, action, user) {
      const [row, report] = await store.transaction(async (tx) => {
        const removed = await updateRequest(tx, registry, ports, { instance, action, user });
        return [await findRow(tx, instance), removed];
      });
      queue.wake(QUEUE);
      if (report !== undefined) await ports.reports.delete(report);
      return shownRequest(row, clock);
    },
    messages: async (instance, page, user) =>
      findMessages(await store.tables(), { registry, clock }, instance, page, user),
    report: (instance, user) => findReport(ports, instance, user),
    reported: async (contentId) => findReported(await store.tables(), contentId),
    names: (type, user) => programNamesOf(ports, user, type),
    sweep: () => sweepReports(ports, new Date(now() - registry.gateway.limits.keep)),
  };
}

/** Registers recurring processes, and the regular check for forgotten requests. */
function recur(ports: RunPorts): void {
  const { registry, queue, clock } = ports;
  for (const process of registry.processes.values()) {
    if (process.recurs === undefined) continue;
    const { cron, zone } = process.recurs;
    queue.recur({
      name: `process ${process.id}`,
      cron,
      zone,
      due: (tx, at) => enterRecurring(tx, ports, process, at),
    });
  }
  queue.recur({
    name: 'cancelled process requests without a gateway',
    cron: '* * * * *',
    zone: 'UTC',
    due: (tx) => endForgotten(tx, clock, clock.now() - FORGOTTEN),
  });
}
