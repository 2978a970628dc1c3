import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { BlobStore, Blobs, ByteRange } from '../../model/blob.ts';
import type { Attachment } from '../../model/value.ts';
import { passing } from '../file/young.ts';
import type { Store } from '../store-port.ts';
import type { BlobTable } from '../tables/blob.ts';
import { type WrittenBlob, writeContent } from './content.ts';
import { gone } from './error.ts';
import { Leases } from './leases.ts';
import { BlobRows, READERS } from './rows.ts';
import { type BlobContents, Changes, scopedBlobs } from './scoped.ts';

/** The bytes of a chunk; the last of a file may have fewer. */
const CHUNK = 1024 * 1024;

/** The content of files, in rows of chunks. */
class ChunkRows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds a chunk to a loose file of a process. @throws Error when the file is no longer loose: it was swept away */
  async add(file: string, process: string, number: number, content: Uint8Array): Promise<void> {
    const db = await this.#store.tables();
    const added = await db
      .insertInto('signalbox_blob_chunk')
      .columns(['file', 'number', 'content'])
      .expression((from) =>
        from
          .selectFrom('signalbox_loose_blob')
          .select((row) => [
            row.ref('file').as('file'),
            sql<number>`cast(${number} as integer)`.as('number'),
            sql<Buffer>`cast(${content} as bytea)`.as('content'),
          ])
          .where('file', '=', file)
          .where('process', '=', process)
          .forShare(),
      )
      .executeTakeFirst();
    if (added.numInsertedOrUpdatedRows !== 1n) throw new Error('the file was removed while it was written');
  }

  /** Reads a range of a file in chunks; the next one is fetched while one is used. @throws Error when the file ends early */
  async *read(file: string, key: string, { start, length }: ByteRange): AsyncGenerator<Uint8Array, void, undefined> {
    const end = start + length;
    const last = Math.floor((end - 1) / CHUNK);
    const fetch = (number: number): Promise<Buffer | undefined> | undefined => {
      const chunk = number > last ? undefined : this.#chunk(file, number);
      // It is not awaited when the stream is abandoned.
      chunk?.catch(() => {});
      return chunk;
    };
    const first = Math.floor(start / CHUNK);
    let next = fetch(first);
    for (let number = first; next !== undefined; number++) {
      const chunk = await next;
      if (chunk === undefined && number === first) throw gone(key);
      const wanted = chunk?.subarray(Math.max(0, start - number * CHUNK), end - number * CHUNK);
      if (wanted === undefined || number * CHUNK + (chunk?.length ?? 0) < Math.min(end, (number + 1) * CHUNK))
        throw new Error(`blob ${JSON.stringify(key)} ended early`);
      next = fetch(number + 1);
      // The driver creates it from a text of twice its length.
      passing(3 * wanted.length);
      yield wanted;
    }
  }

  async #chunk(file: string, number: number): Promise<Buffer | undefined> {
    const db = await this.#store.tables();
    const row = await db
      .selectFrom('signalbox_blob_chunk')
      .select('content')
      .where('file', '=', file)
      .where('number', '=', number)
      .executeTakeFirst();
    return row?.content;
  }
}

/** The columns that identify a blob. */
interface Place {
  readonly scope: string;
  readonly key: string;
}

/** Records the streams of blobs in progress, so that the files they read stay until they end. */
class Readers {
  readonly #store: Store;
  readonly #process: string;
  /** The streams of this process. */
  count = 0;

  constructor(store: Store, process: string) {
    this.#store = store;
    this.#process = process;
  }

  /**
   * Records a stream of a blob's file. The blob's row is locked meanwhile: a change that takes the file from it comes before,
   * and there is no stream, or after, and sees the stream.
   * @returns its id; `undefined` when the blob no longer has the file
   */
  async enter({ scope, key }: Place, file: string): Promise<string | undefined> {
    const id = randomUUID();
    const db = await this.#store.tables();
    const entered = await db
      .insertInto('signalbox_blob_reader')
      .columns(['id', 'file', 'process'])
      .expression((from) =>
        from
          .selectFrom('signalbox_blob')
          .select((row) => [row.val(id).as('id'), row.ref('file').as('file'), row.val(this.#process).as('process')])
          .where('scope', '=', scope)
          .where('key', '=', key)
          .where('file', '=', file)
          .forShare(),
      )
      .executeTakeFirst();
    if (entered.numInsertedOrUpdatedRows !== 1n) return undefined;
    this.count += 1;
    return id;
  }

  async leave(id: string): Promise<void> {
    this.count -= 1;
    const db = await this.#store.tables();
    await db.deleteFrom('signalbox_blob_reader').where('id', '=', id).execute();
  }

  /** Whether any process has a stream of a file in progress. */
  async has(file: string): Promise<boolean> {
    const db = await this.#store.tables();
    const query = db.selectFrom('signalbox_blob_reader').select('id').where('file', '=', file).limit(1);
    return (await query.executeTakeFirst()) !== undefined;
  }
}

/** Milliseconds between two signs of life of this process, which also removes what others left. */
const EVERY = 15_000;

/**
 * Blobs in rows of PostgreSQL, for any number of gateways. The previous content of a key stays until the last stream of it has
 * ended, in any gateway.
 */
export class DatabaseBlobs implements BlobStore, BlobContents {
  readonly rows: BlobRows;
  readonly #store: Store;
  readonly #chunks: ChunkRows;
  readonly #readers: Readers;
  readonly #leases: Leases;
  /** The files that this process is writing. */
  readonly #writing = new Set<string>();
  readonly #changes = new Changes();
  readonly #timer: NodeJS.Timeout;

  constructor(store: Store) {
    this.#store = store;
    this.rows = new BlobRows(store);
    this.#chunks = new ChunkRows(store);
    this.#leases = new Leases(store);
    this.#readers = new Readers(store, this.#leases.id);
    // A failure is repaired the next time.
    this.#timer = setInterval(() => void this.tend().catch(() => {}), EVERY).unref();
  }

  scope(scope: string): Blobs {
    return scopedBlobs(this, scope);
  }

  /** Blobs are rows: they are available when the database is. */
  ready(): Promise<void> {
    return this.#store.ready();
  }

  async close(): Promise<void> {
    if (this.#changes.closed) return;
    clearInterval(this.#timer);
    await this.#changes.close();
    // Others remove what can't be removed now, once this process no longer gives a sign of life.
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

  /** Gives a sign of life, and removes what dead processes and ended streams left. */
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

  /** Removes a file that no blob has any more, or leaves that to the last stream of it in progress. */
  async #release(file: string): Promise<void> {
    try {
      if (!(await this.#readers.has(file))) await this.#remove(file, READERS);
    } catch {
      // The next call of `tend` tries again, in any process.
    }
  }

  /** Removes a loose file if it still belongs to this process. */
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
