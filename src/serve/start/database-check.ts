import { createRedactor } from '../../codec/redact/redactor.ts';
import { checkComponents } from '../../event/index.ts';
import { databaseDiagnostic } from '../../load/diagnostic/database.ts';
import type { Diagnostic } from '../../load/diagnostic/diagnostic.ts';
import { byPlace, type Place } from '../../load/diagnostic/place.ts';
import { resolveAll, secretsOf } from '../../load/value/config.ts';
import type { ConfigText, Position } from '../../model/definition.ts';
import type { Datasource, Query } from '../../model/query.ts';
import type { Registry } from '../../model/registry.ts';
import {
  checkQueries,
  firstPages,
  ownDatabase,
  type QueryDatabase,
  type QueryProblem,
  reachDatabase,
} from '../../query/index.ts';
import { usersInBoth } from '../../security/directory/from-database.ts';
import {
  FIRST_STEP,
  MigrationError,
  openToRead,
  type ProjectFiles,
  pendingMigrations,
  rehearse,
  type StoreOptions,
} from '../../store/index.ts';
import { messageOf } from '../../wire/error.ts';
import { compileZone, keepsOffset } from '../../wire/timezone.ts';
import { type ProjectPlace, projectFilesOf } from './project-files.ts';
import { databaseOptions, type Environment, replicaAccess } from './settings.ts';

/** The location of a project's databases. */
export interface ConnectOptions extends ProjectPlace {
  readonly env: Environment;
}

/**
 * Prepares every stored query on its database without running it, checks every component against its table, and reports
 * all problems: databases that can't be read, and for each query the SQL errors and the columns that do not fit, in the
 * order of files and positions. Changes nothing.
 */
export async function checkConnected(registry: Registry, options: ConnectOptions): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  const attempt = async (what: string, at: Position, work: () => Promise<Diagnostic[]>): Promise<void> => {
    try {
      found.push(...(await work()));
    } catch (error) {
      if (error instanceof MigrationError) {
        found.push(migrationDiagnostic(error));
        return;
      }
      const reason = messageOf(error).replace(/\.$/, '');
      found.push(databaseDiagnostic('database-unreachable', { what, reason }, at));
    }
  };
  await attempt('The database', registry.gateway.at, () => checkOwn(registry, options));
  for (const datasource of usedDatasources(registry)) {
    const what = `The datasource ${datasource.id}`;
    await attempt(what, datasource.at, async () => {
      const database = await reachDatasource(registry, datasource, options);
      for (const reason of database.warnings)
        found.push(databaseDiagnostic('database-setup', { what, reason }, datasource.at));
      return replicatedProblems(
        what,
        datasource.at,
        database,
        queriesOf(registry, datasource),
        registry.gateway.timezone,
      );
    });
  }
  // Addresses may contain secrets of the configuration, and databases repeat them in errors.
  const redactor = createRedactor(() => secretsOf(options.env));
  return found.sort(byPlace).map((each) => ({ ...each, message: redactor.text(each.message) }));
}

async function checkOwn(registry: Registry, options: ConnectOptions): Promise<Diagnostic[]> {
  const { gateway } = registry;
  const access = databaseOptions(gateway, options.root, options.env);
  const { url, root, bounds, schema, replicas } = access;
  const database = await reachDatabase(url, root, { bounds, schema, replicas });
  const files = projectFilesOf(registry, options);
  const pending = await pendingMigrations(access, files);
  const changes = pending.map(({ name }) => name);
  const outdated =
    pending.length === 0
      ? []
      : [databaseDiagnostic('database-outdated', { location: database.location, changes }, gateway.at)];
  // Queries and components may be about the tables that are created then.
  if (pending.some(({ of, name }) => name === FIRST_STEP || of !== 'signalbox'))
    return [...outdated, ...(await checkRehearsed(registry, access, files))];
  return [...outdated, ...(await checkTables(registry, database, access))];
}

/** Checks queries and components on the database as it will be. */
async function checkRehearsed(registry: Registry, access: StoreOptions, files: ProjectFiles): Promise<Diagnostic[]> {
  try {
    return await rehearse(access, files, async (store) => [
      ...(await queryProblems(ownDatabase(store), queriesOf(registry, undefined), registry.gateway.timezone)),
      ...(await componentProblems(store, registry)),
    ]);
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    if (!error.late) return [migrationDiagnostic(error)];
    const reason = `The pending migrations were not tried to their end, and the queries not checked: ${error.message}.`;
    return [databaseDiagnostic('database-setup', { what: 'The database', reason }, registry.gateway.at)];
  }
}

function migrationDiagnostic({ code, at, reason, hint }: MigrationError): Diagnostic {
  return databaseDiagnostic(`migration-${code}`, { reason, hint }, at);
}

async function checkTables(registry: Registry, database: QueryDatabase, access: StoreOptions): Promise<Diagnostic[]> {
  const { gateway } = registry;
  const own = queriesOf(registry, undefined);
  const problems = await replicatedProblems('The database', gateway.at, database, own, gateway.timezone);
  const store = await openToRead(access);
  try {
    const warnings = (await store.warnings(1)).map((reason) =>
      databaseDiagnostic('database-setup', { what: 'The database', reason }, gateway.at),
    );
    return [...problems, ...warnings, ...(await tableProblems(store, registry))];
  } finally {
    await store.close();
  }
}

/** Those of the database itself, and of replicas what these add: queries that fail there run on the database. */
async function replicatedProblems(
  of: string,
  at: Position,
  database: QueryDatabase,
  queries: readonly Query[],
  timezone: string,
): Promise<Diagnostic[]> {
  const problems = await queryProblems(database, queries, timezone);
  const known = new Set(problems.map(({ message }) => message));
  const warnings: Diagnostic[] = [];
  for (const replica of database.replicas) {
    const warn = (reason: string): void => {
      const parameters = { of, replica: replica.location, reason: reason.replace(/\.$/, '') };
      warnings.push(databaseDiagnostic('replica-setup', parameters, at));
    };
    try {
      for (const { message } of await queryProblems(replica, queries, timezone)) if (!known.has(message)) warn(message);
    } catch (error) {
      warn(messageOf(error));
    }
  }
  return [...problems, ...warnings];
}

/**
 * The problems that a database reports for the queries that run on it.
 * @param timezone of the gateway, in which local times are read: where its offset never changes, that loses nothing
 */
export async function queryProblems(
  database: QueryDatabase,
  queries: readonly Query[],
  timezone: string,
): Promise<Diagnostic[]> {
  const found = await checkQueries(database, queries);
  const isSafe = found.some(({ kind }) => kind === 'local-column') && keepsOffset(compileZone(timezone));
  return found.filter(({ kind }) => !(isSafe && kind === 'local-column')).map(diagnosticOf);
}

/** The problems of components and users with the tables of the gateway's own database. */
export async function tableProblems(
  store: Parameters<typeof checkComponents>[0],
  registry: Registry,
): Promise<Diagnostic[]> {
  const { users } = registry;
  const ofUsers = (await usersInBoth(await store.tables(), users)).map(({ id, at }) =>
    databaseDiagnostic('user-in-both', { user: id }, at),
  );
  return [...(await componentProblems(store, registry)), ...ofUsers];
}

async function componentProblems(
  store: Parameters<typeof checkComponents>[0],
  { components, gateway }: Registry,
): Promise<Diagnostic[]> {
  return (await checkComponents(store, components.values(), gateway.timezone)).map(
    ({ component, is, field, message: reason }) =>
      databaseDiagnostic(COMPONENT_CODES[is], { component: component.id, reason }, field?.at ?? component.at),
  );
}

const COMPONENT_CODES = { table: 'component-table', loses: 'component-column', may: 'component-column-may' } as const;

const CODES = {
  refused: 'query-refused',
  'missing-column': 'column-missing',
  'column-type': 'column-type',
  'narrow-column': 'column-narrow',
  'nullable-column': 'column-nullable',
  'local-column': 'column-local',
} as const;

function diagnosticOf(problem: QueryProblem): Diagnostic {
  const { query, kind, message } = problem;
  return databaseDiagnostic(CODES[kind], { query: query.id, reason: message }, placeOfProblem(problem));
}

/** The place of the column, or of the word in the SQL: lines of a literal block correspond to those of the SQL. */
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

/** Resolves how to reach a datasource. @throws ConfigError for missing settings; StoreError for an invalid address */
export async function reachDatasource(
  { gateway }: Pick<Registry, 'gateway'>,
  datasource: Datasource,
  { root, env }: { readonly root: string; readonly env: Environment },
): Promise<QueryDatabase> {
  const renewed = () => {
    const [url = ''] = resolveAll([datasource.url], env);
    const [password] = datasource.password === undefined ? [] : resolveAll([datasource.password], env);
    return { url, password };
  };
  const replicas = replicaAccess(datasource.replicas, (texts) => resolveAll(texts, env));
  return reachDatabase(renewed().url, root, { ...renewed(), renewed, bounds: gateway.database.bounds, replicas });
}

/** Datasources that queries use. */
export function usedDatasources({ queries }: Registry): Set<Datasource> {
  return new Set([...queries.values()].flatMap(({ datasource }) => datasource ?? []));
}

/** The queries that run on a database, and the first pages of those that operations return in pages. */
export function queriesOf({ queries, operations }: Registry, datasource: Datasource | undefined): Query[] {
  const pages = [...operations.values()].flatMap(({ answer }) =>
    answer.kind === 'query' && answer.paging !== undefined ? firstPages(answer.query, answer.paging) : [],
  );
  return [...queries.values(), ...pages].filter((query) => query.datasource === datasource);
}

/** The configurable texts of a datasource: its addresses, and its password if it has one. */
export function textsOf({ url, password, replicas }: Datasource): ConfigText[] {
  return [url, ...(password === undefined ? [] : [password]), ...(replicas?.urls ?? [])];
}
