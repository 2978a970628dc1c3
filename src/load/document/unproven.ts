import { entryField, type Field, isCollection, type ScalarType, singleType } from '../../model/field.ts';
import { isAnyText, isNumeric, primitiveOf, rangeOf, traitsOf } from '../../model/scalar.ts';
import type { Value } from '../../model/value.ts';
import { BOUND_NAMES, ORDERS, type Range } from '../../wire/order.ts';
import { valuesOf } from './mapped-fields.ts';
import { restrictionBroken, restrictionOf } from './restriction.ts';

/** A restriction of a field that values of another one may not meet. */
interface Unproven {
  /** What the field takes, and what the other one may have: "takes 12 characters at most, but NAME may have more". */
  readonly reason: string;
  /** Whether cutting a value makes it fit. */
  readonly cuts: boolean;
  /** It is about the number of entries, which replacing values does not change. */
  readonly isCount?: true;
}

/** What the values that fill a field can be. */
export interface Given {
  readonly own: Field;
  /** Values that replace some of these. */
  readonly values: ReadonlyMap<string, Value> | undefined;
}

/**
 * The first restriction of a field that not all values of another one are certain to meet, by their types, bounds and listed values.
 * Documents in them are compared by themselves.
 */
export function unprovenRestriction(field: Field, { own, values }: Given): Unproven | undefined {
  const counted = isCollection(field.type) && isCollection(own.type) ? unprovenCount(field, own) : undefined;
  if (counted !== undefined) return counted;
  const [wanted, from] = [single(field), single(own)];
  if (wanted === undefined || from === undefined) return undefined;
  const listed = listedValues(from, values);
  if (listed !== undefined) return brokenBy(listed, wanted);
  for (const compare of COMPARISONS) {
    const found = compare(wanted, from);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A field of one value, or the entries of a collection. */
type SingleField = Field & { readonly type: ScalarType };

function single(field: Field): SingleField | undefined {
  const type = singleType(field.type);
  return type.kind === 'document' ? undefined : { ...entryField(field), type };
}

function unprovenCount(field: Field, own: Field): Unproven | undefined {
  const [least, most] = [field.minimum ?? 0, field.maximum ?? Number.POSITIVE_INFINITY];
  if ((own.maximum ?? Number.POSITIVE_INFINITY) > most)
    return {
      reason: `takes ${most} entries at most, but ${own.name} may have more`,
      cuts: field.type.kind === 'list',
      isCount: true,
    };
  if ((own.minimum ?? 0) < least)
    return { reason: `takes ${least} entries at least, but ${own.name} may have fewer`, cuts: false, isCount: true };
  return undefined;
}

/** All values that arrive, where they are known. */
function listedValues(own: SingleField, values: Given['values']): readonly string[] | undefined {
  const known = own.fixed === undefined ? valuesOf(own) : [String(own.fixed)];
  return known?.map((each) => String(values?.get(each) ?? each));
}

function brokenBy(listed: readonly string[], wanted: SingleField): Unproven | undefined {
  // What `enum` leaves out has been compared before.
  const { enum: _, ...restriction } = restrictionOf(wanted);
  const type = wanted.type;
  for (const each of listed) {
    const isLong = type.length !== undefined && isAnyText(type) && [...each].length > type.length;
    const reason = isLong ? `it is longer than ${type.length} characters` : restrictionBroken(each, type, restriction);
    if (reason !== undefined)
      return { reason: `does not take the value ${JSON.stringify(each)}: ${reason}`, cuts: isLong };
  }
  return undefined;
}

/** Each compares one kind of restriction. */
const COMPARISONS: readonly ((wanted: SingleField, own: SingleField) => Unproven | undefined)[] = [
  unprovenForm,
  unprovenList,
  unprovenLength,
  unprovenDigits,
  unprovenRange,
  unprovenPattern,
];

/** A text may have another form than that of a UUID, a URI, hexadecimal digits, a duration or a flag. */
function unprovenForm({ type }: SingleField, own: SingleField): Unproven | undefined {
  if (isAnyText(type) || !isAnyText(own.type) || !traitsOf(type).takesText) return undefined;
  return { reason: `takes only values of the type ${type.kind}, but ${own.name} may be any text`, cuts: false };
}

function unprovenList({ enum: listed, fixed }: SingleField, { name }: SingleField): Unproven | undefined {
  if (fixed !== undefined) return { reason: `is always ${fixed}, but ${name} may be something else`, cuts: false };
  if (listed === undefined) return undefined;
  return { reason: `is one of ${listed.join(', ')}, but ${name} may be something else`, cuts: false };
}

function unprovenLength(wanted: SingleField, own: SingleField): Unproven | undefined {
  const unit = traitsOf(wanted.type).takes.bounds;
  const isText = isAnyText(wanted.type);
  if (!isText && unit !== 'bytes' && unit !== 'length') return undefined;
  const most = isText
    ? least(wanted.type.length, wanted.maximum)
    : least(wanted.maximum, unit === 'bytes' ? wanted.type.length : undefined);
  const longest = longestOf(own);
  const words = unit === 'bytes' ? 'bytes' : 'characters';
  if (most !== undefined && longest > most)
    return { reason: `takes ${most} ${words} at most, but ${own.name} may have more`, cuts: isText };
  const shortest = isText || unit === 'bytes' ? (wanted.minimum ?? 0) : 0;
  if (shortest > (own.minimum ?? 0))
    return { reason: `takes ${shortest} ${words} at least, but ${own.name} may have fewer`, cuts: false };
  return undefined;
}

const least = (...limits: readonly (number | undefined)[]): number | undefined => {
  const known = limits.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** The most characters or bytes of a value. */
function longestOf(own: SingleField): number {
  const { type } = own;
  if (isAnyText(type)) return least(type.length, own.maximum) ?? Number.POSITIVE_INFINITY;
  if (primitiveOf(type) === 'integer') return rangeDigits(own) + 1;
  return (
    least(own.maximum, traitsOf(type).takes.bounds === 'bytes' ? type.length : undefined) ??
    traitsOf(type).longest ??
    Number.POSITIVE_INFINITY
  );
}

/** Digits before and after the point. */
interface Digits {
  readonly whole: number;
  readonly fraction: number;
}

function unprovenDigits(wanted: SingleField, own: SingleField): Unproven | undefined {
  if (!isNumeric(wanted.type) || primitiveOf(wanted.type) === 'double') return undefined;
  const [takes, has] = [digitsOf(wanted), digitsOf(own)];
  if (has.whole > takes.whole)
    return { reason: `takes ${takes.whole} digits before the point, but ${own.name} may have more`, cuts: false };
  if (has.fraction > takes.fraction)
    return { reason: `takes ${takes.fraction} digits after the point, but ${own.name} may have more`, cuts: true };
  return undefined;
}

function digitsOf(field: SingleField): Digits {
  const { type, digits = Number.POSITIVE_INFINITY, fraction } = field;
  if (primitiveOf(type) === 'integer') return { whole: Math.min(digits, rangeDigits(field)), fraction: 0 };
  const { length, scale = 0 } = type;
  const after = least(fraction, length === undefined ? undefined : scale) ?? Number.POSITIVE_INFINITY;
  const before = length === undefined ? digits : Math.min(digits, length - scale);
  return { whole: Math.min(before, rangeDigits(field)), fraction: after };
}

/** Digits before the point of any value within the bounds; infinite without both. */
function rangeDigits(field: SingleField): number {
  const { minimum, above, maximum, below } = rangeOf(field) ?? {};
  const [low, high] = [minimum ?? above, maximum ?? below];
  if (low === undefined || high === undefined || !isNumeric(field.type)) return Number.POSITIVE_INFINITY;
  const count = (text: string): number => text.replace(/^[-+]/, '').replace(/\..*$/, '').length;
  return Math.max(count(low), count(high));
}

function unprovenRange(wanted: SingleField, own: SingleField): Unproven | undefined {
  const range = wanted.range ?? (primitiveOf(wanted.type) === 'integer' ? rangeOf(wanted) : undefined);
  const { order } = traitsOf(wanted.type);
  if (range === undefined || order === undefined) return undefined;
  const given: Range = traitsOf(own.type).order === undefined ? {} : (rangeOf(own) ?? {});
  const { compare } = ORDERS[order] as { compare?: (a: string, b: string) => number };
  for (const bound of BOUND_NAMES) {
    const limit = range[bound];
    if (limit === undefined || compare === undefined) continue;
    const isLow = bound === 'minimum' || bound === 'above';
    const [inclusive, exclusive] = isLow ? [given.minimum, given.above] : [given.maximum, given.below];
    const sign = isLow ? 1 : -1;
    const isMet =
      (inclusive !== undefined && holds(compare(inclusive, limit) * sign, bound === 'above' || bound === 'below')) ||
      (exclusive !== undefined && compare(exclusive, limit) * sign >= 0);
    if (!isMet)
      return {
        reason: `takes ${BOUND_WORDS[bound]} ${limit}, but ${own.name} may be ${isLow ? 'less' : 'more'}`,
        cuts: false,
      };
  }
  return undefined;
}

const BOUND_WORDS: Readonly<Record<keyof Range, string>> = {
  minimum: 'no value below',
  above: 'only values above',
  maximum: 'no value above',
  below: 'only values below',
};

const holds = (order: number, strict: boolean): boolean => (strict ? order > 0 : order >= 0);

function unprovenPattern({ patterns = [] }: SingleField, own: SingleField): Unproven | undefined {
  const known = new Set(own.patterns);
  const other = patterns.find((pattern) => !known.has(pattern));
  if (other === undefined) return undefined;
  return { reason: `takes values of the pattern ${other}, which ${own.name} does not have`, cuts: false };
}
