import type { Query } from '../model/query.ts';
import { errorText } from '../store/error.ts';
import type { CheckedDatabase, Found, QueryProblem } from './check-columns.ts';
import { castType } from './plan.ts';
import type { QueryDatabase } from './port.ts';

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

/**
 * Says that nothing bounds what queries write to temporary files of a database, and what to do.
 * @param bytes the bound that they should have
 * @returns a sentence or two, without an end; `undefined` where they are bounded, as they always are over SQLite
 * @throws errors of the database that can't be reached
 */
export async function unboundedFiles(
  { location, postgres }: QueryDatabase,
  bytes: number,
): Promise<string | undefined> {
  if (postgres === undefined) return undefined;
  const { findUnbounded } = await import('./postgres/check.ts');
  const role = await findUnbounded(postgres.config, bytes);
  if (role === undefined) return undefined;
  const name = `"${role.replaceAll('"', '""')}"`;
  const limit = `'${Math.ceil(bytes / 1024)}kB'`;
  return `Nothing bounds the temporary files of stored queries on ${location}, because ${role} may not set temp_file_limit. Run as a superuser: ALTER ROLE ${name} SET temp_file_limit = ${limit}`;
}

async function open({ kind, location, postgres }: QueryDatabase): Promise<CheckedDatabase> {
  if (kind === 'sqlite') {
    const { openChecked } = await import('./sqlite/check.ts');
    return openChecked(location);
  }
  if (postgres === undefined) throw new TypeError(`${location} says nothing of how it is reached`);
  const { openChecked } = await import('./postgres/check.ts');
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
