import type { JsonValue, Value } from '../../model/value.ts';
import { toDecimal } from '../../wire/decimal.ts';
import { CodecError, kindOf, refuse, stepOf, within } from '../error.ts';
import { checkDepth, checkSound, type Foreign, plainObject } from '../value.ts';
import { digitsWritten, keepDigits } from './digits.ts';
import { NEEDS_DIGITS, NumberToken, parseWithDigits } from './number-token.ts';
import { SHORT, scanJson } from './scan.ts';

/** Whether a reader of JSON needs the digits of numbers as they are written. */
export interface Digits {
  /** It has a place for them. */
  readonly wanted: boolean;
  /** A number was at such a place: most partners write decimals as numbers always, or never. */
  met: boolean;
  /** Numbers of the text at hand have their digits; else its reader throws {@link NEEDS_DIGITS} for one where they count. */
  kept: boolean;
}

/**
 * Parses a JSON text and reads what it holds; once more, with the digits of its numbers, where the reader needs them.
 * @param foreign whether an object may have a name twice, see {@link scanJson}
 * @param read checks the depth of all that it reads of a partner's text
 * @throws CodecError for text that exceeds a limit, is not JSON, or holds characters that are not text
 */
export function readJson<T>(text: string, foreign: Foreign, digits: Digits, read: (raw: unknown) => T): T {
  // Looking through a text costs a third of parsing it.
  if (foreign !== 'refuse' && text.length <= SHORT && !digits.met) {
    digits.kept = false;
    try {
      return read(parseJson(text, false));
    } catch (error) {
      if (error !== NEEDS_DIGITS) throw error;
    }
    digits.met = digits.wanted;
  }
  const isAsWritten = scanJson(text, foreign);
  digits.kept = true;
  try {
    return read(parseJson(text, digits.wanted && !isAsWritten));
  } catch (error) {
    if (error !== NEEDS_DIGITS) throw error;
  }
  return read(parseJson(text, true));
}

/** Of readers of JSON without a document, by whether they refuse what is foreign. */
const digitsOfAny = {
  strict: { wanted: true, met: false, kept: false } as Digits,
  loose: { wanted: true, met: false, kept: false } as Digits,
};

function parseJson(text: string, digits: boolean): unknown {
  try {
    const parsed = digits ? parseWithDigits(text) : JSON.parse(text);
    checkSound(text, parsed);
    return parsed;
  } catch (error) {
    throw error instanceof SyntaxError ? syntaxError(error) : error;
  }
}

/** Reports an error in a JSON text by its position only: the engine's own message may quote a sensitive value. */
function syntaxError(error: SyntaxError): CodecError {
  const place = /\(line (\d+) column (\d+)\)$/.exec(error.message);
  if (place !== null) return new CodecError('', `is not JSON: an error at line ${place[1]}, column ${place[2]}`);
  const end = error.message.startsWith('Unexpected end') ? ': it ends too early' : '';
  return new CodecError('', `is not JSON${end}`);
}

/**
 * Reads any undeclared JSON value, as JSON.parse returned it, in place. Integers beyond 2^53 - 1 are bigints; other
 * numbers are JavaScript numbers, and the object or list that they are in remembers their digits.
 * @param digits of the reader
 * @throws CodecError for a number beyond the range of a double that is not an integer of up to 1000 digits,
 *   for a key `__proto__`, and for too deep a nesting
 */
export function readPlain(raw: unknown, depth: number, digits: Digits): JsonValue {
  if (typeof raw === 'number') {
    if (!digits.kept) throw NEEDS_DIGITS;
    return raw;
  }
  if (raw instanceof NumberToken) return numberOf(raw);
  if (typeof raw !== 'object' || raw === null) return raw as string | boolean | null;
  checkDepth(depth);
  if (Array.isArray(raw)) {
    for (let i = 0; i < raw.length; i++) readMember(raw as never, i, depth, digits);
    return raw;
  }
  const object = raw as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    if (key === '__proto__') refuse('holds a key "__proto__", which is not accepted');
    readMember(object, key, depth, digits);
  }
  return object as { readonly [key: string]: JsonValue };
}

/** The members of an object of JSON. @throws CodecError for other values, among them numbers that have kept their digits */
export function objectOf(raw: unknown): Record<string, unknown> {
  return raw instanceof NumberToken ? refuse('is a number, not an object') : plainObject(raw);
}

function readMember(
  container: Record<string | number, unknown>,
  step: string | number,
  depth: number,
  digits: Digits,
): void {
  const raw = container[step];
  if (typeof raw === 'string') return;
  let value: JsonValue;
  try {
    value = readPlain(raw, depth + 1, digits);
  } catch (error) {
    throw within(error, stepOf(step));
  }
  if (Object.is(value, raw)) return;
  container[step] = value;
  if (raw instanceof NumberToken) keepDigits(container, step, value, raw.source);
}

function numberOf({ value, source }: NumberToken): number | bigint {
  if (Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d{1,1000}$/.test(source))) return value;
  const decimal = toDecimal(source, true);
  return decimal === undefined || decimal.includes('.') ? refuse('is a number out of range') : BigInt(decimal);
}

/**
 * Converts any undeclared value to the form that JSON.stringify accepts: the same value if nothing in it needs another
 * form.
 * @throws CodecError for a value that JSON can't represent, and for too deep a nesting, as in a value that contains
 *   itself
 */
export function writePlain(value: Value, depth: number): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : refuse(`is ${value}, which JSON can't hold`);
    case 'bigint':
      return JSON.rawJSON(String(value));
    case 'object':
      break;
    default:
      return refuse(`is ${kindOf(value)}, which JSON can't hold`);
  }
  if (value === null) return value;
  checkDepth(depth);
  if (Array.isArray(value)) return writeEntries(value, depth);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse('is an object of a class, not a plain one');
  return writeMembers(value as Readonly<Record<string, Value>>, depth);
}

function writeEntries(list: readonly Value[], depth: number): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const written = writeMember(list, list[i], i, depth);
    if (written !== list[i]) copy ??= list.slice();
    if (copy !== undefined) copy[i] = written;
  }
  return copy ?? list;
}

function writeMembers(object: Readonly<Record<string, Value>>, depth: number): object {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    const value = object[key];
    if (value === undefined) continue;
    if (key === '__proto__') refuse('holds a key "__proto__", which is not accepted');
    const written = writeMember(object, value, key, depth);
    if (written !== value) copy ??= { ...object };
    if (copy !== undefined) copy[key] = written;
  }
  return copy ?? object;
}

/** Writes any value that is a member of an object or a list: a number as it was written, see `digits.ts`. */
export function writeMember(container: object, value: Value, step: string | number, depth: number): unknown {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') {
    const source = digitsWritten(container, step, value);
    if (source !== undefined) return JSON.rawJSON(source);
  }
  try {
    return writePlain(value, depth + 1);
  } catch (error) {
    throw within(error, stepOf(step));
  }
}

/**
 * Reads JSON without a document. Integers beyond 2^53 - 1 are bigints.
 * @param foreign `pass` for the text of a partner, in which the last value of a repeated name counts
 * @throws CodecError whose path is empty
 */
export function readJsonText(text: string, foreign: Foreign = 'refuse'): JsonValue {
  const digits = foreign === 'refuse' ? digitsOfAny.strict : digitsOfAny.loose;
  return readJson(text, foreign, digits, (raw) => readPlain(raw, 1, digits));
}

/**
 * Reads JSON without a document as the member of an object, which remembers the digits of a number that is the whole text.
 * @param foreign as of {@link readJsonText}
 * @throws CodecError whose path is empty
 */
export function readJsonMember(name: string, text: string, foreign: Foreign = 'refuse'): Record<string, JsonValue> {
  const digits = foreign === 'refuse' ? digitsOfAny.strict : digitsOfAny.loose;
  return readJson(text, foreign, digits, (raw) => {
    const container = { [name]: readPlain(raw, 1, digits) };
    if (raw instanceof NumberToken) keepDigits(container, name, container[name], raw.source);
    return container;
  });
}

/** Writes JSON without a document. @throws CodecError for a value that JSON can't represent */
export function writeJsonText(value: Value): string {
  if (value === undefined) throw new CodecError('', 'is nothing, which JSON can not hold');
  return JSON.stringify(writePlain(value, 1));
}

/** Writes the value of a member as JSON, with the digits that it was read with. @throws CodecError */
export function writeJsonMember(container: Readonly<Record<string, Value>>, name: string): string {
  return digitsWritten(container, name, container[name]) ?? writeJsonText(container[name]);
}
