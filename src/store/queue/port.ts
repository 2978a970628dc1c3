import type { Db } from '../tables.ts';

/** Data of a job: JSON. */
export type JobData = Readonly<Record<string, unknown>>;

/** A job to enter. */
export interface NewJob {
  readonly queue: string;
  readonly data: JobData;
  /** A UUID of the caller's own; a fresh one where it is left out. */
  readonly id?: string;
  /**
   * Not empty. Jobs of a queue with the same key run one after the other, in the order in which they were entered. One that
   * is tried again holds back those behind it; one that is not due yet takes its place, the last, when it is.
   */
  readonly key?: string;
  /** Not before then, by the clock of the database, which is the machine's own on SQLite. */
  readonly after?: Date;
}

/** How often a job is tried again, and what it waits between. Pauses in milliseconds, doubled each time, with jitter. */
export interface RetryRule {
  /** Attempts after the first. An attempt that ended with its process counts. */
  readonly attempts: number;
  readonly first: number;
  readonly longest: number;
}

/** A job that a worker has. */
export interface Job {
  readonly id: string;
  readonly queue: string;
  readonly data: JobData;
  readonly key?: string;
  /** From 1. */
  readonly attempt: number;
  /** Aborts where the job is cancelled or lost (`JobLost`), and where the queue stops hard. */
  readonly signal: AbortSignal;
  /**
   * Ends the job in the transaction of the work that it stands for: both happen, or neither. To be called once at most; a
   * worker that returns without it ends its job by that.
   * @throws JobLost where the job is no longer this worker's; what `work` throws. Nothing of the work is kept then
   */
  complete<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  /** Whether it was ended by {@link complete}. */
  readonly completed: boolean;
}

/** What works at a queue. */
export interface Worker {
  /** Jobs at the same time, in this gateway. */
  readonly concurrency: number;
  readonly retry: RetryRule | ((job: Pick<Job, 'data'>) => RetryRule);
  /** Does a job. What it throws ends the attempt; a {@link JobRefused} ends the job, a {@link JobNotBegun} gives it back. */
  run(job: Job): Promise<void>;
  /** An attempt failed, and another follows at `next`: in the transaction that says so. */
  onRetry?(tx: Db, job: FailedJob, error: Error, next: Date): Promise<void>;
  /** The job failed for good, and becomes a dead letter: in the transaction that says so. */
  onDead?(tx: Db, job: FailedJob, error: Error): Promise<void>;
}

export type FailedJob = Pick<Job, 'id' | 'queue' | 'data' | 'attempt' | 'key'>;

/** The job is no longer this worker's: its process was taken for dead, or the job was cancelled. */
export class JobLost extends Error {
  override readonly name = 'JobLost';
}

/** Thrown by a worker: the job has failed, and trying again would not help. */
export class JobRefused extends Error {
  override readonly name = 'JobRefused';
}

/** Thrown by a worker: what the job needs can't be had now, and nothing of it was begun. It is tried again, whatever the rule says. */
export class JobNotBegun extends Error {
  override readonly name = 'JobNotBegun';
}

/** The attempt ended with its process. */
export class WorkerDied extends Error {
  override readonly name = 'WorkerDied';
}

/** A job that failed for good. */
export interface DeadLetter {
  readonly id: string;
  readonly queue: string;
  readonly data: JobData;
  readonly attempts: number;
  /** What the last attempt said. */
  readonly error: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly died: string;
}

/** Something that is entered again and again. */
export interface Recurring {
  /** Its name: one such thing in the database, whatever number of gateways says it. */
  readonly name: string;
  readonly cron: string;
  /** IANA time zone. */
  readonly zone: string;
  /**
   * Called at each of its times in the transaction that notes it, in one gateway. Times that passed while no gateway ran,
   * or that a clock jumped over, are one.
   */
  due(tx: Db, at: Date): Promise<void>;
}

/** How much there is of what. */
export interface QueueCounts {
  readonly queue: string;
  readonly waiting: number;
  readonly running: number;
  readonly dead: number;
}

/**
 * Work that outlives its gateway. A job runs at least once, by one worker at a time; what its worker does in
 * {@link Job.complete} happens once. A job whose gateway dies is taken up again by another, or by the next.
 */
export interface JobQueue {
  /** Enters a job as part of a transaction: it is there if that commits. Returns its id. */
  send(tx: Db, job: NewJob): Promise<string>;
  /**
   * Takes a job out: one that waits never runs, the signal of one that runs aborts within a second, in whichever gateway,
   * and nothing that it completes is kept any more. What it holds back by its key begins when it has stopped.
   * @returns whether it waited or ran, and was not taken out before
   */
  cancel(tx: Db, queue: string, id: string): Promise<boolean>;
  /** To be called before {@link start}. */
  work(queue: string, worker: Worker): void;
  /** To be called before {@link start}. */
  recur(recurring: Recurring): void;
  /** Begins to take work. */
  start(): Promise<void>;
  /** Wakes the workers of a queue of this gateway: something was entered and committed. */
  wake(queue: string): void;
  counts(): Promise<readonly QueueCounts[]>;
  /** Whether so many jobs of a queue wait that are due, or more: none of them is counted beyond that. */
  isFull(queue: string, most: number): Promise<boolean>;
  /** The newest first. */
  deadLetters(options?: { readonly queue?: string; readonly limit?: number }): Promise<readonly DeadLetter[]>;
  /** Enters a dead letter again, as a new job with the same id, all attempts before it. */
  redrive(queue: string, id: string): Promise<boolean>;
  /**
   * Takes no more work, and lets what runs end for at most `timeoutMs`; what does not is aborted and taken up again later,
   * without an attempt less.
   */
  close(options?: { readonly timeoutMs?: number }): Promise<void>;
}
