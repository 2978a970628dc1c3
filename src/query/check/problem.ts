import type { Field } from '../../model/field.ts';
import type { Query } from '../../model/query.ts';

/** What the database says against a query. */
export interface QueryProblem {
  readonly query: Query;
  /** What kind of mistake it is. */
  readonly kind: 'refused' | 'missing-column' | 'column-type' | 'narrow-column';
  /** A sentence without an end; the database's own words for what it refuses. Meant for the author, never for a caller. */
  readonly message: string;
  /** The column that it is about. */
  readonly column?: Field;
  /** Where in the query's SQL, as it is declared, it stands. */
  readonly offset?: number;
}

/** A problem before it is known whose it is. */
export type Found = Omit<QueryProblem, 'query'>;

/** A database that queries are prepared on. */
export interface CheckedDatabase {
  /** What is wrong with a query's SQL and its columns; its prompts can be bound. */
  problemsOf(query: Query): Found[] | Promise<Found[]>;
  close(): void | Promise<void>;
}
