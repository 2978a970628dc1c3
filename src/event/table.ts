import { type RawBuilder, sql } from 'kysely';
import { columnType } from '../model/column-type.ts';
import { type Component, columnOf } from '../model/component.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import { primitiveOf } from '../model/scalar.ts';
import type { Db, Store } from '../store/index.ts';
import { type Columns, type Constraints, findColumn, type TableColumn } from './columns.ts';
import type { Row } from './record.ts';

/** Reads and writes the rows of a component's table as texts. All values are bound. */
export interface Table {
  /** @param lock locks the row until the transaction ends */
  find(db: Db, keys: Row, lock: boolean): Promise<Row | undefined>;
  /** @returns the row as it is in the database afterwards */
  insert(db: Db, row: Row): Promise<Row>;
  /** Updates the columns of the fields that the row has; others stay. @returns the row as it is in the database afterwards */
  update(db: Db, row: Row): Promise<Row>;
  remove(db: Db, keys: Row): Promise<void>;
  /** The fields whose values violate a constraint, as far as the database's error shows them. */
  fieldsIn(error: unknown): readonly Field[];
  /** The fields of a row that refer to a record that does not exist; on SQLite, whose error about a foreign key names nothing. */
  dangling(db: Db, row: Row): Promise<readonly Field[]>;
}

/** An error of the driver of a database. */
interface DatabaseError {
  readonly message: string;
  /** Of PostgreSQL. */
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
}

/**
 * Columns, in lower case, in an error of SQLite: `UNIQUE constraint failed: place.region, place.id`; the expression of a
 * check, or its name. An error of a foreign key names nothing.
 */
function sqliteViolated({ message }: DatabaseError, table: string): string[] {
  const [, rule, found = ''] = /^(UNIQUE|NOT NULL|CHECK) constraint failed: (.*)$/s.exec(message) ?? [];
  if (rule === 'CHECK')
    return (
      found
        .replaceAll(/'[^']*'/g, '')
        .toLowerCase()
        .match(/[\p{L}\p{N}_$]+/gu) ?? []
    );
  const columns = found.toLowerCase().split(', ');
  return columns.flatMap((each) => (each.startsWith(`${table}.`) ? [each.slice(table.length + 1)] : []));
}

/** The foreign keys of a table of SQLite. One without columns of its parent refers to the parent's primary key. */
async function sqliteReferences(db: Db, table: string) {
  const [name, schema = 'main'] = table.toLowerCase().split('.').reverse();
  const { rows } = await sql<{ id: number; parent: string; from: string; to: string }>`
    select f.id, f."table" as parent, f."from", coalesce(f."to", p.name) as "to"
    from pragma_foreign_key_list(${name}, ${schema}) f
    left join pragma_table_info(f."table", ${schema}) p on f."to" is null and p.pk = f.seq + 1
    where coalesce(f."to", p.name) is not null order by f.id, f.seq`.execute(db);
  const byKey = Map.groupBy(rows, ({ id }) => id);
  return [...byKey.values()].map((pairs) => ({ parent: pairs[0]!.parent, pairs }));
}

/** Columns, in lower case, of the constraint that an error of PostgreSQL names. One of another table is not the record's. */
function postgresViolated({ table = '', column, constraint = '' }: DatabaseError, known: Constraints): string[] {
  const own = known.get(table);
  if (own === undefined) return [];
  const names = column === undefined ? (own.get(constraint) ?? []) : [column];
  return names.map((name) => name.toLowerCase());
}

/** A field with its column. */
interface Column {
  readonly field: Field;
  readonly column: string;
  /** Its name in SQL, quoted. */
  readonly name: RawBuilder<unknown>;
  /** Its value as text. */
  readonly text: RawBuilder<unknown>;
  /** A value to be bound, of its text. */
  bind(text: string | null): RawBuilder<unknown>;
}

/** Texts by alias, `c0`, `c1` ...: names of fields may be longer than a database allows. */
type Found = Readonly<Record<string, string | null>>;

/**
 * Compiles the statements for a component's table.
 * @param zone IANA zone of datetimes without an offset
 * @throws Error naming a column that the table lacks
 */
export function compileTable(
  component: Component,
  { columns, constraints }: { readonly columns: Columns; readonly constraints: Constraints },
  kind: Store['kind'],
  zone: string,
): Table {
  const { id, table, shape, keys } = component;
  const all = shape.fields.map((field): Column => {
    const wanted = columnOf(component, field);
    const column = findColumn(columns, wanted);
    if (column === undefined) throw new Error(`${id}: the table ${table} has no column ${wanted}`);
    return kind === 'sqlite' ? sqliteColumn(field, column) : postgresColumn(field, column, zone);
  });
  const others = all.filter(({ field }) => !keys.includes(field));
  // A table that was created without quotes has its name in lower case.
  const name = sql.id(...table.toLowerCase().split('.'));
  const texts = sql.join(all.map(({ text }, index) => sql`${text} as ${sql.id(`c${index}`)}`));
  const rowOf = (found: Found): Row =>
    Object.fromEntries(all.map(({ field }, index) => [field.name, found[`c${index}`] ?? null]));
  const isRow = (row: Row): RawBuilder<unknown> => {
    const pairs = all.filter(({ field }) => keys.includes(field));
    return sql.join(
      pairs.map((column) => sql`${column.name} = ${column.bind(row[column.field.name] ?? null)}`),
      sql` and `,
    );
  };
  const one = (found: readonly Found[]): Row => {
    const [first] = found;
    if (first === undefined) throw new Error(`${id}: the table ${table} took no row`);
    return rowOf(first);
  };
  return {
    async find(db, row, lock) {
      // SQLite has only one writing transaction at a time.
      const locking = lock && kind === 'postgres' ? sql` for update` : sql``;
      const { rows } = await sql<Found>`select ${texts} from ${name} where ${isRow(row)}${locking}`.execute(db);
      return rows[0] === undefined ? undefined : rowOf(rows[0]);
    },
    async insert(db, row) {
      // An absent value gets the default of its column.
      const given = all.filter(({ field }) => row[field.name] !== null);
      const names = sql.join(given.map((column) => column.name));
      const values = sql.join(given.map(({ field, bind }) => bind(row[field.name] ?? null)));
      return one(
        (await sql<Found>`insert into ${name} (${names}) values (${values}) returning ${texts}`.execute(db)).rows,
      );
    },
    async update(db, row) {
      if (others.length === 0) return row;
      const given = others.flatMap(({ field, name: column, bind }) => {
        const text = row[field.name];
        return text === undefined ? [] : sql`${column} = ${bind(text)}`;
      });
      // An update of nothing returns the row, too.
      const pairs = sql.join(
        given.length === 0 ? all.slice(0, 1).map(({ name: column }) => sql`${column} = ${column}`) : given,
      );
      return one(
        (await sql<Found>`update ${name} set ${pairs} where ${isRow(row)} returning ${texts}`.execute(db)).rows,
      );
    },
    async remove(db, row) {
      await sql`delete from ${name} where ${isRow(row)}`.execute(db);
    },
    fieldsIn(error) {
      const facts = error as DatabaseError;
      const own = table.toLowerCase().split('.').at(-1)!;
      const names = kind === 'sqlite' ? sqliteViolated(facts, own) : postgresViolated(facts, constraints);
      return all.filter((column) => names.includes(column.column.toLowerCase())).map(({ field }) => field);
    },
    async dangling(db, row) {
      const fields = new Set<Field>();
      for (const { parent, pairs } of kind === 'sqlite' ? await sqliteReferences(db, table) : []) {
        const given = pairs.flatMap(({ from, to }) => {
          const column = all.find((each) => each.column.toLowerCase() === from.toLowerCase());
          const text = column === undefined ? null : (row[column.field.name] ?? null);
          return column === undefined || text === null ? [] : [{ ...column, to: sql.id(to), value: column.bind(text) }];
        });
        // A reference with a NULL refers to nothing.
        if (given.length < pairs.length) continue;
        const equal = sql.join(
          given.map(({ to, value }) => sql`${to} = ${value}`),
          sql` and `,
        );
        const { rows } = await sql`select 1 from ${sql.id(parent)} where ${equal} limit 1`.execute(db);
        if (rows.length === 0) for (const { field } of given) fields.add(field);
      }
      return [...fields];
    },
  };
}

function sqliteColumn(field: Field, column: TableColumn): Column {
  const name = sql.id(column.name);
  const primitive = primitiveOf(field.type);
  const isText = columnType('sqlite', column.declared)?.family === 'text';
  return {
    field,
    column: column.name,
    name,
    text: sql`cast(${name} as text)`,
    bind(text) {
      if (text === null) return sql`${null}`;
      if (primitive === 'boolean') return sql`${text === 'true' ? 1 : 0}`;
      if (primitive !== 'integer' || isText) return sql`${text}`;
      const value = BigInt(text);
      // SQLite makes a real number, of 15 digits, of a longer one.
      if (BigInt.asIntN(64, value) !== value)
        throw Fault.of('BAD_PARAMETER', { name: field.name, reason: 'is larger than the database keeps' });
      return sql`${value}`;
    },
  };
}

/** PostgreSQL converts a bound text to the type of its column. Conversions that would change a value silently are explicit here. */
function postgresColumn(field: Field, { name: named, type }: TableColumn, zone: string): Column {
  const name = sql.id(named);
  const primitive = primitiveOf(field.type);
  const isInstant = type === 'timestamp with time zone';
  const isLocal = type === 'timestamp without time zone';
  const textOf = (text: string): RawBuilder<unknown> => {
    if (primitive === 'boolean') return sql`${type === 'boolean' ? text : text === 'true' ? '1' : '0'}`;
    if (primitive !== 'datetime') return sql`${text}`;
    const hasOffset = /(?:Z|[+-]\d\d:\d\d)$/.test(text);
    if (isInstant && !hasOffset) return sql`cast(${text} as timestamp) at time zone ${zone}`;
    return isLocal && hasOffset ? sql`cast(${text} as timestamptz) at time zone ${zone}` : sql`${text}`;
  };
  return {
    field,
    column: named,
    name,
    text:
      primitive === 'datetime' && isInstant
        ? sql`cast(${name} at time zone 'UTC' as text) || 'Z'`
        : sql`cast(${name} as text)`,
    bind: (text) => (text === null ? sql`${null}` : textOf(text)),
  };
}
