import { type RawBuilder, sql } from 'kysely';
import type { Component } from '../model/component.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import { primitiveOf } from '../model/scalar.ts';
import type { Db, Store } from '../store/index.ts';
import type { Columns } from './columns.ts';
import type { Row } from './record.ts';

/** The rows of a component's table, read and written as texts; every value is bound. */
export interface Table {
  /** The row of a record's keys, locked until the transaction ends where `lock` says so. */
  find(db: Db, keys: Row, lock: boolean): Promise<Row | undefined>;
  /** Makes a row, and returns it as it stands then. */
  insert(db: Db, row: Row): Promise<Row>;
  /** Replaces what the fields hold; other columns stay. Returns the row as it stands then. */
  update(db: Db, row: Row): Promise<Row>;
  remove(db: Db, keys: Row): Promise<void>;
}

/** A field with its column. */
interface Column {
  readonly field: Field;
  /** Its name in SQL, quoted. */
  readonly name: RawBuilder<unknown>;
  /** Its value as text. */
  readonly text: RawBuilder<unknown>;
  /** A value to be bound, of its text. */
  bind(text: string | null): RawBuilder<unknown>;
}

/** Texts of the columns `c0`, `c1` ...: names of fields may be longer than a database takes them. */
type Found = Readonly<Record<string, string | null>>;

/**
 * Compiles the statements for a component's table.
 * @param zone IANA zone of datetimes without an offset
 * @throws Error naming a column that the table lacks
 */
export function compileTable(
  { id, table, shape, keys }: Component,
  columns: Columns,
  kind: Store['kind'],
  zone: string,
): Table {
  const all = shape.fields.map((field): Column => {
    const type = columns.get(field.name.toLowerCase());
    if (type === undefined) throw new Error(`${id}: the table ${table} has no column ${field.name.toLowerCase()}`);
    return kind === 'sqlite' ? sqliteColumn(field) : postgresColumn(field, type, zone);
  });
  const others = all.filter(({ field }) => !keys.includes(field));
  // Written without quotes in its own SQL, a table's name is in small letters.
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
      // A transaction of SQLite that writes is the only one.
      const locking = lock && kind === 'postgres' ? sql` for update` : sql``;
      const { rows } = await sql<Found>`select ${texts} from ${name} where ${isRow(row)}${locking}`.execute(db);
      return rows[0] === undefined ? undefined : rowOf(rows[0]);
    },
    async insert(db, row) {
      // What is not given is left to the column's default.
      const given = all.filter(({ field }) => row[field.name] !== null);
      const names = sql.join(given.map((column) => column.name));
      const values = sql.join(given.map(({ field, bind }) => bind(row[field.name] ?? null)));
      return one(
        (await sql<Found>`insert into ${name} (${names}) values (${values}) returning ${texts}`.execute(db)).rows,
      );
    },
    async update(db, row) {
      if (others.length === 0) return row;
      const pairs = sql.join(
        others.map(({ field, name: column, bind }) => sql`${column} = ${bind(row[field.name] ?? null)}`),
      );
      return one(
        (await sql<Found>`update ${name} set ${pairs} where ${isRow(row)} returning ${texts}`.execute(db)).rows,
      );
    },
    async remove(db, row) {
      await sql`delete from ${name} where ${isRow(row)}`.execute(db);
    },
  };
}

/** SQLite keeps 64 bits. */
const LARGEST = 2n ** 63n;

function sqliteColumn(field: Field): Column {
  const name = sql.id(field.name.toLowerCase());
  const primitive = primitiveOf(field.type);
  return {
    field,
    name,
    text: sql`cast(${name} as text)`,
    bind(text) {
      if (text === null) return sql`${null}`;
      if (primitive === 'boolean') return sql`${text === 'true' ? 1 : 0}`;
      if (primitive !== 'integer') return sql`${text}`;
      const value = BigInt(text);
      if (value >= LARGEST || value < -LARGEST)
        throw Fault.of('BAD_PARAMETER', { name: field.name, reason: 'is larger than the database keeps' });
      return sql`${value}`;
    },
  };
}

/** PostgreSQL gives a bound text the type of its column; what that would change without a word is said here. */
function postgresColumn(field: Field, type: string, zone: string): Column {
  const name = sql.id(field.name.toLowerCase());
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
    name,
    text:
      primitive === 'datetime' && isInstant
        ? sql`cast(${name} at time zone 'UTC' as text) || 'Z'`
        : sql`cast(${name} as text)`,
    bind: (text) => (text === null ? sql`${null}` : textOf(text)),
  };
}
