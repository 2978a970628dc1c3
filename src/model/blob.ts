import type { Attachment } from './value.ts';

/** Content that is kept: as an attachment, but readable any number of times. */
export interface StoredBlob extends Attachment {
  readonly key: string;
  readonly length: number;
  /** SHA-256 of the bytes, in lower-case hexadecimal digits. */
  readonly sha256: string;
  /** When it was put, as a datetime in UTC: `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  readonly stored: string;
  /**
   * The bytes, as they were put, or a range of them. A stream that has begun is not disturbed by what happens to the key.
   * @throws RangeError for a range that goes beyond them. Error where the blob was deleted or replaced before the first byte
   * was read; errors of the storage
   */
  stream(range?: ByteRange): AsyncIterable<Uint8Array>;
}

/** Some of the bytes. */
export interface ByteRange {
  /** From 0. */
  readonly start: number;
  readonly length: number;
}

/**
 * Binary content by keys of the caller's choice: any Unicode text of 1 to 255 characters, compared as it stands. What is
 * put under a key replaces what was there, all at once; of two puts at the same time, the later to finish.
 * @throws RangeError from each of the functions, for a key that is none
 */
export interface Blobs {
  /**
   * Keeps an attachment, read as a stream. One of the type `application/octet-stream` with a name gets the type that its
   * name says. Where that fails, nothing of it stays, and what was there before does.
   * @throws Fault STORAGE_FULL. Error where the content is not as long as it says; what the stream throws; errors of the
   * storage
   */
  put(key: string, content: Attachment): Promise<StoredBlob>;
  get(key: string): Promise<StoredBlob | undefined>;
  /** Whether there was one. */
  delete(key: string): Promise<boolean>;
  /** Deletes all that were put before then, by the clock of whoever put them. @returns how many */
  expire(before: Date): Promise<number>;
}

/** Everybody's blobs. */
export interface BlobStore {
  /** Those of one owner, a service's id say: keys are their owner's own. */
  scope(name: string): Blobs;
}

/** Content that is kept for a while: of known length, and readable as often as wanted until it is given back. */
export interface Kept {
  /** In bytes. */
  readonly length: number;
  /** The bytes from the beginning. @throws Error once it is given back, a stream that is under way too */
  stream(): AsyncIterable<Uint8Array>;
  /** Gives memory and disk space back; a second call does nothing. */
  dispose(): void;
}

/** Keeps content that comes before it is wanted. */
export interface Spool {
  /**
   * Reads a stream to its end. Where that fails, nothing of it stays.
   * @param limit bytes that it may have
   * @throws SpoolLimitError as soon as there are more; what the stream throws; errors of the storage
   */
  keep(content: AsyncIterable<Uint8Array>, limit: number): Promise<Kept>;
}

/** Content that is longer than it may be. */
export class SpoolLimitError extends Error {
  override readonly name = 'SpoolLimitError';
  /** Bytes that it may have. */
  readonly limit: number;

  constructor(limit: number) {
    super(`the content is longer than ${limit} bytes`);
    this.limit = limit;
  }
}
