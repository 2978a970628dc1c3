import type { PlanColumn } from '../plan/plan.ts';

/** A value as SQLite returns it; integers are always bigint. */
export type SqlValue = string | number | bigint | Buffer | null;

/** A value that is not NULL. */
export type Present = Exclude<SqlValue, null>;

/** A stored value does not fit the declared type of its column. */
export class ValueError extends Error {
  override readonly name = 'ValueError';

  constructor(column: PlanColumn, value: Present) {
    super(`column ${column.name} holds ${storageClass(value)} that is no ${column.kind}`);
  }
}

function storageClass(value: Present): string {
  if (typeof value === 'string') return 'a text';
  if (typeof value === 'bigint') return 'an integer';
  return typeof value === 'number' ? 'a real number' : 'a blob';
}
