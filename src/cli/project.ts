import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CachedProject } from '../load/cache.ts';
import type { LoadedProject } from '../load/index.ts';
import type { Registry } from '../model/registry.ts';
import type { Db, PendingMigration, Store, StoreOptions, StoreReader } from '../store/index.ts';
import { counted } from '../wire/words.ts';
import { CliFailure, Ended } from './failure.ts';
import { packageBuild } from './package-info.ts';
import { withProgress } from './progress.ts';
import { coloursOf, note } from './terminal.ts';

/** The project that a command works on. */
export interface Place {
  /** The project's folder. */
  readonly root: string;
  /** The folder of `--definitions`, relative to the root. */
  readonly definitions?: string;
}

export function placeOf(command: Command): Place {
  const root = process.cwd();
  const { definitions } = command.optsWithGlobals<{ definitions?: string }>();
  if (definitions === undefined) return { root };
  return { root, definitions: relative(root, resolve(root, definitions)) || '.' };
}

/** Reads the definitions. Shows progress if that takes long. */
export async function load(place: Place, handlers: 'check' | 'ignore-missing' = 'check'): Promise<LoadedProject> {
  const { project, keep } = await withProgress('Reading the definitions', () => loadCached(place, handlers));
  keep();
  return project;
}

/** Reads the definitions, or what the last process made of them if nothing has changed since. */
export async function loadCached(place: Place, handlers: 'check' | 'ignore-missing'): Promise<CachedProject> {
  const cache = await import('../load/cache.ts');
  return cache.loadCached({ ...place, handlers, build: packageBuild() });
}

/**
 * Reads the definitions for a command that needs the registry. Errors, and the number of warnings, go to standard error.
 * @throws Ended with 1 when the definitions contain errors
 */
export async function loadRegistry(place: Place, handlers?: 'check' | 'ignore-missing'): Promise<Registry> {
  const loaded = await load(place, handlers);
  if (loaded.registry === undefined) {
    note((await renderLoaded(loaded, process.stderr)).trimEnd());
    throw new Ended(1);
  }
  const warnings = loaded.diagnostics.length;
  if (warnings > 0) note(`The definitions have ${counted(warnings, 'warning')}. Run signalbox check for details.`);
  return loaded.registry;
}

/** The diagnostics as text, for `stream`. */
export async function renderLoaded(loaded: LoadedProject, stream: NodeJS.WriteStream): Promise<string> {
  const { renderDiagnostics } = await import('../load/index.ts');
  return renderDiagnostics(loaded, { colour: coloursOf(stream).isColorSupported });
}

/** The database of the gateway. */
export async function storeOptions({ gateway }: Registry, place: Place): Promise<StoreOptions> {
  const { databaseOptions } = await import('../serve/start/settings.ts');
  return databaseOptions(gateway, place.root, process.env);
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
 * Opens the gateway's database to change what it contains. It is brought up to date first, unless it has `migrate: false`.
 * @throws CliFailure when that keeps it from being up to date
 */
export async function withCurrentStore(
  registry: Registry,
  place: Place,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  await withStore(registry, place, async (store) => {
    if (registry.gateway.database.migrate) await store.migrate();
    else
      requireCurrent(
        await store.pending(),
        'Run signalbox migrate first: `migrate: false` of the database keeps this command from doing so.',
      );
    await work(store);
  });
}

function requireCurrent(pending: readonly PendingMigration[], hint: string): void {
  if (pending.length === 0) return;
  const steps = counted(pending.length, 'step');
  throw new CliFailure(`the gateway's database lacks ${steps} of the schema of this version`, { hint });
}

/**
 * Reads tables of the gateway's database, which is neither created nor changed.
 * @throws CliFailure when it is not up to date
 */
export async function readTables<T>(
  registry: Registry,
  place: Place,
  work: (db: Db, store: StoreReader) => Promise<T>,
): Promise<T> {
  const { openToRead, pendingMigrations } = await import('../store/index.ts');
  const options = await storeOptions(registry, place);
  requireCurrent(
    await pendingMigrations(options),
    'Run signalbox migrate. A start of signalbox serve does the same, unless the database has `migrate: false`.',
  );
  const store = await openToRead(options);
  try {
    return await work(await store.tables(), store);
  } finally {
    await store.close();
  }
}

/** An address for calls from this machine: an unspecified address is replaced by the loopback address. */
export function reachable(address: string): string {
  return address.replace(/\/\/0\.0\.0\.0(?=[:/]|$)/, '//127.0.0.1').replace('//[::]', '//[::1]');
}

/** The address of the gateway in contracts, with its context: from `--base`, or the one that the gateway itself uses. */
export async function contractBaseOf(registry: Registry, given: string | undefined): Promise<string> {
  if (given !== undefined) return `${given.replace(/\/+$/, '')}/${registry.gateway.context}`;
  const { contractBase } = await import('../serve/start/address.ts');
  return contractBase(registry, process.env);
}
