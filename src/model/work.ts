import type { WorkContext } from './handler.ts';
import type { Redactor } from './redactor.ts';
import type { User } from './security.ts';

/** In whose name code runs that no request waits for. */
interface OpenWorkFacts {
  /** Undefined where nobody had to say who they are. */
  readonly user: User | undefined;
  readonly requestId: string;
  /** Whose blobs it sees: `process LOCATION_EXTRACT`. */
  readonly scope: string;
  /** What the lines of its log say beside the request's id. */
  readonly named: Readonly<Record<string, unknown>>;
  /** Knows what is secret in what the code works on; undefined where that is nothing beyond what is always secret. */
  readonly redactor?: Redactor | undefined;
  readonly signal: AbortSignal;
}

/** A context that was opened; `done` closes what it left open. */
export interface OpenedWork {
  readonly context: WorkContext;
  done(): void;
}

/** Opens what code of the project can reach. */
export type OpenWork = (facts: OpenWorkFacts) => OpenedWork;

/** One attempt at work that no request waits for, as the audit log keeps it. */
interface DoneWork {
  readonly kind: 'process' | 'query' | 'event';
  /** Of the process, the query, or the class and its component: `Audit of CUSTOMER`. */
  readonly name: string;
  /** The request's instance number, or the id of the run or the save. */
  readonly id: string | number;
  /** In whose name; undefined where nobody had to say. */
  readonly user: string | undefined;
  readonly attempt: number;
  readonly ms: number;
  /** What ended it, where it did not succeed. */
  readonly error?: unknown;
}

/** Keeps account of an attempt that has ended. */
export type Account = (work: DoneWork) => void;

/** Begins the account of an attempt. What it returns is called once it has ended, with what ended it where that is an error. */
export function beginAccount(
  account: Account | undefined,
  work: Omit<DoneWork, 'ms' | 'error'>,
): (error?: unknown) => void {
  const since = performance.now();
  return (error) => account?.({ ...work, ms: performance.now() - since, error });
}
