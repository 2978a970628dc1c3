import type { Command } from './frame.ts';
import type { Engine, Plan } from './plan.ts';
import type { QueryStatus } from './port.ts';
import type { RawResult } from './reader-process.ts';

/** One query to run on a database. */
export interface Task {
  readonly plan: Plan;
  readonly command: Omit<Command, 'define' | 'forget'>;
  /** In milliseconds, the wait for a reader or a connection included. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
}

/** Runs queries on one database: reader processes over SQLite, connections to PostgreSQL. */
export interface Runner {
  /** Whose SQL its plans are in. */
  readonly engine: Engine;
  /** @throws Fault BAD_PARAMETER, TIMEOUT, UNAVAILABLE, INTERNAL; AbortError */
  run(task: Task): Promise<RawResult>;
  /** Resolves when a query can be run. @throws Fault UNAVAILABLE */
  ready(): Promise<void>;
  status(): QueryStatus;
  /** Refuses new queries, lets those that run end, then ends what ran them. */
  close(): Promise<void>;
}
