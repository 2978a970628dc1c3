import { sql } from 'kysely';
import { type ColumnFit, columnType, fitOf } from '../model/column-type.ts';
import { type Component, columnOf } from '../model/component.ts';
import type { Field, ScalarType } from '../model/field.ts';
import { SCALARS } from '../model/scalar.ts';
import type { Db, Store, StoreReader } from '../store/index.ts';
import { compileZone, keepsOffset } from '../wire/timezone.ts';

/** A column as its table has it. */
export interface TableColumn {
  readonly name: string;
  /** In lower case, without lengths: `timestamp without time zone`, `numeric`. */
  readonly type: string;
  /** The same with its lengths: `numeric(10,2)`. */
  readonly declared: string;
  /** A row can't be without a value: it may not be NULL, and the database has none of its own. */
  readonly isNeeded: boolean;
}

export type Columns = readonly TableColumn[];

/** The column of this name, or else the one whose name differs in letter case. */
export function findColumn(columns: Columns, wanted: string): TableColumn | undefined {
  const lower = wanted.toLowerCase();
  return columns.find(({ name }) => name === wanted) ?? columns.find(({ name }) => name.toLowerCase() === lower);
}

/** A column as the catalogue of its database has it. */
interface FoundColumn {
  readonly name: string;
  readonly declared: string;
  readonly needed: number | bigint;
}

/** The columns of a table; none for an unknown table. */
export async function columnsOf(db: Db, kind: Store['kind'], table: string): Promise<Columns> {
  const { rows } = await (kind === 'sqlite' ? sqliteColumns(table) : postgresColumns(table)).execute(db);
  return rows.map(({ name, declared, needed }) => ({
    name,
    type: typeName(declared),
    declared,
    isNeeded: Number(needed) === 1,
  }));
}

function sqliteColumns(table: string) {
  const [name, schema = 'main'] = table.toLowerCase().split('.').reverse();
  return sql<FoundColumn>`select name, type as declared, "notnull" = 1 and dflt_value is null as needed
    from pragma_table_info(${name}, ${schema})`;
}

function postgresColumns(table: string) {
  return sql<FoundColumn>`select attname as name, format_type(atttypid, atttypmod) as declared,
      case when attnotnull and not atthasdef and attidentity = '' then 1 else 0 end as needed from pg_attribute
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

/**
 * A mismatch between a component and its table: `table`, by which it can't work; `loses`, by which values that its shape
 * allows are changed or rejected; `may`, by which some are.
 */
interface ComponentProblem {
  readonly component: Component;
  readonly is: 'table' | ColumnFit['is'];
  /** The field concerned. */
  readonly field?: Field;
  readonly message: string;
}

/** Digits of a decimal that SQLite preserves in a column that is not text. */
const REAL_DIGITS = 15;

/**
 * Checks components against their tables: missing columns, keys that are not unique, and columns that do not hold every value of
 * their fields.
 * @param timezone of the gateway, by which local times are read
 */
export async function checkComponents(
  store: Pick<StoreReader, 'kind' | 'tables'>,
  components: Iterable<Component>,
  timezone: string,
): Promise<ComponentProblem[]> {
  const problems: ComponentProblem[] = [];
  const db = await store.tables();
  const isConstant = keepsOffset(compileZone(timezone));
  for (const component of components) {
    const columns = await columnsOf(db, store.kind, component.table);
    for (const message of await problemsOf(db, store.kind, component, columns))
      problems.push({ component, is: 'table', message });
    problems.push(...misfitsOf(component, columns, store.kind, isConstant));
  }
  return problems;
}

/** Columns that do not hold every value of their fields. */
function misfitsOf(
  component: Component,
  columns: Columns,
  kind: Store['kind'],
  isConstant: boolean,
): ComponentProblem[] {
  const { table, shape, keys, lock } = component;
  return shape.fields.flatMap((field): ComponentProblem[] => {
    const name = columnOf(component, field);
    const column = findColumn(columns, name);
    if (column === undefined) return [];
    const type = columnType(kind, column.declared);
    const fit = type === undefined ? undefined : fitOf(field, type, kind, isConstant);
    const isGiven = field.required || field.default !== undefined || keys.includes(field) || field === lock;
    const message = `${name} of ${table}`;
    return [
      ...(fit === undefined || type === undefined
        ? []
        : [{ component, field, is: fit.is, message: `${message} is ${type.name}: ${fit.why}; make it ${fit.remedy}` }]),
      ...(isGiven || !column.isNeeded
        ? []
        : [{ component, field, is: 'may', message: `${message} may not be NULL: make the field required` } as const]),
    ];
  });
}

async function problemsOf(db: Db, kind: Store['kind'], component: Component, columns: Columns): Promise<string[]> {
  const { table, shape, keys } = component;
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
