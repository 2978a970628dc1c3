import { randomUUID } from 'node:crypto';
import type { Store } from '../port.ts';

/** Where a blob is, as the database has it. */
interface Place {
  readonly scope: string;
  readonly key: string;
}

/** Streams of blobs that are under way, so that what they read stays until they end. */
export class Readers {
  readonly #store: Store;
  readonly #process: string;
  /** Those of this process. */
  count = 0;

  constructor(store: Store, process: string) {
    this.#store = store;
    this.#process = process;
  }

  /**
   * Enters a stream of a file that a blob has. The blob's row is locked meanwhile: whoever takes the file from it comes
   * before, and there is no stream, or after, and sees it.
   * @returns its id; undefined where the blob has the file no more
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

  /** Whether any stream of a file is under way, in whichever process. */
  async has(file: string): Promise<boolean> {
    const db = await this.#store.tables();
    const query = db.selectFrom('signalbox_blob_reader').select('id').where('file', '=', file).limit(1);
    return (await query.executeTakeFirst()) !== undefined;
  }
}
