import Database from 'better-sqlite3';
import type { SqlValue } from '../render/index.ts';
import { NOT_A_SELECT, SLICE } from '../runner.ts';
import { EXPLAIN } from './frame.ts';

/** A prepared query: rows are arrays, integers are bigint. */
export type Prepared = Database.Statement<unknown[], SqlValue[]>;

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

/** Prepares the plan of a statement that was found to be a SELECT. */
function prepareExplanation(database: Database.Database, sql: string): Prepared {
  return database.prepare<unknown[], SqlValue[]>(`${EXPLAIN}${sql}`).raw().safeIntegers();
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

/** Rows that are read at once, at most. */
const BATCH = 256;

/**
 * The rows of a query. Reading them at once is a quarter faster than moving a cursor, and lets SQLite stop sorting
 * behind the last row that is wanted; but it needs a bound that the statement itself keeps, or a large result would be
 * in memory whole. So the query is prepared a second time with a LIMIT of ours, where it has none.
 */
export class RowsSource {
  readonly #cursor: Prepared;
  /** With one parameter more, its row limit. */
  readonly #limited: Prepared | undefined;
  /** The SQL's own LIMIT is a small number. */
  readonly #bounded: boolean;
  /** What earlier runs without a small limit came to. Once large is always large: no query is run twice more than once. */
  #size: 'unknown' | 'small' | 'large' = 'unknown';

  /** @param explains the rows are those of the plan */
  constructor(database: Database.Database, sql: string, explains = false) {
    const select = prepareSelect(database, sql);
    this.#cursor = explains ? prepareExplanation(database, sql) : select;
    if (explains) {
      this.#bounded = true;
      return;
    }
    this.#bounded = ownLimit(sql) <= BATCH;
    this.#limited = this.#bounded ? undefined : prepareLimited(database, sql);
  }

  /** Names of the columns in the result. */
  get names(): readonly string[] {
    return this.#cursor.columns().map((column) => column.name);
  }

  /** The first `wanted` rows at least, if there are as many: an array where they are read already. */
  read(values: readonly unknown[], wanted: number): Iterable<SqlValue[]> {
    if (this.#bounded) return this.#cursor.all(...values);
    if (this.#limited === undefined) return this.#cursor.iterate(...values);
    if (wanted <= BATCH) return this.#limited.all(...values, wanted);
    if (this.#size === 'small') {
      const rows = this.#limited.all(...values, BATCH + 1);
      if (rows.length <= BATCH) return rows;
      this.#size = 'large';
    }
    return this.#cursor.iterate(...values);
  }

  /** Records the size of a complete run. */
  learn(rows: number, length: number): void {
    if (this.#size === 'unknown') this.#size = rows <= BATCH && length <= SLICE ? 'small' : 'large';
  }
}

/** A comment could hide what is written behind it, or hold what looks like a clause. */
function hasComment(sql: string): boolean {
  return sql.includes('--') || sql.includes('/*');
}

/** The number of a LIMIT clause at the very end of a statement; infinite if there is none. */
function ownLimit(sql: string): number {
  // White space at the end is cut first: an expression that may take it in two places would try every way to part it.
  const number = /\slimit\s+(\d{1,9})\s*;?$/i.exec(sql.trimEnd())?.[1];
  return number === undefined || hasComment(sql) ? Number.POSITIVE_INFINITY : Number(number);
}

function prepareLimited(database: Database.Database, sql: string): Prepared | undefined {
  if (hasComment(sql)) return undefined;
  try {
    return prepareSelect(database, `${sql.replace(/;\s*$/, '')}\nlimit cast(? as integer)`);
  } catch {
    // It has a LIMIT of its own, one that is no small number.
    return undefined;
  }
}
