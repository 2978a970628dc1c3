import type { PoolStatus } from '../../model/metrics.ts';
import type { Cause } from '../../trace/trace.ts';
import type { JobData } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import type { ControlOptions, QueueControl } from './operator.ts';

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
  /** For how long the system that failed asks not to be called; `undefined` when it does not. */
  readonly asked?: (error: Error) => number | undefined;
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
  /**
   * Lets the job wait in the transaction of its own writes, for the milliseconds that `work` returns, and gives it all its attempts
   * again. Until then no worker holds it, and those behind it in its key wait. Call it instead of {@link complete}.
   * @throws JobLost as {@link complete}; what `work` throws. Both roll the work back
   */
  park(work: (tx: Db) => Promise<number>): Promise<void>;
  /** Whether {@link complete} has ended it, or {@link park} lets it wait. */
  readonly completed: boolean;
}

/** The code that runs the jobs of a queue. */
export interface Worker {
  /** Jobs that run at the same time in this gateway. */
  readonly concurrency: number;
  /** How many of them may run now; asked before each look for jobs. With 0 none begins. `concurrency` when absent. */
  readonly room?: () => number;
  /** `undefined` for a job whose definition this gateway lacks. */
  readonly retry: RetryRule | ((job: Pick<Job, 'data'>) => RetryRule | undefined);
  /**
   * The kinds of jobs that this gateway can run. As long as one that has a kind is alive, its jobs wait for it, however long
   * that takes, and are not dead as unknown.
   */
  readonly kinds?: () => Iterable<string>;
  /** Other names under which its queue is paused too, besides its own. */
  readonly pausedAs?: readonly string[];
  /** The order of the jobs of a key has no meaning: one that is unknown here lets the others of its key go first. */
  readonly isUnordered?: true;
  /**
   * A job with a key that fails for good is held instead of becoming a dead letter: it stays the first of its key, and those
   * behind it wait until it is released or removed.
   */
  readonly holds?: true;
  /** It reports its failed attempts, with what it knows of them, in the functions below: the queue does not report them too. */
  readonly reports?: true;
  /**
   * Runs a job. An error ends the attempt; a {@link JobRefused} ends the job, a {@link JobNotBegun} or {@link JobWaits}
   * gives it back, a {@link JobUnknown} leaves it to other gateways.
   */
  run(job: Job): Promise<void>;
  /** Called when an attempt failed and another follows at `next`, in the transaction that records it. */
  onRetry?(tx: Db, job: FailedJob, error: Error, next: Date): Promise<void>;
  /** Called when the job failed for good, in the transaction that makes it a dead letter. */
  onDead?(tx: Db, job: FailedJob, error: Error): Promise<void>;
  /** Called when a job failed for good and is {@link holds held}, in the transaction that holds it. */
  onHeld?(tx: Db, job: FailedJob, error: Error): Promise<void>;
}

/** One job, or the jobs of a key. */
export type JobOrKey = { readonly id: string } | { readonly key: string };

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
 * Thrown by a worker: the system that the job needs is down. The job is given back and the attempt does not count; `room` of the
 * worker decides when jobs begin again.
 */
export class JobWaits extends Error {
  override readonly name = 'JobWaits';
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
  /** Not to begin until they are released. */
  readonly held: number;
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
   * Enters any number of jobs, of one or several queues, with one or two statements. Jobs of a key keep their order. The keys are
   * locked in one order, so that transactions that enter jobs of several keys with one call do not block each other for good.
   * @returns their ids, in the same order
   * @throws Error when a queue has a job with one of the ids; the transaction must then be rolled back
   */
  sendMany(tx: Db, jobs: readonly NewJob[]): Promise<readonly string[]>;
  /**
   * Cancels a job. A job that waits never runs. The signal of one that runs aborts within a second, in any gateway, and
   * {@link Job.complete} is refused to it; the next job of its key begins when it has stopped. A dead letter is removed.
   * @returns whether it waited or ran, and was not cancelled before
   */
  cancel(tx: Db, queue: string, id: string): Promise<boolean>;
  /**
   * Lets a job wait until it is released, unless it runs; or of a key the first job that does not run, and so all behind it.
   * A key without such a job can't be held.
   * @param actor the name that the action has in the trail; without it, it has no line there
   * @returns the number of jobs that are held by this: 0 or 1
   */
  hold(tx: Db, queue: string, which: JobOrKey, actor?: string): Promise<number>;
  /**
   * Lets a held job, or the held jobs of a key, run again, with all attempts. Those that an operator has held too.
   * @param actor as for {@link hold}
   * @returns their number
   */
  release(tx: Db, queue: string, which: JobOrKey, actor?: string): Promise<number>;
  /**
   * Puts a job in the place of one of the same queue and key that waits, is delayed or held. It may run at once, with all attempts.
   * @returns whether the other was there and did not run; otherwise nothing has changed
   */
  replace(tx: Db, id: string, job: NewJob & { readonly id: string }): Promise<boolean>;
  /** Makes a job due now that waits for a later time, and wakes its workers with the commit. @returns whether it did */
  hasten(tx: Db, queue: string, id: string): Promise<boolean>;
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
