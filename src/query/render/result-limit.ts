/** The code of a {@link ResultLimitError}, by which the gateway knows one that comes from a reader. */
export const RESULT_LIMIT = 'RESULT_LIMIT';

/**
 * A result is larger than its format, or than what is set aside for it, can hold. The message is for the caller: it
 * goes on from `The result` and has no end.
 */
export class ResultLimitError extends Error {
  override readonly name = 'ResultLimitError';
  readonly code = RESULT_LIMIT;
}
