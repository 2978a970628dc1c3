import { existsSync } from 'node:fs';
import { StoreError } from './error.ts';
import { openSqlite, pendingSqlite, readSqlite, rehearseSqlite } from './sqlite/open-sqlite.ts';
import type { PendingMigration, ProjectFiles, RehearsedStore, Store, StoreOptions, StoreReader } from './store-port.ts';
import { readDatabaseUrl } from './url.ts';

/**
 * Opens the database of a URL, and creates a missing file. It does not migrate.
 * @throws StoreError for a URL that is not supported and a file that can't be used
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const at = readDatabaseUrl(options.url, options.root);
  if (at.kind === 'sqlite') {
    if (options.replicas !== undefined) throw new StoreError(at.file, ONLY_POSTGRES);
    return openSqlite(at.file);
  }
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(options);
}

export const ONLY_POSTGRES =
  'replicas are servers of PostgreSQL, of a database on PostgreSQL: write postgres:// in all URLs, or remove `replicas`';

/**
 * What {@link Store.migrate} and the files of a project would run on a database; creates and changes nothing.
 * @throws StoreError, MigrationError
 */
export async function pendingMigrations(
  options: StoreOptions,
  project: ProjectFiles = {},
): Promise<readonly PendingMigration[]> {
  const at = readDatabaseUrl(options.url, options.root);
  if (at.kind === 'sqlite') return pendingSqlite(at.file, project);
  const store = await openStore(options);
  try {
    return await store.pending(project);
  } finally {
    await store.close();
  }
}

/** {@link Store.rehearse} on a database that may not exist; creates and changes nothing. @throws MigrationError, StoreError */
export async function rehearse<T>(
  options: StoreOptions,
  project: ProjectFiles,
  work: (rehearsed: RehearsedStore) => Promise<T>,
): Promise<T> {
  const at = readDatabaseUrl(options.url, options.root);
  if (at.kind === 'sqlite') return rehearseSqlite(at.file, project, work);
  const store = await openStore(options);
  try {
    return await store.rehearse(project, work);
  } finally {
    await store.close();
  }
}

/** Opens a database to read its tables; creates and changes nothing. @throws StoreError when it does not exist */
export async function openToRead(options: StoreOptions): Promise<StoreReader> {
  const at = readDatabaseUrl(options.url, options.root);
  return at.kind === 'sqlite' ? readSqlite(at.file) : openStore(options);
}

/** A database that may be new. */
export interface PlannedStore extends Pick<Store, 'kind' | 'location' | 'files' | 'postgres' | 'rehearse' | 'close'> {
  /** `undefined` for a file that does not exist. */
  readonly tables: Store['tables'] | undefined;
}

/** Opens a database to see what would be done in it; creates and changes nothing. @throws StoreError */
export async function openToPlan(options: StoreOptions): Promise<PlannedStore> {
  const at = readDatabaseUrl(options.url, options.root);
  if (at.kind === 'postgres') return openStore(options);
  const { file } = at;
  const reader = existsSync(file) ? readSqlite(file) : undefined;
  return {
    ...{ kind: 'sqlite', location: file, files: file, postgres: undefined, tables: reader?.tables },
    rehearse: (project, work) => rehearseSqlite(file, project, work),
    close: async () => reader?.close(),
  };
}
