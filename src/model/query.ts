import type { Field } from './field.ts';
import type { Position } from './position.ts';
import type { PermissionList } from './security.ts';

/** Named SQL with typed columns and prompts. */
export interface Query {
  readonly id: string;
  readonly description?: string;
  /** As declared: `:PROMPT` names, found by the loader's scan (never inside literals or comments). */
  readonly sql: string;
  /** The statement cut at its prompts: `texts[0] prompts[0] texts[1] ... texts[n]`; each engine writes its own placeholder between. */
  readonly statement: { readonly texts: readonly string[]; readonly prompts: readonly Field[] };
  readonly prompts: readonly Field[];
  /** Found in the result by name without case, never by position. */
  readonly columns: readonly Field[];
  /** Row cap; the gateway's `limits.rows` where undefined. */
  readonly rows?: number;
  /** In milliseconds; the gateway's `limits.timeout` where undefined. */
  readonly timeout?: number;
  readonly permissions: readonly PermissionList[];
  readonly public: boolean;
  readonly at: Position;
}
