import type { Query } from '../model/query.ts';
import { primitiveOf } from '../model/scalar.ts';
import { errorText } from '../store/error.ts';
import type { CheckedDatabase, Found, QueryProblem } from './check-columns.ts';
import type { QueryDatabase } from './engine.ts';
import { castType, type Dialect, planOf } from './plan.ts';

/**
 * Prepares every query on a database, without running any, and reports all problems: SQL that is rejected or does more than
 * read, prompts whose type can't be bound, declared columns that the SQL does not return, and columns whose type, if the
 * database knows it, differs from the declared one.
 * @throws the database's error if it can't be opened
 */
export async function checkQueries(database: QueryDatabase, queries: Iterable<Query>): Promise<QueryProblem[]> {
  const checked = await database.check();
  try {
    const problems: QueryProblem[] = [];
    const wrong = new Set<string>();
    for (const query of queries) {
      // Pages of a query that is wrong itself would repeat its problems; places in their SQL are not in the declared one.
      const isPage = query.page !== undefined;
      if (isPage && wrong.has(query.id)) continue;
      for (const { offset, ...found } of await problemsOf(query, checked, database.dialect)) {
        problems.push({ query, ...found, ...(isPage || offset === undefined ? {} : { offset }) });
        wrong.add(query.id);
      }
    }
    return problems;
  } finally {
    await checked.close();
  }
}

/**
 * Warns if a database does not limit the temporary files of queries, with the remedy.
 * @param bytes the limit that should apply
 * @returns one or two sentences, without a final full stop; `undefined` if a limit applies, as always with SQLite
 * @throws the database's error if it can't be reached
 */
export async function unboundedFiles(database: QueryDatabase, bytes: number): Promise<string | undefined> {
  const reason = await database.findUnbounded(bytes);
  if (reason === undefined) return undefined;
  return `Nothing bounds the temporary files of stored queries on ${database.location}, ${reason}`;
}

async function problemsOf(query: Query, checked: CheckedDatabase, dialect: Dialect): Promise<Found[]> {
  const problems = query.prompts
    .filter((prompt) => castType(prompt, dialect.engine) === undefined)
    .map((prompt) => refused(`prompt ${prompt.name} is of type ${prompt.type.kind}, which can't be bound`));
  const composite = query.columns.filter((column) => primitiveOf(column.type) === undefined);
  for (const column of composite) problems.push({ ...refused(`column ${column.name} is no single value`), column });
  if (composite.length > 0) return problems;
  const { operator } = query.statement;
  if (operator !== undefined && dialect.engine !== 'postgres') {
    const message = '`??` is the operator ? of PostgreSQL, which this database does not have';
    return [...problems, { ...refused(message), offset: operator }];
  }
  try {
    problems.push(...(await checked.problemsOf(query, planOf(query, 0, dialect))));
  } catch (error) {
    problems.push(refused(errorText(error)));
  }
  return problems;
}

function refused(message: string): Found {
  return { kind: 'refused', message };
}
