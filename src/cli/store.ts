import type { Registry } from '../model/registry.ts';
import type { Db, Store, StoreOptions } from '../store/index.ts';
import { CliFailure } from './failure.ts';
import type { Place } from './project.ts';
import { count } from './words.ts';

/** Which database the gateway has. */
export async function storeOptions({ gateway }: Registry, place: Place): Promise<StoreOptions> {
  const { resolveSetting } = await import('../serve/start/settings.ts');
  const { url, engine, connections } = gateway.database;
  return { url: resolveSetting(url, process.env), engine, connections, root: place.root };
}

/** Opens the gateway's database, and closes it after the work. */
export async function withStore(
  registry: Registry,
  place: Place,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const { openStore } = await import('../store/index.ts');
  const store = await openStore(await storeOptions(registry, place));
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

/**
 * Reads tables of the gateway's database, which is neither made nor changed.
 * @throws CliFailure where it is not up to date
 */
export async function readTables<T>(registry: Registry, place: Place, work: (db: Db) => Promise<T>): Promise<T> {
  const { openToRead, pendingMigrations } = await import('../store/index.ts');
  const options = await storeOptions(registry, place);
  const pending = await pendingMigrations(options);
  if (pending.length > 0) {
    const steps = count(pending.length, 'step');
    throw new CliFailure(`the gateway's database lacks ${steps} of the schema of this version`, {
      hint: 'Run signalbox migrate; signalbox serve does it too.',
    });
  }
  const store = await openToRead(options);
  try {
    return await work(await store.tables());
  } finally {
    await store.close();
  }
}
