import { errorCode, errorText, StoreError } from '../error.ts';

/** What is to be done about an error, by its SQLSTATE (PostgreSQL, appendix A) or its code of the system. */
const ADVICE: Readonly<Record<string, string>> = {
  '28000': 'see to the user and the password in the database URL',
  '28P01': 'see to the user and the password in the database URL',
  '3D000': 'make the database, or name another one in the database URL',
  '42501': 'give the user of the database URL the right to it: the gateway makes tables, and a schema for its queue',
  '53100': 'its disk is full: make room there',
  '53300': 'it has no connection left: lower `connections`, or raise its max_connections',
};

/** A connection was lost, and others will take its place. */
export function lostConnection(location: string, error: Error): StoreError {
  return new StoreError(location, `a connection to ${location} was lost: ${errorText(error)}`, { cause: error });
}

/** The same error in the words of somebody who has to mend it. */
export function describePostgres(location: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const advice = ADVICE[errorCode(error)];
  // An address that stands for several is tried as each of them; their errors say more than the one round them.
  const said = error instanceof AggregateError ? error.errors.map(errorText).join(', ') : errorText(error);
  const reason = said === '' ? errorCode(error) : said;
  const what =
    advice === undefined
      ? `${location} does not answer: ${reason}; see that it runs and can be reached from here`
      : `${location} can't be used: ${reason}; ${advice}`;
  return new StoreError(location, what, { cause: error });
}

/** Whether an error says that the connection has ended, or was never made. */
export function isLost(error: unknown): boolean {
  const code = errorCode(error);
  // Class 08, what an ending server says, credentials and databases that are not there; else the driver's own words.
  return /^(?:08|57P0|28|3D)/.test(code) || (error instanceof Error && isOfNetwork(error));
}

function isOfNetwork(error: Error): boolean {
  const code = errorCode(error);
  if (code === '') return /connection|timeout expired|not queryable/i.test(error.message);
  return (
    /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/.test(code) ||
    ('syscall' in error && error.syscall === 'connect')
  );
}
