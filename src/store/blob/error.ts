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
