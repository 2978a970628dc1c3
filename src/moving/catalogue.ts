import { sql } from 'kysely';
import type { Db, Store } from '../store/index.ts';

/** A column whose values are stored, as opposed to computed. */
export interface Column {
  readonly name: string;
  /** As declared on SQLite; on PostgreSQL without lengths, and that of a domain is the type below it. */
  readonly type: string;
}

/** A table as its database has it. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Columns that order its rows on SQLite: a name of the row id, or the primary key of a table without row ids. */
  readonly order: readonly string[];
  /** The names of its primary key, in lower case; none without one. */
  readonly key: readonly string[];
}

interface Found {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** The place in the primary key, from 1; 0 for other columns. */
  readonly pk: number;
  readonly rowless: number;
}

/**
 * The tables of a database by their names in lower case, views and virtual tables excluded. On PostgreSQL they are those of the
 * installation's schema: partitions are read and written through their table, and tables of extensions are left out.
 */
export async function tablesOf(db: Db, kind: Store['kind']): Promise<ReadonlyMap<string, Table>> {
  const { rows } = await (kind === 'sqlite' ? SQLITE : POSTGRES).execute(db);
  const tables = [...Map.groupBy(rows, ({ table }) => table)].map(([name, columns]): [string, Table] => [
    name.toLowerCase(),
    {
      name,
      columns: columns.map(({ column, type }) => ({ name: column, type })),
      order: orderOf(columns),
      key: keyOf(columns).map((key) => key.toLowerCase()),
    },
  ]);
  return new Map(tables);
}

/** The virtual tables of SQLite, in lower case: modules such as FTS5 keep their rows. */
export async function virtualTablesOf(db: Db, kind: Store['kind']): Promise<ReadonlySet<string>> {
  if (kind !== 'sqlite') return new Set();
  const { rows } = await sql<{ name: string }>`
    select name from pragma_table_list where schema = 'main' and type = 'virtual' order by name`.execute(db);
  return new Set(rows.map(({ name }) => name.toLowerCase()));
}

const SQLITE = sql<Found>`
  select t.name as "table", c.name as "column", c.type, c.pk, t.wr as rowless
  from pragma_table_list t, pragma_table_xinfo(t.name) c
  where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' and c.hidden = 0
  order by t.name, c.cid`;

const POSTGRES = sql<Found>`
  select c.relname as "table", a.attname as "column", coalesce(array_position(i.indkey::int[], a.attnum::int) + 1, 0) as pk, 0 as rowless,
    pg_catalog.format_type(case t.typtype when 'd' then t.typbasetype else t.oid end, -1) as type
  from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    join pg_catalog.pg_type t on t.oid = a.atttypid
    left join pg_catalog.pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relkind in ('r', 'p') and not c.relispartition
    and c.relnamespace = coalesce(
      (select relnamespace from pg_catalog.pg_class where oid = to_regclass('signalbox_migration')),
      (select oid from pg_catalog.pg_namespace where nspname = current_schema()))
    and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  order by 1, a.attnum`;

/** Names of the row id (SQLite's manual, "ROWIDs and the INTEGER PRIMARY KEY"), unless columns have them. */
const ROW_IDS = ['rowid', '_rowid_', 'oid'];

function orderOf(columns: readonly Found[]): string[] {
  const names = new Set(columns.map(({ column }) => column.toLowerCase()));
  const rowId = ROW_IDS.find((name) => !names.has(name));
  if (Number(columns[0]?.rowless) === 0 && rowId !== undefined) return [rowId];
  return keyOf(columns).map(quoted);
}

function keyOf(columns: readonly Found[]): string[] {
  const key = columns.filter(({ pk }) => Number(pk) > 0).toSorted((a, b) => Number(a.pk) - Number(b.pk));
  return key.map(({ column }) => column);
}

/** A name as SQL has it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
