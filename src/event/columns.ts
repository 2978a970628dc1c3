import { sql } from 'kysely';
import type { Component } from '../model/component.ts';
import type { ScalarType } from '../model/field.ts';
import { SCALARS } from '../model/scalar.ts';
import type { Db, Store, StoreReader } from '../store/index.ts';

/** Types of columns by name, both in lower case, without lengths: `timestamp without time zone`, `numeric`. */
export type Columns = ReadonlyMap<string, string>;

/** The columns of a table; none for an unknown table. */
export async function columnsOf(db: Db, kind: Store['kind'], table: string): Promise<Columns> {
  const { rows } = await (kind === 'sqlite' ? sqliteColumns(table) : postgresColumns(table)).execute(db);
  return new Map(rows.map(({ name, type }) => [name.toLowerCase(), typeName(type)]));
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

/** `VARCHAR(10)` as `varchar`, `numeric(10,2)` as `numeric`. */
function typeName(type: string): string {
  return type.replace(/\s*\([^)]*\)/g, '').toLowerCase();
}

/** The sets of columns that are unique in a table: its primary key, and its unique indexes. */
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
 * The primary key is listed on its own: a rowid table has no index for it. Partial indexes do not make columns unique, and
 * computed columns have no name.
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

/** A mismatch between a component and its table. */
interface ComponentProblem {
  readonly component: Component;
  readonly message: string;
}

/** Digits of a decimal that SQLite preserves in a column that is not text. */
const REAL_DIGITS = 15;

/** Checks components against their tables: missing columns, keys that are not unique, and decimals that lose digits. */
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
  if (columns.size === 0) return [`the table ${table} does not exist`];
  const lacking = shape.fields.filter(({ name }) => !columns.has(name.toLowerCase()));
  if (lacking.length > 0) {
    const names = lacking.map(({ name }) => name.toLowerCase()).join(', ');
    return [`the table ${table} has no column ${names}; it has ${[...columns.keys()].join(', ')}`];
  }
  const names = new Set(keys.map(({ name }) => name.toLowerCase()));
  const isUnique = (await uniqueColumns(db, kind, table)).some((set) => set.every((name) => names.has(name)));
  const shared = isUnique
    ? []
    : [`several rows of ${table} may have the same ${[...names].join(', ')}: make it the primary key, or unique`];
  return kind === 'sqlite' ? [...shared, ...shortDecimals(columns, { table, shape })] : shared;
}

/** SQLite converts a decimal to a binary number unless its column is text. */
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
