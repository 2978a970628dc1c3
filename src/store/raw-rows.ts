import { AsyncLocalStorage } from 'node:async_hooks';
import { CompiledQuery, sql } from 'kysely';
import type { SessionSetting } from './postgres/connection-config.ts';
import type { Db } from './tables.ts';

/** A value as the database has it: on PostgreSQL its text, on SQLite with integers as bigint. */
export type RawCell = string | number | bigint | Uint8Array | null;

/** The rows of a statement as the database has them, without the conversions of {@link SqlTransaction.execute}. */
export interface RawRows {
  /** Of the columns. */
  readonly names: readonly string[];
  /** Ids of their types in pg_type; empty on SQLite. */
  readonly types: readonly number[];
  readonly cells: RawCell[][];
}

/** How the drivers return rows: the query builder has no place for it. */
const reading = new AsyncLocalStorage<{ readonly most: number }>();

/**
 * Runs a statement that only reads inside a transaction.
 * @param most on SQLite, rows beyond that are not read; on PostgreSQL the statement has a limit of its own
 */
export async function readRaw(tx: Db, sql: string, values: readonly unknown[], most: number): Promise<RawRows> {
  const { rows } = await reading.run({ most }, () => tx.executeQuery<RawRows>(CompiledQuery.raw(sql, [...values])));
  return rows[0] as RawRows;
}

/** For drivers: set while the statement that is run is one of {@link readRaw}, whose only row is a {@link RawRows}. */
export function rawReading(): { readonly most: number } | undefined {
  return reading.getStore();
}

/**
 * Runs work in a part of a transaction of PostgreSQL that has settings of its own. Neither they nor an error of the work
 * outlast it, and it can't write.
 */
export async function runApart<T>(tx: Db, settings: readonly SessionSetting[], work: () => Promise<T>): Promise<T> {
  await sql`savepoint signalbox_part`.execute(tx);
  try {
    const all = [...settings, { name: 'transaction_read_only', value: 'on' }];
    const names = all.map(({ name }) => name);
    const values = all.map(({ value }) => value);
    // Relatives of PostgreSQL lack some.
    await sql`select set_config(name, value, true)
      from unnest(cast(${names} as text[]), cast(${values} as text[])) as wanted (name, value)
      where current_setting(name, true) is not null`.execute(tx);
    return await work();
  } finally {
    await sql`rollback to savepoint signalbox_part`.execute(tx);
    await sql`release savepoint signalbox_part`.execute(tx);
  }
}
