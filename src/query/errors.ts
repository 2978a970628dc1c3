import { Fault } from '../model/fault.ts';
import { isFullCode } from '../store/error.ts';
import type { Plan } from './plan.ts';
import { RESULT_LIMIT } from './render/result-limit.ts';
import { WRONG_VALUE } from './render/value.ts';

/** Why a command, or the start of a reader, failed. */
export interface Failure {
  /** A code of the database, of the file system, or of the gateway; empty if the error has none. */
  readonly code: string;
  readonly message: string;
}

/** No reader or connection is available now; the caller may try again in a second. */
export function unavailable(reason: string, cause?: unknown): Fault {
  return Fault.of('UNAVAILABLE', { reason }, { cause, headers: { 'Retry-After': '1' } });
}

/** The database can't be reached now. */
export function unreachable(cause: unknown): Fault {
  return unavailable("the database can't be reached", cause);
}

/** A query could not be answered. The reason goes to the log only. */
export function internal(query: string, cause: Error): Fault {
  return Fault.of('INTERNAL', { operation: `Query ${query}` }, { cause });
}

/**
 * Error codes for a temporary file or result file that has reached its limit: the system's, SQLite's (which writes nothing
 * else), PostgreSQL's SQLSTATE `configuration_limit_exceeded` (from `temp_file_limit`), and MariaDB's.
 */
const TOO_LARGE: ReadonlySet<string> = new Set([
  'EFBIG',
  'SQLITE_IOERR_WRITE',
  '53400',
  'ER_LOCAL_TEMP_SPACE_LIMIT',
  'ER_GLOBAL_TEMP_SPACE_LIMIT',
]);

/**
 * Error codes caused by the SQL or by the data it returns. The SQLSTATE classes are: unsupported features, cardinality, data,
 * constraints, routines, syntax and access, program limits, PL/pgSQL, and writes in a read-only transaction. All other
 * errors, such as those of a disk or a connection, are the gateway's.
 */
const OF_THE_QUERY = /^(?:SQLITE_(?:ERROR|MISMATCH|RANGE|TOOBIG)|(?:0A|21|22|23|38|39|42|54|P0)\w{3}|25006)$/;

/** The fault that the caller of a failed query receives. */
export function faultOf({ name: query, isPrivate }: Pick<Plan, 'name' | 'isPrivate'>, failure: Failure): Fault {
  if (failure.code === RESULT_LIMIT) return Fault.of('BAD_PARAMETER', { name: 'The result', reason: failure.message });
  if (TOO_LARGE.has(failure.code)) {
    const reason = 'needs more temporary space than a query may take (`limits.temporary`); let it sort or return less';
    return Fault.of('BAD_PARAMETER', { name: `Query ${query}`, reason }, { reason: failure.message });
  }
  if (isFullCode(failure.code)) return Fault.of('STORAGE_FULL', { what: `The result of query ${query}` });
  if (isPrivate && (failure.code === WRONG_VALUE || OF_THE_QUERY.test(failure.code))) {
    // The author saw the same message when saving the query.
    return Fault.of('BAD_PARAMETER', {
      name: `Query ${query}`,
      reason: `failed: ${failure.message.replace(/\.$/, '')}`,
    });
  }
  const cause = new Error(
    `query ${query}: ${failure.code === '' || failure.code === WRONG_VALUE ? '' : `${failure.code}: `}${failure.message}`,
  );
  if (failure.code.startsWith('SQLITE_BUSY')) return unavailable('the database is busy', cause);
  return internal(failure.code === WRONG_VALUE ? placeOf(query, failure.message) : query, cause);
}

/** The query, and where its value is that does not fit, which tells nothing of the value: `TIMES (row 2, column AT)`. */
function placeOf(query: string, message: string): string {
  const [, row, column] = /^row (\d+): column (\S+) holds /.exec(message) ?? [];
  return row === undefined ? query : `${query} (row ${row}, column ${column})`;
}

/** The error of a call that its signal aborted: always an AbortError, whatever the signal's reason. */
export function abandoned(signal: AbortSignal): DOMException {
  const reason: unknown = signal.reason;
  if (reason instanceof DOMException && reason.name === 'AbortError') return reason;
  return new DOMException('the caller has gone', { name: 'AbortError', cause: reason });
}
