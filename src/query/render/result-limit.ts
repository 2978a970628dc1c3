/** The code of a {@link ResultLimitError}, by which the gateway knows one that comes from a reader. */
export const RESULT_LIMIT = 'RESULT_LIMIT';

/**
 * A result is too large for its format or for the memory reserved for it. The message is for the caller: it continues
 * `The result` and has no full stop.
 */
export class ResultLimitError extends Error {
  override readonly name = 'ResultLimitError';
  readonly code = RESULT_LIMIT;
}
