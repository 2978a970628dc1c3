import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StoreReader } from '../store-port.ts';
import { gone } from './error.ts';
import { toColumn } from './rows.ts';

/** Blobs of one owner, for reading. */
export interface ReadableBlobs {
  get(key: string): Promise<{ stream(): AsyncIterable<Uint8Array> } | undefined>;
}

/**
 * Reads blobs of a database that is not written, as commands that show something do. Nothing keeps a blob that is deleted
 * meanwhile: its stream fails.
 */
export function readBlobs(store: Pick<StoreReader, 'kind' | 'location' | 'tables'>, scope: string): ReadableBlobs {
  const folder = join(dirname(store.location), 'blobs');
  return {
    async get(key) {
      const db = await store.tables();
      const row = await db
        .selectFrom('signalbox_blob')
        .select('file')
        .where('scope', '=', toColumn(scope, store.kind))
        .where('key', '=', toColumn(key, store.kind))
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { file } = row;
      return {
        stream: () => (store.kind === 'postgres' ? chunksOf(store, file, key) : createReadStream(join(folder, file))),
      };
    },
  };
}

async function* chunksOf(
  store: Pick<StoreReader, 'tables'>,
  file: string,
  key: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const db = await store.tables();
  for (let number = 0; ; number++) {
    const row = await db
      .selectFrom('signalbox_blob_chunk')
      .select('content')
      .where('file', '=', file)
      .where('number', '=', number)
      .executeTakeFirst();
    if (row === undefined && number === 0) throw gone(key);
    if (row === undefined) return;
    yield row.content;
  }
}
