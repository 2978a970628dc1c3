import { constants, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, type Store } from '../../src/store/index.ts';

/**
 * Copies a migrated database (databases-setup.ts) to a file that does not exist, which takes a hundredth of the time of a
 * migration. Does nothing in programs that vitest did not start: what opens the file migrates it.
 */
export function copyMigrated(file: string): void {
  const template = process.env.SIGNALBOX_TEST_SQLITE;
  if (template !== undefined) copyFileSync(template, file, constants.COPYFILE_EXCL);
}

/** Opens a new database in this folder, with all tables. */
export async function openMigrated(folder: string, name = 'test.db'): Promise<Store> {
  copyMigrated(join(folder, name));
  const store = await openStore({ url: `sqlite:${name}`, root: folder });
  await store.migrate();
  return store;
}
