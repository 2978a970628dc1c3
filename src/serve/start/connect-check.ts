import { createRedactor } from '../../codec/redact/redactor.ts';
import { checkComponents } from '../../event/index.ts';
import { byPlace, type Diagnostic, databaseDiagnostic, type Place } from '../../load/index.ts';
import { secretsOf } from '../../load/value/config.ts';
import type { Position } from '../../model/definition.ts';
import type { Query } from '../../model/query.ts';
import type { Registry } from '../../model/registry.ts';
import { checkQueries, type QueryDatabase, type QueryProblem, reachDatabase } from '../../query/index.ts';
import { usersInBoth } from '../../security/directory/from-database.ts';
import { openToRead, pendingMigrations, type StoreOptions } from '../../store/index.ts';
import { messageOf } from '../../wire/error.ts';
import { queriesOf, reachDatasource, usedDatasources } from './data.ts';
import { type Environment, resolveSetting } from './settings.ts';

/** Where the databases of a project are. */
export interface ConnectOptions {
  /** The project's folder. */
  readonly root: string;
  readonly env: Environment;
}

/**
 * Prepares every stored query on its database, without running any, holds every component against its table, and tells
 * all that the databases say: those that can't be read, and of each query the SQL and the columns that do not fit; in the
 * order of files and positions. Nothing is changed.
 */
export async function checkConnected(registry: Registry, options: ConnectOptions): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  const attempt = async (what: string, at: Position, work: () => Promise<Diagnostic[]>): Promise<void> => {
    try {
      found.push(...(await work()));
    } catch (error) {
      const reason = messageOf(error).replace(/\.$/, '');
      found.push(databaseDiagnostic('database-unreachable', { what, reason }, at));
    }
  };
  await attempt('The database', registry.gateway.at, () => checkOwn(registry, options));
  for (const datasource of usedDatasources(registry)) {
    await attempt(`The datasource ${datasource.id}`, datasource.at, async () =>
      check(await reachDatasource(datasource, options), queriesOf(registry, datasource)),
    );
  }
  // Addresses may hold what configuration keeps to itself, and databases repeat them.
  const redactor = createRedactor(() => secretsOf(options.env));
  return found.sort(byPlace).map((each) => ({ ...each, message: redactor.text(each.message) }));
}

async function checkOwn(registry: Registry, { root, env }: ConnectOptions): Promise<Diagnostic[]> {
  const { gateway } = registry;
  const url = resolveSetting(gateway.database.url, env);
  const database = await reachDatabase(url, root);
  const access = { url, root, engine: gateway.database.engine };
  const pending = await pendingMigrations(access);
  if (pending.length > 0) {
    const { location } = database;
    return [databaseDiagnostic('database-outdated', { location, steps: pending.length }, gateway.at)];
  }
  return [...(await check(database, queriesOf(registry, undefined))), ...(await checkTables(access, registry))];
}

async function check(database: QueryDatabase, queries: readonly Query[]): Promise<Diagnostic[]> {
  return (await checkQueries(database, queries)).map(diagnosticOf);
}

/** What the gateway's own tables say against components and users. */
async function checkTables(access: StoreOptions, { components, users }: Registry): Promise<Diagnostic[]> {
  if (components.size === 0 && users.size === 0) return [];
  const store = await openToRead(access);
  try {
    const ofComponents = (await checkComponents(store, components.values())).map(({ component, message: reason }) =>
      databaseDiagnostic('component-table', { component: component.id, reason }, component.at),
    );
    const ofUsers = (await usersInBoth(await store.tables(), users)).map(({ id, at }) =>
      databaseDiagnostic('user-in-both', { user: id }, at),
    );
    return [...ofComponents, ...ofUsers];
  } finally {
    await store.close();
  }
}

const CODES = {
  refused: 'query-refused',
  'missing-column': 'column-missing',
  'column-type': 'column-type',
  'narrow-column': 'column-narrow',
} as const;

function diagnosticOf(problem: QueryProblem): Diagnostic {
  const { query, kind, message } = problem;
  return databaseDiagnostic(CODES[kind], { query: query.id, reason: message }, placeOfProblem(problem));
}

/** The column, or where it stands in the SQL: lines of a literal block follow each other as those of the SQL do. */
function placeOfProblem({ query, column, offset }: QueryProblem): Place {
  if (column !== undefined) return column.at;
  const { at, sqlAt = at } = query;
  if (offset === undefined) return sqlAt;
  const lines = query.sql.slice(0, offset).split('\n');
  const word = /^[\w$.]+/.exec(query.sql.slice(offset))?.[0].length ?? 1;
  return {
    file: sqlAt.file,
    line: sqlAt.line + lines.length - 1,
    column: sqlAt.column + (lines.at(-1) ?? '').length,
    length: word,
  };
}
