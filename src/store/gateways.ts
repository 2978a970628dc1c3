import { LockFile } from './sqlite/lock-file.ts';
import type { Store } from './store-port.ts';

/** A database, as far as gateways show at it. */
export interface Database extends Pick<Store, 'kind' | 'location' | 'files'> {
  readonly tables: Store['tables'] | undefined;
}

/**
 * The gateways that use a database now, each by what shows it; none when no gateway runs on it. On SQLite that is the lock file
 * that the process of a gateway keeps locked until it ends. On PostgreSQL it is a session of a gateway, which names itself, of
 * an installation that a gateway has given a sign of life in the last half minute.
 * @throws StoreError, errors of the file system
 */
export async function gatewaysAt(store: Database): Promise<readonly string[]> {
  const { kind, location, tables } = store;
  if (kind === 'postgres')
    return tables === undefined ? [] : (await import('./postgres/gateways.ts')).gatewaySessions(location, tables);
  const folder = `${store.files}-workers`;
  return LockFile.names(folder).flatMap((name) => {
    const lock = LockFile.take(folder, name);
    lock?.end(false);
    return lock === undefined ? [`the lock file ${folder}/${name}.lock is held`] : [];
  });
}
