import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { ByteRange } from '../../model/blob.ts';
import type { Store } from '../store.ts';
import { passing } from '../young.ts';
import { gone, type WrittenBlob } from './scoped.ts';

/** Bytes of a chunk; the last of a file has fewer. */
export const CHUNK = 1024 * 1024;
/** Memory that a file gets at first: most content is short. */
const FIRST = 16_384;

/** Pieces of files in rows. */
export class ChunkRows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds a chunk to a loose file of a process. @throws Error where the file is not loose any more: it was swept away */
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

  /** Some bytes of a file that stays, in pieces: one is fetched while the one before is used. @throws Error where it ends early */
  async *read(file: string, key: string, { start, length }: ByteRange): AsyncGenerator<Uint8Array, void, undefined> {
    const end = start + length;
    const last = Math.floor((end - 1) / CHUNK);
    const fetch = (number: number): Promise<Buffer | undefined> | undefined => {
      const chunk = number > last ? undefined : this.#chunk(file, number);
      // Where the stream is left early nobody awaits it.
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
      // The driver makes it of a text that is twice as long.
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

/** Cuts a stream into chunks: while one is stored the next is filled. Bytes are copied, and hashed. */
export class ChunkWriter {
  readonly #send: (number: number, chunk: Uint8Array) => Promise<void>;
  readonly #hash = createHash('sha256');
  /** The one that is being filled, and the one that is being stored or waits to be filled. */
  #buffer: Buffer = Buffer.allocUnsafeSlow(FIRST);
  #other: Buffer | undefined;
  #filled = 0;
  #number = 0;
  #sending: Promise<void> | undefined;

  constructor(send: (number: number, chunk: Uint8Array) => Promise<void>) {
    this.#send = send;
  }

  /** Takes some bytes; where it returns a promise, the next must wait for that. */
  write(bytes: Uint8Array): Promise<void> | undefined {
    this.#hash.update(bytes);
    if (this.#filled + bytes.length >= this.#buffer.length) return this.#fill(bytes);
    this.#buffer.set(bytes, this.#filled);
    this.#filled += bytes.length;
    return undefined;
  }

  /** Stores what is left, and resolves once all of it is stored. */
  async end(length: number): Promise<WrittenBlob> {
    await this.#sending;
    if (this.#filled > 0) await this.#send(this.#number, this.#buffer.subarray(0, this.#filled));
    return { length, sha256: this.#hash.digest('hex') };
  }

  async #fill(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#filled === this.#buffer.length) this.#grow(bytes.length - at);
      const taken = Math.min(bytes.length - at, this.#buffer.length - this.#filled);
      this.#buffer.set(bytes.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === CHUNK) await this.#flush();
    }
  }

  #grow(needed: number): void {
    const size = Math.min(CHUNK, Math.max(2 * this.#buffer.length, this.#filled + needed));
    const grown = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(grown, 0, 0, this.#filled);
    this.#buffer = grown;
  }

  async #flush(): Promise<void> {
    await this.#sending;
    this.#sending = this.#send(this.#number, this.#buffer);
    // It is awaited with the next chunk, or never where the stream fails before that.
    this.#sending.catch(() => {});
    this.#number += 1;
    const next = this.#other ?? Buffer.allocUnsafeSlow(CHUNK);
    this.#other = this.#buffer;
    this.#buffer = next;
    this.#filled = 0;
    passing(CHUNK);
  }
}
