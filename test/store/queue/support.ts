import { onTestFinished } from 'vitest';
import { createRedactor } from '../../../src/codec/redact/redactor.ts';
import {
  type JobOwner,
  type JobQueue,
  openQueue,
  type QueueControl,
  type QueueOptions,
  type Store,
  type Worker,
} from '../../../src/store/index.ts';
import type { QueueContext } from '../../../src/store/queue/engine.ts';
import { eventually } from '../../support/project.ts';

export const QUEUE = 'work';
export const RETRIES = { attempts: 3, first: 1, longest: 5 };

/** Work of a job that the database shows: a row of a table that the tests have no other use for. */
export const note = (name: string) => (tx: Parameters<Parameters<Store['transaction']>[0]>[0]) =>
  tx.insertInto('signalbox_sample_data').values({ name, loaded: '' }).execute();

/** A queue over a store, closed when the test ends. */
export async function queueOver(store: Store, options: QueueOptions = {}): Promise<JobQueue> {
  const queue = await openQueue(store, options);
  onTestFinished(() => queue.close({ timeoutMs: 0 }));
  return queue;
}

/** A gateway of whose queues none is paused. */
export const GATEWAY: Pick<QueueContext, 'gateway' | 'pace'> = {
  gateway: 'gateway-1',
  pace: { isPaused: () => false, done: () => {} },
};

/** What an operator does with the jobs of the tests, which belong to nothing unless said otherwise. */
export function controlOf(queue: JobQueue, owner: Partial<JobOwner> = {}): QueueControl {
  const own: JobOwner = {
    onResubmitted: async () => undefined,
    onCancelled: async () => {},
    read: async (_, payload) => ({ payload, secrets: [] }),
    ...owner,
  };
  return queue.control({ owners: new Map([[QUEUE, own]]), removed: () => own, redactor: createRedactor() });
}

/** A worker that tries nothing twice and does one job at a time, unless said otherwise. */
export function worker(run: Worker['run'], more: Partial<Worker> = {}): Worker {
  return { concurrency: 1, retry: { attempts: 1, first: 1, longest: 1 }, run, ...more };
}

/** Works at the queue, and notes the number of each attempt. @returns these numbers */
export function noteAttempts(queue: JobQueue, run: Worker['run'], more: Partial<Worker> = {}): readonly number[] {
  const attempts: number[] = [];
  const noting: Worker['run'] = (job) => {
    attempts.push(job.attempt);
    return run(job);
  };
  queue.work(QUEUE, worker(noting, more));
  return attempts;
}

/** Enters a job in a transaction of its own. */
export function enter(
  store: Store,
  queue: JobQueue,
  job: {
    readonly data?: Record<string, unknown>;
    readonly key?: string;
    readonly kind?: string;
    readonly id?: string;
    readonly after?: Date;
  } = {},
): Promise<string> {
  return store.transaction((tx) => queue.send(tx, { queue: QUEUE, data: {}, ...job }));
}

/** The jobs of each queue that has any; those that wait for a time are among those that wait. */
export async function countsOf(
  queue: JobQueue,
): Promise<readonly { queue: string; waiting: number; running: number; dead: number }[]> {
  const depths = await queue.depths();
  return depths
    .map(({ queue: name, waiting, delayed, running, dead }) => {
      return { queue: name, waiting: waiting + delayed, running, dead };
    })
    .filter(({ waiting, running, dead }) => waiting + running + dead > 0);
}

/** Waits until nothing waits and nothing runs. */
export function drained(queue: JobQueue): Promise<true> {
  return eventually('the queue to be empty', async () => {
    const busy = (await countsOf(queue)).some(({ waiting, running }) => waiting + running > 0);
    return busy ? undefined : true;
  });
}

/** Something that tests wait for. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
