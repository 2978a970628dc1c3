import { Fault } from '../model/fault.ts';
import { isFullCode } from '../store/error.ts';
import { RESULT_LIMIT } from './render/result-limit.ts';

/** Why a command, or the start of a reader, failed. */
export interface Failure {
  /** Of the database or of the file system; empty for a value that does not fit its column. */
  readonly code: string;
  readonly message: string;
}

/** No reader can be had now; the caller may try again in a second. */
export function unavailable(reason: string, cause?: unknown): Fault {
  return Fault.of('UNAVAILABLE', { reason }, { cause, headers: { 'Retry-After': '1' } });
}

/** A query could not be answered; why is for the log alone. */
export function internal(query: string, cause: Error): Fault {
  return Fault.of('INTERNAL', { operation: `Query ${query}` }, { cause });
}

/** What a reader's failure is to the caller. */
export function faultOf(query: string, failure: Failure): Fault {
  if (failure.code === RESULT_LIMIT) return Fault.of('BAD_PARAMETER', { name: 'The result', reason: failure.message });
  if (isFullCode(failure.code)) return Fault.of('STORAGE_FULL', { what: `The result of query ${query}` });
  const cause = new Error(`query ${query}: ${failure.code === '' ? '' : `${failure.code}: `}${failure.message}`);
  return failure.code.startsWith('SQLITE_BUSY') ? unavailable('the database is busy', cause) : internal(query, cause);
}

/** What a call rejects with when its signal ends it: always an AbortError, whatever reason the signal gives. */
export function abandoned(signal: AbortSignal): DOMException {
  const reason: unknown = signal.reason;
  if (reason instanceof DOMException && reason.name === 'AbortError') return reason;
  return new DOMException('the caller has gone', { name: 'AbortError', cause: reason });
}
