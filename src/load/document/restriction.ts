import type { Field, ScalarType } from '../../model/field.ts';
import { isNumeric, rangeOf, traitsOf } from '../../model/scalar.ts';
import { digitsOf } from '../../wire/decimal.ts';
import { brokenBound, ORDERS, type Range } from '../../wire/order.ts';
import { compilePattern, type Pattern } from '../../wire/pattern.ts';
import { NORMALISED, type Spacing } from '../../wire/white-space.ts';
import { given } from '../object.ts';

/** The restrictions on a value in addition to its type. */
export interface Restriction {
  readonly enum?: readonly (string | number | boolean)[];
  readonly anyCase: boolean;
  readonly patterns?: readonly Pattern[];
  readonly space?: Spacing;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly range?: Range;
  readonly digits?: number;
  readonly fraction?: number;
}

/** The restrictions of a linked field, whose patterns are valid. */
export function restrictionOf(field: Field): Restriction {
  const { anyCase, enum: listed, patterns = [], space, minimum, maximum, range, digits, fraction } = field;
  const facets = given({ enum: listed, space, minimum, maximum, range, digits, fraction });
  return { anyCase, patterns: patterns.map(compilePattern), ...facets };
}

/** The value with its white space normalised, and in its spelling in `enum` when letter case is ignored. */
export function spelled(value: string | number | boolean, by: Restriction): string | number | boolean {
  const text = by.space === undefined || typeof value !== 'string' ? value : NORMALISED[by.space](value);
  if (!by.anyCase) return text;
  return by.enum?.find((each) => String(each).toLowerCase() === String(text).toLowerCase()) ?? text;
}

/** Why a value of the right form and spelling is not allowed. */
export function restrictionBroken(
  value: string | number | boolean,
  type: ScalarType,
  by: Restriction,
): string | undefined {
  const text = String(value);
  const { order } = traitsOf(type);
  const same = order === undefined ? (each: string) => each : ORDERS[order].same;
  if (by.enum !== undefined && !by.enum.some((each) => same(String(each)) === same(text))) {
    return `it is not one of ${by.enum.join(', ')}`;
  }
  const unmatched = by.patterns?.find((pattern) => !pattern.test(text));
  if (unmatched !== undefined) return `it does not match ${unmatched.source}`;
  const { bounds } = traitsOf(type).takes;
  if (bounds === 'value') return boundBroken(text, type, by);
  const size = bounds === 'bytes' ? text.length / 2 : [...text].length;
  const unit = bounds === 'bytes' ? ' bytes' : ' characters';
  if (by.minimum !== undefined && size < by.minimum) return `it is less than ${by.minimum}${unit}`;
  if (by.maximum !== undefined && size > by.maximum) return `it is more than ${by.maximum}${unit}`;
  return undefined;
}

const BROKEN = {
  number: { minimum: 'less than', above: 'not more than', maximum: 'more than', below: 'not less than' },
  moment: { minimum: 'before', above: 'not after', maximum: 'after', below: 'not before' },
} as const;

function boundBroken(text: string, type: ScalarType, { digits, fraction, ...of }: Restriction): string | undefined {
  const { order } = traitsOf(type);
  const range = rangeOf({ type, ...of });
  const broken = range && order && brokenBound(text, range, order);
  if (broken !== undefined) return `it is ${BROKEN[isNumeric(type) ? 'number' : 'moment'][broken]} ${range?.[broken]}`;
  if (digits === undefined && fraction === undefined) return undefined;
  const found = digitsOf(text);
  if (found.fraction > (fraction ?? found.fraction)) return `it has more than ${fraction} digits after the point`;
  return found.total > (digits ?? found.total) ? `it has more than ${digits} digits` : undefined;
}
