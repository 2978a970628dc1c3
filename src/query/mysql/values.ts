import type { FieldPacket } from 'mysql2';
import { columnType, type DatabaseType } from '../../model/column-type.ts';
import { SCALARS, type ScalarKind } from '../../model/scalar.ts';
import type { FoundColumn } from '../check-columns.ts';
import type { ResultColumn } from '../plan.ts';
import type { SqlValue } from '../render/index.ts';
import { ValueError } from '../render/value.ts';
import type { Bound } from '../runner.ts';

/** A column of a result as the driver describes it (MySQL's "Column Definition" packet). */
export type Field = Required<Pick<FieldPacket, 'name' | 'orgTable' | 'columnType' | 'columnLength' | 'decimals'>> &
  Pick<FieldPacket, 'extendedFormat' | 'extendedTypeName'> & { readonly flags: number; readonly characterSet: number };

/** Types of columns by their numbers in the protocol. */
const TYPES = {
  decimal: 0,
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  null: 6,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  bit: 16,
  vector: 242,
  json: 245,
  newdecimal: 246,
  blob: 252,
  varchar: 253,
  char: 254,
  geometry: 255,
} as const;

const NOT_NULL = 0x1;
const UNSIGNED = 0x20;
const ENUM = 0x100;
const SET = 0x800;
/** The character set of values other than text. */
const BINARY = 63;
/** Bytes of a character on our connections, whose character set is utf8mb4. */
const BYTES = 4;

type Read = (value: Exclude<SqlValue, null>) => SqlValue;

/**
 * Compiles a function that converts the driver's values of a row, in place, to those that SQLite would return for the same
 * content, so that every format is the same for both. Dates such as 0000-00-00 are left to the renderers.
 */
export function compileReading(
  columns: readonly ResultColumn[],
  fields: readonly Field[],
): (row: SqlValue[]) => SqlValue[] {
  const read = columns.flatMap((column) => {
    const field = fields[column.at];
    const reader = field === undefined ? undefined : readerOf(column, field.columnType);
    return reader === undefined ? [] : [{ at: column.at, reader }];
  });
  return (row) => {
    for (const { at, reader } of read) {
      const value = row[at] ?? null;
      if (value !== null) row[at] = reader(value);
    }
    return row;
  };
}

function readerOf(column: ResultColumn, type: number): Read | undefined {
  switch (type) {
    case TYPES.tiny:
    case TYPES.short:
    case TYPES.long:
    case TYPES.int24:
    case TYPES.year:
    case TYPES.longlong:
      return (value) => BigInt(value as number | string);
    case TYPES.float:
      return (value) => shortest(value as number);
    case TYPES.decimal:
    case TYPES.newdecimal:
      // An integer with a scale, which SQLite does not have.
      return SCALARS[column.kind].primitive === 'integer' ? (value) => String(value).replace(/\.0+$/, '') : undefined;
    case TYPES.bit:
      return SCALARS[column.kind].primitive === 'binary'
        ? undefined
        : (value) => BigInt(`0x${(value as Buffer).toString('hex')}`);
    case TYPES.geometry:
    case TYPES.vector:
      return () => {
        throw new ValueError(`column ${column.name} holds a geometry or a vector; return it as a text or as bytes`);
      };
    default:
      return undefined;
  }
}

/** The shortest digits that identify a single-precision number: the driver widens it, which adds digits. */
function shortest(value: number): number {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

/** The driver's constructors of typed parameters. */
export interface TypedParameters {
  LONGLONG(value: string): unknown;
  NEWDECIMAL(value: string): unknown;
}

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** A bound value for the binary protocol, with its type, so that numbers are not compared as texts or doubles. */
export function parameterOf(kind: ScalarKind, value: Bound, typed: TypedParameters): unknown {
  if (value === null) return null;
  switch (SCALARS[kind].sql.cast.mysql) {
    case 'signed':
      return isLong(value) ? typed.LONGLONG(value) : typed.NEWDECIMAL(value);
    case 'decimal':
      return typed.NEWDECIMAL(value);
    default:
      return value;
  }
}

function isLong(text: string): boolean {
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX;
}

/** Names of the types that depend on nothing but the type number. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [TYPES.tiny, 'tinyint'],
  [TYPES.short, 'smallint'],
  [TYPES.int24, 'mediumint'],
  [TYPES.long, 'int'],
  [TYPES.longlong, 'bigint'],
  [TYPES.year, 'year'],
  [TYPES.float, 'float'],
  [TYPES.double, 'double'],
  [TYPES.date, 'date'],
  [TYPES.time, 'time'],
  [TYPES.datetime, 'datetime'],
  [TYPES.timestamp, 'timestamp'],
  [TYPES.json, 'json'],
]);

/** A column for the type check. The type is unknown for a prompt, a NULL, and bits, which may be numbers, booleans or bytes. */
export function columnOf(field: Field): FoundColumn {
  const isNullable = field.orgTable !== '' && (field.flags & NOT_NULL) === 0;
  return { name: field.name, type: typeOf(field), isNullable };
}

function typeOf(field: Field): DatabaseType | undefined {
  const name = typeName(field);
  return name === undefined ? undefined : columnType('mysql', name);
}

function typeName(field: Field): string | undefined {
  const { columnType: type, columnLength, flags, decimals } = field;
  if (field.extendedFormat === 'json') return 'json';
  const known = NAMES.get(type);
  if (known !== undefined) return (flags & UNSIGNED) === 0 ? known : `${known} unsigned`;
  switch (type) {
    case TYPES.decimal:
    case TYPES.newdecimal: {
      // The length includes the point and the sign.
      const length = columnLength - (decimals > 0 ? 1 : 0) - ((flags & UNSIGNED) === 0 ? 1 : 0);
      return `decimal(${length},${decimals})`;
    }
    case TYPES.blob:
    case TYPES.varchar:
    case TYPES.char:
      return stringName(field);
    default:
      return undefined;
  }
}

function stringName({
  columnType: type,
  columnLength,
  flags,
  characterSet,
  orgTable,
  extendedTypeName,
}: Field): string {
  if (characterSet === BINARY) return type === TYPES.blob ? 'blob' : 'varbinary';
  if (extendedTypeName !== undefined) return extendedTypeName;
  if ((flags & (ENUM | SET)) !== 0) return (flags & ENUM) === 0 ? 'set' : 'enum';
  if (type === TYPES.blob) return 'text';
  const name = type === TYPES.char ? 'char' : 'varchar';
  // The length of an expression is only an estimate.
  return orgTable === '' ? name : `${name}(${columnLength / BYTES})`;
}
