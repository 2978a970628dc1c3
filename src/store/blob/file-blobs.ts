import { randomUUID } from 'node:crypto';
import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore, Blobs, ByteRange } from '../../model/blob.ts';
import type { Attachment } from '../../model/value.ts';
import { errorCode } from '../error.ts';
import { createFolder } from '../file/folder.ts';
import { OpenFile } from '../file/open-file.ts';
import { LockFile } from '../sqlite/lock-file.ts';
import type { Store } from '../store-port.ts';
import type { BlobTable } from '../tables/blob.ts';
import { type WrittenBlob, writeContent } from './content.ts';
import { closed, gone, unwritable } from './error.ts';
import { BlobRows } from './rows.ts';
import { type BlobContents, Changes, scopedBlobs } from './scoped.ts';

/** The bytes that are gathered before they are written. */
const BLOCK = 262_144;

/** The files of blobs in a folder, with generated names. */
class BlobFiles {
  readonly #folder: string;
  /** The files that are being written. */
  readonly #open = new Set<OpenFile>();
  #closed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A name that no file ever had. */
  freshName(): string {
    return randomUUID();
  }

  /**
   * Writes a file, and computes its digest. After an error the file still exists.
   * @throws BlobError when the length of the content differs from the announced one; what its stream throws; errors of the file
   * system
   */
  async write(file: string, key: string, content: Attachment): Promise<WrittenBlob> {
    if (this.#closed) throw closed();
    createFolder(this.#folder);
    const open = OpenFile.create(join(this.#folder, file), 'the blob');
    this.#open.add(open);
    try {
      return await writeContent(key, content, BLOCK, (block, number) => open.write(block, number * BLOCK));
    } finally {
      this.#open.delete(open);
      open.close();
    }
  }

  /** Writes a file of one byte, and removes it. @throws UnwritableError naming the folder */
  async probe(): Promise<void> {
    const path = join(this.#folder, this.freshName());
    try {
      createFolder(this.#folder);
      await writeFile(path, '-', { flag: 'wx' });
    } catch (error) {
      throw unwritable(this.#folder, error);
    } finally {
      await unlink(path).catch(() => {});
    }
  }

  /** Reads a range of a file. @throws BlobError when the file is gone; Error when it is shorter than it was */
  async *read(file: string, key: string, { start, length }: ByteRange): AsyncGenerator<Uint8Array, void, undefined> {
    const open = this.#openToRead(file, key);
    try {
      yield* open.stream(start, length);
    } finally {
      open.close();
    }
  }

  /** Removes a file, if it exists. @throws errors of the file system */
  async remove(file: string): Promise<void> {
    await unlink(join(this.#folder, file)).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
  }

  /** Aborts the files that are being written, and refuses new ones. */
  close(): void {
    this.#closed = true;
    for (const open of this.#open) open.close();
  }

  #openToRead(file: string, key: string): OpenFile {
    try {
      return OpenFile.open(join(this.#folder, file), `blob ${JSON.stringify(key)}`);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      throw gone(key, error);
    }
  }
}

/** Blobs in files of a folder, which are recorded in the database. */
export class FileBlobs implements BlobStore, BlobContents {
  readonly rows: BlobRows;
  readonly #files: BlobFiles;
  /** The locks of the processes that write blobs of this database; other databases in the folder have their own. */
  readonly #processes: string;
  /** Created with the first file. */
  #lock: LockFile | undefined;
  readonly #changes = new Changes();

  constructor(store: Store, folder: string, database: string) {
    this.rows = new BlobRows(store);
    this.#files = new BlobFiles(folder);
    this.#processes = join(folder, `${database}-writers`);
  }

  scope(scope: string): Blobs {
    return scopedBlobs(this, scope);
  }

  ready(): Promise<void> {
    return this.#files.probe();
  }

  /** Removes the files that dead processes left. */
  async sweep(): Promise<void> {
    for (const name of LockFile.names(this.#processes)) {
      const lock = LockFile.take(this.#processes, name);
      if (lock !== undefined) await this.#finish(lock);
    }
  }

  async close(): Promise<void> {
    const changed = this.#changes.close();
    this.#files.close();
    await changed;
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

  /** Writes a file, and assigns it to its key. `before` is the previous file of the key. */
  async #fill(scope: string, key: string, file: string, content: Attachment) {
    const { contentType, name = null } = content;
    const written = await this.#files.write(file, key, content);
    const stored = new Date().toISOString();
    const row: BlobTable = { scope, key, file, content_type: contentType, name, ...written, stored };
    return { row, before: await this.#enter((process) => this.rows.put(row, process)) };
  }

  /** Changes the database under the name of this process's lock. @throws Error when the storage is closed */
  #enter<T>(change: (process: string) => Promise<T>): Promise<T> {
    return this.#changes.run(() => {
      this.#lock ??= LockFile.create(this.#processes);
      return change(this.#lock.name);
    });
  }

  /** Removes a loose file. A file that can't be removed stays recorded, and the next sweep tries again. */
  async #discard(file: string): Promise<boolean> {
    try {
      await this.#files.remove(file);
      await this.rows.removeLoose(file);
      return true;
    } catch {
      return false;
    }
  }

  /** Removes all loose files of a process, and then its lock file. */
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
