import { errorCode, errorText, StoreError } from '../error.ts';

/** What is to be done about an error, by its SQLSTATE (PostgreSQL, appendix A) or its code of the system. */
const ADVICE: Readonly<Record<string, string>> = {
  '28000': 'see to the user and the password in the database URL',
  '28P01': 'see to the user and the password in the database URL',
  '3D000': 'make the database, or name another one in the database URL',
  '42501': 'give the user of the database URL the right to it',
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
