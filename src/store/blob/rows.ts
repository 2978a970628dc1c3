import type { Store } from '../store-port.ts';
import type { BlobTable } from '../tables/blob.ts';
import type { Db } from '../tables.ts';

/** The blobs that are deleted by their age at a time. */
const MOST_EXPIRED = 100;

/** The owner of a file that no blob has any more and streams may still read: see {@link LooseBlobTable}. */
export const READERS = '';

/**
 * The records of blobs and their files (on PostgreSQL: sets of chunks). They alone decide to whom a file belongs: it is recorded
 * as loose before it is created and until it is removed, so that the files of a killed process are found without reading the
 * folder, and no file of another database is ever removed.
 */
export class BlobRows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async find(scope: string, key: string): Promise<BlobTable | undefined> {
    const row = await (await this.#own(scope, key)).selectAll().executeTakeFirst();
    return (
      row && { ...row, scope, key, content_type: this.#from(row.content_type), name: row.name && this.#from(row.name) }
    );
  }

  /** Whether a blob still has the file that it had. */
  async has({ scope, key, file }: BlobTable): Promise<boolean> {
    const found = await (await this.#own(scope, key)).select('file').where('file', '=', file).executeTakeFirst();
    return found !== undefined;
  }

  /** Records a file that is about to be created. */
  async addLoose(file: string, process: string): Promise<void> {
    const db = await this.#store.tables();
    await db.insertInto('signalbox_loose_blob').values({ file, process }).execute();
  }

  /** Removes the record of a file that is gone. */
  async removeLoose(file: string): Promise<void> {
    const db = await this.#store.tables();
    await db.deleteFrom('signalbox_loose_blob').where('file', '=', file).execute();
  }

  /** The loose files of a process. */
  async looseOf(process: string): Promise<string[]> {
    const db = await this.#store.tables();
    const rows = await db.selectFrom('signalbox_loose_blob').select('file').where('process', '=', process).execute();
    return rows.map((row) => row.file);
  }

  /**
   * Assigns a loose file to its key, in place of the previous file.
   * @param process the owner of the previous file, which becomes loose
   * @returns the previous file
   * @throws Error when the file is no longer loose: it was swept away
   */
  put(row: BlobTable, process: string): Promise<string | undefined> {
    const stored = {
      ...row,
      ...this.placeOf(row),
      content_type: this.#to(row.content_type),
      name: row.name && this.#to(row.name),
    };
    return this.#store.transaction(async (tx) => {
      const own = await tx.deleteFrom('signalbox_loose_blob').where('file', '=', row.file).executeTakeFirst();
      if (own.numDeletedRows === 0n) throw new Error('the file was removed while it was written');
      const before = await exchange(tx, stored);
      if (before !== undefined) await tx.insertInto('signalbox_loose_blob').values({ file: before, process }).execute();
      return before;
    });
  }

  /**
   * Takes its file away from a key.
   * @param process the owner of the file, which becomes loose
   * @param file when given, only this file
   * @returns the file; `undefined` when the key had none
   */
  delete(scope: string, key: string, process: string, file?: string): Promise<string | undefined> {
    const place = this.placeOf({ scope, key });
    return this.#store.transaction(async (tx) => {
      const all = tx.deleteFrom('signalbox_blob').where('scope', '=', place.scope).where('key', '=', place.key);
      const query = file === undefined ? all : all.where('file', '=', file);
      const before = await query.returning('file').executeTakeFirst();
      if (before === undefined) return undefined;
      await tx.insertInto('signalbox_loose_blob').values({ file: before.file, process }).execute();
      return before.file;
    });
  }

  /** Some of a scope's blobs that were stored before a time (UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`), the oldest first. */
  async olderThan(scope: string, before: string): Promise<{ readonly key: string; readonly file: string }[]> {
    const db = await this.#store.tables();
    const rows = await db
      .selectFrom('signalbox_blob')
      .select(['key', 'file'])
      .where('scope', '=', this.#to(scope))
      .where('stored', '<', before)
      .orderBy('stored')
      .limit(MOST_EXPIRED)
      .execute();
    return rows.map(({ key, file }) => ({ key: this.#from(key), file }));
  }

  async #own(scope: string, key: string) {
    const db = await this.#store.tables();
    const place = this.placeOf({ scope, key });
    return db.selectFrom('signalbox_blob').where('scope', '=', place.scope).where('key', '=', place.key);
  }

  /** The columns that identify a blob. */
  placeOf({ scope, key }: Pick<BlobTable, 'scope' | 'key'>): { readonly scope: string; readonly key: string } {
    return { scope: this.#to(scope), key: this.#to(key) };
  }

  #to(text: string): string {
    return toColumn(text, this.#store.kind);
  }

  #from(text: string): string {
    return fromColumn(text, this.#store.kind);
  }
}

/** Assigns another file to a key, and returns the previous one. When another process does so too, the later one reads again. */
async function exchange(tx: Db, row: BlobTable): Promise<string | undefined> {
  for (;;) {
    const before = await tx
      .selectFrom('signalbox_blob')
      .select('file')
      .where('scope', '=', row.scope)
      .where('key', '=', row.key)
      .executeTakeFirst();
    if (before === undefined) {
      const added = await tx
        .insertInto('signalbox_blob')
        .values(row)
        .onConflict((conflict) => conflict.columns(['scope', 'key']).doNothing())
        .executeTakeFirst();
      if (added.numInsertedOrUpdatedRows === 1n) return undefined;
    } else {
      const changed = await tx
        .updateTable('signalbox_blob')
        .set(row)
        .where('scope', '=', row.scope)
        .where('key', '=', row.key)
        .where('file', '=', before.file)
        .executeTakeFirst();
      if (changed.numUpdatedRows === 1n) return before.file;
    }
  }
}

/** The most characters (Unicode code points) in a key. */
const LONGEST_KEY = 255;

/** @throws RangeError for a key that is empty, too long, or not well-formed Unicode */
export function checkedKey(key: string): string {
  if (key === '') throw new RangeError('the key of a blob is empty');
  if (!key.isWellFormed())
    throw new RangeError('the key of a blob is not Unicode text: half of a surrogate pair stands alone');
  // A character has one or two UTF-16 units, so most keys need no counting.
  if (key.length > LONGEST_KEY && (key.length > 2 * LONGEST_KEY || [...key].length > LONGEST_KEY))
    throw new RangeError(`the key of a blob has more than ${LONGEST_KEY} characters`);
  return key;
}

/** Encodes a text for a column. PostgreSQL does not store NUL characters: NUL becomes `\0` there, and a backslash `\\`. */
export function toColumn(text: string, kind: Store['kind']): string {
  return kind === 'sqlite' ? text : text.replaceAll('\\', '\\\\').replaceAll('\0', '\\0');
}

/** Decodes the text of a column. */
export function fromColumn(text: string, kind: Store['kind']): string {
  return kind === 'sqlite' ? text : text.replaceAll(/\\(.)/g, (_, escaped) => (escaped === '0' ? '\0' : '\\'));
}
