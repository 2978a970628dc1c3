import { ConfigError } from '../../load/value/config.ts';
import type { ConfigText } from '../../model/definition.ts';
import type { Registry } from '../../model/registry.ts';
import {
  openQueries,
  ownDatabase,
  type QueryDatabase,
  type QueryPort,
  type ReachedDatasource,
  unboundedFiles,
} from '../../query/index.ts';
import {
  type BlobStorage,
  createSpool,
  type MeasuredSpool,
  openBlobs,
  openStore,
  type ProjectFiles,
  type Store,
  StoreError,
  UnfitStoreError,
  unfinishedMove,
} from '../../store/index.ts';
import { messageOf } from '../../wire/error.ts';
import { GatewayError } from '../gateway-error.ts';
import {
  queriesOf,
  queryProblems,
  reachDatasource,
  tableProblems,
  textsOf,
  usedDatasources,
} from './database-check.ts';
import { bringUpInDevelopment, type Development } from './development.ts';
import { type ProjectPlace, projectFilesOf } from './project-files.ts';
import { databaseOptions, type Environment } from './settings.ts';

/** The database of a registry, migrated and with its sample data, and the services that use it. */
export interface Data {
  readonly store: Store;
  readonly queries: QueryPort;
  readonly blobs: BlobStorage;
  /** Stores attachments that arrive before they are read. */
  readonly spool: MeasuredSpool;
  /** Problems that do not prevent a start, one sentence each: datasources that are currently unreachable. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export interface DataOptions {
  /** The project's folder. */
  readonly root: string;
  /** Folder of the definitions, relative to the root. */
  readonly definitions?: string;
  readonly env: Environment;
  /** Number of processes for stored queries that are kept running when the database is SQLite; 2. */
  readonly readers?: number;
  /** How many gateways run here, for the warning about connections; 0 when another of them warns. */
  readonly gateways?: number;
  /** Called for connections that were lost while idle. */
  readonly onError?: (error: Error) => void;
  /** Called with the path of each migration of the project that is run, before it is. */
  readonly onMigration?: (file: string) => void;
  /** For `signalbox dev`; by default a start runs what the database lacks. */
  readonly development?: Development;
  /** Called with a sentence for operators: a replica is left out, or used again. */
  readonly report?: (sentence: string) => void;
}

/**
 * Opens the database that gateway.yaml names, and checks that every stored query runs on it.
 * @throws GatewayError, StoreError
 */
export async function openData(registry: Registry, options: DataOptions): Promise<Data> {
  const { root, definitions, env, readers, gateways = 1, onError = () => {}, report = () => {} } = options;
  const { database, timezone, limits } = registry.gateway;
  const store = await openStore({ ...databaseOptions(registry.gateway, root, env), onError });
  try {
    await refuseUnfinishedMove(store);
    const files = projectFilesOf(registry, { root, definitions });
    const waiting = await prepare(store, files, database.migrate, options);
    const datasources = await reachDatasources(registry, { root, env });
    const found = await checkDatabases(registry, store, datasources, gateways).catch((error: unknown) => {
      // What waits is the likely reason.
      if (waiting === undefined || !(error instanceof GatewayError)) throw error;
      throw new GatewayError(error.message, { hint: waiting, cause: error });
    });
    const warnings = waiting === undefined ? found : [...found, waiting];
    const blobs = await openBlobs(store);
    const spool = createSpool({ folder: `${store.files}-spool` });
    const declared = queriesOf(registry, undefined).length > 0;
    const queries = openQueries({ store, datasources, timezone, limits, readers, declared, report });
    const close = async (): Promise<void> => {
      await queries.close();
      await blobs.close();
      await store.close();
    };
    return { store, queries, blobs, spool, warnings, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** @throws GatewayError when the database has not got the rows of a move to it, which would then never come */
async function refuseUnfinishedMove(store: Store): Promise<void> {
  const source = await unfinishedMove(store);
  if (source === undefined) return;
  throw new GatewayError(`${store.location} has what a move from ${source} left, which did not end`, {
    hint: 'Run that move again with signalbox data move, or name another database for the gateway.',
  });
}

/** @returns what waits to be asked for, in sentences @throws GatewayError, StoreError */
async function prepare(
  store: Store,
  files: ReturnType<typeof projectFilesOf>,
  migrates: boolean,
  { development, onMigration }: DataOptions,
): Promise<string | undefined> {
  if (!migrates) await requireUpToDate(store, files);
  else if (development !== undefined) return bringUpInDevelopment(store, files, development, onMigration);
  else await bringUp(store, files, onMigration);
  return undefined;
}

/** Brings a database up to this version of the package and of a project. @throws StoreError */
async function bringUp(
  store: Store,
  files: ReturnType<typeof projectFilesOf>,
  onMigration: DataOptions['onMigration'],
): Promise<void> {
  await store.migrate();
  await store.migrateProject(files.migrations, onMigration);
  await store.loadSampleData(files.sampleData);
}

/** The same for a database by its URL, which no gateway uses yet. @throws GatewayError, StoreError */
export async function prepareDatabase(registry: Registry, place: ProjectPlace, env: Environment): Promise<void> {
  const store = await openStore(databaseOptions(registry.gateway, place.root, env));
  try {
    await bringUp(store, projectFilesOf(registry, place), undefined);
  } finally {
    await store.close();
  }
}

/** @throws GatewayError naming what the database lacks */
async function requireUpToDate(store: Store, files: ProjectFiles): Promise<void> {
  const pending = await store.pending(files);
  if (pending.length === 0) return;
  throw new GatewayError(`${store.location} lacks ${pending.map(({ name }) => name).join(', ')}`, {
    hint: 'Run signalbox migrate before the gateway starts: `migrate: false` of its database keeps it from doing so.',
  });
}

/** Problems that prevent a start. Types that do not fit are only reported by `check --connect`. */
const REFUSED: ReadonlySet<string> = new Set(['query-refused', 'column-missing', 'component-table', 'user-in-both']);

/**
 * Checks the definitions against the databases. An unreachable datasource does not prevent a start: only calls of its
 * queries fail until it is available.
 * @returns a sentence for each of those, and for each database that does not limit temporary files
 * @throws GatewayError listing all mismatches
 */
async function checkDatabases(
  registry: Registry,
  store: Store,
  datasources: readonly ReachedDatasource[],
  gateways: number,
): Promise<string[]> {
  const own = ownDatabase(store);
  const problems = [
    ...(await queryProblems(own, queriesOf(registry, undefined), registry.gateway.timezone)),
    ...(await tableProblems(store, registry)),
  ];
  const warnings: string[] = [];
  const bound = async (database: QueryDatabase): Promise<void> => {
    const warning = await unboundedFiles(database, registry.gateway.limits.temporary);
    if (warning !== undefined) warnings.push(`${warning}.`);
  };
  await bound(own);
  warnings.push(...(await store.warnings(gateways)));
  for (const { datasource, database } of datasources) {
    warnings.push(...database.warnings.map((each) => `The datasource ${datasource.id}: ${each}`));
    try {
      problems.push(...(await queryProblems(database, queriesOf(registry, datasource), registry.gateway.timezone)));
      await bound(database);
    } catch (error) {
      if (error instanceof UnfitStoreError) throw new GatewayError(`datasource ${datasource.id}: ${error.message}`);
      warnings.push(`The datasource ${datasource.id} can't be reached: ${messageOf(error)}.`);
    }
  }
  const refused = problems.filter(({ code }) => REFUSED.has(code));
  const [hint] = refused.flatMap((each) => each.hint ?? []);
  const lines = refused.map(({ at, message }) => `  ${at.file}:${at.line}:${at.column}: ${message}`);
  if (lines.length > 0)
    throw new GatewayError(
      `the database does not fit the definitions\n${lines.join('\n')}`,
      hint === undefined ? {} : { hint },
    );
  return warnings;
}

/** The configurable texts of the datasources that queries use. */
export function datasourceSettings(registry: Registry): ConfigText[] {
  return [...usedDatasources(registry)].flatMap(textsOf);
}

/**
 * Resolves how to reach the datasources that queries use; opens none yet.
 * @throws GatewayError for missing settings and invalid addresses
 */
async function reachDatasources(
  registry: Registry,
  { root, env }: { readonly root: string; readonly env: Environment },
): Promise<ReachedDatasource[]> {
  const reached: ReachedDatasource[] = [];
  for (const datasource of usedDatasources(registry)) {
    try {
      reached.push({ datasource, database: await reachDatasource(registry, datasource, { root, env }) });
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof StoreError)) throw error;
      throw new GatewayError(`datasource ${datasource.id}: ${error.message}`);
    }
  }
  return reached;
}
