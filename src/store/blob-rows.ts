import type { Store } from './store.ts';
import type { BlobTable } from './tables.ts';

/**
 * What the database knows of blobs and their files. It alone says which file is whose: a file is entered as loose before
 * it is made and until it is gone, so that what a killed process leaves is found without a look through the folder, and
 * no file is ever removed that another database may have put there.
 */
export class BlobRows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async find(scope: string, key: string): Promise<BlobTable | undefined> {
    const db = await this.#store.tables();
    return db
      .selectFrom('signalbox_blob')
      .selectAll()
      .where('scope', '=', scope)
      .where('key', '=', key)
      .executeTakeFirst();
  }

  /** Enters a file that is about to be made. */
  async addLoose(file: string, process: string): Promise<void> {
    const db = await this.#store.tables();
    await db.insertInto('signalbox_loose_blob').values({ file, process }).execute();
  }

  /** Strikes a file that is gone. */
  async removeLoose(file: string): Promise<void> {
    const db = await this.#store.tables();
    await db.deleteFrom('signalbox_loose_blob').where('file', '=', file).execute();
  }

  /** Files that a process saw to. */
  async looseOf(process: string): Promise<string[]> {
    const db = await this.#store.tables();
    const rows = await db.selectFrom('signalbox_loose_blob').select('file').where('process', '=', process).execute();
    return rows.map((row) => row.file);
  }

  /**
   * Puts a loose file in the place of what its key had, all at once.
   * @returns the file that the key had before, loose now
   * @throws Error where the file is not loose any more: it was swept away
   */
  async put(row: BlobTable, process: string): Promise<string | undefined> {
    const db = await this.#store.tables();
    return db.transaction().execute(async (inside) => {
      // First of all something is written: a transaction that began with a read could lose its turn to another process.
      const own = await inside.deleteFrom('signalbox_loose_blob').where('file', '=', row.file).executeTakeFirst();
      if (own.numDeletedRows === 0n) throw new Error('the file was removed while it was written');
      const before = await inside
        .deleteFrom('signalbox_blob')
        .where('scope', '=', row.scope)
        .where('key', '=', row.key)
        .returning('file')
        .executeTakeFirst();
      await inside.insertInto('signalbox_blob').values(row).execute();
      if (before !== undefined)
        await inside.insertInto('signalbox_loose_blob').values({ file: before.file, process }).execute();
      return before?.file;
    });
  }

  /** Takes a key's file away from it. @returns the file, loose now; undefined where there was none */
  async delete(scope: string, key: string, process: string): Promise<string | undefined> {
    const db = await this.#store.tables();
    return db.transaction().execute(async (inside) => {
      const before = await inside
        .deleteFrom('signalbox_blob')
        .where('scope', '=', scope)
        .where('key', '=', key)
        .returning('file')
        .executeTakeFirst();
      if (before === undefined) return undefined;
      await inside.insertInto('signalbox_loose_blob').values({ file: before.file, process }).execute();
      return before.file;
    });
  }
}
