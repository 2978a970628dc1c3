import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Spool } from '../../model/blob.ts';
import type { Registry } from '../../model/registry.ts';
import { openQueries, type QueryPort } from '../../query/index.ts';
import { type BlobStorage, createSpool, openBlobs, openStore, type Store } from '../../store/index.ts';
import { GatewayError } from '../gateway-error.ts';
import { refuseBrokenComponents, refuseBrokenQueries, refuseUsersInBoth } from './broken.ts';
import { reachDatasources } from './datasources.ts';
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
