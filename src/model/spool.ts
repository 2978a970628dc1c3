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
