import { isOddText } from '../../wire/odd-value.ts';
import type { PlanColumn } from '../plan.ts';

/** A value as SQLite returns it; integers are always bigint. */
export type SqlValue = string | number | bigint | Buffer | null;

/** A value that is not NULL. */
export type Present = Exclude<SqlValue, null>;

/** The code of a {@link ValueError}, by which the gateway knows one that comes from a reader. */
export const WRONG_VALUE = 'WRONG_VALUE';

/** What a statement returns does not fit the columns that its query declares. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
  readonly code = WRONG_VALUE;
}

/** Whether a value is infinite, not a number, a date BC, beyond the year 9999 or without a day, in the words of PostgreSQL or MariaDB, or a real number of SQLite. */
export function isOdd(value: Present): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  return typeof value === 'string' && isOddText(value);
}

/** A stored value does not fit the declared type of its column. */
export function wrongValue({ name, kind }: PlanColumn, value: Present): ValueError {
  const remedy = isOdd(value) ? '; `infinity: null` or `text` of the query says what becomes of such values' : '';
  return new ValueError(`column ${name} holds ${storageClass(value)} that is no ${kind}${remedy}`);
}

function storageClass(value: Present): string {
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'bigint') return 'an integer';
  return typeof value === 'number' ? 'a real number' : 'a blob';
}
