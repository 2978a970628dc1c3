import type { Position } from './definition.ts';
import type { Field } from './field.ts';
import type { Query } from './query.ts';
import type { PermissionList } from './security.ts';

/** A program that the process scheduler runs on request (field notes 2). */
export interface Process {
  readonly id: string;
  readonly description?: string;
  /** `Application Engine`, `SQR Report`, ...: a word of the project's own choice. */
  readonly type: string;
  /** What a request gives, by name; single values. */
  readonly parameters: readonly Field[];
  readonly answer: /** Code of the project: `<handlers>/<file>.ts`. */
    | { readonly kind: 'handler'; readonly file: string }
    /** A stored query run to a file; its prompts are the parameters. */
    | { readonly kind: 'query'; readonly query: Query };
  readonly retry: ProcessRetry;
  /** In milliseconds, of one attempt; none where undefined. */
  readonly timeout?: number;
  /** Without a request the scheduler runs it so, in the name of {@link runAs}. */
  readonly recurs?: Recurrence;
  /** The user in whose name it recurs. */
  readonly runAs?: string;
  readonly permissions: readonly PermissionList[];
  /** Where each of them is named; undefined for what is in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly public: boolean;
  readonly at: Position;
}

/** Attempts after the first. Pauses in milliseconds, doubled each time. */
export interface ProcessRetry {
  /** 0 for none. */
  readonly attempts: number;
  readonly first: number;
  readonly longest: number;
}

/** When something is run again and again. */
export interface Recurrence {
  readonly id: string;
  readonly description?: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** IANA time zone; the gateway's where it is not said. */
  readonly zone: string;
  readonly at: Position;
}
