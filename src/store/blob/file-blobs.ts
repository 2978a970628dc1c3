import { join } from 'node:path';
import type { BlobStore, Blobs, ByteRange } from '../../model/blob.ts';
import type { Attachment } from '../../model/value.ts';
import type { Store } from '../store.ts';
import type { BlobTable } from '../tables.ts';
import { BlobFiles } from './files.ts';
import { LockFile } from './lock-file.ts';
import { BlobRows } from './rows.ts';
import { type BlobContents, closed, scopedBlobs } from './scoped.ts';

/** Blobs in files of a folder, of which the database knows. */
export class FileBlobs implements BlobStore, BlobContents {
  readonly rows: BlobRows;
  readonly #files: BlobFiles;
  /** The locks of processes that write here; other databases in the same folder have their own. */
  readonly #processes: string;
  /** Made with the first file. */
  #lock: LockFile | undefined;
  /** Changes to the database that are under way. */
  readonly #entering = new Set<Promise<unknown>>();
  #closed = false;

  constructor(store: Store, folder: string, database: string) {
    this.rows = new BlobRows(store);
    this.#files = new BlobFiles(folder);
    this.#processes = join(folder, `${database}-writers`);
  }

  scope(scope: string): Blobs {
    return scopedBlobs(this, scope);
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

  async put(scope: string, key: string, content: Attachment): Promise<BlobTable> {
    const file = this.#files.freshName();
    await this.#enter((process) => this.rows.addLoose(file, process));
    const { row, before } = await this.#fill(scope, key, file, content).catch(async (error: unknown) => {
      await this.#discard(file);
      throw error;
    });
    if (before !== undefined) await this.#discard(before);
    return row;
  }

  read({ file, key }: BlobTable, range: ByteRange): AsyncIterable<Uint8Array> {
    return this.#files.read(file, key, range);
  }

  async delete(scope: string, key: string, only?: string): Promise<boolean> {
    const file = await this.#enter((process) => this.rows.delete(scope, key, process, only));
    if (file !== undefined) await this.#discard(file);
    return file !== undefined;
  }

  /** Writes a file, and gives it to its key. `before` is the file that the key had. */
  async #fill(scope: string, key: string, file: string, content: Attachment) {
    const { contentType, name = null } = content;
    const written = await this.#files.write(file, key, content);
    const stored = new Date().toISOString();
    const row: BlobTable = { scope, key, file, content_type: contentType, name, ...written, stored };
    return { row, before: await this.#enter((process) => this.rows.put(row, process)) };
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
      await this.rows.removeLoose(file);
      return true;
    } catch {
      return false;
    }
  }

  /** Removes all that a process saw to; where that succeeds, its lock file too. */
  async #finish(lock: LockFile): Promise<void> {
    let clean = true;
    try {
      for (const file of await this.rows.looseOf(lock.name)) clean = (await this.#discard(file)) && clean;
    } catch (error) {
      lock.end(false);
      throw error;
    }
    lock.end(clean);
  }
}
