import type { Query } from '../../model/query.ts';
import type { JsonValue } from '../../model/value.ts';

/** What became of a query that a user wanted kept. */
export type SaveOutcome =
  /** `replaced`: there was one of the same name. */
  | { readonly query: Query; readonly replaced: boolean }
  /** Sentences without an end, all that is wrong. */
  | { readonly problems: readonly string[] };

/** Private queries: those that users have saved, each its owner's alone. */
export interface SavedQueries {
  /**
   * The query of that name that belongs to the user, linked and ready to be run; the same object as long as it stays as it is.
   * @throws Fault CONFLICT where it was saved by another version of the gateway, and is acceptable no longer
   */
  find(owner: string, name: string): Promise<Query | undefined>;
  /** All of a user's that are acceptable, in the order of their names. */
  list(owner: string): Promise<readonly Query[]>;
  /** Checks a definition as those in YAML are, and on the database, and keeps it in place of one of the same name. */
  save(owner: string, definition: JsonValue): Promise<SaveOutcome>;
  /** Whether there was one. */
  delete(owner: string, name: string): Promise<boolean>;
}
