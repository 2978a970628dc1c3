import type { WorkContext } from './handler.ts';
import type { Process } from './process.ts';
import type { SqlTransaction } from './sql.ts';
import type { Attachment } from './value.ts';

/** What the code of a process is given beside its parameters. */
export interface ProcessContext extends WorkContext {
  readonly process: Process;
  /** The number of the request. */
  readonly instance: number;
  readonly runControl: string;
  /** From 1; more where an earlier attempt failed. */
  readonly attempt: number;
  /** Says how far it is: from 0 to 100, and in words. Shown with the request. */
  progress(percent: number, text?: string): void;
  /** Adds a line to the request's message log. */
  message(level: 'info' | 'warning' | 'error', text: string): void;
  /** Keeps a file with the request, to be fetched from its ReportURL. Of several the last stays. */
  report(content: Attachment): Promise<void>;
  /**
   * Writes to the gateway's database, and ends the process with success in the same transaction: both happen, or neither,
   * so that its effects there happen once. To be called once at most, at the end.
   */
  complete(work: (transaction: SqlTransaction) => Promise<void>): Promise<void>;
}

/** The code of a process; `generated/handlers.ts` has the typed form of each. */
export interface ProcessHandler {
  /** Does the work. What it throws ends the attempt; a Fault with a status below 500 ends the request without another. */
  run(parameters: never, context: ProcessContext): ProcessOutcome | Promise<ProcessOutcome>;
}

/** Success where nothing is said. */
// biome-ignore lint/suspicious/noConfusingVoidType: code that returns nothing is what most processes are
export type ProcessOutcome = void | 'success' | 'warning';
