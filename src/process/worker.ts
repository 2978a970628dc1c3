import { randomUUID } from 'node:crypto';
import { beginAccount } from '../model/work.ts';
import { ownerOf } from '../security/directory/port.ts';
import { type FailedJob, type Job, JobLost, type RetryRule, type Worker } from '../store/index.ts';
import { Attempt, errorWords, isFinal } from './attempt.ts';
import { instantText } from './clock.ts';
import type { RequestData } from './enter.ts';
import type { RunPorts } from './port.ts';
import { findProgram, findProgramOf } from './program.ts';
import { failRequest, initiate, retryRequest } from './steps.ts';

const ONCE: RetryRule = { attempts: 0, first: 0, longest: 0 };

/** The worker of the queue of process requests. */
export function createWorker(ports: RunPorts): Worker {
  const { registry, clock } = ports;
  return {
    concurrency: registry.gateway.limits.processes,
    retry({ data }) {
      const { type, name } = dataOf({ data });
      return findProgram(registry, type, name)?.process?.retry ?? ONCE;
    },
    run: (job) => runJob(ports, job),
    async onRetry(tx, job, error, next) {
      const words = `Attempt ${job.attempt} failed: ${errorWords(error)} The next begins at ${instantText(next.getTime())}.`;
      await retryRequest(tx, dataOf(job).instance, { level: 'warning', text: words, said: instantText(clock.now()) });
    },
    async onDead(tx, job, error) {
      const words = `Attempt ${job.attempt} failed and no other follows: ${errorWords(error)}`;
      await failRequest(tx, clock, dataOf(job).instance, {
        level: 'error',
        text: words,
        said: instantText(clock.now()),
      });
    },
  };
}

function dataOf({ data }: Pick<FailedJob, 'data'>): RequestData {
  return data as unknown as RequestData;
}

async function runJob(ports: RunPorts, job: Job): Promise<void> {
  const { instance, type, name, operator } = dataOf(job);
  const run = randomUUID();
  const { id, attempt } = job;
  const user = await ownerOf(ports.directory, operator);
  const program = await findProgramOf(ports, type, name, operator);
  const taken = await ports.store.transaction((tx) => initiate(tx, ports, { id, attempt, instance, program }, run));
  if (taken === undefined) return;
  const current = new Attempt(ports, job, taken, user);
  const tell = beginAccount(ports.account, { kind: 'process', name, id: instance, user: operator, attempt });
  try {
    await current.run();
    tell();
  } catch (error) {
    // The code has ended the request itself: a later error does not change that.
    tell(job.completed ? undefined : error);
    await onFailure(ports, job, current, error);
  } finally {
    await current.close();
  }
}

async function onFailure(ports: RunPorts, job: Job, current: Attempt, error: unknown): Promise<void> {
  const { instance } = current;
  if (job.completed) {
    ports.onError(error as Error, { instance, what: 'the code of a process after its end' });
    return;
  }
  if (await current.settle()) return;
  if (job.signal.aborted || error instanceof JobLost) throw error;
  if (isFinal(error)) {
    await current.refuse(error);
    return;
  }
  ports.onError(error as Error, { instance, attempt: job.attempt, what: 'an attempt at a process' });
  throw error;
}
