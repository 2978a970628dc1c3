import type { Store } from '../port.ts';
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
  /** @returns whether its id was new */
  insert(tx: Db, job: NewJob & { readonly id: string }): Promise<boolean>;
  /**
   * Takes a job out. One that runs and has a key is only marked as cancelled, and keeps the place at the head of its key
   * until {@link clear}, or until its gateway died.
   * @returns whether it waited or ran, and was not marked before
   */
  remove(tx: Db, queue: string, id: string): Promise<boolean>;
  /** Takes jobs that are due, each the first of its key. */
  claim(queue: string, limit: number): Promise<readonly Claim[]>;
  /** Ends jobs. @returns how many of them were still held, and not cancelled */
  finish(tx: Db, claims: readonly Claim[]): Promise<number>;
  /** Lets a job wait, for so many milliseconds. @returns whether it was still held, and not cancelled */
  postpone(tx: Db, claim: Claim, pause: number): Promise<boolean>;
  /** Gives a job back as if it had not been taken. @returns whether it was still held, and not cancelled */
  release(tx: Db, claim: Claim): Promise<boolean>;
  /** Ends a job that was cancelled while it ran, and has stopped; does nothing to any other. */
  clear(tx: Db, claim: Claim): Promise<void>;
  /** Says that this gateway lives. @returns those of the claims that it still holds */
  held(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, 'held' | 'cancelled'>>;
  /** To be called before the first claim. */
  begin(queues: readonly string[], listener: Listener): Promise<void>;
  /** Jobs that wait and that run, by queue. */
  counts(): Promise<readonly Omit<QueueCounts, 'dead'>[]>;
  /** Whether so many jobs of a queue wait that are due, or more: none of them is counted beyond that. */
  isFull(queue: string, most: number): Promise<boolean>;
  /** @param leaving whether jobs still run that are to be taken for lost when the process ends */
  end(leaving: boolean): Promise<void>;
}

/** Told of what goes wrong behind everybody's back: connections that are lost, jobs that become dead letters. */
export type Report = (error: Error, facts: Readonly<Record<string, unknown>>) => void;

/** What all that works at the queues of a gateway shares. */
export interface Shop {
  readonly store: Store;
  readonly engine: QueueEngine;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly report: Report;
}
