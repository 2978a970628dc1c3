import type { Db } from '../tables.ts';
import type { JobData, NewJob, QueueCounts } from './port.ts';

/** A job that a worker of this gateway has taken. */
export interface Claim {
  readonly id: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly data: JobData;
  /** From 1. */
  readonly attempt: number;
  /** The engine's own: with the id it tells this taking of the job from any other. */
  readonly mark: number;
}

/** Who waits for work. */
export interface Listener {
  /** Something may be there to take: in one queue, or in any. */
  wake(queue?: string): void;
  /** What goes wrong behind everybody's back. */
  report(error: Error): void;
}

/**
 * What a database does for the queue. All that it tells of a claim it tells by what the database says at that moment: a
 * claim that was lost changes nothing any more.
 */
export interface QueueEngine {
  /** Milliseconds between two looks at a queue that nobody says anything of. */
  readonly poll: number;
  /** Milliseconds after which others may take what this gateway holds, where it said nothing; undefined where they never do. */
  readonly lease: number | undefined;
  /** @returns whether there was none with that id */
  insert(tx: Db, job: NewJob & { readonly id: string }): Promise<boolean>;
  /** @returns whether it waited or ran */
  remove(tx: Db, queue: string, id: string): Promise<boolean>;
  /** Takes jobs that are due, each the first of its key. */
  claim(queue: string, limit: number): Promise<readonly Claim[]>;
  /** Ends jobs. @returns how many of them were still held */
  finish(tx: Db, claims: readonly Claim[]): Promise<number>;
  /** Lets a job wait until then. @returns whether it was still held */
  postpone(tx: Db, claim: Claim, until: Date): Promise<boolean>;
  /** Gives a job back as if it had not been taken. */
  release(tx: Db, claim: Claim): Promise<void>;
  /** Says that this gateway lives. @returns those of the claims that it still holds */
  held(claims: readonly Claim[]): Promise<ReadonlySet<Claim>>;
  /** To be called before the first claim. */
  begin(queues: readonly string[], listener: Listener): Promise<void>;
  /** Jobs that wait and that run, by queue. */
  counts(): Promise<readonly Omit<QueueCounts, 'dead'>[]>;
  /** @param leaving whether jobs still run that are to be taken for lost when the process ends */
  end(leaving: boolean): Promise<void>;
}
