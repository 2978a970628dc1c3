/** A violation of the standard that a text or a message claims to follow. */
export class WireError extends Error {
  /** A clause without a full stop. */
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of a system error (`EACCES`) or a database error (`SQLITE_BUSY`, an SQLSTATE); empty for anything else. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
