/** When a call is made again. */
export interface Retry {
  /** Times that a call is made in all, at least 1. */
  readonly attempts: number;
  /** HTTP statuses after which the same call may succeed later. */
  readonly on: ReadonlySet<number>;
  /**
   * Said by the definitions, and so of every method. Otherwise only what may be repeated without harm is: calls of methods
   * that RFC 9110 section 9.2.2 calls idempotent, those of which nothing was sent, and those after whose reply the target
   * says when to come again (Retry-After).
   */
  readonly declared: boolean;
}

/** What is done where neither an operation nor its node says something. */
export const RETRY_DEFAULTS: Retry = { attempts: 3, on: new Set([408, 429, 502, 503, 504]), declared: false };
