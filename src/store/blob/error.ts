import { errorText, StoreError } from '../error.ts';

/** A blob could not be stored or read because of its content or its state. */
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

/** The error for writing after the close. */
export function closed(): Error {
  return new Error('the blob storage is closed');
}

/** The error for reading content that no longer exists. */
export function gone(key: string, cause?: unknown): BlobError {
  return new BlobError(key, 'it was deleted or replaced before it was read', cause === undefined ? {} : { cause });
}

/** Blobs can't be stored, because their folder is not writable: missing permission, no space, a file in its place. */
export class UnwritableError extends StoreError {}

/** @param folder the folder of the blobs */
export function unwritable(folder: string, cause: unknown): UnwritableError {
  return new UnwritableError(folder, `${folder} can't be used for blobs: ${errorText(cause)}`, { cause });
}
