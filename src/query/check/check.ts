import type { Query } from '../../model/query.ts';
import { errorText } from '../../store/error.ts';
import { castType } from '../plan/statement.ts';
import type { QueryDatabase } from '../port.ts';
import type { CheckedDatabase, Found, QueryProblem } from './problem.ts';

/**
 * Prepares every query on a database, without running any, and tells all that is wrong: SQL that is refused or does
 * more than read, prompts of a type that can't be bound, declared columns that the SQL does not return, and columns whose
 * type is not the declared one, where the database says.
 * @throws errors of the database that can't be opened
 */
export async function checkQueries(database: QueryDatabase, queries: Iterable<Query>): Promise<QueryProblem[]> {
  const checked = await open(database);
  try {
    const problems: QueryProblem[] = [];
    for (const query of queries) {
      for (const found of await problemsOf(query, checked, database.kind)) problems.push({ query, ...found });
    }
    return problems;
  } finally {
    await checked.close();
  }
}

async function open({ kind, location, postgres }: QueryDatabase): Promise<CheckedDatabase> {
  if (kind === 'sqlite') {
    const { openChecked } = await import('../sqlite/check.ts');
    return openChecked(location);
  }
  if (postgres === undefined) throw new TypeError(`${location} says nothing of how it is reached`);
  const { openChecked } = await import('../postgres/check.ts');
  return openChecked(postgres.config);
}

async function problemsOf(query: Query, checked: CheckedDatabase, engine: QueryDatabase['kind']): Promise<Found[]> {
  const problems = query.prompts
    .filter((prompt) => castType(prompt, engine) === undefined)
    .map((prompt) => refused(`prompt ${prompt.name} is of type ${prompt.type.kind}, which can't be bound`));
  const composite = query.columns.filter((column) => column.type.kind === 'list' || column.type.kind === 'document');
  for (const column of composite) problems.push({ ...refused(`column ${column.name} is no single value`), column });
  if (composite.length > 0) return problems;
  try {
    problems.push(...(await checked.problemsOf(query)));
  } catch (error) {
    problems.push(refused(errorText(error)));
  }
  return problems;
}

function refused(message: string): Found {
  return { kind: 'refused', message };
}
