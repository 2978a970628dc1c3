import { basename, dirname, join } from 'node:path';
import type { BlobStore } from '../../model/blob.ts';
import type { Store } from '../store-port.ts';
import { DatabaseBlobs } from './database-blobs.ts';
import { unwritable } from './error.ts';
import { FileBlobs } from './file-blobs.ts';

/** The blob port: binary content that outlives the gateway. */
export interface BlobStorage extends BlobStore {
  /** Resolves when content can be stored. @throws UnwritableError */
  ready(): Promise<void>;
  /** Aborts writes in progress without a trace. Streams in progress continue. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Opens the blobs of a migrated database: files in the folder `blobs` next to the file of SQLite, rows of PostgreSQL. The
 * unfinished work of killed processes is removed: files now, rows once their process gave no sign of life for a minute.
 *
 * As in the rest of the store, content survives the end of the process, even by kill -9. A power failure may lose what the
 * operating system had not yet written to its disk; reading such content fails.
 * @throws UnwritableError naming the folder
 */
export async function openBlobs(store: Store): Promise<BlobStorage> {
  if (store.kind === 'postgres') return new DatabaseBlobs(store);
  const folder = join(dirname(store.location), 'blobs');
  const storage = new FileBlobs(store, folder, basename(store.location));
  await storage.ready();
  await storage.sweep().catch((error: unknown) => {
    throw unwritable(folder, error);
  });
  return storage;
}
