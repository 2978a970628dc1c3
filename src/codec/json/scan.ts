import { quote } from '../../wire/words.ts';
import { CodecError } from '../error.ts';
import { type Foreign, MAX_DEPTH } from '../value.ts';

// One pass over a JSON text (RFC 8259) before it is parsed, so that a text that would keep the parser busy never reaches it.

/** Limits of one JSON text. */
interface JsonLimits {
  /** Nesting of objects and lists, including the root. */
  readonly depth: number;
  /** Objects, lists and single values, including the root; the counterpart of the elements of XML. */
  readonly values: number;
  /**
   * Different names, counted separately at each depth. JSON.parse creates a hidden class for each order of names: 8 MiB
   * of distinct names took up to fifty times as long as 8 MiB of rows.
   */
  readonly names: number;
}

export const JSON_LIMITS: JsonLimits = { depth: MAX_DEPTH, values: 500_000, names: 50_000 };

/** Characters of a text that can't exceed the limits of names and values: a name takes five or more, `"":0,`, a value two. */
export const SHORT = 5 * JSON_LIMITS.names;

/**
 * Checks the bounds of a JSON text, and whether an object in it has a name twice. RFC 8259, section 4, leaves the meaning of
 * such a name open: whatever is in front of the gateway may have judged the other value. Escapes do not make another name.
 *
 * Costs 5 microseconds for a kilobyte and 40 milliseconds for 8 MiB of rows, about what JSON.parse takes; a third of that where
 * names need not be looked at. Text that is not well-formed may pass: the parser reports it.
 * @param foreign `refuse` for the text of a caller; `pass` for that of a partner, in which the last value of a name counts
 * @returns whether JavaScript writes each number as it stands, so that {@link parseWithDigits} has none to keep
 * @throws CodecError naming the limit that the text exceeds, or the name that an object has twice
 */
export function scanJson(text: string, foreign: Foreign, limits = JSON_LIMITS): boolean {
  const readsNames = foreign === 'refuse' || text.length > SHORT;
  let isAsWritten = true;
  /** By depth: each name, with the number of the last object that had it. At each depth at most one object is open. */
  const known: Map<string, number>[] = [];
  /** By depth: the number of the open object; 0 for a list. */
  const open: number[] = [0];
  let depth = 0;
  let values = 0;
  let names = 0;
  let objects = 0;
  let nameNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x09:
      case 0x0a:
      case 0x0d:
      case 0x20:
      case 0x3a:
        continue;
      case 0x2c:
        nameNext = open[depth] !== 0;
        continue;
      case 0x5d:
      case 0x7d:
        if (depth-- === 0) return isAsWritten;
        nameNext = false;
        continue;
      case 0x5b:
        if (++depth > limits.depth) throw tooDeep(limits);
        open[depth] = 0;
        nameNext = false;
        break;
      case 0x7b:
        if (++depth > limits.depth) throw tooDeep(limits);
        open[depth] = ++objects;
        if (readsNames) known[depth] ??= new Map();
        nameNext = true;
        break;
      case 0x22: {
        const end = endOfString(text, at);
        if (nameNext && readsNames) {
          const name = nameOf(text, at, end);
          const level = known[depth] as Map<string, number>;
          const object = open[depth] as number;
          const last = level.get(name);
          if (last === object) {
            if (foreign === 'refuse') throw repeatedName(text, at, name);
          } else {
            if (last === undefined && ++names > limits.names)
              throw new CodecError('', `holds more than ${limits.names} different names`);
            level.set(name, object);
          }
        }
        at = end;
        if (!nameNext) break;
        nameNext = false;
        continue;
      }
      default:
        if (isAsWritten) isAsWritten = isPlain(text, at);
        at = endOfPlain(text, at) - 1;
    }
    if (++values > limits.values) throw new CodecError('', `holds more than ${limits.values} values`);
  }
  return isAsWritten;
}

/** The index of the quote that ends the string begun at `start`; the length of the text if the string is not closed. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x5c) at++;
    else if (unit === 0x22) return at;
  }
  return text.length;
}

/** The index after a number, `true`, `false` or `null`. */
function endOfPlain(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === 0x2c || unit === 0x5d || unit === 0x7d || unit <= 0x20) break;
    at++;
  }
  return at;
}

function nameOf(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end);
  if (!name.includes('\\')) return name;
  try {
    return JSON.parse(`"${name}"`) as string;
  } catch {
    return name;
  }
}

function tooDeep({ depth }: JsonLimits): CodecError {
  return new CodecError('', `is nested more than ${depth} levels deep`);
}

function repeatedName(text: string, at: number, name: string): CodecError {
  const lines = text.slice(0, at).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`;
  return new CodecError('', `has an object that holds the name ${quote(name)} twice, at ${place}`);
}

/** Whether JavaScript writes the number that begins here as it stands; true for what is no number. */
function isPlain(text: string, start: number): boolean {
  const first = text.charCodeAt(start);
  const digits = first === 0x2d ? start + 1 : start;
  return !isDigit(text.charCodeAt(digits)) || endOfPlainNumber(text, digits) !== -1 || isRepeated(text, start);
}

/** No number that JavaScript writes is longer: `-1.2345678901234567e-300`. */
const LONGEST_NUMBER = 24;

/** Converts the number to see whether it is written as it stands: most doubles from other systems have 16 or 17 digits. */
function isRepeated(text: string, start: number): boolean {
  const source = text.slice(start, Math.min(endOfPlain(text, start), start + LONGEST_NUMBER + 1));
  const value = Number(source);
  return String(value) === source && (Number.isSafeInteger(value) || !Number.isInteger(value));
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/**
 * The index behind a number whose 15 digits or fewer a JavaScript number keeps, and which needs no exponent; -1 where that
 * is not sure.
 * @param start of its digits
 */
function endOfPlainNumber(text: string, start: number): number {
  let end = endOfDigits(text, start);
  const isNegativeZero = text.charCodeAt(start) === 0x30 && text.charCodeAt(start - 1) === 0x2d;
  if (end - start > 15 || isNegativeZero) return -1;
  if (text.charCodeAt(end) === 0x2e) {
    const point = end;
    end = endOfDigits(text, point + 1);
    const isSmall = text.charCodeAt(start) === 0x30 && end - point > 7; // written with an exponent: 1e-7
    if (end - start > 16 || isSmall || text.charCodeAt(end - 1) === 0x30) return -1;
  }
  return (text.charCodeAt(end) | 0x20) === 0x65 ? -1 : end;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}
