import { basename, dirname, join } from 'node:path';
import type { BlobStore } from '../../model/blob.ts';
import type { Store } from '../port.ts';
import { DatabaseBlobs } from './database-blobs.ts';
import { unwritable } from './error.ts';
import { FileBlobs } from './file-blobs.ts';

/** The blob port: binary content that outlives the gateway. */
export interface BlobStorage extends BlobStore {
  /** Resolves if content can be kept now. @throws UnwritableError */
  ready(): Promise<void>;
  /** Gives up what is being put, and leaves nothing of it. Streams that are under way go on. A second call does nothing. */
  close(): Promise<void>;
}

/**
 * Opens the blobs of a database that is migrated: files in the folder `blobs` beside SQLite, rows of PostgreSQL. What
 * processes that were killed left half done is removed: of files now, of rows once their processes have not been heard of
 * for a minute.
 *
 * As for the rest of the store, what was put survives the end of the process, however it comes; a power cut may take what
 * the operating system had not written to its disk by then, which reading it tells.
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
