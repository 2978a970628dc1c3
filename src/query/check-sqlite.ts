import type { CheckedDatabase } from './check.ts';
import { planOf } from './plan.ts';
import { openReadOnly, prepareSelect } from './statement.ts';
import { compareColumns, type DatabaseType } from './type-fit.ts';

/** What the type that a column is declared with says: SQLite's manual, "Datatypes in SQLite", section 3.1, and common names. */
const FAMILIES = [
  [/bool/i, 'boolean'],
  [/int/i, 'integer'],
  [/char|clob|text/i, 'text'],
  [/blob/i, 'binary'],
  [/real|floa|doub/i, 'real'],
] as const;

/** Opens a file of SQLite. @throws SqliteError where it can't be opened */
export function openChecked(location: string): CheckedDatabase {
  const database = openReadOnly(location);
  return {
    problemsOf(query) {
      const plan = planOf(query, 0, 'sqlite');
      const found = prepareSelect(database, plan.sql).columns();
      return compareColumns(
        query,
        plan,
        found.map(({ name, type }) => ({ name, type: type === null ? undefined : readType(type) })),
      );
    },
    close: () => void database.close(),
  };
}

/** Undefined for a type that says nothing for sure, as NUMERIC and DATE do there. */
function readType(name: string): DatabaseType | undefined {
  const family = FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
  if (family === undefined) return undefined;
  const length = family === 'text' ? /\((\d+)\)/.exec(name)?.[1] : undefined;
  return { name: name.toLowerCase(), family, ...(length === undefined ? {} : { length: Number(length) }) };
}
