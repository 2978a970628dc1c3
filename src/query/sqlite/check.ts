import type Database from 'better-sqlite3';
import { columnType } from '../../model/column-type.ts';
import { offsetOfRefusedToken } from '../../store/index.ts';
import { messageOf } from '../../wire/error.ts';
import { scanSql } from '../../wire/sql.ts';
import { type CheckedDatabase, compareColumns, type Found } from '../check-columns.ts';
import { openReadOnly, prepareSelect } from './statement.ts';

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
      const refusal = refusalOf(database, plan.sql);
      if (refusal !== undefined) return [located(database, query.sql, refusal)];
      const found = prepareSelect(database, plan.sql).columns();
      const refused = calledBy(database, plan.sql, plan.parameters.length)
        .filter((name) => unsafe.has(name))
        .map((name): Found => ({ kind: 'refused', message: `the function ${name} does more than read` }));
      const columns = found.map(({ name, type, table, column }) => ({
        name,
        type: type === null ? undefined : columnType('sqlite', type),
        isNullable: table !== null && column !== null && isNullable(database, table, column),
      }));
      return [...refused, ...compareColumns(query, plan, columns)];
    },
    close: () => void database.close(),
  };
}

/** Whether a column of a table may be NULL. The key of a table is a number, or NULL by a quirk of SQLite's that no one means. */
function isNullable(database: Database.Database, table: string, column: string): boolean {
  const found = database
    .prepare<[string, string], number>('select 1 from pragma_table_info(?) where name = ? and "notnull" = 0 and pk = 0')
    .pluck()
    .get(table, column);
  return found === 1;
}

/** Why a statement can't be prepared. */
function refusalOf(database: Database.Database, sql: string): string | undefined {
  try {
    prepareSelect(database, sql);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/**
 * A refusal with its place, which SQLite's driver does not report. It is looked for in the declared text: SQLite reads `:NAME`
 * as it is, and its message then names nothing that the author did not write.
 */
function located(database: Database.Database, sql: string, refusal: string): Found {
  const message = refusalOf(database, sql) ?? refusal;
  const name =
    /^(?:no such (column|table|function): |ambiguous column name: |wrong number of arguments to function )(.+?)(?:\(\)| - .*)?$/;
  const [, kind, named] = name.exec(message) ?? [];
  const searched = (): number | undefined =>
    sql.length > LONGEST_SEARCHED
      ? undefined
      : offsetOfRefusedToken(sql, message, (beginning) => refusalOf(database, beginning));
  const offset = named === undefined ? searched() : offsetOfName(sql, named, kind);
  return { kind: 'refused', message, ...(offset === undefined ? {} : { offset }) };
}

/** The longest statement in which a token is looked for: callers can save queries. */
const LONGEST_SEARCHED = 100_000;

/** The first place at which a name can be that of a column, table or function. */
function offsetOfName(sql: string, name: string, kind: string | undefined): number | undefined {
  const quoted = name.startsWith('"') ? sql.indexOf(name) : -1;
  if (quoted >= 0) return quoted;
  const lower = name.toLowerCase();
  const places = scanSql(sql)
    .flatMap((token) => (token.kind === 'word' ? token.offset : []))
    .filter((offset) => {
      const end = offset + name.length;
      return sql.slice(offset, end).toLowerCase() === lower && !/^\w/.test(sql.slice(end));
    });
  const fits = (offset: number): boolean => {
    const before = sql.slice(Math.max(0, offset - 100), offset);
    if (kind === 'function') return /^\s*\(/.test(sql.slice(offset + name.length));
    if (kind === 'table') return /(?:\b(?:from|join)\s|,)\s*$/i.test(before);
    return !/(?:\.|\bas\s)\s*$/i.test(before);
  };
  return places.find(fits) ?? places[0];
}

/** Functions that a statement calls, each once, as its program has them: however a name is written, SQLite itself has read it. */
function calledBy(database: Database.Database, sql: string, parameters: number): string[] {
  const program = database.prepare<null[], { opcode: string; p4: string | null }>(`explain ${sql}`);
  const called = program
    .all(...Array.from({ length: parameters }, () => null))
    .flatMap(({ opcode, p4 }) => (/^(?:Pure)?Func/.test(opcode) ? (/^\w+/.exec(p4 ?? '')?.[0] ?? []) : []));
  return [...new Set(called)];
}
