/**
 * The types of columns by the names that each engine gives them, and which values of fields they hold: PostgreSQL's manual,
 * chapter 8; MariaDB's "Data Types"; SQLite's "Datatypes in SQLite", section 3.1.
 */

import type { Field, ScalarType } from './field.ts';
import { rangeOf, SCALARS, traitsOf } from './scalar.ts';
import type { ColumnFamily, Engine, Primitive } from './scalar-traits.ts';

/** The type of a column. */
export interface DatabaseType {
  readonly name: string;
  readonly family: ColumnFamily;
  /** Characters of a text, or total digits of a decimal; `undefined` if unbounded. */
  readonly length?: number;
  /** Digits after the decimal point. */
  readonly scale?: number;
  /** Of an integer, with its sign; `undefined` if the declaration bounds nothing, as on SQLite. */
  readonly bits?: number;
  /** Of a datetime: it is a local time that has lost its offset, rather than an instant. */
  readonly isLocal?: true;
  /** Of a real: decimal digits that are always kept. */
  readonly digits?: number;
}

type Facts = Omit<DatabaseType, 'name'>;

const whole = (bits: number): Facts => ({ family: 'integer', bits });
const single: Facts = { family: 'real', digits: 6 };
const double: Facts = { family: 'real', digits: 15 };
const text: Facts = { family: 'text' };
const decimal: Facts = { family: 'decimal' };
const instant: Facts = { family: 'datetime' };
const local: Facts = { family: 'datetime', isLocal: true };

/** Types by their names in lower case, without lengths. A type that is not listed says nothing about its values. */
const TYPES: Readonly<Record<Exclude<Engine, 'sqlite'>, Readonly<Record<string, Facts>>>> = {
  postgres: {
    boolean: { family: 'boolean' },
    bytea: { family: 'binary' },
    smallint: whole(16),
    integer: whole(32),
    bigint: whole(64),
    oid: whole(33),
    real: single,
    'double precision': double,
    numeric: decimal,
    date: { family: 'date' },
    'time without time zone': { family: 'time' },
    'timestamp without time zone': local,
    'timestamp with time zone': instant,
    json: { family: 'json' },
    jsonb: { family: 'json' },
    uuid: { family: 'uuid' },
    text,
    'character varying': text,
    character: text,
  },
  mysql: {
    tinyint: whole(8),
    smallint: whole(16),
    mediumint: whole(24),
    int: whole(32),
    bigint: whole(64),
    year: whole(16),
    float: single,
    double,
    decimal,
    date: { family: 'date' },
    time: { family: 'time' },
    datetime: local,
    timestamp: instant,
    json: { family: 'json' },
    uuid: { family: 'uuid' },
    inet4: text,
    inet6: text,
    text,
    varchar: text,
    char: text,
    enum: text,
    set: text,
    blob: { family: 'binary' },
    varbinary: { family: 'binary' },
  },
};

/** What the type that a column of SQLite is declared with says, first match: its affinity, and common names. */
const SQLITE: readonly (readonly [RegExp, Facts])[] = [
  [/bool/i, { family: 'boolean' }],
  [/int/i, { family: 'integer' }],
  [/char|clob|text/i, text],
  [/blob/i, { family: 'binary' }],
  [/real|floa|doub/i, double],
];

/** Names that are shorter than those of the standard, for messages. */
const SHORT: Readonly<Record<string, string>> = {
  'character varying': 'varchar',
  character: 'char',
  'time without time zone': 'time',
  'timestamp without time zone': 'timestamp',
};

/**
 * The type of a column, as its catalogue writes it: `character varying(30)`, `numeric(10,2)`, `int unsigned`.
 * @returns `undefined` for a type that says nothing for sure, as NUMERIC and DATE do on SQLite
 */
export function columnType(engine: Engine, declared: string): DatabaseType | undefined {
  const plain = declared
    .replace(/\s*\([^)]*\)/, '')
    .trim()
    .toLowerCase();
  const unsigned = plain.endsWith(' unsigned');
  const bare = unsigned ? plain.slice(0, -' unsigned'.length) : plain;
  const known = engine === 'sqlite' ? SQLITE.find(([pattern]) => pattern.test(declared))?.[1] : TYPES[engine][bare];
  if (known === undefined) return undefined;
  const size = /\((\d+)(?:\s*,\s*(\d+))?\)/.exec(declared);
  const short = SHORT[plain] ?? plain;
  const { family, bits } = known;
  if (size === null || (family !== 'text' && family !== 'decimal'))
    return { ...known, name: short, ...(unsigned && bits !== undefined ? { bits: bits + 1 } : {}) };
  const length = Number(size[1]);
  if (family === 'text') return { ...known, name: `${short}(${length})`, length };
  const scale = Number(size[2] ?? 0);
  return { ...known, name: `${short}(${length},${scale})`, length, scale };
}

/** How well a column holds the values of a field. */
export interface ColumnFit {
  /** `loses`: values that the contract allows are changed or rejected. `may`: some are, that callers may never send. */
  readonly is: 'loses' | 'may';
  /** What happens to the values. */
  readonly why: string;
  /** What the column should be. */
  readonly remedy: string;
}

/** What a column of each family does to values that it is not made for; families that are not listed hold all of them. */
const MISFITS: Readonly<Record<Primitive, Partial<Readonly<Record<ColumnFamily, ColumnFit['is']>>>>> = {
  text: {
    integer: 'may',
    decimal: 'may',
    real: 'may',
    boolean: 'loses',
    date: 'may',
    time: 'may',
    datetime: 'may',
    binary: 'may',
    json: 'may',
    uuid: 'may',
  },
  integer: { real: 'may', boolean: 'loses', ...others('date', 'time', 'datetime', 'binary', 'json', 'uuid') },
  decimal: { boolean: 'loses', ...others('integer', 'date', 'time', 'datetime', 'binary', 'json', 'uuid') },
  double: { boolean: 'loses', ...others('integer', 'date', 'time', 'datetime', 'binary', 'json', 'uuid') },
  boolean: others('date', 'time', 'datetime', 'binary', 'json', 'uuid'),
  date: { datetime: 'may', ...others('integer', 'decimal', 'real', 'boolean', 'time', 'binary', 'json', 'uuid') },
  time: others('integer', 'decimal', 'real', 'boolean', 'date', 'datetime', 'binary', 'json', 'uuid'),
  datetime: others('integer', 'decimal', 'real', 'boolean', 'date', 'time', 'binary', 'json', 'uuid'),
  binary: {},
  json: others('integer', 'decimal', 'real', 'boolean', 'date', 'time', 'datetime', 'binary', 'uuid'),
};

function others(...families: readonly ColumnFamily[]): Partial<Record<ColumnFamily, 'loses'>> {
  return Object.fromEntries(families.map((family) => [family, 'loses']));
}

/** What a column should be that is made for a field. */
const REMEDIES: Readonly<Record<Primitive, Readonly<Record<Engine, string>>>> = {
  text: { postgres: 'text', mysql: 'text', sqlite: 'text' },
  integer: { postgres: 'bigint', mysql: 'bigint', sqlite: 'integer' },
  decimal: { postgres: 'numeric', mysql: 'decimal', sqlite: 'text' },
  double: { postgres: 'double precision', mysql: 'double', sqlite: 'real' },
  boolean: { postgres: 'boolean', mysql: 'boolean', sqlite: 'integer' },
  date: { postgres: 'date', mysql: 'date', sqlite: 'text' },
  time: { postgres: 'time', mysql: 'time(6)', sqlite: 'text' },
  datetime: { postgres: 'timestamptz', mysql: 'timestamp(6)', sqlite: 'text' },
  binary: { postgres: 'bytea', mysql: 'longblob', sqlite: 'blob' },
  json: { postgres: 'jsonb', mysql: 'json', sqlite: 'text' },
};

/** The same for integers of any size. */
const ANY_INTEGER: Readonly<Record<Engine, string>> = { postgres: 'numeric', mysql: 'decimal(65)', sqlite: 'text' };

/**
 * Whether a column holds every value that a field allows, when it is written.
 * @param keepsOffset the offset of local times never changes in the gateway's time zone, so that none occurs twice
 * @returns `undefined` if it does
 */
export function fitOf(field: Field, type: DatabaseType, engine: Engine, keepsOffset: boolean): ColumnFit | undefined {
  const traits = traitsOf(field.type);
  if (traits === undefined) return undefined;
  const { primitive } = traits;
  const remedy = remedyOf(field, engine);
  const judge = (is: ColumnFit['is'], why: string): ColumnFit => ({ is, why, remedy });
  if (isSpelled(field, type.family)) return undefined;
  if (engine === 'sqlite') {
    if (primitive === 'integer') return type.family === 'text' ? undefined : integerFit(field, LARGEST, judge);
    return isRead(field, type.family) ? judge('may', 'it turns a text that looks like a number into one') : undefined;
  }
  const misfit = MISFITS[primitive][type.family];
  if (misfit !== undefined) return judge(misfit, wordsOf(misfit, field, type));
  if (type.family === 'datetime' && type.isLocal && primitive === 'datetime')
    return keepsOffset
      ? judge('may', 'it has no offset, so that its instants change with `timezone:` of the gateway')
      : judge('loses', 'it loses the offset, so that two instants in the hour of a clock change become one');
  return boundsFit(field, type, judge);
}

/** A text that has the form of the column's own type, or a value of which the database takes no other. */
function isSpelled({ type }: Field, family: ColumnFamily): boolean {
  const { primitive, sql } = SCALARS[(type as ScalarType).kind];
  return (sql.comparedAs === 'uuid' && family === 'uuid') || (primitive === 'json' && family === 'text');
}

/**
 * SQLite keeps any value in any column, but for texts that look like numbers in a column with the affinity of one. Its
 * decimals of more than 15 digits are a matter of a check of their own.
 */
function isRead({ type }: Field, family: ColumnFamily): boolean {
  const { primitive, lexical, values } = SCALARS[(type as ScalarType).kind];
  if (primitive !== 'text' || lexical !== undefined || values !== undefined) return false;
  return family === 'integer' || family === 'decimal' || family === 'real' || family === 'boolean';
}

function wordsOf(is: ColumnFit['is'], { type }: Field, { name }: DatabaseType): string {
  const { kind } = type as ScalarType;
  return is === 'loses' ? `it is not made for ${kind}` : `it takes only values of ${name}, in a form of its own`;
}

type Judge = (is: ColumnFit['is'], why: string) => ColumnFit;

function boundsFit(field: Field, type: DatabaseType, judge: Judge): ColumnFit | undefined {
  const { primitive } = SCALARS[(field.type as ScalarType).kind];
  if (type.family === 'text' && type.length !== undefined) {
    const most = charactersOf(field);
    if (most === undefined) return judge('may', `it has at most ${type.length} characters, and the field any number`);
    return most > type.length ? judge('loses', `the field has up to ${most} characters`) : undefined;
  }
  if (primitive === 'integer') {
    const largest = largestIn(type);
    return largest === undefined ? undefined : integerFit(field, largest, judge);
  }
  if (primitive !== 'decimal')
    return type.digits === 6 && primitive === 'double' ? judge('may', 'it keeps 6 digits') : undefined;
  return decimalFit(field.type as ScalarType, type, judge);
}

/** Most characters of a field's values; `undefined` if nothing bounds them. */
function charactersOf(field: Field): number | undefined {
  const { type, maximum, enum: allowed } = field;
  const { kind, length } = type as ScalarType;
  const { values, primitive, sql } = SCALARS[kind];
  const listed = values ?? allowed;
  if (listed !== undefined) return Math.max(...listed.map((each) => [...String(each)].length));
  // A sign and a point.
  if (primitive === 'decimal') return length === undefined ? undefined : length + 2;
  if (primitive === 'integer') return longestInteger(field);
  if (primitive !== 'text') return FORMS[primitive];
  if (sql.comparedAs === 'uuid') return 36;
  const bounds = [length, maximum].filter((each) => each !== undefined);
  return bounds.length === 0 ? undefined : Math.min(...bounds);
}

/** Characters of values that are kept as texts. */
const FORMS: Partial<Readonly<Record<Primitive, number>>> = { boolean: 1, date: 10 };

/** Most characters of an integer, with its sign; `undefined` if nothing bounds it. */
function longestInteger(field: Field): number | undefined {
  const { minimum, above = minimum, maximum, below = maximum } = rangeOf(field) ?? {};
  if (field.digits !== undefined) return field.digits + 1;
  return above === undefined || below === undefined ? undefined : Math.max(above.length, below.length);
}

const LARGEST = 2n ** 63n - 1n;

/** The largest integer of a column, as far as it has a bound. */
function largestIn({ family, bits, length, scale = 0 }: DatabaseType): bigint | undefined {
  if (bits !== undefined) return 2n ** BigInt(bits - 1) - 1n;
  return family === 'decimal' && length !== undefined ? 10n ** BigInt(length - scale) - 1n : undefined;
}

function integerFit(field: Field, largest: bigint, judge: Judge): ColumnFit | undefined {
  const most = largestOf(field);
  if (most !== undefined) return most > largest ? judge('loses', `it holds up to ${largest}`) : undefined;
  if (isUnbounded(field.type as ScalarType)) return judge('may', `it holds up to ${largest}, and the field any number`);
  return largest < LARGEST ? judge('may', `it holds up to ${largest}, and the field up to 2^63 - 1`) : undefined;
}

/** Whether a type is that of integers of any size. */
function isUnbounded({ kind }: ScalarType): boolean {
  return SCALARS[kind].primitive === 'integer' && SCALARS[kind].range === undefined;
}

/** The largest integer that a field allows, as far as it has a bound of its own. */
function largestOf({ type, range, digits, enum: allowed }: Field): bigint | undefined {
  const own = SCALARS[(type as ScalarType).kind].range?.maximum;
  // Most fields of 64 bits hold far less.
  const bounds = [range?.maximum, range?.below, own === String(LARGEST) ? undefined : own].flatMap((each) =>
    each === undefined ? [] : BigInt(each.replace(/\..*$/, '')),
  );
  if (digits !== undefined) bounds.push(10n ** BigInt(digits) - 1n);
  if (allowed !== undefined) bounds.push(BigInt(Math.ceil(Math.max(...allowed.map(Number)))));
  return bounds.length === 0 ? undefined : bounds.reduce((least, each) => (each < least ? each : least));
}

function decimalFit({ length, scale = 0 }: ScalarType, type: DatabaseType, judge: Judge): ColumnFit | undefined {
  if (type.family === 'real') return judge(length === undefined ? 'may' : 'loses', `it keeps ${type.digits} digits`);
  if (type.family !== 'decimal' || type.length === undefined) return undefined;
  const room = `it has ${type.length - (type.scale ?? 0)} digits before the point and ${type.scale ?? 0} after it`;
  if (length === undefined) return judge('may', `${room}, and the field any number`);
  const isNarrow = (type.scale ?? 0) < scale || type.length - (type.scale ?? 0) < length - scale;
  return isNarrow ? judge('loses', room) : undefined;
}

function remedyOf({ type }: Field, engine: Engine): string {
  const { kind, length, scale } = type as ScalarType;
  const { primitive, size, sql } = SCALARS[kind];
  if (sql.comparedAs === 'uuid' && engine === 'postgres') return 'uuid';
  if (isUnbounded(type as ScalarType)) return ANY_INTEGER[engine];
  if (engine === 'sqlite' || length === undefined) return REMEDIES[primitive][engine];
  if (size === 'characters') return `varchar(${length})`;
  return size === 'digits' ? `${REMEDIES.decimal[engine]}(${length},${scale ?? 0})` : REMEDIES[primitive][engine];
}
