import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from '../model/registry.ts';
import type { Spool } from '../model/spool.ts';
import { checkQueries, openQueries, type QueryPort } from '../query/index.ts';
import { type BlobStorage, createSpool, openBlobs, openStore, type Store } from '../store/index.ts';
import { GatewayError } from './gateway-error.ts';
import { type Environment, resolveSetting } from './settings.ts';

/** The database of a registry, migrated and with its sample data, and what stands on it. */
export interface Data {
  readonly store: Store;
  readonly queries: QueryPort;
  readonly blobs: BlobStorage;
  /** For attachments that come before they are wanted. */
  readonly spool: Spool;
  close(): Promise<void>;
}

export interface DataOptions {
  /** The project's folder. */
  readonly root: string;
  /** Folder of the definitions, relative to the root. */
  readonly definitions?: string;
  readonly env: Environment;
}

/**
 * Opens the database that gateway.yaml names, and checks that every stored query runs on it.
 * @throws GatewayError, StoreError
 */
export async function openData(
  registry: Registry,
  { root, definitions = 'definitions', env }: DataOptions,
): Promise<Data> {
  const { database, sampleData, timezone, limits } = registry.gateway;
  const store = await openStore({ url: resolveSetting(database, env), root });
  try {
    await store.migrate();
    if (sampleData !== undefined) await store.loadSampleData(readSampleData(join(root, definitions), sampleData));
    refuseBrokenQueries(store, registry);
    const blobs = await openBlobs(store);
    const spool = createSpool({ folder: `${store.location}-spool` });
    const queries = openQueries({ store, timezone, limits });
    const close = async (): Promise<void> => {
      await queries.close();
      await blobs.close();
      await store.close();
    };
    return { store, queries, blobs, spool, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** All of what the database says against the queries, at once. */
function refuseBrokenQueries(store: Store, registry: Registry): void {
  const problems = checkQueries(store, registry.queries.values());
  if (problems.length === 0) return;
  const lines = problems.map(
    ({ query: { id, at }, message }) => `  ${at.file}:${at.line}:${at.column}: query ${id}: ${message}`,
  );
  throw new GatewayError(`the database refuses stored queries\n${lines.join('\n')}`);
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
