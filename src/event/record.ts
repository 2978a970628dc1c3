import { createHash } from 'node:crypto';
import { CodecError, compileCheck, compileTextWriter, readJsonText } from '../codec/index.ts';
import { carryDigits, keepDigits } from '../codec/json/digits.ts';
import { writeJsonMember } from '../codec/json/plain.ts';
import { compileSecrets } from '../codec/redact/declared.ts';
import type { Component } from '../model/component.ts';
import { Fault } from '../model/fault.ts';
import type { Field } from '../model/field.ts';
import { MASK, type Redactor } from '../model/redactor.ts';
import { primitiveOf, SCALARS, type ScalarKind } from '../model/scalar.ts';
import type { Primitive, ScalarTraits } from '../model/scalar-traits.ts';
import type { DocumentValue, Value } from '../model/value.ts';
import { toDecimal } from '../wire/decimal.ts';
import { readDouble } from '../wire/double.ts';
import { isDate, isTime, LEXICAL, toDatetime } from '../wire/lexical.ts';
import { isOddText } from '../wire/odd-value.ts';
import { offsetText, type Zone } from '../wire/timezone.ts';

/** A record as a row: texts by field name, null for absent values. */
export type Row = Readonly<Record<string, string | null>>;

/** A row of the database, with its record. */
export interface Stored {
  readonly row: Row;
  /** Frozen. */
  readonly record: DocumentValue;
  /** With its quotes. */
  readonly etag: string;
  /** Fields that are read as absent because the column has a value such as `infinity`. */
  readonly odd: readonly string[];
  /** The value of the lock; 0 if the component or the row has none. */
  readonly lock: bigint;
}

/** Converts the records of one component to rows and back, and checks them. */
export interface Records {
  /**
   * A whole record as a row, with defaults. Null values count as absent.
   * @throws Fault BAD_PARAMETER
   */
  toRow(record: DocumentValue): Row;
  /** Only the keys. @throws Fault BAD_PARAMETER */
  keysOf(record: DocumentValue): Row;
  /** @throws Fault INTERNAL naming the row and the column of a value that does not have the type of its field */
  read(row: Row): Stored;
  /** Whether every value of a row, which another version of the definitions may have written, has a field that reads it. */
  accepts(row: Row): boolean;
  /** The name of a record in messages: `LOCATION_SETUP N/NYC01`. */
  nameOf(keys: Row): string;
  /** The lock that a caller sends, if any. @throws Fault BAD_PARAMETER */
  lockOf(record: DocumentValue): bigint | undefined;
  /** A redactor that knows what is sensitive in records too. */
  redactorOf(redactor: Redactor, records: readonly (DocumentValue | undefined)[]): Redactor;
}

/**
 * Compiles the records of a component.
 * @param zone of stored datetimes without an offset, which they get when they are read
 */
export function compileRecords({ id, shape, keys, lock, infinity }: Component, zone: Zone): Records {
  const names = new Set(shape.fields.map(({ name }) => name));
  const writers = new Map(shape.fields.map((field) => [field, compileTextWriter(field)]));
  const stored = shape.fields.map((field) => ({
    name: field.name,
    nullable: field.nullable,
    isAny: primitiveOf(field.type) === 'json',
    kind: field.type.kind,
    read: compileStored(field, zone),
    isOptional: !field.required && !keys.includes(field) && field !== lock,
  }));
  const nullable = new Set(shape.fields.flatMap((field) => (field.nullable ? field.name : [])));
  // Null of any other field counts as absent.
  const withoutNulls = (record: DocumentValue): Record<string, Value> =>
    carryDigits(
      record,
      Object.fromEntries(
        Object.entries(record).filter(([name, value]) => (value === null ? nullable.has(name) : value !== undefined)),
      ),
    );
  const secrets = compileSecrets(shape.fields);
  const check = compileCheck(shape.fields);
  const checkKeys = compileCheck(keys);
  const write = (field: Field, value: Value): string => writers.get(field)!(value)[0]!;
  const anyJson = new Set(shape.fields.filter(({ type }) => primitiveOf(type) === 'json'));
  const rowOf = (fields: readonly Field[], record: DocumentValue): Row =>
    Object.fromEntries(
      fields.map((field) => {
        const value = record[field.name];
        if (value === undefined || value === null) return [field.name, null];
        return [field.name, anyJson.has(field) ? writeJsonMember(record, field.name) : write(field, value)];
      }),
    );
  const nameOf = (row: Row): string =>
    `${id} ${keys.map(({ name, sensitive }) => (sensitive ? MASK : row[name])).join('/')}`;
  const forgets = ({ isOptional }: (typeof stored)[number], text: string): boolean =>
    infinity === 'null' && isOptional && isOddStored(text);
  /** The value itself goes nowhere: it may be sensitive. */
  const notItsType = (row: Row, { name, kind, isOptional }: (typeof stored)[number]): Fault => {
    const place = `${nameOf(row)} (column ${name})`;
    const isOdd = isOptional && isOddStored(row[name] as string);
    const remedy = isOdd ? '; `infinity: null` of the component reads such values as absent' : '';
    const cause = new Error(
      `component ${id}: the column ${name} of ${nameOf(row)} holds a value that is not a ${kind}${remedy}`,
    );
    return Fault.of('INTERNAL', { operation: `Component ${place}` }, { cause });
  };
  return {
    toRow: (record) =>
      naming(() => {
        for (const name of Object.keys(record))
          if (!names.has(name)) throw new CodecError(name, `is not a field of ${shape.id}`);
        return rowOf(shape.fields, check(withoutNulls(record)));
      }),
    keysOf: (record) => naming(() => rowOf(keys, checkKeys(withoutNulls(record)))),
    read(row) {
      const record: Record<string, Value> = {};
      const odd: string[] = [];
      for (const field of stored) {
        const { name, nullable, isAny, read } = field;
        const text = row[name];
        const value = text === null || text === undefined ? undefined : read(text);
        if (text !== null && text !== undefined && value === undefined) {
          if (!forgets(field, text)) throw notItsType(row, field);
          odd.push(name);
        }
        if (text !== null && text !== undefined && value !== undefined) {
          record[name] = value;
          if (isAny && (typeof value === 'number' || typeof value === 'bigint'))
            keepDigits(record, name, value, text.trim());
        } else if (nullable) record[name] = null;
      }
      const count = lock === undefined ? undefined : record[lock.name];
      const etag = lock === undefined ? digest(rowOf(shape.fields, record)) : `"${String(count ?? 0)}"`;
      return {
        row,
        record: Object.freeze(record),
        etag,
        odd,
        lock: BigInt((count as number | bigint | undefined) ?? 0),
      };
    },
    accepts: (row) =>
      Object.entries(row).every(
        ([name, text]) =>
          text === null ||
          stored.some((field) => field.name === name && (field.read(text) !== undefined || forgets(field, text))),
      ),
    nameOf,
    redactorOf: (redactor, records) =>
      redactor.knowing({ secrets: () => records.flatMap((record) => [...(secrets?.(record) ?? [])]) }),
    lockOf(record) {
      const given = lock === undefined ? undefined : record[lock.name];
      return lock === undefined || given === undefined || given === null
        ? undefined
        : BigInt(naming(() => write(lock, given)));
    },
  };
}

/** A digest of the values rather than of the database's texts: `12.50` and `12.5` may be the same value. */
function digest(row: Row): string {
  return `"${createHash('sha256').update(JSON.stringify(row)).digest('base64url')}"`;
}

/** Turns the error of a check into a fault that names the field. */
function naming<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw Fault.of('BAD_PARAMETER', { name: error.path, reason: error.reason });
  }
}

/**
 * Compiles the reading of a column's value from the text that the database makes of it (`cast(... as text)`), which is the
 * same on every engine but for the few forms that are known here.
 * @returns `undefined` for a text that is not a value of the type: `infinity`, a date BC
 */
function compileStored({ type }: Field, zone: Zone): Read {
  const traits = SCALARS[type.kind as ScalarKind];
  return traits.primitive === 'datetime' ? (text) => instantOf(text, zone) : readerOf(traits);
}

/** {@link isOddText} of a column's text, to which an instant has Z. */
function isOddStored(text: string): boolean {
  return isOddText(text.endsWith('Z') ? text.slice(0, -1) : text);
}

const TRUTHS: Readonly<Record<string, boolean>> = { 1: true, t: true, true: true, 0: false, f: false, false: false };

/** Reads a text; `undefined` for one that is not a value. */
type Read = (text: string) => Value;

function readerOf({ primitive, lexical, values }: ScalarTraits): Read {
  if (primitive !== 'text') return READ[primitive];
  if (values !== undefined) return (text) => (values.includes(text) ? text : undefined);
  return lexical === undefined ? (text) => text : LEXICAL[lexical].read;
}

const READ: Readonly<Record<Exclude<Primitive, 'text'>, Read>> = {
  integer: integerOf,
  // A real number may come with an exponent.
  decimal: (text) => toDecimal(text, true),
  // PostgreSQL writes Infinity, SQLite Inf.
  double: (text) => readDouble(text.replace(/Inf(?:inity)?$/, 'INF')),
  boolean: (text) => TRUTHS[text.toLowerCase()],
  date: (text) => (isDate(text.slice(0, 10)) && /^(?:[ T]\d|$)/.test(text.slice(10)) ? text.slice(0, 10) : undefined),
  time: timeOf,
  datetime: datetimeOf,
  // No component has one.
  binary: () => undefined,
  json: jsonOf,
};

/** A whole number of a column of another type may come with a point. */
function integerOf(text: string): number | bigint | undefined {
  const digits = /^(-?\d{1,1000})(?:\.0*)?$/.exec(text)?.[1];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

function timeOf(text: string): string | undefined {
  const whole = text.length === 5 ? `${text}:00` : text;
  return isTime(whole) ? whole : undefined;
}

/** `2026-01-31 10:00:00+00`, or with a T; a date alone is its midnight. */
function datetimeOf(text: string): string | undefined {
  const whole = text.length === 10 ? `${text}T00:00:00` : `${text.slice(0, 10)}T${text.slice(11)}`;
  const offset = /[+-]\d\d$/.test(whole.slice(11)) ? `${whole}:00` : whole;
  return toDatetime(offset.replace(/[+-]00:?00$/, 'Z'));
}

/** A datetime with an offset, as contracts promise it (RFC 3339): one that was stored without is a time of the gateway's zone. */
function instantOf(text: string, zone: Zone): string | undefined {
  const datetime = datetimeOf(text);
  if (datetime === undefined || /(?:Z|[+-]\d\d:\d\d)$/.test(datetime)) return datetime;
  const minutes = zone.offsetAt(datetime);
  return `${datetime}${minutes === 0 ? 'Z' : offsetText(minutes, ':')}`;
}

function jsonOf(text: string): Value {
  try {
    return readJsonText(text);
  } catch {
    return undefined;
  }
}
