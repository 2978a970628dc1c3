import { SCALAR_KINDS, SCALARS, type ScalarKind } from '../model/scalar.ts';
import type { Primitive, ScalarTraits } from '../model/scalar-traits.ts';
import type { Value } from '../model/value.ts';
import { MAX_DIGITS, toDecimal } from '../wire/decimal.ts';
import { doubleJson, doubleText, readDouble } from '../wire/double.ts';
import { LEXICAL, type LexicalForm } from '../wire/lexical.ts';
import { fromBase64, isAttachment, toBase64 } from './binary.ts';
import { kindOf, refuse } from './error.ts';
import { NEEDS_DIGITS, NumberToken } from './json/number-token.ts';
import { type Digits, readJsonText, readPlain, writeJsonText, writePlain } from './json/plain.ts';
import { soundText } from './value.ts';

/**
 * The forms of one type of single values: how it is read from text (a URL, a header, XML) and JSON, and written to both.
 * Each function returns the value in memory or its written form, or throws a {@link CodecError} without a path.
 */
interface Kind {
  fromText(text: string): Value;
  /** Takes what JSON.parse returns; `depth` counts from the root. */
  fromJson(raw: unknown, depth: number, digits: Digits): Value;
  /** Checks a handler's value and brings it into the form in memory. */
  accept(value: unknown): Value;
  /** What JSON.stringify is given; the value itself where undefined. */
  readonly toJson?: (value: Value, depth: number) => unknown;
  toText(value: Value): string;
}

/** A kind whose form in memory and in JSON is a text in one form. */
function textual({ noun, read, readAny }: LexicalForm): Kind {
  const accept = (value: unknown): string => read(text(value)) ?? refuse(`is not ${noun}`);
  return { fromText: (text) => readAny(text) ?? refuse(`is not ${noun}`), fromJson: accept, accept, toText: String };
}

/** A text that is one of a few, in any letter case. */
function oneOf(values: readonly string[]): LexicalForm {
  const known = new Map(values.flatMap((value) => [value, value.toLowerCase()].map((text) => [text, value])));
  const read = (text: string): string | undefined => known.get(text);
  return { noun: values.join(' or '), read, readAny: read };
}

/** Text in JSON is looked at before it comes here, and in a handler's value XML and JSON can write whatever it holds. */
const plainText: Kind = {
  fromText: soundText,
  fromJson: text,
  accept: text,
  toText: String,
};

function text(value: unknown): string {
  return typeof value === 'string' ? value : refuse(`is ${kindOf(value)}, not a string`);
}

function integerOf(text: string, exponent: boolean): bigint {
  const decimal = toDecimal(text, exponent);
  if (decimal === undefined) return refuse(tooLong(text) ?? 'is not an integer');
  const point = decimal.indexOf('.');
  if (point >= 0 && /[1-9]/.test(decimal.slice(point))) refuse('is not an integer');
  return BigInt(point < 0 ? decimal : decimal.slice(0, point));
}

/** The integers that contracts promise, and that clients and databases hold: those of 64 bits. */
function bounded(value: bigint): number | bigint {
  if (BigInt.asIntN(64, value) !== value) return refuse('is beyond the integers of 64 bits');
  return narrowed(value);
}

const BEYOND_DIGITS = 10n ** BigInt(MAX_DIGITS);

/** Integers without bounds of their own. */
function unbounded(value: bigint): number | bigint {
  if (value >= BEYOND_DIGITS || value <= -BEYOND_DIGITS) return refuse(`has more than ${MAX_DIGITS} digits`);
  return narrowed(value);
}

/** The same as a number, where a number keeps it. */
function narrowed(value: bigint): number | bigint {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}

const tooLong = (text: string): string | undefined =>
  text.length > MAX_DIGITS ? `has more than ${MAX_DIGITS} digits` : undefined;

const INTEGER = /^[+-]?\d+$/;

/**
 * A kind of integers, which are numbers where these keep all digits, and else bigints.
 * @param keep throws for a value out of bounds
 */
function wholeKind(keep: (value: bigint) => number | bigint): Kind {
  const fromText = (text: string): number | bigint => {
    if (!INTEGER.test(text)) refuse('is not an integer');
    return text.length < 16 ? Number(text) || 0 : keep(integerOf(text, false)); // `|| 0` makes -0 a zero
  };
  return {
    fromText,
    fromJson(raw) {
      if (typeof raw === 'number') {
        if (Number.isSafeInteger(raw)) return raw === 0 ? 0 : raw;
        if (Number.isFinite(raw) && !Number.isInteger(raw)) refuse('is not an integer');
        throw NEEDS_DIGITS;
      }
      if (raw instanceof NumberToken) return keep(integerOf(raw.source, true));
      return typeof raw === 'string' ? fromText(raw) : refuse(`is ${kindOf(raw)}, not an integer`);
    },
    accept(value) {
      if (typeof value === 'bigint') return keep(value);
      if (typeof value !== 'number') return refuse(`is ${kindOf(value)}, not an integer`);
      if (!Number.isInteger(value)) refuse('is not an integer');
      if (!Number.isSafeInteger(value)) refuse('is beyond 2^53 - 1 and no bigint, so that its digits are not certain');
      return value === 0 ? 0 : value;
    },
    toJson: (value) => (typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value),
    toText: String,
  };
}

const integer = wholeKind(bounded);
const bigInteger = wholeKind(unbounded);

function needDigits(): never {
  throw NEEDS_DIGITS;
}

function decimalOf(text: string, exponent: boolean): string {
  return toDecimal(text, exponent) ?? refuse(tooLong(text) ?? 'is not a decimal');
}

const decimal: Kind = {
  fromText: (text) => decimalOf(text, false),
  fromJson(raw, _, digits) {
    if (typeof raw === 'number') return digits.kept ? decimalOf(String(raw), true) : needDigits();
    if (raw instanceof NumberToken) return decimalOf(raw.source, true);
    return typeof raw === 'string' ? decimalOf(raw, false) : refuse(`is ${kindOf(raw)}, not a decimal`);
  },
  accept(value) {
    if (typeof value === 'string') return decimalOf(value, false);
    if (typeof value !== 'number' && typeof value !== 'bigint') return refuse(`is ${kindOf(value)}, not a decimal`);
    return decimalOf(String(value), true);
  },
  toJson: (value) => JSON.rawJSON(String(value)),
  toText: String,
};

function doubleOf(text: string): number {
  return readDouble(text) ?? refuse('is not a number');
}

function finite(value: number): number {
  return Number.isFinite(value) ? value || 0 : refuse('is a number out of range'); // `|| 0` makes -0 a zero
}

/**
 * A kind of numbers that JSON has.
 * @param keep throws for a number out of bounds
 */
function numberKind(keep: (value: number) => number): Kind {
  const fromText = (text: string): number => {
    const value = doubleOf(text);
    // A number that is too large for a double is infinite, too.
    return Number.isFinite(value) || /\d/.test(text) ? keep(value) : refuse(`is ${text}, for which JSON has no number`);
  };
  return {
    fromText,
    fromJson(raw) {
      if (typeof raw === 'number') return keep(raw);
      if (raw instanceof NumberToken) return keep(raw.value);
      return typeof raw === 'string' ? fromText(raw) : refuse(`is ${kindOf(raw)}, not a number`);
    },
    accept(value) {
      if (typeof value === 'bigint') return keep(Number(value));
      if (typeof value === 'string') return fromText(value);
      if (typeof value !== 'number') return refuse(`is ${kindOf(value)}, not a number`);
      return Number.isFinite(value) ? keep(value) : refuse(`is ${doubleText(value)}, for which JSON has no number`);
    },
    toText: (value) => doubleText(value as number),
  };
}

const number = numberKind(finite);
/** Those that a float of 32 bits holds; they are not rounded to it. */
const single = numberKind((value) =>
  Number.isFinite(Math.fround(value)) ? finite(value) : refuse('is beyond the numbers of 32 bits'),
);

/** Those of XML Schema, with the values that JSON has no numbers for. */
const double: Kind = {
  fromText: doubleOf,
  fromJson(raw) {
    if (typeof raw === 'number') return finite(raw);
    if (raw instanceof NumberToken) return finite(raw.value);
    return typeof raw === 'string' ? doubleOf(raw) : refuse(`is ${kindOf(raw)}, not a number`);
  },
  accept(value) {
    if (typeof value === 'number') return value === 0 ? 0 : value;
    if (typeof value === 'bigint') return Number(value);
    return typeof value === 'string' ? doubleOf(value) : refuse(`is ${kindOf(value)}, not a number`);
  },
  toJson: (value) => doubleJson(value as number),
  toText: (value) => doubleText(value as number),
};

const TRUTHS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

function truth(raw: unknown): boolean {
  return typeof raw === 'boolean' ? raw : refuse(`is ${kindOf(raw)}, not true or false`);
}

const boolean: Kind = {
  fromText(text) {
    const found = Object.hasOwn(TRUTHS, text.toLowerCase()) ? TRUTHS[text.toLowerCase()] : undefined;
    return found ?? refuse('is not true or false');
  },
  fromJson: truth,
  accept: truth,
  toText: String,
};

const binary: Kind = {
  fromText: fromBase64,
  fromJson: (raw) => (typeof raw === 'string' ? fromBase64(raw) : refuse(`is ${kindOf(raw)}, not base64 in a string`)),
  accept: (value) => (isAttachment(value) ? value : refuse(`is ${kindOf(value)}, not an attachment`)),
  toJson: toBase64,
  toText: toBase64,
};

const json: Kind = {
  fromText: (text) => readJsonText(text),
  fromJson: readPlain,
  accept: (value) => value as Value,
  toJson: writePlain,
  toText: writeJsonText,
};

/** The forms of values that are not texts. */
const UNTEXTUAL: Readonly<Record<Exclude<Primitive, Textual>, Kind>> = {
  integer,
  decimal,
  double: number,
  boolean,
  binary,
  json,
};

type Textual = 'text' | 'date' | 'time' | 'datetime';

function kindFrom({ primitive, lexical, values, range, json: { format }, beyondNumbers }: ScalarTraits): Kind {
  if (values !== undefined) return textual(oneOf(values));
  if (lexical !== undefined) return textual(LEXICAL[lexical]);
  if (primitive === 'integer' && range === undefined) return bigInteger;
  if (beyondNumbers) return double;
  if (format === 'float') return single;
  return primitive in UNTEXTUAL ? UNTEXTUAL[primitive as Exclude<Primitive, Textual>] : plainText;
}

/** The forms of every type. */
export const kinds = Object.fromEntries(SCALAR_KINDS.map((kind) => [kind, kindFrom(SCALARS[kind])])) as Readonly<
  Record<ScalarKind, Kind>
>;
