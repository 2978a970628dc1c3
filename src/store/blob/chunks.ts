import { sql } from 'kysely';
import type { ByteRange } from '../../model/blob.ts';
import { passing } from '../file/young.ts';
import type { Store } from '../port.ts';
import { gone } from './error.ts';

/** Bytes of a chunk; the last of a file has fewer. */
export const CHUNK = 1024 * 1024;

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
