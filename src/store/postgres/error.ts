import { errorCode, errorText, StoreBusyError, StoreError } from '../error.ts';

/** What to do about an error, by its SQLSTATE (PostgreSQL, appendix A) or its system error code. */
const ADVICE: Readonly<Record<string, string>> = {
  '08004': 'give it a certificate for its name, of the authority in sslrootcert, or choose another sslmode',
  '28000': 'check the user and the password in the database URL',
  '28P01': 'check the user and the password in the database URL',
  '3D000': 'create the database, or name another one in the database URL',
  '42501': 'grant the user of the database URL the right to create tables, and a schema for the queue',
  '53100': 'its disk is full: free some space',
  '53300': 'it has no connection left: lower `connections`, or raise its max_connections',
};

/** The error of a lost connection, which will be replaced. */
export function lostConnection(location: string, error: Error): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(location, `a connection to ${location} was lost: ${errorText(error)}`, { cause: error });
}

/** SQLSTATE of a statement that waited too long for a lock, or took too long. */
const ENDED: Readonly<Record<string, string>> = {
  '55P03': 'another transaction holds a lock that it needs',
  '57014': 'it took longer than the database allows',
};

/** What the error of a statement means for the gateway; errors of the statement itself are left as they are. */
export function explain(location: string, error: unknown): unknown {
  if (error instanceof StoreError) return error;
  if (isLost(error) || isDemoted(error)) return lostConnection(location, error as Error);
  const ended = ENDED[errorCode(error)];
  if (ended === undefined) return error;
  return new StoreBusyError(location, `a statement was ended by ${location}: ${ended}`, { cause: error });
}

/** The error for an operator: what is wrong with which database, and what to do. */
export function describePostgres(location: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const advice = ADVICE[errorCode(error)];
  // A host name with several addresses fails with an error for each; these say more than the error around them.
  const said = error instanceof AggregateError ? error.errors.map(errorText).join(', ') : errorText(error);
  const reason = said === '' ? errorCode(error) : said;
  const what =
    advice === undefined
      ? `${location} does not answer: ${reason}; check that it runs and can be reached from here`
      : `${location} can't be used: ${reason}; ${advice}`;
  return new StoreError(location, what, { cause: error });
}

/** Whether the gateway can't write (SQLSTATE 25006): the server is not the primary any more. */
export function isDemoted(error: unknown): boolean {
  return errorCode(error) === '25006';
}

/** Whether an error means that the connection has ended, or was never established. */
export function isLost(error: unknown): boolean {
  const code = errorCode(error);
  // Class 08, a server that shuts down, a transaction that was idle for too long, wrong credentials, a missing database; other
  // cases only by the driver's message.
  return /^(?:08|57P0|25P03|28|3D)/.test(code) || (error instanceof Error && isOfNetwork(error));
}

function isOfNetwork(error: Error): boolean {
  const code = errorCode(error);
  if (code === '') return /connection|timeout expired|not queryable/i.test(error.message);
  return (
    /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/.test(code) ||
    ('syscall' in error && error.syscall === 'connect')
  );
}
