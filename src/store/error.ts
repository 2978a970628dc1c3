/** The database could not be opened, reached, brought up to date or filled. The message names it and what to do. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  /** The database file, or `host:port/database`. */
  readonly location: string;

  constructor(location: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.location = location;
  }
}

/** The database answers, but what is needed is in use by another transaction, or took too long. */
export class StoreBusyError extends StoreError {}

/** The database answers, but the way it is set up it can't be used. Waiting does not help. */
export class UnfitStoreError extends StoreError {}

/**
 * The code of an SQLite error (`SQLITE_NOTADB`), of PostgreSQL's (its SQLSTATE, `40001`), or of the system's (`EACCES`);
 * empty for anything else.
 */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The message of an error. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Error codes for a lack of space: of the system, of SQLite, and of PostgreSQL (SQLSTATE class 53). */
const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', '53100']);

/** Whether an error means that there is no space left. */
export function isFull(error: unknown): boolean {
  return isFullCode(errorCode(error));
}

/** Whether an {@link errorCode} means that there is no space left. */
export function isFullCode(code: string): boolean {
  return FULL.has(code);
}
