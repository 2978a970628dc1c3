import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkComponents } from '../../event/index.ts';
import { ConfigError, resolveAll } from '../../load/value/config.ts';
import type { Spool } from '../../model/blob.ts';
import type { ConfigText, Position } from '../../model/definition.ts';
import type { Datasource, Query } from '../../model/query.ts';
import type { Registry } from '../../model/registry.ts';
import {
  checkQueries,
  openQueries,
  type QueryDatabase,
  type QueryPort,
  type QueryProblem,
  type ReachedDatasource,
  reachDatabase,
  unboundedFiles,
} from '../../query/index.ts';
import { usersInBoth } from '../../security/directory/from-database.ts';
import { type BlobStorage, createSpool, openBlobs, openStore, type Store, StoreError } from '../../store/index.ts';
import { messageOf } from '../../wire/error.ts';
import { GatewayError } from '../gateway-error.ts';
import { type Environment, resolveSetting } from './settings.ts';

/** The database of a registry, migrated and with its sample data, and what stands on it. */
export interface Data {
  readonly store: Store;
  readonly queries: QueryPort;
  readonly blobs: BlobStorage;
  /** For attachments that come before they are wanted. */
  readonly spool: Spool;
  /** What may be wrong and keeps nothing from starting, a sentence each: datasources that can't be reached now. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

export interface DataOptions {
  /** The project's folder. */
  readonly root: string;
  /** Folder of the definitions, relative to the root. */
  readonly definitions?: string;
  readonly env: Environment;
  /** Processes for stored queries that are always there, where the database is SQLite; 2. */
  readonly readers?: number;
  /** Told of connections that were lost while nobody used them. */
  readonly onError?: (error: Error) => void;
}

/**
 * Opens the database that gateway.yaml names, and checks that every stored query runs on it.
 * @throws GatewayError, StoreError
 */
export async function openData(
  registry: Registry,
  { root, definitions = 'definitions', env, readers, onError = () => {} }: DataOptions,
): Promise<Data> {
  const { database, sampleData, timezone, limits } = registry.gateway;
  const { engine, connections } = database;
  const store = await openStore({ url: resolveSetting(database.url, env), engine, connections, root, onError });
  try {
    await store.migrate();
    if (sampleData !== undefined) await store.loadSampleData(readSampleData(join(root, definitions), sampleData));
    const datasources = await reachDatasources(registry, { root, env });
    const warnings = await refuseBrokenQueries(registry, store, datasources);
    await refuseBrokenComponents(registry, store);
    await refuseUsersInBoth(registry, store);
    const blobs = await openBlobs(store);
    const spool = createSpool({ folder: `${store.files}-spool` });
    const queries = openQueries({ store, datasources, timezone, limits, readers });
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

/** Files that a pattern like `sample/*.sql` names, in name order. */
function readSampleData(folder: string, pattern: string): { name: string; sql: string }[] {
  const slash = pattern.lastIndexOf('/');
  const inside = pattern.slice(0, Math.max(slash, 0));
  const [before = '', after = ''] = pattern.slice(slash + 1).split('*');
  const fits = (name: string): boolean =>
    name.startsWith(before) && name.endsWith(after) && name.length >= before.length + after.length;
  try {
    const names = readdirSync(join(folder, inside)).filter(fits).toSorted();
    return names.map((name) => ({ name, sql: readFileSync(join(folder, inside, name), 'utf8') }));
  } catch (error) {
    throw new GatewayError(`sample-data: ${pattern} can't be read`, {
      hint: 'It is relative to the definitions folder.',
      cause: error,
    });
  }
}

/**
 * Prepares each query on its database. A datasource that can't be reached is no reason not to start: only calls of its
 * queries fail until it comes back.
 * @returns a sentence for each of those, and for each database that does not bound temporary files
 * @throws GatewayError with all of what the databases say against the queries. Types are for `check --connect` to tell
 */
async function refuseBrokenQueries(
  registry: Registry,
  store: Store,
  datasources: readonly ReachedDatasource[],
): Promise<string[]> {
  const all: QueryProblem[] = await checkQueries(store, queriesOf(registry, undefined));
  const warnings: string[] = [];
  const bound = async (database: QueryDatabase): Promise<void> => {
    const warning = await unboundedFiles(database, registry.gateway.limits.temporary);
    if (warning !== undefined) warnings.push(`${warning}.`);
  };
  await bound(store);
  for (const { datasource, database } of datasources) {
    try {
      all.push(...(await checkQueries(database, queriesOf(registry, datasource))));
      await bound(database);
    } catch (error) {
      warnings.push(`The datasource ${datasource.id} can't be reached: ${messageOf(error)}.`);
    }
  }
  const problems = all.filter(({ kind }) => kind === 'refused' || kind === 'missing-column');
  const lines = problems.map(({ query, column, message }) =>
    lineOf(column?.at ?? query.at, `query ${query.id}`, message),
  );
  if (lines.length > 0) throw new GatewayError(`the database refuses stored queries\n${lines.join('\n')}`);
  return warnings;
}

/** @throws GatewayError with all that is wrong with the tables of components */
async function refuseBrokenComponents({ components }: Registry, store: Store): Promise<void> {
  const problems = await checkComponents(store, components.values());
  const lines = problems.map(({ component, message }) => lineOf(component.at, `component ${component.id}`, message));
  if (lines.length > 0) throw new GatewayError(`the database does not fit the components\n${lines.join('\n')}`);
}

/** @throws GatewayError with all users whose ids are in the definitions and in the database */
async function refuseUsersInBoth({ users }: Registry, store: Store): Promise<void> {
  const doubled = await usersInBoth(await store.tables(), users);
  const lines = doubled.map(({ id, at }) => lineOf(at, `user ${id}`, `${store.location} has a user ${id} too`));
  if (lines.length > 0)
    throw new GatewayError(`users are in the definitions and in the database\n${lines.join('\n')}`, {
      hint: 'Rename them in the definitions, or remove them there: ids of the database are never free again.',
    });
}

function lineOf({ file, line, column }: Position, what: string, message: string): string {
  return `  ${file}:${line}:${column}: ${what}: ${message}`;
}

/** The configured texts of the datasources that queries name. */
export function datasourceSettings(registry: Registry): ConfigText[] {
  return [...usedDatasources(registry)].flatMap(textsOf);
}

/**
 * How the datasources are reached that queries name; nothing is opened yet.
 * @throws GatewayError for what is not set, and for an address that can't be opened
 */
async function reachDatasources(
  registry: Registry,
  { root, env }: { readonly root: string; readonly env: Environment },
): Promise<ReachedDatasource[]> {
  const reached: ReachedDatasource[] = [];
  for (const datasource of usedDatasources(registry)) {
    try {
      reached.push({ datasource, database: await reachDatasource(datasource, { root, env }) });
    } catch (error) {
      if (!(error instanceof ConfigError || error instanceof StoreError)) throw error;
      throw new GatewayError(`datasource ${datasource.id}: ${error.message}`);
    }
  }
  return reached;
}

/** How one is reached. @throws ConfigError for what is not set; StoreError for an address that can't be opened */
export async function reachDatasource(
  datasource: Datasource,
  { root, env }: { readonly root: string; readonly env: Environment },
): Promise<QueryDatabase> {
  const [url = '', password] = resolveAll(textsOf(datasource), env);
  return reachDatabase(url, root, password);
}

/** Datasources that queries name. */
export function usedDatasources({ queries }: Registry): Set<Datasource> {
  return new Set([...queries.values()].flatMap(({ datasource }) => datasource ?? []));
}

/** The queries of a datasource; those of the gateway's own database for undefined. */
export function queriesOf({ queries }: Registry, datasource: Datasource | undefined): Query[] {
  return [...queries.values()].filter((query) => query.datasource === datasource);
}

function textsOf({ url, password }: Datasource): ConfigText[] {
  return password === undefined ? [url] : [url, password];
}
