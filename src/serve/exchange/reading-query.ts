import { Fault } from '../../model/fault.ts';
import { PercentError } from '../../wire/percent.ts';
import { TooManyParametersError } from '../../wire/query-string.ts';

/**
 * Runs what reads a query string.
 * @param limit parameters that it may have
 * @throws Fault TOO_MANY_PARAMETERS, BAD_ENCODING for what is wrong with it as a whole
 */
export function readingQuery<T>(limit: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof TooManyParametersError) throw Fault.of('TOO_MANY_PARAMETERS', { limit });
    if (error instanceof PercentError) {
      throw Fault.of('BAD_ENCODING', { name: 'The query string', reason: error.message });
    }
    throw error;
  }
}
