import type { Blobs, ByteRange, StoredBlob } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Attachment } from '../../model/value.ts';
import { isFull } from '../error.ts';
import type { BlobTable } from '../tables.ts';
import { BlobError } from './error.ts';
import { checkedKey } from './key.ts';
import type { BlobRows } from './rows.ts';

/** What was written. */
export interface WrittenBlob {
  readonly length: number;
  /** SHA-256, in lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** What an implementation of the blob port does with files, whatever those are. */
export interface BlobContents {
  readonly rows: BlobRows;
  /** Keeps content under a key. */
  put(scope: string, key: string, content: Attachment): Promise<BlobTable>;
  /** The bytes of a range, which is within the blob. */
  read(row: BlobTable, range: ByteRange): AsyncIterable<Uint8Array>;
  /** Takes its file from a key, where `file` is given only that one. @returns whether it had it */
  delete(scope: string, key: string, file?: string): Promise<boolean>;
}

/** The blobs of one owner. */
export function scopedBlobs(contents: BlobContents, scope: string): Blobs {
  const blob = (row: BlobTable): StoredBlob => storedBlob(contents, row);
  return {
    async put(key, content) {
      const own = checkedKey(key);
      try {
        return blob(await contents.put(scope, own, content));
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

/** The error of whoever still wants to write. */
export function closed(): Error {
  return new Error('the blob storage is closed');
}

/** The error of whoever wants to read what is not there any more. */
export function gone(key: string, cause?: unknown): BlobError {
  return new BlobError(key, 'it was deleted or replaced before it was read', cause === undefined ? {} : { cause });
}

/**
 * Hands the chunks of a content on, and checks that they are as many bytes as it says.
 * @throws BlobError where they are not; what its stream throws
 */
export async function measure(
  key: string,
  content: Attachment,
  take: (chunk: Uint8Array) => Promise<void> | undefined,
): Promise<number> {
  const announced = content.length ?? Number.POSITIVE_INFINITY;
  let length = 0;
  for await (const chunk of content.stream()) {
    length += chunk.length;
    if (length > announced) throw new BlobError(key, `more came than the ${announced} bytes that were announced`);
    const full = take(chunk);
    if (full !== undefined) await full;
  }
  if (content.length !== undefined && length < content.length)
    throw new BlobError(key, `${length} of ${content.length} announced bytes came`);
  return length;
}
