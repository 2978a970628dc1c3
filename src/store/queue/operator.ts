import type { Redactor } from '../../model/redactor.ts';
import type { Cause } from '../../trace/trace.ts';
import type { JobData } from '../tables/queue.ts';
import type { Db } from '../tables.ts';

/** What an operator sees of a job: where it is on its way. */
export type JobState = 'waiting' | 'running' | 'delayed' | 'held' | 'dead';

/** The state of a queue. */
export interface QueueOverview {
  readonly queue: string;
  /** Jobs that are due and not taken yet, those behind another of their key included. */
  readonly waiting: number;
  readonly running: number;
  /** Jobs that wait for a time: of a schedule, or after an attempt that failed. */
  readonly delayed: number;
  /** Jobs that wait until they are released: an operator holds them, or they failed for good and hold back those of their key. */
  readonly held: number;
  readonly dead: number;
  /** For how long the oldest waiting job has been due, in seconds; absent when none waits. */
  readonly oldestSeconds?: number;
  /** Jobs done a minute by all gateways: the average of the last five minutes. */
  readonly donePerMinute: number;
  /** Present when no definition has it: no gateway takes its jobs. */
  readonly defined?: false;
  /** Present while no gateway takes jobs from it. */
  readonly paused?: {
    readonly since: string;
    readonly actor: string;
    /** What is held, of which the queue is a part: `node ERP`. */
    readonly with?: string;
  };
}

/** A job as an operator sees it. Times are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`; members without a value are absent. */
export interface KeptJob {
  readonly id: string;
  readonly queue: string;
  readonly state: JobState;
  readonly key?: string;
  /** Attempts that were begun; of a dead letter that runs again, since then. */
  readonly attempts: number;
  readonly entered?: string;
  /** When it may begin, or could have. Absent of a job that is held, and of a dead letter. */
  readonly due?: string;
  /** When the attempt that runs began. */
  readonly started?: string;
  /** When it became a dead letter. */
  readonly died?: string;
  /** The gateway that runs it, or ran it last. */
  readonly gateway?: string;
  /** Why the last attempt failed. */
  readonly reason?: string;
  /** The request that entered it. */
  readonly cause?: Cause;
}

/** An attempt at a job. Times as of jobs. */
export interface KeptAttempt {
  /** From 1, and anew when a dead letter runs again. */
  readonly attempt: number;
  readonly gateway?: string;
  readonly began?: string;
  /** Absent while it runs, as is the reason. */
  readonly ended?: string;
  readonly reason?: string;
}

/** A job with everything that is known of it. */
export interface JobDetails extends KeptJob {
  /** The attempts that failed, the latest {@link MOST_ATTEMPTS} of them, and the one that runs; the oldest first. */
  readonly tried: readonly KeptAttempt[];
  /** What it carries, without what is secret. */
  readonly payload: unknown;
}

/** A part of a list. */
export interface JobPage {
  readonly jobs: readonly KeptJob[];
  /** For the part after it; absent at the end. */
  readonly next?: string;
}

export interface JobFilter {
  readonly state: JobState;
  /** By the time that matters in the state: when it was due, began, died or, if it is held, was entered. The oldest come first by default. */
  readonly order?: 'oldest' | 'newest';
  readonly limit: number;
  /** {@link JobPage.next} of the part before. */
  readonly after?: string;
}

/** Reads queues for an operator. */
export interface QueueReader {
  /** All queues that are defined or have jobs, by name. */
  overview(): Promise<readonly QueueOverview[]>;
  /** @throws Fault NOT_FOUND for an unknown queue, BAD_PARAMETER for `after` */
  list(queue: string, filter: JobFilter): Promise<JobPage>;
  /** @throws Fault NOT_FOUND */
  get(id: string): Promise<JobDetails>;
  /** The actions of operators, the newest first. */
  trail(limit: number): Promise<readonly QueueAction[]>;
}

/** An action of an operator. */
export interface QueueAction {
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly at: string;
  readonly actor: string;
  /** `resubmit`, `hold`, `restart`; at many messages with the result: `resubmit many: complete, 10 done, 0 refused`. */
  readonly action: string;
  readonly queue: string;
  /** Absent for an action at the whole queue, or at a key. */
  readonly job?: string;
  /** The instance number of the process request that it was at, or that the job belongs to. */
  readonly request?: number;
}

/** The result of running the dead letters of a queue again. */
export interface ResubmittedAll {
  readonly resubmitted: number;
  readonly refused: readonly { readonly id: string; readonly reason: string }[];
  /** Present when there are more: `after` of the call that goes on. */
  readonly next?: string;
}

/**
 * Acts on queues for an operator. Each action is one transaction with its line of the trail, whichever gateways run; an `actor`
 * is the name that the line has.
 */
export interface QueueControl extends QueueReader {
  /**
   * Runs a dead letter again, with all its attempts and behind the jobs of its key; releases a held job; or runs a delayed job now.
   * @throws Fault NOT_FOUND; CONFLICT for one that waits or runs, or whose owner can't take it back
   */
  resubmit(id: string, actor: string): Promise<KeptJob>;
  /**
   * Runs the dead letters of a queue again, those that died first before the others.
   * @param options `since`: only those that died then or later; `most`: the number to try; `after`: {@link ResubmittedAll.next}
   * of the call before
   * @throws Fault NOT_FOUND for an unknown queue, BAD_PARAMETER for `after`
   */
  resubmitFailed(
    queue: string,
    options: { readonly since?: Date; readonly most: number; readonly after?: string },
    actor: string,
  ): Promise<ResubmittedAll>;
  /** Removes a job that waits, is delayed, held or dead. @returns what it was @throws Fault NOT_FOUND; CONFLICT for one that runs */
  cancel(id: string, actor: string): Promise<KeptJob>;
  /** Lets no gateway take jobs from a queue; those that run go on. @returns whether it was not paused @throws Fault NOT_FOUND */
  pause(queue: string, actor: string): Promise<boolean>;
  /** @returns whether it was paused @throws Fault NOT_FOUND */
  resume(queue: string, actor: string): Promise<boolean>;
}

/** What is known of a job that an operator acts on. */
export interface OwnedJob {
  readonly id: string;
  readonly data: JobData;
  readonly state: Exclude<JobState, 'running'>;
}

/** What the jobs of a queue belong to, such as process requests: their state follows what an operator does with a job. */
export interface JobOwner {
  /**
   * Brings back the state that the job needs in order to run, in the transaction in which it is entered again or becomes due.
   * @returns why that is not possible, as in `process request 7 is Success`; then it has changed nothing
   */
  onResubmitted(tx: Db, job: OwnedJob, actor: string): Promise<string | undefined>;
  /** Ends what waits for the job, in the transaction in which it is cancelled. */
  onCancelled(tx: Db, job: OwnedJob, actor: string): Promise<void>;
  /** The instance number of the process request that a job belongs to. */
  requestOf?(data: JobData): number;
  /** A key of its jobs without declared secrets; as it is when absent. */
  keyOf?(key: string): string;
  /** Other names under which the queue is paused too, as `node ERP`. */
  readonly pausedAs?: readonly string[];
  /** What a job carries, without declared secrets. */
  read(db: Db, data: JobData): Promise<Carried>;
}

/** What a job carries. */
export interface Carried {
  /** Values of sensitive fields are masked, and all values of which that is not known. */
  readonly payload: unknown;
  /** Those values, which texts about the job may repeat. */
  readonly secrets: Iterable<string>;
}

export interface ControlOptions {
  /** By queue: these are the queues that are defined. */
  readonly owners: ReadonlyMap<string, JobOwner>;
  /** What the jobs of a queue belong to that is not defined any more. */
  readonly removed: (queue: string) => JobOwner;
  readonly redactor: Redactor;
}
