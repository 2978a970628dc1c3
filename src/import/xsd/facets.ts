import { SCALARS, type ScalarKind } from '../../model/scalar.ts';
import { compareDecimals, decimalOf, toDecimal } from '../../wire/decimal.ts';
import { readDate, readDatetime, readTime } from '../../wire/lexical.ts';
import { compilePattern } from '../../wire/pattern.ts';
import type { Facets } from '../draft.ts';

// Values of simple types as definitions write them, and facets of several derivations combined.

/** A text with its white space as a type has it (Part 2, section 4.3.6). */
function spaced(text: string, space: Facets['space']): string {
  if (space === undefined) return text;
  const replaced = text.replace(/[\t\n\r]/g, ' ');
  return space === 'replace' ? replaced : replaced.replace(/ +/g, ' ').replace(/^ | $/g, '');
}

/** Words whose values are texts that take a pattern. */
export const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'hex', 'duration']);

/** The value that a lexical form means, as a definition writes it; `undefined` for one that is not a value of the type. */
export function valueFrom(word: string, lexical: string, facets: Facets): string | number | boolean | undefined {
  const text = spaced(lexical, word === 'string' ? facets.space : 'collapse');
  const value = anyValueOf(word, text);
  return value === undefined || !isWithin(word, value, facets) ? undefined : value;
}

function anyValueOf(word: string, text: string): string | number | boolean | undefined {
  switch (SCALARS[word as ScalarKind].primitive) {
    case 'boolean':
      return /^(?:true|1)$/.test(text) ? true : /^(?:false|0)$/.test(text) ? false : undefined;
    case 'integer':
      return INTEGER.test(text) ? integer(BigInt(text.replace(/^\+/, ''))) : undefined;
    case 'decimal':
      return decimal(text);
    case 'double':
      return double(text);
    case 'date':
      return readDate(text);
    case 'time':
      return readTime(text);
    case 'datetime':
      return readDatetime(text);
    case 'binary':
      return undefined;
    default:
      return text;
  }
}

/** The lexical forms of integers, with no more digits than definitions take. */
const INTEGER = /^[+-]?\d{1,1000}$/;

/** A number where it keeps all digits, or its digits. */
function integer(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** A number where it keeps all digits, or its text. */
function decimal(text: string): number | string | undefined {
  const read = toDecimal(text, false);
  return read === undefined || decimalOf(Number(read)) !== read ? read : Number(read);
}

function double(text: string): number | string | undefined {
  if (/^-?INF$|^NaN$/.test(text)) return text;
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

/** Whether a value is allowed by the facets of its type. */
export function isWithin(word: string, value: string | number | boolean, facets: Facets): boolean {
  if (facets.enum !== undefined && !facets.enum.some((each) => isSameValue(word, each, value))) return false;
  if (typeof value === 'boolean') return true;
  if (TEXTS.has(word) && !patternsOf(facets).every((each) => matches(each, String(value)))) return false;
  const size = word === 'string' ? [...String(value)].length : word === 'hex' ? String(value).length / 2 : value;
  const { minimum, maximum, above, below } = facets;
  if (minimum !== undefined && compare(word, size, minimum) < 0) return false;
  if (maximum !== undefined && compare(word, size, maximum) > 0) return false;
  if (above !== undefined && compare(word, size, above) <= 0) return false;
  return below === undefined || compare(word, size, below) < 0;
}

function isSameValue(word: string, a: string | number | boolean, b: string | number | boolean): boolean {
  if (a === b) return true;
  return word === 'decimal' && typeof a !== 'boolean' && typeof b !== 'boolean' && compare(word, a, b) === 0;
}

function matches(pattern: string, text: string): boolean {
  const { test, longest } = compilePattern(pattern);
  return text.length <= longest && test(text);
}

export function patternsOf({ pattern }: Facets): readonly string[] {
  return pattern === undefined ? [] : typeof pattern === 'string' ? [pattern] : pattern;
}

/** Adds a pattern that values must match too. */
export function withPattern(facets: Facets, pattern: string): Facets {
  const all = [...new Set([...patternsOf(facets), pattern])];
  return { ...facets, pattern: all.length === 1 ? (all[0] as string) : all };
}

type Bound = number | string;

/** Negative, zero or positive as a value is less than, equal to or greater than another of its type. */
function compare(word: string, a: Bound, b: Bound): number {
  const [x, y] = [a, b].map((each) => (typeof each === 'number' ? decimalOf(each) : toDecimal(each, true)));
  // Dates and times of one form are ordered as their texts are.
  if (x === undefined || y === undefined || word === 'date' || word === 'time') return a < b ? -1 : a > b ? 1 : 0;
  return compareDecimals(x, y);
}

/** The facets of a bound and of those that hold already: the tighter one. */
export function withBound(word: string, facets: Facets, side: 'lower' | 'upper', value: Bound, open: boolean): Facets {
  const [including, excluding] = side === 'lower' ? (['minimum', 'above'] as const) : (['maximum', 'below'] as const);
  const sign = side === 'lower' ? 1 : -1;
  // The difference of datetimes depends on their offsets; a derived type has the tighter bound.
  if (word !== 'datetime') {
    const { [including]: closed, [excluding]: exclusive } = facets;
    const toClosed = closed === undefined ? 1 : sign * compare(word, value, closed);
    const toOpen = exclusive === undefined ? 1 : sign * compare(word, value, exclusive);
    if (toClosed < 0 || toOpen < 0 || (toOpen === 0 && !open)) return facets;
    if (toClosed === 0 && !open) return facets;
  }
  const { [including]: _including, [excluding]: _excluding, ...others } = facets;
  return { ...others, [open ? excluding : including]: value };
}

/**
 * A bound of integers, which includes it.
 * @returns `undefined` for a text that is not an integer
 */
export function integerBound(text: string, side: 'lower' | 'upper', open: boolean): Bound | undefined {
  if (!INTEGER.test(text)) return undefined;
  const step = open ? (side === 'lower' ? 1n : -1n) : 0n;
  return integer(BigInt(text.replace(/^\+/, '')) + step);
}

/** The facets of integers of 64 bits, without the bounds that these have anyway. */
export function withoutLong(facets: Facets): Facets {
  const { minimum, maximum } = facets;
  const implied = new Set<string>();
  if (minimum !== undefined && BigInt(minimum) <= -(2n ** 63n)) implied.add('minimum');
  if (maximum !== undefined && BigInt(maximum) >= 2n ** 63n - 1n) implied.add('maximum');
  return Object.fromEntries(Object.entries(facets).filter(([key]) => !implied.has(key)));
}
