import { sql } from 'kysely';
import type { Component } from '../model/component.ts';
import type { ScalarType } from '../model/field.ts';
import { SCALARS } from '../model/scalar.ts';
import type { Db, Store, StoreReader } from '../store/index.ts';

/** A column as the database has it: its type in small letters, without its length: `timestamp without time zone`, `numeric`. */
export type Columns = ReadonlyMap<string, string>;

/** The columns of a table, by their names in small letters; none where there is no such table. */
export async function columnsOf(db: Db, kind: Store['kind'], table: string): Promise<Columns> {
  const { rows } = await (kind === 'sqlite' ? sqliteColumns(table) : postgresColumns(table)).execute(db);
  return new Map(rows.map(({ name, type }) => [name.toLowerCase(), plain(type)]));
}

interface Found {
  readonly name: string;
  readonly type: string;
}

function sqliteColumns(table: string) {
  const [name, schema = 'main'] = table.toLowerCase().split('.').reverse();
  return sql<Found>`select name, type from pragma_table_info(${name}, ${schema})`;
}

function postgresColumns(table: string) {
  return sql<Found>`select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = to_regclass(${table.toLowerCase()}) and attnum > 0 and not attisdropped`;
}

/** `VARCHAR(10)` and `numeric(10,2)` without what stands in parentheses. */
function plain(type: string): string {
  return type.replace(/\s*\([^)]*\)/g, '').toLowerCase();
}

/** The sets of columns that no two rows of a table have in common: its primary key, and its unique indexes. */
async function uniqueColumns(db: Db, kind: Store['kind'], table: string): Promise<readonly string[][]> {
  const { rows } = await (kind === 'sqlite' ? sqliteKeys(table) : postgresKeys(table)).execute(db);
  const sets = new Map<string, string[]>();
  for (const { set, name } of rows) sets.set(set, [...(sets.get(set) ?? []), name.toLowerCase()]);
  return [...sets.values()];
}

interface InSet {
  readonly set: string;
  readonly name: string;
}

/**
 * A table whose key is its row's number has no index for that. An index of some rows only says nothing of the others, and
 * what an index computes has no name.
 */
function sqliteKeys(table: string) {
  const [name, schema = 'main'] = table.toLowerCase().split('.').reverse();
  return sql<InSet>`select 'primary key' as "set", name from pragma_table_info(${name}, ${schema}) where pk > 0
    union all
    select l.name, coalesce(i.name, '') from pragma_index_list(${name}, ${schema}) l, pragma_index_info(l.name, ${schema}) i
    where l."unique" = 1 and l.partial = 0`;
}

function postgresKeys(table: string) {
  return sql<InSet>`select cast(i.indexrelid as text) as "set", a.attname as name from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
    where i.indrelid = to_regclass(${table.toLowerCase()}) and i.indisunique and i.indpred is null and i.indexprs is null`;
}

/** What a database says against a component. */
interface ComponentProblem {
  readonly component: Component;
  readonly message: string;
}

/** Digits that SQLite keeps of a decimal in a column that is not text. */
const REAL_DIGITS = 15;

/** Holds components against their tables: columns that are not there, and keys that two rows may have in common. */
export async function checkComponents(
  store: Pick<StoreReader, 'kind' | 'tables'>,
  components: Iterable<Component>,
): Promise<ComponentProblem[]> {
  const problems: ComponentProblem[] = [];
  const db = await store.tables();
  for (const component of components)
    for (const message of await problemsOf(db, store.kind, component)) problems.push({ component, message });
  return problems;
}

async function problemsOf(db: Db, kind: Store['kind'], { table, shape, keys }: Component): Promise<string[]> {
  const columns = await columnsOf(db, kind, table);
  if (columns.size === 0) return [`there is no table ${table}`];
  const lacking = shape.fields.filter(({ name }) => !columns.has(name.toLowerCase()));
  if (lacking.length > 0) {
    const names = lacking.map(({ name }) => name.toLowerCase()).join(', ');
    return [`the table ${table} has no column ${names}; it has ${[...columns.keys()].join(', ')}`];
  }
  const names = new Set(keys.map(({ name }) => name.toLowerCase()));
  const isUnique = (await uniqueColumns(db, kind, table)).some((set) => set.every((name) => names.has(name)));
  const shared = isUnique
    ? []
    : [`several rows of ${table} may have the same ${[...names].join(', ')}: make that its primary key, or unique`];
  return kind === 'sqlite' ? [...shared, ...shortDecimals(columns, { table, shape })] : shared;
}

/** SQLite makes a binary number of a decimal where its column is not text. */
function shortDecimals(columns: Columns, { table, shape }: Pick<Component, 'table' | 'shape'>): string[] {
  return shape.fields.flatMap(({ name, type }) => {
    const declared = columns.get(name.toLowerCase()) ?? '';
    const { kind, length = Number.POSITIVE_INFINITY } = type as ScalarType;
    const digits = SCALARS[kind].primitive === 'decimal' ? length : 0;
    if (digits <= REAL_DIGITS || /char|clob|text/.test(declared)) return [];
    const why = `SQLite keeps ${REAL_DIGITS} digits in a column of the type ${declared || 'none'}`;
    return [`${name.toLowerCase()} of ${table} may lose digits: ${why}; make it text`];
  });
}
