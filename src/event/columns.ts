import { sql } from 'kysely';
import { type Component, columnOf } from '../model/component.ts';
import type { ScalarType } from '../model/field.ts';
import { SCALARS } from '../model/scalar.ts';
import type { Db, Store, StoreReader } from '../store/index.ts';

/** A column as its table has it. */
export interface TableColumn {
  readonly name: string;
  /** In lower case, without lengths: `timestamp without time zone`, `numeric`. */
  readonly type: string;
}

export type Columns = readonly TableColumn[];

/** The column of this name, or else the one whose name differs in letter case. */
export function findColumn(columns: Columns, wanted: string): TableColumn | undefined {
  const lower = wanted.toLowerCase();
  return columns.find(({ name }) => name === wanted) ?? columns.find(({ name }) => name.toLowerCase() === lower);
}

/** The columns of a table; none for an unknown table. */
export async function columnsOf(db: Db, kind: Store['kind'], table: string): Promise<Columns> {
  const { rows } = await (kind === 'sqlite' ? sqliteColumns(table) : postgresColumns(table)).execute(db);
  return rows.map(({ name, type }) => ({ name, type: typeName(type) }));
}

function sqliteColumns(table: string) {
  const [name, schema = 'main'] = table.toLowerCase().split('.').reverse();
  return sql<TableColumn>`select name, type from pragma_table_info(${name}, ${schema})`;
}

function postgresColumns(table: string) {
  return sql<TableColumn>`select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = to_regclass(${table.toLowerCase()}) and attnum > 0 and not attisdropped`;
}

/** `VARCHAR(10)` as `varchar`, `numeric(10,2)` as `numeric`. */
function typeName(type: string): string {
  return type.replace(/\s*\([^)]*\)/g, '').toLowerCase();
}

/**
 * The constraints and unique indexes of a table and of its partitions: by table, the names of columns by the name of what they
 * belong to.
 */
export type Constraints = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** The constraints of a table. SQLite has no use for them: its errors name columns. */
export async function constraintsOf(db: Db, kind: Store['kind'], table: string): Promise<Constraints> {
  const { rows } = kind === 'sqlite' ? { rows: [] } : await postgresConstraints(table).execute(db);
  const byTable = Map.groupBy(rows, ({ table: of }) => of);
  return new Map([...byTable].map(([of, sets]) => [of, columnsBySet(sets)]));
}

/**
 * Columns that an index has in an expression or a condition are those that it depends on. An error about a row of a partition
 * names the partition, whose indexes have names of their own.
 */
function postgresConstraints(table: string) {
  const own = sql`to_regclass(${table.toLowerCase()})`;
  return sql<InSet & { readonly table: string }>`with tree as (
      select ${own} as id union select relid from pg_partition_tree(${own})
    ), sets as (
      select c.conrelid as id, c.conname as "set", a.attname as name from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
      union
      select i.indrelid, n.relname, a.attname from pg_index i join pg_class n on n.oid = i.indexrelid
      join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid and d.refclassid = 'pg_class'::regclass
        and d.refobjid = i.indrelid and d.refobjsubid > 0
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid
      where i.indisunique
    )
    select t.relname as "table", coalesce(s."set", '') as "set", coalesce(s.name, '') as name
    from tree join pg_class t on t.oid = tree.id left join sets s on s.id = tree.id`;
}

function columnsBySet(rows: readonly InSet[]): Map<string, string[]> {
  const sets = new Map<string, string[]>();
  for (const { set, name } of rows) sets.set(set, [...(sets.get(set) ?? []), name]);
  return sets;
}

/** The sets of columns that are unique in a table: its primary key, and its unique indexes. */
async function uniqueColumns(db: Db, kind: Store['kind'], table: string): Promise<readonly string[][]> {
  const { rows } = await (kind === 'sqlite' ? sqliteKeys(table) : postgresKeys(table)).execute(db);
  return [...columnsBySet(rows).values()].map((names) => names.map((name) => name.toLowerCase()));
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

async function problemsOf(db: Db, kind: Store['kind'], component: Component): Promise<string[]> {
  const { table, shape, keys } = component;
  const columns = await columnsOf(db, kind, table);
  if (columns.length === 0) return [`the table ${table} does not exist`];
  const lacking = shape.fields.filter((field) => findColumn(columns, columnOf(component, field)) === undefined);
  if (lacking.length > 0) {
    const names = lacking.map((field) => columnOf(component, field)).join(', ');
    return [`the table ${table} has no column ${names}; it has ${columns.map(({ name }) => name).join(', ')}`];
  }
  const names = new Set(keys.map((field) => columnOf(component, field).toLowerCase()));
  const isUnique = (await uniqueColumns(db, kind, table)).some((set) => set.every((name) => names.has(name)));
  const shared = isUnique
    ? []
    : [`several rows of ${table} may have the same ${[...names].join(', ')}: make it the primary key, or unique`];
  return kind === 'sqlite' ? [...shared, ...shortDecimals(columns, component)] : shared;
}

/** SQLite converts a decimal to a binary number unless its column is text. */
function shortDecimals(columns: Columns, component: Component): string[] {
  const { table, shape } = component;
  return shape.fields.flatMap((field) => {
    const { type } = field;
    const name = columnOf(component, field);
    const declared = findColumn(columns, name)?.type ?? '';
    const { kind, length = Number.POSITIVE_INFINITY } = type as ScalarType;
    const digits = SCALARS[kind].primitive === 'decimal' ? length : 0;
    if (digits <= REAL_DIGITS || /char|clob|text/.test(declared)) return [];
    const why = `SQLite keeps ${REAL_DIGITS} digits in a column of the type ${declared || 'none'}`;
    return [`${name} of ${table} may lose digits: ${why}; make it text`];
  });
}
