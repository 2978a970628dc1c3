import type { Field, ScalarType } from '../../model/field.ts';
import { traitsOf } from '../../model/scalar.ts';
import { toDecimal } from '../../wire/decimal.ts';
import { doubleText, readDouble } from '../../wire/double.ts';
import { LEXICAL } from '../../wire/lexical.ts';
import { BOUND_NAMES, brokenBound, ORDERS, type Order, type Range } from '../../wire/order.ts';
import { compilePattern, type Pattern } from '../../wire/pattern.ts';
import { PatternError } from '../../wire/pattern-syntax.ts';
import { type Linking, refuseBoth } from '../linking.ts';
import { given } from '../object.ts';
import type { FacetsDeclared } from '../schema/document.ts';

/** The facets of a field; `minimum` and `maximum` are those of the length of a text. */
export type Facets = Pick<Field, 'space' | 'minimum' | 'maximum' | 'range' | 'digits' | 'fraction'> & {
  readonly patterns?: readonly Pattern[];
};

/**
 * Links the facets of single values.
 * @param refused options that the type does not allow, which have been reported
 */
export function linkFacets(
  linking: Linking,
  declared: FacetsDeclared,
  type: ScalarType,
  refused: ReadonlySet<string>,
): Facets {
  const allowed = Object.fromEntries(Object.entries(declared).filter(([key]) => !refused.has(key))) as FacetsDeclared;
  const { space, digits, fraction } = allowed;
  const isRange = traitsOf(type).takes.bounds === 'value';
  const patterns = allowed.pattern === undefined ? undefined : linkPatterns(linking, declared);
  checkPairs(linking, allowed, declared, type);
  const bounds = isRange ? { range: linkRange(linking, declared, allowed, type) } : lengths(linking, declared, allowed);
  return given({ patterns, space, digits, fraction, ...bounds });
}

/** The bounds of a length or a number of entries; texts are reported. */
export function lengths(
  { report, places }: Linking,
  declared: FacetsDeclared,
  allowed: FacetsDeclared = declared,
): Pick<Facets, 'minimum' | 'maximum'> {
  const bound = (key: 'minimum' | 'maximum'): number | undefined => {
    const value = allowed[key];
    if (typeof value !== 'string') return value;
    const reason = 'it is not a number';
    report.raise('value-does-not-fit', { option: key, value, reason }, places.value(declared, key));
    return undefined;
  };
  return given({ minimum: bound('minimum'), maximum: bound('maximum') });
}

/** The bounds of a value in the form of its type: a number keeps the digits that it is written with. */
function linkRange(
  { report, places }: Linking,
  declared: FacetsDeclared,
  allowed: FacetsDeclared,
  type: ScalarType,
): Range | undefined {
  const range: Partial<Record<keyof Range, string>> = {};
  for (const name of BOUND_NAMES) {
    const value = allowed[name];
    if (value === undefined) continue;
    const written = typeof value === 'string' ? value : (places.written(declared, name) ?? String(value));
    const { text, noun } = boundText(written, type);
    const reason = text === undefined ? `it is not ${noun}` : beyondType(text, type);
    if (text !== undefined) range[name] = text;
    if (reason !== undefined)
      report.raise('value-does-not-fit', { option: name, value: written, reason }, places.value(declared, name));
  }
  return Object.keys(range).length === 0 ? undefined : range;
}

/** Why no value of a type is as small or as great as a bound. */
function beyondType(bound: string, type: ScalarType): string | undefined {
  const { range, order } = traitsOf(type);
  const isBroken = range !== undefined && order !== undefined && brokenBound(bound, range, order) !== undefined;
  return isBroken ? `values of the type ${type.kind} are from ${range.minimum} to ${range.maximum}` : undefined;
}

function boundText(written: string, type: ScalarType): { readonly text: string | undefined; readonly noun: string } {
  const { primitive, lexical } = traitsOf(type);
  if (lexical !== undefined) return { text: LEXICAL[lexical].read(written), noun: LEXICAL[lexical].noun };
  if (primitive === 'double') {
    const number = readDouble(written) ?? Number.NaN;
    return { text: Number.isNaN(number) ? undefined : doubleText(number), noun: 'a number' };
  }
  const decimal = toDecimal(written, true);
  if (primitive !== 'integer' || decimal === undefined) return { text: decimal, noun: 'a decimal number' };
  const [whole, fraction = ''] = decimal.split('.');
  return { text: /[1-9]/.test(fraction) ? undefined : whole, noun: 'a whole number' };
}

/** Pairs of options of which one is enough, or that leave no value. */
function checkPairs(linking: Linking, allowed: FacetsDeclared, declared: FacetsDeclared, type: ScalarType): void {
  const both = (first: keyof FacetsDeclared, second: keyof FacetsDeclared, reason: string): void => {
    if (allowed[first] !== undefined && allowed[second] !== undefined)
      refuseBoth(linking, declared, first, second, reason);
  };
  both('minimum', 'above', 'each of them is the lower bound');
  both('maximum', 'below', 'each of them is the upper bound');
  if ((declared.fraction ?? 0) > (declared.digits ?? Number.POSITIVE_INFINITY))
    both('digits', 'fraction', "the digits after the point can't exceed the total");
  for (const low of ['minimum', 'above'] as const)
    for (const high of ['maximum', 'below'] as const) {
      const order = compareBounds(declared[low], declared[high], type);
      const isEmpty = low === 'minimum' && high === 'maximum' ? order > 0 : order >= 0;
      if (isEmpty)
        both(
          low,
          high,
          low === 'minimum' && high === 'maximum'
            ? 'the minimum is greater than the maximum'
            : 'no value is between them',
        );
    }
}

/** NaN when a bound is missing or not valid. */
function compareBounds(low: number | string | undefined, high: number | string | undefined, type: ScalarType): number {
  if (low === undefined || high === undefined) return Number.NaN;
  const { order, takes } = traitsOf(type);
  if (takes.bounds !== 'value' || order === undefined) return Number(low) - Number(high);
  const { compare }: Order = ORDERS[order];
  const [a, b] = [low, high].map((each) => boundText(String(each), type).text);
  return a === undefined || b === undefined || compare === undefined ? Number.NaN : compare(a, b);
}

/** A pattern, or several, as a list. */
function patternsOf({ pattern }: FacetsDeclared): readonly string[] | undefined {
  return typeof pattern === 'string' ? [pattern] : pattern;
}

function linkPatterns({ report, places }: Linking, declared: FacetsDeclared): Pattern[] {
  const { pattern: given } = declared;
  return (patternsOf(declared) ?? []).flatMap((pattern, index) => {
    try {
      return compilePattern(pattern);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      const at = typeof given === 'string' ? places.value(declared, 'pattern') : places.value(given as object, index);
      report.raise('bad-pattern', { pattern, reason: error.message }, at);
      return [];
    }
  });
}
