import Database from 'better-sqlite3';
import type { SqlValue } from '../render/index.ts';

/** A prepared query: rows are arrays, integers are bigint. */
export type Prepared = Database.Statement<unknown[], SqlValue[]>;

/** What is said against a statement that is none that reads. */
export const NOT_A_SELECT = 'the SQL must be one statement that begins with SELECT, WITH or VALUES';

/** How long a reader waits for a lock, in milliseconds. */
const BUSY_TIMEOUT = 2000;

/** Opens a database for reading alone. @throws SqliteError */
export function openReadOnly(file: string): Database.Database {
  const database = new Database(file, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT });
  database.pragma('query_only = ON');
  return database;
}

/**
 * Prepares one SELECT.
 * @throws Error where the text is not exactly one statement that only reads rows; SqliteError where SQLite refuses it
 */
export function prepareSelect(database: Database.Database, sql: string): Prepared {
  const word = firstWord(sql);
  if (word !== 'select' && word !== 'with' && word !== 'values') {
    throw new Error(NOT_A_SELECT);
  }
  const statement = database.prepare<unknown[], SqlValue[]>(sql);
  if (!statement.reader || !statement.readonly) throw new Error('the SQL must only read');
  return statement.raw().safeIntegers();
}

/** White space or one comment: one at a time, since an expression that repeats them could try every way to cut them. */
const BETWEEN = /\s+|--[^\n]*|\/\*[\s\S]*?\*\//y;
const WORD = /[A-Za-z]*/y;

/** The first word of a statement, after white space and comments, in lower case. */
function firstWord(sql: string): string {
  BETWEEN.lastIndex = 0;
  let at = 0;
  while (BETWEEN.test(sql)) at = BETWEEN.lastIndex;
  WORD.lastIndex = at;
  return WORD.exec(sql)?.[0].toLowerCase() ?? '';
}
