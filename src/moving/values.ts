import type { RawCell } from '../store/index.ts';
import { decimalOf, toDecimal } from '../wire/decimal.ts';
import { instantOf, type Zone } from '../wire/timezone.ts';

/** How values of a column are written on each engine, by its type on PostgreSQL. */
export type Family =
  | 'boolean'
  | 'integer'
  | 'real'
  | 'numeric'
  | 'bytes'
  | 'instant'
  | 'local'
  | 'date'
  | 'time'
  | 'jsonb'
  | 'uuid'
  | 'padded'
  | 'text';

const FAMILIES: Readonly<Record<string, Family>> = {
  boolean: 'boolean',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  oid: 'integer',
  real: 'real',
  'double precision': 'real',
  numeric: 'numeric',
  bytea: 'bytes',
  'timestamp with time zone': 'instant',
  'timestamp without time zone': 'local',
  date: 'date',
  'time without time zone': 'time',
  jsonb: 'jsonb',
  uuid: 'uuid',
  bpchar: 'padded',
};

/** @param type as PostgreSQL names it; any that is not listed is the text that PostgreSQL reads and writes */
export function familyOf(type: string): Family {
  return FAMILIES[type] ?? 'text';
}

/** A value that the other engine can't keep. */
class Unwritable extends Error {}

/**
 * A value of SQLite as the text that PostgreSQL reads.
 * @throws Unwritable for a NUL character, and for bytes in a column of text that are not UTF-8
 */
export function toPostgres(cell: RawCell, family: Family): string | null {
  if (cell === null) return null;
  if (typeof cell === 'string') {
    if (family === 'bytes') return `\\x${Buffer.from(cell).toString('hex')}`;
    if (cell.includes('\0')) throw new Unwritable('a text holds a NUL character, which PostgreSQL does not store');
    return cell;
  }
  if (typeof cell === 'bigint') return String(cell);
  if (typeof cell === 'number') return Number.isFinite(cell) ? decimalOf(cell) : String(cell);
  if (family === 'bytes') return `\\x${Buffer.from(cell).toString('hex')}`;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(cell);
  } catch {
    throw new Unwritable('bytes that are not UTF-8 are in a column that is not bytea');
  }
}

/** The text of PostgreSQL as a value of SQLite, where NaN is a text. */
export function fromPostgres(text: RawCell, family: Family): RawCell {
  if (typeof text !== 'string') return text;
  switch (family) {
    case 'boolean':
      return text === 't' ? 1n : 0n;
    case 'integer':
      return BigInt(text);
    case 'real':
      return text === 'NaN' ? text : Number(text);
    case 'bytes':
      return Buffer.from(text.slice(2), 'hex');
    default:
      return text;
  }
}

/**
 * One text for all ways in which a value is written: two values with the same text are equal to those who read the column.
 * @param cell of SQLite, or what {@link fromPostgres} has read
 * @param zone of datetimes without an offset
 */
export function canonical(cell: RawCell, family: Family, zone: Zone): string | null {
  if (cell === null) return null;
  if (cell instanceof Uint8Array) return family === 'bytes' ? hex(cell) : Buffer.from(cell).toString();
  const text = typeof cell === 'number' && Number.isFinite(cell) ? decimalOf(cell) : String(cell);
  return CANONICAL[family](text, zone);
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const CANONICAL: Readonly<Record<Family, (text: string, zone: Zone) => string>> = {
  boolean: (text) => BOOLEANS[text.trim().toLowerCase()] ?? text,
  integer: (text) => plainDecimal(text),
  numeric: (text) => plainDecimal(text),
  real: (text) => String(Number(text)),
  bytes: (text) => Buffer.from(text).toString('hex'),
  instant: momentOf,
  local: momentOf,
  date: (text) => text.replace(/[T ]00:00(?::00)?(?:\.0+)?$/, ''),
  time: (text) =>
    /^\d\d:\d\d$/.test(text) ? `${text}:00` : text.replace(/\.?0+$/, (zeros) => (zeros[0] === '.' ? '' : zeros)),
  jsonb: (text) => JSON.stringify(sorted(JSON.parse(text))),
  uuid: (text) => text.toLowerCase(),
  padded: (text) => text.replace(/ +$/, ''),
  text: (text) => text,
};

/** What PostgreSQL reads as a boolean (its manual, section 8.6). */
const BOOLEANS: Readonly<Record<string, string>> = Object.fromEntries([
  ...['t', 'true', 'y', 'yes', 'on', '1'].map((word) => [word, '1']),
  ...['f', 'false', 'n', 'no', 'off', '0'].map((word) => [word, '0']),
]);

function plainDecimal(text: string): string {
  const decimal = toDecimal(text.trim(), true) ?? text;
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}

const DATETIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.(\d{1,6})\d*)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** The instant of a datetime, to a microsecond. */
function momentOf(text: string, zone: Zone): string {
  const found = DATETIME.exec(text);
  if (found === null) return text;
  const [, date, time = '00:00', seconds = ':00', fraction = '', offset = ''] = found;
  const [, sign, hours, minutes = '00'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? [];
  const end = sign === undefined ? offset.toUpperCase() : `${sign}${hours}:${minutes}`;
  return `${instantOf(`${date}T${time}${seconds}${end}`, zone)}.${fraction.padEnd(6, '0')}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}
