// Equality and order of values in their text forms (XML Schema Part 2, sections 3.2 and 4.2).

import { compareDecimals } from './decimal.ts';
import { doubleText, readDouble } from './double.ts';

/** How values of a type are compared, by texts in the type's form. */
export interface Order {
  /** The text that all forms of one value share: `1.5` for `1.50`. */
  same(text: string): string;
  /**
   * Negative, zero or positive as `a` is less than, equal to or greater than `b`; NaN if none of these is certain.
   * Absent for types without bounds.
   */
  readonly compare?: (a: string, b: string) => number;
}

/** The orders, by the names under which the table of scalars refers to them. */
export const ORDERS = {
  decimal: { same: withoutZeros, compare: compareDecimals },
  double: {
    same: (text) => doubleText(readDouble(text) ?? Number.NaN),
    // A difference of infinities would not be a number.
    compare: (a, b) => compareNumbers(readDouble(a) ?? Number.NaN, readDouble(b) ?? Number.NaN),
  },
  date: { same: (text) => text, compare: compareTexts },
  time: { same: withoutZeros, compare: (a, b) => compareTexts(withoutZeros(a), withoutZeros(b)) },
  datetime: { same: sameMoment, compare: compareMoments },
  hex: { same: (text) => text.toUpperCase() },
  duration: { same: sameDuration },
} as const satisfies Readonly<Record<string, Order>>;

export type OrderName = keyof typeof ORDERS;

/** Bounds of a value, as texts in the form of its type: the least and the largest, or those that it does not reach. */
export interface Range {
  readonly minimum?: string;
  readonly above?: string;
  readonly maximum?: string;
  readonly below?: string;
}

/** The bounds, with what holds for the order of a value and each. */
const BOUNDS = {
  minimum: (order: number) => order >= 0,
  above: (order: number) => order > 0,
  maximum: (order: number) => order <= 0,
  below: (order: number) => order < 0,
} as const satisfies Readonly<Record<keyof Range, (order: number) => boolean>>;

/** The names of the bounds. */
export const BOUND_NAMES = Object.keys(BOUNDS) as readonly (keyof Range)[];

/** The first bound that a value does not hold; `undefined` if it holds all. */
export function brokenBound(text: string, range: Range, order: OrderName): keyof Range | undefined {
  const { compare }: Order = ORDERS[order];
  return BOUND_NAMES.find((name) => {
    const limit = range[name];
    return limit !== undefined && compare !== undefined && !BOUNDS[name](compare(text, limit));
  });
}

/** The least and the largest integer within bounds. */
export function integersWithin({ minimum, above, maximum, below }: Range): { least?: bigint; most?: bigint } {
  return {
    ...(minimum === undefined ? {} : { least: BigInt(minimum) }),
    ...(above === undefined ? {} : { least: BigInt(above) + 1n }),
    ...(maximum === undefined ? {} : { most: BigInt(maximum) }),
    ...(below === undefined ? {} : { most: BigInt(below) - 1n }),
  };
}

/** A number or a time without the zeros at the end of its fraction. */
function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
}

/** A datetime as its second, counted from 1970 in UTC, or in local time when it has no offset. */
interface Moment {
  readonly second: number;
  /** Digits after the point of the second, without zeros at the end. */
  readonly fraction: string;
  readonly hasOffset: boolean;
}

const DATETIME = /^(.{19})(?:\.(\d+))?(?:(Z)|([+-])(\d\d):(\d\d))?$/;

function momentOf(text: string): Moment {
  const [, local = '', fraction = '', utc, sign, hours, minutes] = DATETIME.exec(text) ?? [];
  const offset = sign === undefined ? 0 : (sign === '-' ? -60 : 60) * (Number(hours) * 60 + Number(minutes));
  return {
    second: Date.parse(`${local}Z`) / 1000 - offset,
    fraction: fraction.replace(/0+$/, ''),
    hasOffset: utc !== undefined || sign !== undefined,
  };
}

function sameMoment(text: string): string {
  const { second, fraction, hasOffset } = momentOf(text);
  return `${second}.${fraction}${hasOffset ? 'Z' : ''}`;
}

/** Seconds of 14 hours, the largest offset. */
const LARGEST_OFFSET = 14 * 3600;

/** Section 3.2.7.4: of a datetime with an offset and one without, the order is certain when they are more than 14 hours apart. */
function compareMoments(a: string, b: string): number {
  const [one, other] = [momentOf(a), momentOf(b)];
  const seconds = one.second - other.second;
  const order = seconds === 0 ? compareTexts(one.fraction, other.fraction) : seconds;
  if (one.hasOffset === other.hasOffset) return order;
  const distance = Math.abs(seconds) - LARGEST_OFFSET;
  const isFar =
    distance > 0 || (distance === 0 && Math.sign(compareTexts(one.fraction, other.fraction)) === Math.sign(seconds));
  return isFar ? order : Number.NaN;
}

const DURATION = /^(-?)P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d*)(?:\.(\d*))?S)?)?$/;

/** Months and seconds, of which all parts of a duration are multiples: `P1Y` is `P12M`. */
function sameDuration(text: string): string {
  const [, sign = '', ...parts] = DURATION.exec(text) ?? [];
  const [years, months, days, hours, minutes, seconds] = parts.map((part = '0') => BigInt(part)) as bigint[];
  const month = (years ?? 0n) * 12n + (months ?? 0n);
  const second = (((days ?? 0n) * 24n + (hours ?? 0n)) * 60n + (minutes ?? 0n)) * 60n + (seconds ?? 0n);
  const fraction = (parts[6] ?? '').replace(/0+$/, '');
  const isZero = month === 0n && second === 0n && fraction === '';
  return `${isZero ? '' : sign}${month}M${second}.${fraction}`;
}
