import { LockFile } from './sqlite/lock-file.ts';
import type { Store } from './store-port.ts';

/**
 * The gateways that use a database now, each by what shows it; none when no gateway runs on it. On SQLite that is the lock file
 * that the process of a gateway keeps locked until it ends. On PostgreSQL it is a session of a gateway, which names itself, of
 * an installation that a gateway has given a sign of life in the last half minute.
 * @throws StoreError, errors of the file system
 */
export async function gatewaysAt(store: Store): Promise<readonly string[]> {
  if (store.kind === 'postgres') return (await import('./postgres/gateways.ts')).gatewaySessions(store);
  const folder = `${store.files}-workers`;
  return LockFile.names(folder).flatMap((name) => {
    const lock = LockFile.take(folder, name);
    lock?.end(false);
    return lock === undefined ? [`the lock file ${folder}/${name}.lock is held`] : [];
  });
}
