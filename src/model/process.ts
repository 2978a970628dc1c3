import type { Position } from './definition.ts';
import type { Field } from './field.ts';
import type { Query } from './query.ts';
import type { Retry } from './retry.ts';
import type { PermissionList } from './security.ts';

/** A program that the process scheduler runs on request (field notes 2). */
export interface Process {
  readonly id: string;
  readonly description?: string;
  /** Chosen by the project: `Application Engine`, `SQR Report`. */
  readonly type: string;
  /** Parameters of a request; single values. */
  readonly parameters: readonly Field[];
  readonly answer: /** Code of the project: `<handlers>/<file>.ts`. */
    | { readonly kind: 'handler'; readonly file: string }
    /** A stored query, written to a file. Its prompts are the parameters. */
    | { readonly kind: 'query'; readonly query: Query };
  /** {@link PROCESS_RETRY} by default. */
  readonly retry?: Retry;
  /** In milliseconds for one attempt; no limit by default. */
  readonly timeout?: number;
  /** When the scheduler runs it without a request, for the user {@link runAs}. */
  readonly recurs?: Recurrence;
  readonly runAs?: string;
  readonly permissions: readonly PermissionList[];
  /** Where each list is granted; absent for definitions that are in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly public: boolean;
  readonly at: Position;
}

/** A recurring schedule. */
export interface Recurrence {
  readonly id: string;
  readonly description?: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** IANA time zone; the gateway's by default. */
  readonly zone: string;
  readonly at: Position;
}
