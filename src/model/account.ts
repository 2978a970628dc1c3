/** One attempt at work that no request waits for, as the audit log keeps it. */
export interface DoneWork {
  readonly kind: 'process' | 'query';
  /** Of the process or the query. */
  readonly name: string;
  /** The request's instance number, or the run's id. */
  readonly id: string | number;
  /** In whose name. */
  readonly user: string;
  readonly attempt: number;
  readonly ms: number;
  /** What ended it, where it did not succeed. */
  readonly error?: unknown;
}

/** Keeps account of an attempt that has ended. */
export type Account = (work: DoneWork) => void;
