import { Fault } from '../../model/fault.ts';
import { isFull, StoreError, UnwritableError } from '../../store/index.ts';

/** What callers are told while the database can't be had; they may try again in a second. */
function databaseAway(cause: unknown): Fault {
  const reason = 'the database does not answer';
  return Fault.of('UNAVAILABLE', { reason }, { cause, headers: { 'Retry-After': '1' } });
}

/** What callers are told while something behind the gateway can't be had. Which folder it is, the log alone says. */
export function notReady(cause: unknown): Fault {
  if (!(cause instanceof UnwritableError)) return databaseAway(cause);
  const reason = "the folder of blobs can't be written, so no content or result can be kept";
  return Fault.of('UNAVAILABLE', { reason }, { cause, headers: { 'Retry-After': '1' } });
}

/** What an error is to callers whose cause is the gateway's own database; undefined for any other. */
export function faultOfStore(error: unknown): Fault | undefined {
  if (isFull(error)) return Fault.of('STORAGE_FULL', { what: 'What was to be saved' }, { cause: error });
  return error instanceof StoreError ? databaseAway(error) : undefined;
}
