import type { PoolStatus } from '../../model/metrics.ts';
import type { Attributes, Cause, Tracer } from '../../trace/trace.ts';
import type { Store } from '../store-port.ts';
import type { JobData } from '../tables/queue.ts';
import type { Db } from '../tables.ts';
import type { JobOrKey, NewJob, QueueDepth } from './queue-port.ts';

/** A job that a worker of this gateway holds. */
export interface Claim {
  readonly id: string;
  readonly queue: string;
  readonly key: string | undefined;
  readonly kind: string | undefined;
  readonly data: JobData;
  readonly cause: Cause | undefined;
  /** From 1. */
  readonly attempt: number;
  /** Chosen by the engine: with the id, it distinguishes this attempt from all others. */
  readonly mark: number;
  /** Milliseconds since its first attempt began; 0 for the first. */
  readonly elapsed: number;
  /** Milliseconds since a gateway found its kind unknown; `undefined` when none did since its last attempt. */
  readonly unknownFor: number | undefined;
  /** Whether the gateway of the attempt before this one died. */
  readonly died: boolean;
  /** When the job was entered, in milliseconds since 1970; null when that was not recorded. */
  readonly entered: number | null;
  /** When the attempt began, in milliseconds since 1970 by the clock of the queue. */
  readonly started: number;
  /** Whether attempts that failed before are recorded. */
  readonly recorded: boolean;
}

/** The workers, as an engine sees them. */
export interface Listener {
  /** There may be jobs to take: in one queue, or in any when absent. */
  wake(queue?: string): void;
  /** Reports an error that no caller waits for. */
  report(error: Error): void;
}

/** How a job that is unknown is left to other gateways. */
export interface Leaving {
  /** Milliseconds for which it waits; it may be taken at once when absent. */
  readonly pause?: number;
  /**
   * Jobs of its key that may be known here go first: it and, without a pause, those of its kind join the key again as the last
   * when they are taken.
   */
  readonly aside?: boolean;
}

/** How the next job of a key is taken when the first ends. */
export interface Succession {
  /** Whether the job behind this one is taken. */
  follows(claim: Claim): boolean;
  /** The kinds of jobs that are not taken. */
  readonly but: readonly string[];
  /** The name of this gateway. */
  readonly gateway: string;
}

/** The result of ending jobs. */
export interface Finished {
  /** How many of them were still held, and not cancelled. */
  readonly ended: number;
  /** The jobs that were taken, once the transaction commits. */
  readonly next: readonly Claim[];
}

/** A new job, with its id. */
export type EnteredJob = NewJob & { readonly id: string };

/** The queue of a database. Every function that takes a claim checks it in the database: a claim that was lost changes nothing. */
export interface QueueEngine {
  /** Milliseconds between two looks at a queue without any notification, at most. */
  readonly poll: number;
  /** Milliseconds without a sign of life after which others may take the jobs of this gateway; `undefined` when they never do. */
  readonly lease: number | undefined;
  /**
   * Enters jobs.
   * @returns the ids that were new; when they are fewer than the jobs, and these were several, the transaction must be rolled back
   */
  insert(tx: Db, jobs: readonly EnteredJob[]): Promise<readonly string[]>;
  /**
   * Cancels a job. One that runs and has a key is only marked, and stays the first of its key until {@link clear}, or until its
   * gateway dies.
   * @param options `unlessRunning` leaves a job alone that runs
   * @returns whether it waited or ran, and was not marked before
   */
  remove(tx: Db, queue: string, id: string, options?: { readonly unlessRunning?: true }): Promise<boolean>;
  /** Puts a job in the place of one that does not run, as if it had been entered there. @returns whether it did */
  replace(tx: Db, id: string, job: EnteredJob): Promise<boolean>;
  /** Makes a job due now that waits for a later time. @returns whether it did */
  hasten(tx: Db, queue: string, id: string): Promise<boolean>;
  /**
   * Takes jobs that are due, each the first of its key, but none of certain kinds.
   * @param gateway the name of this gateway, kept with the jobs
   */
  claim(queue: string, limit: number, but: readonly string[], gateway: string): Promise<readonly Claim[]>;
  /**
   * Ends jobs.
   * @param onward takes the next jobs of keys in the same transaction, as {@link claim} would; ignored where taking costs little
   */
  finish(tx: Db, claims: readonly Claim[], onward?: Succession): Promise<Finished>;
  /** Lets a job wait, for so many milliseconds. @returns whether it was still held, and not cancelled */
  postpone(tx: Db, claim: Claim, pause: number): Promise<boolean>;
  /** The same, with all attempts again. The pause ends by the clock, also where that is set back. */
  park(tx: Db, claim: Claim, pause: number): Promise<boolean>;
  /**
   * Holds a job that failed for good; if it has a key, as the first of it.
   * @param attempts those that it had @returns whether it was still held by this gateway, and not cancelled
   */
  keep(tx: Db, claim: Claim, attempts: number): Promise<boolean>;
  /** Holds a job that does not run, or the first such job of a key. @returns the number of jobs that are held by this */
  hold(tx: Db, queue: string, which: JobOrKey): Promise<number>;
  /** Lets held jobs run as if they had not been attempted. @returns their number */
  unhold(tx: Db, queue: string, which: JobOrKey): Promise<number>;
  /** Gives a job back as if it had not begun. @returns whether it was still held, and not cancelled */
  release(tx: Db, claim: Claim): Promise<boolean>;
  /** The same for a job that is unknown to this gateway, which is recorded with the time when the first found it so. */
  leave(tx: Db, claim: Claim, how?: Leaving): Promise<boolean>;
  /**
   * Lets the other gateways know the kinds of jobs that this one can run, as long as it is alive. Absent, as is {@link isKnown},
   * where a gateway is alone.
   * @param within the longest time that gateways ask {@link isKnown} about, in milliseconds
   */
  announce?(kinds: readonly string[], within: number): Promise<void>;
  /** Whether a gateway was alive in the last `within` milliseconds that has the kind of a job and has not left it as unknown. */
  isKnown?(claim: Claim, within: number): Promise<boolean>;
  /** Ends a job that was cancelled while it ran and has stopped; ignores any other. */
  clear(tx: Db, claim: Claim): Promise<void>;
  /** Signals that this gateway is alive. @returns those of the claims that it still holds */
  held(claims: readonly Claim[]): Promise<ReadonlyMap<Claim, 'held' | 'cancelled'>>;
  /** Call it before the first claim. */
  begin(queues: readonly string[], listener: Listener): Promise<void>;
  /** The depth of each queue with a job, without its dead letters. */
  depths(): Promise<readonly Omit<QueueDepth, 'dead'>[]>;
  /** Its connections; `undefined` when it has none of its own. */
  pool?(): PoolStatus | undefined;
  /** Whether at least `most` jobs of a queue wait that are due. */
  isFull(queue: string, most: number, tx?: Db): Promise<boolean>;
  /** @param leaving whether jobs still run, which are lost when the process ends */
  end(leaving: boolean): Promise<void>;
}

/** Receives errors that no caller waits for: lost connections, jobs that become dead letters. */
export type Report = (error: Error, facts: Readonly<Record<string, unknown>>) => void;

/** What decides whether jobs are taken from a queue, and counts those that are done. */
export interface Pace {
  isPaused(queue: string): boolean;
  /** A job of the queue has succeeded. */
  done(queue: string): void;
}

/** What the parts of a gateway's queue share. */
export interface QueueContext {
  readonly store: Store;
  readonly engine: QueueEngine;
  /** The name of this gateway. */
  readonly gateway: string;
  readonly pace: Pace;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** {@link QueueOptions.unknown} */
  readonly unknown: number;
  readonly report: Report;
  /** Records the spans of jobs; `undefined` when nothing is exported. */
  readonly tracer?: Tracer | undefined;
}

/** Attributes of the spans of a job. */
export function messageOf(queue: string, id: string): Attributes {
  return {
    'messaging.system': 'signalbox',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
  };
}
