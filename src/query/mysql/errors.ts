import { Fault } from '../../model/fault.ts';
import { errorCode, errorText, StoreError } from '../../store/error.ts';
import { faultOf, unavailable, unreachable } from '../errors.ts';
import type { Plan } from '../plan.ts';
import { ResultLimitError } from '../render/index.ts';

/** A statement that returns other columns than it did when it was prepared. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError';
}

/** The error that the driver reports for an idle connection. */
export function lostConnection(message: string): Error {
  return Object.assign(new Error(message), { code: 'PROTOCOL_CONNECTION_LOST' });
}

/** A server that shuts down, rejected credentials or databases, and a server without free connections. */
const LOST =
  /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|PROTOCOL_|HANDSHAKE_|ER_(?:SERVER_SHUTDOWN|CONNECTION_KILLED|ACCESS_DENIED_ERROR|DBACCESS_DENIED_ERROR|BAD_DB_ERROR|CON_COUNT_ERROR|TOO_MANY_USER_CONNECTIONS|HOST_|NEW_ABORTING_CONNECTION|NET_))/;

/** Conflicts with other work: locks, and limits of the server. */
const BUSY =
  /^ER_(?:LOCK_WAIT_TIMEOUT|LOCK_DEADLOCK|STATEMENT_TIMEOUT|QUERY_TIMEOUT|QUERY_INTERRUPTED|USER_LIMIT_REACHED)$/;

export function isLost(error: unknown): boolean {
  if (error instanceof ResultLimitError) return false;
  return (error instanceof Error && 'fatal' in error && error.fatal === true) || LOST.test(errorCode(error));
}

export function isOutdated(error: unknown): boolean {
  const code = errorCode(error);
  return error instanceof OutdatedError || code === 'ER_UNKNOWN_STMT_HANDLER' || code === 'ER_NEED_REPREPARE';
}

export function faultOfDatabase(plan: Plan, error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (isLost(error)) return unreachable(error);
  const code = errorCode(error);
  if (BUSY.test(code)) return unavailable('the database is busy', error);
  const message = errorText(error);
  // A value, which gives way to a column, has characters that the column's character set lacks.
  if (code.startsWith('ER_CANT_AGGREGATE_') && message.includes('COERCIBLE') && plan.parameters.length > 0) {
    const reason = 'has characters that the column it is compared with can not hold';
    return Fault.of('BAD_PARAMETER', { name: 'A prompt', reason }, { cause: error });
  }
  return faultOf(plan, { code, message });
}

/** Describes a connection's error, with a remedy for its code. */
export function describeError(location: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = errorCode(error);
  const advice = ADVICE[code];
  const said = error instanceof AggregateError ? error.errors.map(errorText).join(', ') : errorText(error);
  const reason = said === '' ? code : said;
  const what =
    advice === undefined
      ? `${location} does not answer: ${reason}; see that it runs and can be reached from here`
      : `${location} can't be used: ${reason}; ${advice}`;
  return new StoreError(location, what, { cause: error });
}

const ADVICE: Readonly<Record<string, string>> = {
  ER_ACCESS_DENIED_ERROR: "see to the user and the password of the datasource's url",
  ER_DBACCESS_DENIED_ERROR: 'give its user the right to SELECT there',
  ER_BAD_DB_ERROR: "make the database, or name another one in the datasource's url",
  ER_CON_COUNT_ERROR: 'it has no connection left: raise its max_connections',
  ER_HOST_NOT_PRIVILEGED: 'let it accept connections from this machine',
  HANDSHAKE_NO_SSL_SUPPORT: 'give it a certificate, or leave sslmode out of the url',
  HANDSHAKE_SSL_ERROR: 'see to its certificate, and to sslrootcert in the url',
};
