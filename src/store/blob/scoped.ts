import type { Blobs, ByteRange, StoredBlob } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Attachment } from '../../model/value.ts';
import { sentMediaType } from '../../wire/file-type.ts';
import { isFull } from '../error.ts';
import type { BlobTable } from '../tables/blob.ts';
import { closed } from './error.ts';
import { type BlobRows, checkedKey } from './rows.ts';

/** The part of the blob port that differs between files and rows. */
export interface BlobContents {
  readonly rows: BlobRows;
  /** Stores content under a key. */
  put(scope: string, key: string, content: Attachment): Promise<BlobTable>;
  /** Reads a range, which is within the blob. */
  read(row: BlobTable, range: ByteRange): AsyncIterable<Uint8Array>;
  /** Takes its file from a key; when `file` is given, only that one. @returns whether the key had it */
  delete(scope: string, key: string, file?: string): Promise<boolean>;
}

/** The blobs of one owner. */
export function scopedBlobs(contents: BlobContents, scope: string): Blobs {
  const blob = (row: BlobTable): StoredBlob => storedBlob(contents, row);
  return {
    async put(key, content) {
      const own = checkedKey(key);
      try {
        return blob(await contents.put(scope, own, typed(content)));
      } catch (error) {
        throw isFull(error) ? Fault.of('STORAGE_FULL', { what: 'The content' }, { cause: error }) : error;
      }
    },
    async get(key) {
      const row = await contents.rows.find(scope, checkedKey(key));
      return row === undefined ? undefined : blob(row);
    },
    async delete(key) {
      return contents.delete(scope, checkedKey(key));
    },
    async expire(before) {
      const limit = before.toISOString();
      let expired = 0;
      for (;;) {
        const old = await contents.rows.olderThan(scope, limit);
        if (old.length === 0) return expired;
        for (const { key, file } of old) if (await contents.delete(scope, key, file)) expired += 1;
      }
    },
  };
}

/** Adds the type by the name to content of unknown type: Base64, and parts without a header. */
function typed(content: Attachment): Attachment {
  const { length, name } = content;
  const contentType = sentMediaType(content.contentType, { name });
  return contentType === content.contentType ? content : { contentType, name, length, stream: () => content.stream() };
}

function storedBlob(contents: BlobContents, row: BlobTable): StoredBlob {
  const { key, content_type, name, length, sha256, stored } = row;
  return {
    ...{ key, contentType: content_type, ...(name === null ? {} : { name }), length, sha256, stored },
    stream(range = { start: 0, length }) {
      const whole = Number.isSafeInteger(range.start) && Number.isSafeInteger(range.length);
      if (!whole || range.start < 0 || range.length < 0 || range.start + range.length > length)
        throw new RangeError(
          `blob ${JSON.stringify(key)} has ${length} bytes, not ${range.length} from ${range.start} on`,
        );
      return contents.read(row, range);
    },
  };
}

/** The changes to the database in progress, until the storage is closed. */
export class Changes {
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  /** @throws Error when the storage is closed; what the change throws */
  async run<T>(change: () => Promise<T>): Promise<T> {
    if (this.#closed) throw closed();
    const running = change();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Refuses new changes and waits for the others: it must be known whether a file was assigned to its blob. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running);
  }
}
