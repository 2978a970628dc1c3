import type { Field, ScalarKind, ScalarType } from '../model/field.ts';
import type { Value } from '../model/value.ts';
import { compareDecimals, decimalOf, digitsOf } from '../wire/decimal.ts';
import { compilePattern } from '../wire/pattern/pattern.ts';
import { count, quote, refuse } from './error.ts';
import { kinds } from './kinds.ts';
import { nearest } from './nearest.ts';

/** Returns a value of the right type as it is taken over, or throws. */
type Check = (value: Value) => Value;

const TEXTS: ReadonlySet<ScalarKind> = new Set(['string', 'text', 'xml']);

/**
 * The checks of a field beyond its type: length, digits, `enum`, `pattern`, `minimum`, `maximum`, `fixed`.
 * @param field in a list of scalars its `minimum` and `maximum` are the list's and not looked at here
 * @returns undefined where there is nothing to check
 */
export function compileConstraints(field: Field, type: ScalarType): Check | undefined {
  const checks = [
    ...(TEXTS.has(type.kind) ? [lengthCheck(field, type)] : []),
    ...(type.kind === 'decimal' ? [digitsCheck(type)] : []),
    enumCheck(field, type),
    patternCheck(field),
    ...(type.kind === 'integer' || type.kind === 'decimal' ? [rangeCheck(field, type)] : []),
    fixedCheck(field, type),
  ].filter((check) => check !== undefined);
  return checks.reduce<Check | undefined>(
    (all, check) => (all === undefined ? check : (value) => check(all(value))),
    undefined,
  );
}

/** A value of the definitions (`default`, `enum`, `fixed`, `example`) in the form in memory. */
export function typed(value: string | number | boolean, type: ScalarType): Value {
  return typeof value === 'boolean' && type.kind === 'boolean' ? value : kinds[type.kind].fromText(String(value));
}

/** Whether two values of one scalar type are the same. */
function same(a: Value, b: Value, kind: ScalarKind): boolean {
  return kind === 'decimal' ? compareDecimals(String(a), String(b)) === 0 : a === b;
}

/** Characters (Unicode code points) of a text, counted no further than needed to see that they are more than `limit`. */
function characters(text: string, limit: number): number {
  let counted = 0;
  for (let i = 0; i < text.length && counted <= limit; i++) {
    if (text.codePointAt(i)! > 0xffff) i++;
    counted++;
  }
  return counted;
}

function lengthCheck(field: Field, type: ScalarType): Check | undefined {
  const ofList = field.type.kind === 'list';
  const maximum = Math.min(type.length ?? Infinity, ofList ? Infinity : (field.maximum ?? Infinity));
  const minimum = ofList ? 0 : (field.minimum ?? 0);
  if (maximum === Infinity && minimum <= 0) return undefined;
  const tooLong = `is longer than ${count(maximum, 'character', 'characters')}`;
  const tooShort = `is shorter than ${count(minimum, 'character', 'characters')}`;
  return (value) => {
    const text = value as string;
    // UTF-16 has one or two units a character, so that most lengths need no counting.
    if (text.length > maximum && characters(text, maximum) > maximum) refuse(tooLong);
    if (text.length < 2 * minimum && characters(text, minimum) < minimum) refuse(tooShort);
    return value;
  };
}

function digitsCheck(type: ScalarType): Check | undefined {
  const { length: total = Infinity, scale = type.length === undefined ? Infinity : 0 } = type;
  if (total === Infinity && scale === Infinity) return undefined;
  return (value) => {
    const found = digitsOf(value as string);
    if (found.fraction > scale) refuse(`has more than ${count(scale, 'digit', 'digits')} after the point`);
    if (found.total > total) refuse(`has more than ${count(total, 'digit', 'digits')}`);
    return value;
  };
}

function enumCheck(field: Field, type: ScalarType): Check | undefined {
  if (field.enum === undefined) return undefined;
  const values = field.enum.map((value) => typed(value, type));
  const names = field.enum.map(String);
  const key = (value: Value): Value => (field.anyCase && typeof value === 'string' ? value.toLowerCase() : value);
  const allowed = new Map(values.map((value) => [key(value), value]));
  return (value) => {
    const found = allowed.get(key(value));
    if (found !== undefined) return found;
    for (const each of values) if (same(value, each, type.kind)) return each;
    if (field.sensitive) return refuse('is not one of its values');
    const meant = typeof value === 'string' ? nearest(value, names) : undefined;
    const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
    return refuse(`is ${quote(String(value))}, not one of ${names.join(', ')}${hint}`);
  };
}

function patternCheck(field: Field): Check | undefined {
  if (field.pattern === undefined) return undefined;
  const pattern = compilePattern(field.pattern);
  const mismatch = `does not match the pattern ${field.pattern}`;
  const tooLong = `is longer than ${pattern.longest} characters, too long for the pattern ${field.pattern}`;
  return (value) => {
    const text = String(value);
    if (text.length > pattern.longest) refuse(tooLong);
    return pattern.test(text) ? value : refuse(mismatch);
  };
}

function rangeCheck(field: Field, type: ScalarType): Check | undefined {
  if (field.type.kind === 'list' || (field.minimum === undefined && field.maximum === undefined)) return undefined;
  const { minimum = -Infinity, maximum = Infinity } = field;
  const less = `is less than ${minimum}`;
  const greater = `is greater than ${maximum}`;
  if (type.kind === 'integer') {
    return (value) => {
      if ((value as number | bigint) < minimum) refuse(less);
      if ((value as number | bigint) > maximum) refuse(greater);
      return value;
    };
  }
  const lowest = field.minimum === undefined ? undefined : decimalOf(minimum);
  const highest = field.maximum === undefined ? undefined : decimalOf(maximum);
  return (value) => {
    if (lowest !== undefined && compareDecimals(value as string, lowest) < 0) refuse(less);
    if (highest !== undefined && compareDecimals(value as string, highest) > 0) refuse(greater);
    return value;
  };
}

function fixedCheck(field: Field, type: ScalarType): Check | undefined {
  if (field.fixed === undefined) return undefined;
  const fixed = typed(field.fixed, type);
  const reason = `is not ${typeof fixed === 'string' ? quote(fixed) : String(fixed)}, its only value`;
  return (value) =>
    same(value, fixed, type.kind) ? fixed : refuse(field.sensitive ? 'is not its only value' : reason);
}
