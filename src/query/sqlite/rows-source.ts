import type Database from 'better-sqlite3';
import type { SqlValue } from '../render/index.ts';
import { SLICE } from '../runner.ts';
import { type Prepared, prepareSelect } from './statement.ts';

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

  constructor(database: Database.Database, sql: string) {
    this.#cursor = prepareSelect(database, sql);
    this.#bounded = ownLimit(sql) <= BATCH;
    this.#limited = this.#bounded ? undefined : prepareLimited(database, sql);
  }

  /** Names of the result's columns. */
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

  /** Tells how much a whole run came to. */
  learn(rows: number, length: number): void {
    if (this.#size === 'unknown') this.#size = rows <= BATCH && length <= SLICE ? 'small' : 'large';
  }
}

/** A comment could hide what is written behind it, or hold what looks like a clause. */
function hasComment(sql: string): boolean {
  return sql.includes('--') || sql.includes('/*');
}

/** The number of a LIMIT clause at the very end of a statement; infinite where there is none. */
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
