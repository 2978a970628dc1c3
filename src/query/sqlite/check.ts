import type Database from 'better-sqlite3';
import { type CheckedDatabase, compareColumns, type DatabaseType, type Found } from '../check-columns.ts';
import { openReadOnly, prepareSelect } from './statement.ts';

/** What the type that a column is declared with says: SQLite's manual, "Datatypes in SQLite", section 3.1, and common names. */
const FAMILIES = [
  [/bool/i, 'boolean'],
  [/int/i, 'integer'],
  [/char|clob|text/i, 'text'],
  [/blob/i, 'binary'],
  [/real|floa|doub/i, 'real'],
] as const;

/** SQLITE_DIRECTONLY (SQLite's "Function Flags"): of a function that may do harm, or tell what no table holds. */
const DIRECT_ONLY = 0x80000;

/** Opens a file of SQLite. @throws SqliteError where it can't be opened */
export function openChecked(location: string): CheckedDatabase {
  const database = openReadOnly(location);
  const unsafe = new Set(
    database
      .prepare<[number], string>('select name from pragma_function_list where flags & ?')
      .pluck()
      .all(DIRECT_ONLY),
  );
  return {
    problemsOf(query, plan) {
      const found = prepareSelect(database, plan.sql).columns();
      const refused = calledBy(database, plan.sql, plan.parameters.length)
        .filter((name) => unsafe.has(name))
        .map((name): Found => ({ kind: 'refused', message: `the function ${name} does more than read` }));
      const columns = found.map(({ name, type }) => ({ name, type: type === null ? undefined : readType(type) }));
      return [...refused, ...compareColumns(query, plan, columns)];
    },
    close: () => void database.close(),
  };
}

/** Functions that a statement calls, each once, as its program has them: however a name is written, SQLite itself has read it. */
function calledBy(database: Database.Database, sql: string, parameters: number): string[] {
  const program = database.prepare<null[], { opcode: string; p4: string | null }>(`explain ${sql}`);
  const called = program
    .all(...Array.from({ length: parameters }, () => null))
    .flatMap(({ opcode, p4 }) => (/^(?:Pure)?Func/.test(opcode) ? (/^\w+/.exec(p4 ?? '')?.[0] ?? []) : []));
  return [...new Set(called)];
}

/** Undefined for a type that says nothing for sure, as NUMERIC and DATE do there. */
function readType(name: string): DatabaseType | undefined {
  const family = FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
  if (family === undefined) return undefined;
  const length = family === 'text' ? /\((\d+)\)/.exec(name)?.[1] : undefined;
  return { name: name.toLowerCase(), family, ...(length === undefined ? {} : { length: Number(length) }) };
}
