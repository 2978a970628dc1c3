import { readJsonText } from '../codec/index.ts';
import type { Field, ScalarKind } from '../model/field.ts';
import type { Value } from '../model/value.ts';
import { isDate, isTime, toDatetime } from '../wire/calendar.ts';
import { toDecimal } from '../wire/decimal.ts';

/** A stored value is not of its field's type. Its value is not told. */
class StoredValueError extends Error {
  override readonly name = 'StoredValueError';
}

/**
 * Compiles the reading of a column's value from the text that the database makes of it (`cast(... as text)`), which is the
 * same on every engine but for the few forms that are known here.
 * @throws StoredValueError
 */
export function compileStored({ name, type }: Field): (text: string) => Value {
  const kind = type.kind as ScalarKind;
  const read = READ[kind] ?? ((text: string) => text);
  return (text) => {
    const value = read(text);
    if (value === undefined)
      throw new StoredValueError(`column ${name.toLowerCase()} holds a value that is no ${kind}`);
    return value;
  };
}

const TRUTHS: Readonly<Record<string, boolean>> = { 1: true, t: true, true: true, 0: false, f: false, false: false };

/** Undefined for what is none. */
const READ: Readonly<Partial<Record<ScalarKind, (text: string) => Value>>> = {
  integer: integerOf,
  // A real number may come with an exponent.
  decimal: (text) => toDecimal(text, true),
  boolean: (text) => TRUTHS[text.toLowerCase()],
  flag: (text) => (text === 'Y' || text === 'N' ? text : undefined),
  date: (text) => (isDate(text.slice(0, 10)) && /^(?:[ T]|$)/.test(text.slice(10)) ? text.slice(0, 10) : undefined),
  time: timeOf,
  datetime: datetimeOf,
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

function jsonOf(text: string): Value {
  try {
    return readJsonText(text);
  } catch {
    return undefined;
  }
}
