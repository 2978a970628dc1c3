import type { Attachment } from './value.ts';

/** Stored binary content: an attachment that can be read any number of times. */
export interface StoredBlob extends Attachment {
  readonly key: string;
  readonly length: number;
  /** SHA-256 of the bytes, in lower-case hexadecimal digits. */
  readonly sha256: string;
  /** When it was stored, in UTC: `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly stored: string;
  /**
   * The bytes, or a range of them. A stream that has begun stays readable if the blob is replaced or deleted meanwhile.
   * @throws RangeError for a range beyond the end; Error when the blob was deleted or replaced before the first byte was
   * read; errors of the storage
   */
  stream(range?: ByteRange): AsyncIterable<Uint8Array>;
}

export interface ByteRange {
  /** From 0. */
  readonly start: number;
  readonly length: number;
}

/**
 * A store of binary content. A key is any Unicode text of 1 to 255 characters, compared exactly.
 * @throws RangeError from each function for an invalid key
 */
export interface Blobs {
  /**
   * Stores content under a key, in place of any earlier content; the replacement is atomic, and of two concurrent calls the
   * last to finish wins. Content of the type `application/octet-stream` gets the media type that its file name suggests. If
   * the call fails, the earlier content stays.
   * @throws Fault STORAGE_FULL; Error for content of another length than declared; what the stream throws; errors of the
   * storage
   */
  put(key: string, content: Attachment): Promise<StoredBlob>;
  get(key: string): Promise<StoredBlob | undefined>;
  /** @returns whether the blob existed */
  delete(key: string): Promise<boolean>;
  /** Deletes all blobs stored before a time, by the clock of the gateway that stored them. @returns how many */
  expire(before: Date): Promise<number>;
}

/** The blobs of all owners. */
export interface BlobStore {
  /** The blobs of one owner, such as a service: each owner has keys of its own. */
  scope(name: string): Blobs;
}

/** Temporarily stored content of known length; can be read any number of times until it is disposed of. */
export interface SpooledContent {
  /** In bytes. */
  readonly length: number;
  /** The bytes from the beginning. @throws Error after disposal, also in the middle of a stream */
  stream(): AsyncIterable<Uint8Array>;
  /** Frees memory and disk space. A second call does nothing. */
  dispose(): void;
}

/** Stores content that arrives before it is needed. */
export interface Spool {
  /**
   * Reads a stream to its end. If that fails, nothing of it is kept.
   * @param limit largest number of bytes
   * @throws SpoolLimitError as soon as the limit is exceeded; what the stream throws; errors of the storage
   */
  keep(content: AsyncIterable<Uint8Array>, limit: number): Promise<SpooledContent>;
}

/** Content exceeds its limit. */
export class SpoolLimitError extends Error {
  override readonly name = 'SpoolLimitError';
  /** In bytes. */
  readonly limit: number;

  constructor(limit: number) {
    super(`the content is longer than ${limit} bytes`);
    this.limit = limit;
  }
}
