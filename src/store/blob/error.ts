import { errorText, StoreError } from '../error.ts';

/** A blob could not be kept or read, for a reason that is the content's or the blob's own. */
export class BlobError extends Error {
  override readonly name = 'BlobError';
  readonly key: string;
  readonly reason: string;

  constructor(key: string, reason: string, options?: ErrorOptions) {
    super(`blob ${JSON.stringify(key)}: ${reason}`, options);
    this.key = key;
    this.reason = reason;
  }
}

/** The error of whoever still wants to write. */
export function closed(): Error {
  return new Error('the blob storage is closed');
}

/** The error of whoever wants to read what is not there any more. */
export function gone(key: string, cause?: unknown): BlobError {
  return new BlobError(key, 'it was deleted or replaced before it was read', cause === undefined ? {} : { cause });
}

/** No blob can be kept, because nothing can be written to their folder: no right to, no room, a file in its place. */
export class UnwritableError extends StoreError {}

/** @param folder of the blobs */
export function unwritable(folder: string, cause: unknown): UnwritableError {
  return new UnwritableError(folder, `${folder} can't be used for blobs: ${errorText(cause)}`, { cause });
}
