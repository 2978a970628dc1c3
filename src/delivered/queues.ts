import type { DocumentValue } from '../model/value.ts';
import type { JobState, KeptJob } from '../store/index.ts';
import { compileZone, instantOf } from '../wire/timezone.ts';
import { answeringUser, type DeliveredHandler, type DeliveredPorts, reply } from './delivered-port.ts';

/** QUE_QUEUE_REQ. */
interface QueueRequest {
  readonly QueueName: string;
}

/** QUE_JOB_REQ. Ids are UUIDs, in which case does not matter. */
interface JobRequest {
  readonly JobId: string;
}

const idOf = ({ JobId }: JobRequest): string => JobId.toLowerCase();

/** QUE_FINDQUEUES: all queues. */
export function queueFind({ queues }: DeliveredPorts): DeliveredHandler {
  return answeringUser<object>(async () => {
    const found = await queues.overview();
    return reply({
      queues: found.map(({ queue, waiting, running, delayed, held, dead, oldestSeconds, donePerMinute, paused }) => ({
        QueueName: queue,
        Waiting: waiting,
        Running: running,
        Delayed: delayed,
        Held: held,
        Dead: dead,
        OldestSeconds: oldestSeconds,
        DonePerMinute: String(donePerMinute),
        PausedSince: paused?.since,
        PausedBy: paused?.actor,
      })),
    });
  });
}

interface JobsRequest extends QueueRequest {
  readonly JobState: JobState;
  readonly JobOrder: 'oldest' | 'newest';
  readonly JobCount: number | bigint;
  readonly After?: string;
}

/** QUE_FINDJOBS: the jobs of a queue in one state. */
export function queueJobs({ queues }: DeliveredPorts): DeliveredHandler {
  return answeringUser<JobsRequest>(async ({ QueueName, JobState: state, JobOrder: order, JobCount, After = '' }) => {
    const page = { state, order, limit: Number(JobCount), ...(After === '' ? {} : { after: After }) };
    const { jobs, next } = await queues.list(QueueName, page);
    return reply({ jobs: jobs.map(jobDocument), Next: next });
  });
}

/** QUE_GETJOB: one job with its attempts. */
export function queueJob({ queues }: DeliveredPorts): DeliveredHandler {
  return answeringUser<JobRequest>(async (request) => {
    const { tried, ...job } = await queues.get(idOf(request));
    const attempts = tried.map(({ attempt, gateway, began, ended, reason }) => {
      return { Attempt: attempt, Gateway: gateway, BeginDateTime: began, EndDateTime: ended, Reason: reason };
    });
    return reply({ ...jobDocument(job), tried: attempts });
  });
}

/** QUE_GETPAYLOAD: what a job carries. */
export function queuePayload({ queues }: DeliveredPorts): DeliveredHandler {
  return answeringUser<JobRequest>(async (request) => {
    const { id, payload } = await queues.get(idOf(request));
    return reply({ JobId: id, Payload: payload as DocumentValue });
  });
}

/** QUE_RESUBMITJOB: runs a job again, or before its time. */
export function queueResubmit({ queues }: DeliveredPorts): DeliveredHandler {
  return answeringUser<JobRequest>(async (request, user) =>
    reply(jobDocument(await queues.resubmit(idOf(request), user.id))),
  );
}

interface RetryAllRequest extends QueueRequest {
  readonly Since?: string;
  readonly JobCount: number | bigint;
  readonly After?: string;
}

/** QUE_RESUBMITJOBS: runs the dead letters of a queue again. */
export function queueResubmitAll({ queues, registry }: DeliveredPorts): DeliveredHandler {
  return answeringUser<RetryAllRequest>(async ({ QueueName, Since, JobCount, After = '' }, user) => {
    // A datetime without an offset is in the gateway's zone.
    const zone = compileZone(registry.gateway.timezone);
    const since = Since === undefined ? undefined : new Date(instantOf(Since, zone));
    const options = {
      ...(since === undefined ? {} : { since }),
      most: Number(JobCount),
      ...(After === '' ? {} : { after: After }),
    };
    const { resubmitted, refused, next } = await queues.resubmitFailed(QueueName, options, user.id);
    return reply({
      Resubmitted: resubmitted,
      refused: refused.map(({ id, reason }) => ({ JobId: id, Reason: reason })),
      More: next !== undefined,
      Next: next,
    });
  });
}

/** QUE_CANCELJOB: removes a job. */
export function queueCancel({ queues }: DeliveredPorts): DeliveredHandler {
  return answeringUser<JobRequest>(async (request, user) =>
    reply(jobDocument(await queues.cancel(idOf(request), user.id))),
  );
}

/** QUE_PAUSE: lets no gateway take jobs. */
export function queuePause({ queues }: DeliveredPorts): DeliveredHandler {
  return answeringUser<QueueRequest>(async ({ QueueName }, user) =>
    reply({ QueueName, Changed: await queues.pause(QueueName, user.id) }),
  );
}

/** QUE_RESUME: lets gateways take jobs again. */
export function queueResume({ queues }: DeliveredPorts): DeliveredHandler {
  return answeringUser<QueueRequest>(async ({ QueueName }, user) =>
    reply({ QueueName, Changed: await queues.resume(QueueName, user.id) }),
  );
}

/** QUE_FINDACTIONS: the trail of what operators did. */
export function queueActions({ queues }: DeliveredPorts): DeliveredHandler {
  return answeringUser<{ readonly ActionCount: number | bigint }>(async ({ ActionCount }) => {
    const trail = await queues.trail(Number(ActionCount));
    const actions = trail.map(({ at, actor, action, queue, job, request }) => {
      return { DateTime: at, Actor: actor, Action: action, QueueName: queue, JobId: job, ProcessInstance: request };
    });
    return reply({ actions });
  });
}

/** QUE_JOB. */
function jobDocument(job: KeptJob): Readonly<Record<string, string | number | undefined>> {
  return {
    JobId: job.id,
    QueueName: job.queue,
    JobState: job.state,
    Key: job.key,
    Attempts: job.attempts,
    EnteredDateTime: job.entered,
    DueDateTime: job.due,
    BeginDateTime: job.started,
    DiedDateTime: job.died,
    Gateway: job.gateway,
    Reason: job.reason,
    RequestId: job.cause?.requestId,
    TraceParent: job.cause?.traceparent,
  };
}
