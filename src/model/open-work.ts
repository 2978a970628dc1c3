import type { WorkContext } from './handler.ts';
import type { Redaction } from './mask.ts';
import type { User } from './security.ts';

/** In whose name code runs that no request waits for. */
export interface OpenWorkFacts {
  /** Undefined where nobody had to say who they are. */
  readonly user: User | undefined;
  readonly requestId: string;
  /** Whose blobs it sees: `process LOCATION_EXTRACT`. */
  readonly scope: string;
  /** What the lines of its log say beside the request's id. */
  readonly named: Readonly<Record<string, unknown>>;
  /** Takes what is secret out of what code says in the log; undefined where nothing is secret. */
  readonly redact: Redaction | undefined;
  readonly signal: AbortSignal;
}

/** A context that was opened; `done` closes what it left open. */
export interface OpenedWork {
  readonly context: WorkContext;
  done(): void;
}

/** Opens what code of the project can reach. */
export type OpenWork = (facts: OpenWorkFacts) => OpenedWork;
