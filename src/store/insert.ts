import { sql } from 'kysely';
import type { Store } from './store-port.ts';
import type { Db } from './tables.ts';

/** Columns with their types in PostgreSQL; `bytes` are hexadecimal digits in JSON. */
export type InsertedColumns = Readonly<Record<string, 'uuid' | 'text' | 'integer' | 'bigint' | 'bytes'>>;

/**
 * Inserts rows by a statement with one parameter: building one with all values would take longer than the database.
 * @param key the columns of the primary key, if rows replace those that are there already
 */
export async function insertRows(
  db: Db,
  kind: Store['kind'],
  table: string,
  columns: InsertedColumns,
  rows: readonly object[],
  key: readonly string[] = [],
): Promise<void> {
  const { column, source } = FROM_JSON[kind];
  const [names, values] = [Object.keys(columns), Object.entries(columns).map(([name, type]) => column(name, type))];
  const into = `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from`;
  const [before, after] = source(columns);
  const replaced = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`);
  // Without `where`, SQLite would read `on conflict` as the condition of a join.
  const replacing =
    key.length === 0 ? '' : ` where true on conflict (${key.join(', ')}) do update set ${replaced.join(', ')}`;
  await sql`${sql.raw(into)} ${sql.raw(before)}${JSON.stringify(rows)}${sql.raw(after + replacing)}`.execute(db);
}

/** How each engine reads rows from JSON: a value of a row, and what is before and after the parameter. */
const FROM_JSON: Readonly<
  Record<
    Store['kind'],
    {
      column(name: string, type: InsertedColumns[string]): string;
      source(columns: InsertedColumns): readonly [before: string, after: string];
    }
  >
> = {
  sqlite: {
    column: (name, type) => (type === 'bytes' ? `unhex(r.value->>'${name}')` : `r.value->>'${name}'`),
    source: () => ['json_each(', ') as r'],
  },
  postgres: {
    column: (name, type) => (type === 'bytes' ? `decode(r.${name}, 'hex')` : `r.${name}`),
    source(columns) {
      const typed = Object.entries(columns).map(([name, type]) => `${name} ${type === 'bytes' ? 'text' : type}`);
      return ['jsonb_to_recordset(', `::jsonb) as r(${typed.join(', ')})`];
    },
  },
};
