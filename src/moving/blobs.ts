import { sql } from 'kysely';
import { type BlobStorage, type Db, fromColumn, openBlobs, readBlobs, type Store, toColumn } from '../store/index.ts';
import { MoveError } from './refusals.ts';

/** How a part of a move is ended, and reports what it has done. */
export interface Going {
  readonly signal: AbortSignal;
  readonly onDone: (more: number) => void;
}

/** What a row says of a blob. */
interface Row {
  readonly scope: string;
  readonly key: string;
  readonly content_type: string;
  readonly name: string | null;
  readonly length: number;
  readonly sha256: string;
  readonly stored: string;
}

/** Blobs that are read at a time. */
const PAGE = 200;

/** The blobs of a database, in the order of their scopes and keys; texts as they were given. */
async function* blobsOf(db: Db, kind: Store['kind']): AsyncGenerator<Row, void, undefined> {
  const read = (text: string): string => fromColumn(text, kind);
  for (let after: Pick<Row, 'scope' | 'key'> | undefined; ; ) {
    let query = db.selectFrom('signalbox_blob').selectAll().orderBy('scope').orderBy('key').limit(PAGE);
    if (after !== undefined) query = query.where(sql<boolean>`(scope, key) > (${after.scope}, ${after.key})`);
    const rows = await query.execute();
    for (const row of rows)
      yield {
        ...row,
        ...{ scope: read(row.scope), key: read(row.key), content_type: read(row.content_type) },
        name: row.name === null ? null : read(row.name),
      };
    after = rows.at(-1);
    if (after === undefined || rows.length < PAGE) return;
  }
}

/**
 * Copies the content of blobs, each whole. What an earlier move that did not end has copied is left as it is, unless the source
 * has deleted it since.
 * @throws MoveError for content that is not what was stored
 */
export async function copyContent(from: Store, to: Store, { signal, onDone }: Going): Promise<void> {
  const source = await from.tables();
  const storage = await openBlobs(to);
  try {
    for await (const { scope, key } of blobsOf(await to.tables(), to.kind)) {
      signal.throwIfAborted();
      if ((await readBlobs(from, scope).get(key)) === undefined) await storage.scope(scope).delete(key);
    }
    for await (const row of blobsOf(source, from.kind)) {
      signal.throwIfAborted();
      await copyOne(from, storage, row, signal);
      onDone(1);
    }
  } finally {
    await storage.close();
  }
}

async function copyOne(from: Store, storage: BlobStorage, row: Row, signal: AbortSignal): Promise<void> {
  const { scope, key, content_type: contentType, name, length, sha256 } = row;
  const blobs = storage.scope(scope);
  const there = await blobs.get(key);
  if (there?.sha256 === sha256 && there.length === length) return;
  const found = await readBlobs(from, scope).get(key);
  const wrong = (what: string, cause?: unknown): MoveError =>
    new MoveError(`the content of ${JSON.stringify(key)} of ${scope} can't be moved: ${what}`, {
      hint: `Restore it from a backup of ${from.location}, or delete what it belongs to.`,
      ...(cause === undefined ? {} : { cause }),
    });
  if (found === undefined) throw wrong('it is gone');
  const put = blobs.put(key, {
    ...{ contentType, length, ...(name === null ? {} : { name }) },
    async *stream() {
      if (length === 0) return;
      for await (const chunk of found.stream()) {
        signal.throwIfAborted();
        yield chunk;
      }
    },
  });
  const stored = await put.catch((error: unknown) => {
    signal.throwIfAborted();
    throw wrong(error instanceof Error ? error.message : String(error), error);
  });
  if (stored.sha256 !== sha256) throw wrong('its bytes are not those that were stored');
}

/**
 * Gives the blobs of a database the facts of those that they are copies of.
 * @throws MoveError when the blobs were changed since they were copied
 */
export async function copyFacts(
  source: Db,
  target: Db,
  kinds: { from: Store['kind']; to: Store['kind'] },
  onDone: Going['onDone'],
): Promise<void> {
  for await (const row of blobsOf(source, kinds.from)) {
    const write = (text: string): string => toColumn(text, kinds.to);
    const { numUpdatedRows } = await target
      .updateTable('signalbox_blob')
      .set({
        stored: row.stored,
        content_type: write(row.content_type),
        name: row.name === null ? null : write(row.name),
      })
      .where('scope', '=', write(row.scope))
      .where('key', '=', write(row.key))
      .where('sha256', '=', row.sha256)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw changed();
    onDone(1);
  }
}

const changed = (): MoveError =>
  new MoveError('stored files were changed while they were moved', {
    hint: 'Stop all gateways of both databases, and move again.',
  });
