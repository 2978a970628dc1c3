import { basename, dirname, join } from 'node:path';
import type { BlobStore, Blobs, StoredBlob } from '../model/blob.ts';
import type { Attachment } from '../model/value.ts';
import { BlobFiles, closed } from './blob-files.ts';
import { BlobRows } from './blob-rows.ts';
import { errorText, StoreError } from './error.ts';
import { LockFile } from './lock-file.ts';
import type { Store } from './store.ts';
import type { BlobTable } from './tables.ts';

/** The blob port: binary content that outlives the gateway. */
export interface BlobStorage extends BlobStore {
  /** Gives up what is being put, and leaves nothing of it. Streams that are under way go on. A second call does nothing. */
  close(): Promise<void>;
}

/** Characters (Unicode code points) that a key may have. */
const LONGEST_KEY = 255;

/**
 * Opens the blobs of a database that is migrated: files in the folder `blobs` beside it. What processes that were killed
 * left half done there is removed first.
 *
 * As for the rest of the store, what was put survives the end of the process, however it comes; a power cut may take what
 * the operating system had not written to its disk by then, which reading it tells.
 * @throws StoreError naming the folder
 */
export async function openBlobs(store: Store): Promise<BlobStorage> {
  const folder = join(dirname(store.location), 'blobs');
  const storage = new FileBlobs(store, folder);
  await storage.sweep().catch((error: unknown) => {
    throw new StoreError(folder, `${folder} can't be used for blobs: ${errorText(error)}`, { cause: error });
  });
  return storage;
}

class FileBlobs implements BlobStorage {
  readonly #rows: BlobRows;
  readonly #files: BlobFiles;
  /** The locks of processes that write here; other databases in the same folder have their own. */
  readonly #processes: string;
  /** Made with the first file. */
  #lock: LockFile | undefined;
  /** Changes to the database that are under way. */
  readonly #entering = new Set<Promise<unknown>>();
  #closed = false;

  constructor(store: Store, folder: string) {
    this.#rows = new BlobRows(store);
    this.#files = new BlobFiles(folder);
    this.#processes = join(folder, `${basename(store.location)}-writers`);
  }

  scope(scope: string): Blobs {
    return {
      put: async (key, content) => this.#put(scope, checked(key), content),
      get: async (key) => {
        const row = await this.#rows.find(scope, checked(key));
        return row === undefined ? undefined : this.#blob(row);
      },
      delete: async (key) => {
        const own = checked(key);
        const file = await this.#enter((process) => this.#rows.delete(scope, own, process));
        if (file !== undefined) await this.#discard(file);
        return file !== undefined;
      },
    };
  }

  /** Removes what dead processes left. */
  async sweep(): Promise<void> {
    for (const name of LockFile.names(this.#processes)) {
      const lock = LockFile.take(this.#processes, name);
      if (lock !== undefined) await this.#finish(lock);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#files.close();
    // Of a file that is about to be a blob's it must be known whether it became that.
    await Promise.allSettled(this.#entering);
    const lock = this.#lock;
    this.#lock = undefined;
    if (lock !== undefined) await this.#finish(lock);
  }

  async #put(scope: string, key: string, content: Attachment): Promise<StoredBlob> {
    const file = this.#files.freshName();
    await this.#enter((process) => this.#rows.addLoose(file, process));
    const { row, before } = await this.#fill(scope, key, file, content).catch(async (error: unknown) => {
      await this.#discard(file);
      throw error;
    });
    if (before !== undefined) await this.#discard(before);
    return this.#blob(row);
  }

  /** Writes a file, and gives it to its key. `before` is the file that the key had. */
  async #fill(scope: string, key: string, file: string, content: Attachment) {
    const { contentType, name = null } = content;
    const written = await this.#files.write(file, key, content);
    const stored = new Date().toISOString();
    const row: BlobTable = { scope, key, file, content_type: contentType, name, ...written, stored };
    return { row, before: await this.#enter((process) => this.#rows.put(row, process)) };
  }

  #blob({ key, file, content_type, name, length, sha256, stored }: BlobTable): StoredBlob {
    return {
      ...{ key, contentType: content_type, ...(name === null ? {} : { name }), length, sha256, stored },
      stream: () => this.#files.read(file, key, length),
    };
  }

  /** Changes the database in the name of this process's lock. @throws Error where the storage is closed */
  async #enter<T>(change: (process: string) => Promise<T>): Promise<T> {
    if (this.#closed) throw closed();
    this.#lock ??= LockFile.create(this.#processes);
    const entering = change(this.#lock.name);
    this.#entering.add(entering);
    try {
      return await entering;
    } finally {
      this.#entering.delete(entering);
    }
  }

  /** Removes a loose file. What can't be removed stays entered, and whoever sweeps next tries again. */
  async #discard(file: string): Promise<boolean> {
    try {
      await this.#files.remove(file);
      await this.#rows.removeLoose(file);
      return true;
    } catch {
      return false;
    }
  }

  /** Removes all that a process saw to; where that succeeds, its lock file too. */
  async #finish(lock: LockFile): Promise<void> {
    let clean = true;
    try {
      for (const file of await this.#rows.looseOf(lock.name)) clean = (await this.#discard(file)) && clean;
    } catch (error) {
      lock.end(false);
      throw error;
    }
    lock.end(clean);
  }
}

/** @throws RangeError for a key that is empty or too long, or is no Unicode text */
function checked(key: string): string {
  if (key === '') throw new RangeError('the key of a blob is empty');
  if (!key.isWellFormed())
    throw new RangeError('the key of a blob is not Unicode text: half of a surrogate pair stands alone');
  // UTF-16 has one or two units a character, so that most keys need no counting.
  if (key.length > LONGEST_KEY && (key.length > 2 * LONGEST_KEY || [...key].length > LONGEST_KEY))
    throw new RangeError(`the key of a blob has more than ${LONGEST_KEY} characters`);
  return key;
}
