import type { Position } from '../model/definition.ts';

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

/**
 * A migration of the project that failed, or can't run on a database as it is. The message begins with its place.
 * `changed`: it was edited after it ran; `order`: one with a higher number ran.
 */
export class MigrationError extends StoreError {
  readonly code: 'failed' | 'changed' | 'order';
  readonly at: Position;
  readonly reason: string;
  /** What to do. */
  readonly hint: string;
  /** It waited too long for a lock, or took too long: the statement may be right. */
  readonly late: boolean;

  constructor(
    location: string,
    { code, at, reason, hint }: Pick<MigrationError, 'code' | 'at' | 'reason' | 'hint'>,
    options?: ErrorOptions,
  ) {
    super(location, `${at.file}:${at.line}:${at.column}: ${reason}`, options);
    this.code = code;
    this.at = at;
    this.reason = reason;
    this.hint = hint;
    this.late = isLate(options?.cause);
  }
}

/** Whether a statement waited too long for a lock, or took too long (SQLSTATE 55P03, 57014). */
export function isLate(error: unknown): boolean {
  return error instanceof StoreBusyError || /^(?:55P03|57014)$/.test(errorCode(error));
}
