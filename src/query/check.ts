import type { Query } from '../model/query.ts';
import { errorText } from '../store/error.ts';
import type { Store } from '../store/index.ts';
import { castType, planOf } from './plan.ts';
import { findColumns } from './result-columns.ts';
import { openReadOnly, prepareSelect } from './statement.ts';

/** What the database says against a query. */
export interface QueryProblem {
  readonly query: Query;
  /** A sentence without an end; SQLite's own words for what it refuses. Meant for the author, never for a caller. */
  readonly message: string;
}

/**
 * Prepares every query on the database, without running any, and tells all that is wrong: SQL that is refused or does
 * more than read, prompts of a type that can't be bound, declared columns that the SQL does not return.
 * @throws SqliteError where the database can't be opened
 */
export function checkQueries(store: Store, queries: Iterable<Query>): QueryProblem[] {
  const database = openReadOnly(store.location);
  try {
    return [...queries].flatMap((query) => problemsOf(query, database).map((message) => ({ query, message })));
  } finally {
    database.close();
  }
}

function problemsOf(query: Query, database: ReturnType<typeof openReadOnly>): string[] {
  const problems = query.prompts
    .filter((prompt) => castType(prompt) === undefined)
    .map((prompt) => `prompt ${prompt.name} is of type ${prompt.type.kind}, which can't be bound`);
  const composite = query.columns.filter((column) => column.type.kind === 'list' || column.type.kind === 'document');
  for (const column of composite) problems.push(`column ${column.name} is no single value`);
  if (composite.length > 0) return problems;
  try {
    const plan = planOf(query, 0);
    const names = prepareSelect(database, plan.sql)
      .columns()
      .map((column) => column.name);
    problems.push(...findColumns(plan.columns, names).problems);
  } catch (error) {
    problems.push(errorText(error));
  }
  return problems;
}
