import type { Value } from './value.ts';

/** A row as the database's driver returns it, by the names of its columns. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** SQL inside a transaction of the gateway's database. */
export interface SqlTransaction {
  /**
   * Runs one statement. `:NAME` in it stands for `values.NAME`, which is bound and never becomes part of the text; null and
   * undefined are NULL.
   * @throws Error naming a value that is missing; errors of the database
   */
  execute(
    sql: string,
    values?: Readonly<Record<string, Value>>,
  ): Promise<{ readonly rows: readonly SqlRow[]; readonly changed: number }>;
}
