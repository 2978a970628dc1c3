import type { JsonValue, Value } from '../../model/value.ts';
import { CodecError, kindOf, refuse, stepOf, within } from '../error.ts';
import { checkDepth, checkSound, type Foreign, plainObject } from '../value.ts';
import { NEEDS_DIGITS, NumberToken, parseWithDigits, SHORT, scanJson } from './scan.ts';

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

/** Reads no decimals. */
const NO_DIGITS: Digits = { wanted: false, met: false, kept: false };

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
 * numbers are JavaScript numbers.
 * @throws CodecError for a number beyond the range of a double, for a key `__proto__`, and for too deep a nesting
 */
export function readPlain(raw: unknown, depth: number): JsonValue {
  if (typeof raw === 'number') {
    if (Number.isInteger(raw) ? !Number.isSafeInteger(raw) : !Number.isFinite(raw)) throw NEEDS_DIGITS;
    return raw;
  }
  if (raw instanceof NumberToken) return numberOf(raw);
  if (typeof raw !== 'object' || raw === null) return raw as string | boolean | null;
  checkDepth(depth);
  if (Array.isArray(raw)) {
    for (let i = 0; i < raw.length; i++) raw[i] = readMember(raw[i], i, depth);
    return raw;
  }
  const object = raw as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    if (key === '__proto__') refuse('holds a key "__proto__", which is not accepted');
    object[key] = readMember(object[key], key, depth);
  }
  return object as { readonly [key: string]: JsonValue };
}

/** The members of an object of JSON. @throws CodecError for other values, among them numbers that have kept their digits */
export function objectOf(raw: unknown): Record<string, unknown> {
  return raw instanceof NumberToken ? refuse('is a number, not an object') : plainObject(raw);
}

function readMember(raw: unknown, step: string | number, depth: number): JsonValue {
  try {
    return readPlain(raw, depth + 1);
  } catch (error) {
    throw within(error, stepOf(step));
  }
}

function numberOf(token: NumberToken): number | bigint {
  if (!Number.isFinite(token.value)) refuse('is a number out of range');
  if (Number.isSafeInteger(token.value) || !/^-?\d{1,1000}$/.test(token.source)) return token.value;
  return BigInt(token.source);
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
    const written = writeMember(list[i], i, depth);
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
    const written = writeMember(value, key, depth);
    if (written !== value) copy ??= { ...object };
    if (copy !== undefined) copy[key] = written;
  }
  return copy ?? object;
}

function writeMember(value: Value, step: string | number, depth: number): unknown {
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
  return readJson(text, foreign, NO_DIGITS, readWhole);
}

const readWhole = (raw: unknown): JsonValue => readPlain(raw, 1);

/** Writes JSON without a document. @throws CodecError for a value that JSON can't represent */
export function writeJsonText(value: Value): string {
  if (value === undefined) throw new CodecError('', 'is nothing, which JSON can not hold');
  return JSON.stringify(writePlain(value, 1));
}
