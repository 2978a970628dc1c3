import { randomUUID } from 'node:crypto';
import type { BlobStore, Blobs, ByteRange } from '../../model/blob.ts';
import type { Attachment } from '../../model/value.ts';
import { passing } from '../file/young.ts';
import type { Store } from '../port.ts';
import type { BlobTable } from '../tables/blob.ts';
import { Changes } from './changes.ts';
import { CHUNK, ChunkRows } from './chunks.ts';
import { type WrittenBlob, writeContent } from './content.ts';
import { gone } from './error.ts';
import { Leases } from './leases.ts';
import { Readers } from './readers.ts';
import { BlobRows, READERS } from './rows.ts';
import { type BlobContents, scopedBlobs } from './scoped.ts';

/** How often this process says that it lives and looks after what others left, in milliseconds. */
const EVERY = 15_000;

/**
 * Blobs in rows of PostgreSQL, for any number of gateways. What a key had before stays until the last stream of it has
 * ended, in whichever gateway.
 */
export class DatabaseBlobs implements BlobStore, BlobContents {
  readonly rows: BlobRows;
  readonly #store: Store;
  readonly #chunks: ChunkRows;
  readonly #readers: Readers;
  readonly #leases: Leases;
  /** Files that this process writes. */
  readonly #writing = new Set<string>();
  readonly #changes = new Changes();
  readonly #timer: NodeJS.Timeout;

  constructor(store: Store) {
    this.#store = store;
    this.rows = new BlobRows(store);
    this.#chunks = new ChunkRows(store);
    this.#leases = new Leases(store);
    this.#readers = new Readers(store, this.#leases.id);
    // What fails is tried again next time.
    this.#timer = setInterval(() => void this.tend().catch(() => {}), EVERY).unref();
  }

  scope(scope: string): Blobs {
    return scopedBlobs(this, scope);
  }

  /** They are rows: the database says whether it is there. */
  ready(): Promise<void> {
    return this.#store.ready();
  }

  async close(): Promise<void> {
    if (this.#changes.closed) return;
    clearInterval(this.#timer);
    await this.#changes.close();
    // What can't be removed now is so by others, once they do not hear of this process any more.
    await this.#leave().catch(() => {});
  }

  async put(scope: string, key: string, content: Attachment): Promise<BlobTable> {
    const file = randomUUID();
    const process = this.#leases.id;
    this.#writing.add(file);
    try {
      await this.#changes.run(() => this.#leases.hold());
      await this.#changes.run(() => this.rows.addLoose(file, process));
      const written = await this.#write(file, key, content);
      const { contentType: content_type, name = null } = content;
      const row: BlobTable = { scope, key, file, content_type, name, ...written, stored: new Date().toISOString() };
      const before = await this.#changes.run(() => this.rows.put(row, READERS));
      if (before !== undefined) await this.#release(before);
      return row;
    } catch (error) {
      await this.#remove(file, process).catch(() => {});
      throw error;
    } finally {
      this.#writing.delete(file);
    }
  }

  async *read(row: BlobTable, range: ByteRange): AsyncGenerator<Uint8Array, void, undefined> {
    const { file, key } = row;
    const chunks =
      range.length === 0
        ? 0
        : Math.floor((range.start + range.length - 1) / CHUNK) - Math.floor(range.start / CHUNK) + 1;
    if (chunks < 2) {
      if (chunks === 1) yield* this.#chunks.read(file, key, range);
      else if (!(await this.rows.has(row))) throw gone(key);
      return;
    }
    await this.#leases.hold();
    const reader = await this.#readers.enter(this.rows.placeOf(row), file);
    if (reader === undefined) throw gone(key);
    try {
      yield* this.#chunks.read(file, key, range);
    } finally {
      await this.#readers.leave(reader).catch(() => {});
      if (this.#readers.count === 0 && this.#changes.closed) await this.#leases.end(this.#leases.id).catch(() => {});
      await this.#release(file);
    }
  }

  async delete(scope: string, key: string, only?: string): Promise<boolean> {
    const file = await this.#changes.run(() => this.rows.delete(scope, key, READERS, only));
    if (file !== undefined) await this.#release(file);
    return file !== undefined;
  }

  /** Says that this process lives, and removes what dead ones and ended streams left. */
  async tend(): Promise<void> {
    await this.#leases.beat();
    for (const id of await this.#leases.look()) {
      for (const file of await this.rows.looseOf(id)) await this.#remove(file, id);
      await this.#leases.end(id);
    }
    const own = await this.rows.looseOf(this.#leases.id);
    for (const file of own) if (!this.#writing.has(file)) await this.#remove(file, this.#leases.id);
    for (const file of await this.rows.looseOf(READERS)) await this.#release(file);
  }

  #write(file: string, key: string, content: Attachment): Promise<WrittenBlob> {
    return writeContent(key, content, CHUNK, (chunk, number) => {
      passing(chunk.length);
      return this.#changes.run(() => this.#chunks.add(file, this.#leases.id, number, chunk));
    });
  }

  /** Removes a file that nobody's blob has any more, unless streams of it are under way: the last of them does so then. */
  async #release(file: string): Promise<void> {
    try {
      if (!(await this.#readers.has(file))) await this.#remove(file, READERS);
    } catch {
      // Whoever tends next tries again.
    }
  }

  /** Removes a loose file, where it is still this process's to remove. */
  #remove(file: string, process: string): Promise<void> {
    return this.#store.transaction(async (tx) => {
      const own = await tx
        .deleteFrom('signalbox_loose_blob')
        .where('file', '=', file)
        .where('process', '=', process)
        .executeTakeFirst();
      if (own.numDeletedRows > 0n) await tx.deleteFrom('signalbox_blob_chunk').where('file', '=', file).execute();
    });
  }

  async #leave(): Promise<void> {
    for (const file of await this.rows.looseOf(this.#leases.id)) await this.#remove(file, this.#leases.id);
    if (this.#readers.count === 0) await this.#leases.end(this.#leases.id);
  }
}
