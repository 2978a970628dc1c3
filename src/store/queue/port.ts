import type { PoolStatus } from '../../model/metrics.ts';
import type { Redactor } from '../../model/redactor.ts';
import type { Cause } from '../../trace/trace.ts';
import type { Db } from '../tables.ts';

/** Data of a job: JSON. */
export type JobData = Readonly<Record<string, unknown>>;

/** A job to enter. */
export interface NewJob {
  readonly queue: string;
  readonly data: JobData;
  /** A UUID chosen by the caller; a new one when absent. */
  readonly id?: string;
  /**
   * Not empty. Jobs of a queue with the same key run one after the other, in the order in which they were entered. A job that
   * is tried again holds back those behind it; a job that is not due yet joins as the last when it is.
   */
  readonly key?: string;
  /**
   * What a gateway must have in order to run it: the same text for jobs that need the same definition. A gateway whose worker
   * throws {@link JobUnknown} takes no more jobs of the kind for a while.
   */
  readonly kind?: string;
  /** The earliest start, by the clock of the database; on SQLite that is the clock of the machine. */
  readonly after?: Date;
  /** What causes it; by default the trace in which it is entered. */
  readonly cause?: Cause;
}

/** When a failed job is attempted again. Whichever of attempts and time ends first. Times in milliseconds. */
export interface RetryRule {
  /** All attempts, the first included; any number when absent. An attempt whose process died counts. */
  readonly attempts?: number;
  /** No attempt begins later than this after the first one began; at any time when absent. */
  readonly for?: number;
  /** The first pause. Each is twice the one before, with jitter. */
  readonly first: number;
  readonly longest: number;
  /** Whether an attempt that threw this is followed by another; always when absent. */
  readonly on?: (error: Error) => boolean;
}

/** A job in the hands of a worker. */
export interface Job {
  readonly id: string;
  readonly queue: string;
  readonly data: JobData;
  readonly key?: string;
  readonly kind?: string;
  /** What caused it. The worker runs in the same trace. */
  readonly cause?: Cause;
  /** From 1. */
  readonly attempt: number;
  /** Aborts when the job is cancelled or lost (`JobLost`), and when the queue closes before the job has ended. */
  readonly signal: AbortSignal;
  /**
   * Ends the job in the transaction of its own writes: both happen, or neither. Call it at most once; a worker that returns
   * without it ends its job by returning.
   * @throws JobLost when the job is no longer this worker's; what `work` throws. Both roll the work back
   */
  complete<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Whether {@link complete} has ended it. */
  readonly completed: boolean;
}

/** The code that runs the jobs of a queue. */
export interface Worker {
  /** Jobs that run at the same time in this gateway. */
  readonly concurrency: number;
  /** `undefined` for a job whose definition this gateway lacks. */
  readonly retry: RetryRule | ((job: Pick<Job, 'data'>) => RetryRule | undefined);
  /**
   * The kinds of jobs that this gateway can run. As long as one that has a kind is alive, its jobs wait for it, however long
   * that takes, and are not dead as unknown.
   */
  readonly kinds?: () => Iterable<string>;
  /** The order of the jobs of a key has no meaning: one that is unknown here lets the others of its key go first. */
  readonly isUnordered?: true;
  /**
   * Runs a job. An error ends the attempt; a {@link JobRefused} ends the job, a {@link JobNotBegun} gives it back, a
   * {@link JobUnknown} leaves it to other gateways.
   */
  run(job: Job): Promise<void>;
  /** Called when an attempt failed and another follows at `next`, in the transaction that records it. */
  onRetry?(tx: Db, job: FailedJob, error: Error, next: Date): Promise<void>;
  /** Called when the job failed for good, in the transaction that makes it a dead letter. */
  onDead?(tx: Db, job: FailedJob, error: Error): Promise<void>;
}

export type FailedJob = Pick<Job, 'id' | 'queue' | 'data' | 'attempt' | 'key' | 'cause'>;

/** The job is no longer this worker's: its process seemed dead, or the job was cancelled. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
}

/** Thrown by a worker: the job has failed, and another attempt would fail too. */
export class JobRefused extends Error {
  override readonly name = 'JobRefused';
}

/** Thrown by a worker: something that the job needs is unavailable, and nothing of it was begun. It is tried again, whatever the rule. */
export class JobNotBegun extends Error {
  override readonly name = 'JobNotBegun';
}

/**
 * Thrown by a worker before it has begun anything: the definitions of this gateway lack what the job needs, and those of another
 * gateway may have it. The job is given back, and the attempt does not count. It ends as a dead letter when for the time that
 * {@link QueueOptions.unknown} sets no gateway has begun it, nor has one been alive that has its kind and has not refused it.
 */
export class JobUnknown extends Error {
  override readonly name = 'JobUnknown';
  /** Whether all jobs of the kind are unknown here; otherwise only this one is. */
  readonly allOfKind: boolean;

  /** @param message what is unknown, as a sentence without its full stop */
  constructor(message: string, { allOfKind = true }: { readonly allOfKind?: boolean } = {}) {
    super(message);
    this.allOfKind = allOfKind;
  }
}

/** The process of an attempt died. */
export class WorkerDied extends Error {
  override readonly name = 'WorkerDied';
}

/** A job that failed for good. */
export interface DeadLetter {
  readonly id: string;
  readonly queue: string;
  readonly data: JobData;
  readonly attempts: number;
  /** The error of the last attempt. */
  readonly error: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly died: string;
  /** What caused it. */
  readonly cause?: Cause;
}

/** Work that recurs. */
export interface Recurring {
  /** Its name: it recurs once in the database, however many gateways declare it. */
  readonly name: string;
  readonly cron: string;
  /** IANA time zone. */
  readonly zone: string;
  /**
   * Called at each of its times, outside of any transaction, and may be called by several gateways. What it returns is called by
   * one of them, in the transaction that records the time. Several times that passed while no gateway ran, or that a clock
   * jumped over, are one.
   */
  due(at: Date): Promise<(tx: Db) => Promise<void>>;
}

/** The numbers of jobs in a queue. */
export interface QueueDepth {
  readonly queue: string;
  /** Due, and not begun. */
  readonly waiting: number;
  /** Not due yet: entered for later, or between two attempts. */
  readonly delayed: number;
  readonly running: number;
  readonly dead: number;
  /** Seconds since the first of those that wait was due; 0 if none waits. */
  readonly oldest: number;
}

/**
 * Work that outlives its gateway. A job runs at least once, in one worker at a time; its writes in {@link Job.complete} happen
 * once. A job whose gateway dies is run again by another gateway, or by the next.
 */
export interface JobQueue {
  /** Enters a job as part of a transaction. @returns its id @throws Error when the queue has a job with its id */
  send(tx: Db, job: NewJob): Promise<string>;
  /**
   * Cancels a job. A job that waits never runs. The signal of one that runs aborts within a second, in any gateway, and
   * {@link Job.complete} is refused to it; the next job of its key begins when it has stopped. A dead letter is removed.
   * @returns whether it waited or ran, and was not cancelled before
   */
  cancel(tx: Db, queue: string, id: string): Promise<boolean>;
  /** Call it before {@link start}. */
  work(queue: string, worker: Worker): void;
  /** Call it before {@link start}. */
  recur(recurring: Recurring): void;
  /** Begins to run jobs. */
  start(): Promise<void>;
  /** Wakes the workers of a queue in this gateway, after a transaction that entered a job. */
  wake(queue: string): void;
  /** Does now what recurs and is due, and lets all workers look for jobs; for tests, whose clock does not move by itself. */
  hurry(): Promise<void>;
  /** The depth of every queue with a job, and of those that have a worker here. It reads all jobs: ask at most every few seconds. */
  depths(): Promise<readonly QueueDepth[]>;
  /** The connections of the queue to the database; `undefined` on SQLite, where it has none of its own. */
  pool(): PoolStatus | undefined;
  /** Whether at least `most` jobs of a queue wait that are due; it counts no further. */
  isFull(queue: string, most: number, tx?: Db): Promise<boolean>;
  /** The newest first. */
  deadLetters(options?: { readonly queue?: string; readonly limit?: number }): Promise<readonly DeadLetter[]>;
  /** What an operator sees of the queues and does with them. @param options what its jobs belong to, and what masks secrets */
  control(options: ControlOptions): QueueControl;
  /** Takes no more jobs and runs nothing that recurs: other gateways do. Jobs that run go on; {@link close} ends them. */
  stopTaking(): void;
  /**
   * Takes no more jobs, and lets those that run end for at most `timeoutMs`. The others are aborted and run again later; the
   * attempt does not count.
   */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}

export type JobState = 'waiting' | 'running' | 'delayed' | 'dead';

/** The state of a queue. */
export interface QueueOverview {
  readonly queue: string;
  /** Jobs that are due and not taken yet, those behind another of their key included. */
  readonly waiting: number;
  readonly running: number;
  /** Jobs that wait for a time: of a schedule, or after an attempt that failed. */
  readonly delayed: number;
  readonly dead: number;
  /** For how long the oldest waiting job has been due, in seconds; absent when none waits. */
  readonly oldestSeconds?: number;
  /** Jobs done a minute by all gateways: the average of the last five minutes. */
  readonly donePerMinute: number;
  /** Present while no gateway takes jobs from it. */
  readonly paused?: { readonly since: string; readonly actor: string };
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
  /** When it may begin, or could have. Absent of a dead letter. */
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
  /** By the time that matters in the state: when it was due, began, or died. The oldest come first by default. */
  readonly order?: 'oldest' | 'newest';
  readonly limit: number;
  /** {@link JobPage.next} of the part before. */
  readonly after?: string;
}

/** Reads queues for an operator. */
export interface QueueReader {
  /** All queues, by name. */
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
  readonly action: 'retry' | 'drop' | 'pause' | 'resume';
  readonly queue: string;
  /** Absent for an action at the whole queue. */
  readonly job?: string;
}

/** The result of running the dead letters of a queue again. */
export interface RetriedAll {
  readonly retried: number;
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
   * Runs a dead letter again, with all its attempts and behind the jobs of its key; or a delayed job now.
   * @throws Fault NOT_FOUND; CONFLICT for one that waits or runs, or whose owner can't take it back
   */
  retry(id: string, actor: string): Promise<KeptJob>;
  /**
   * Runs the dead letters of a queue again, those that died first before the others.
   * @param options `since`: only those that died then or later; `most`: the number to try; `after`: {@link RetriedAll.next}
   * of the call before
   * @throws Fault NOT_FOUND for an unknown queue, BAD_PARAMETER for `after`
   */
  retryDead(
    queue: string,
    options: { readonly since?: Date; readonly most: number; readonly after?: string },
    actor: string,
  ): Promise<RetriedAll>;
  /** Removes a job that waits, is delayed or is dead. @returns what it was @throws Fault NOT_FOUND; CONFLICT for one that runs */
  drop(id: string, actor: string): Promise<KeptJob>;
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
  onRetried(tx: Db, job: OwnedJob, actor: string): Promise<string | undefined>;
  /** Ends what waits for the job, in the transaction in which it is dropped. */
  onDropped(tx: Db, job: OwnedJob, actor: string): Promise<void>;
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
  /** By queue: these are the queues that exist. */
  readonly owners: ReadonlyMap<string, JobOwner>;
  readonly redactor: Redactor;
}
