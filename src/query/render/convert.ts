import { SCALARS } from '../../model/scalar.ts';
import { decimalOf, toDecimal } from '../../wire/decimal.ts';
import { doubleText, readDouble } from '../../wire/double.ts';
import { LEXICAL } from '../../wire/lexical.ts';
import type { Zone } from '../../wire/timezone.ts';
import type { PlanColumn } from '../plan.ts';
import { compileDatetime, type DatetimeStyle } from './datetime.ts';
import { isOdd, type Present, wrongValue } from './value.ts';

/**
 * Compiles the text of a column's values: what XML and CSV write, and JSON for everything other than numbers.
 * The function throws {@link ValueError} for a value that does not fit.
 */
export function compileTextOf(column: PlanColumn, zone: Zone, style: DatetimeStyle): (value: Present) => string {
  const refuse = (value: Present): string => {
    if (column.odd === 'text' && isOdd(value)) return String(value);
    throw wrongValue(column, value);
  };
  const { primitive, lexical } = SCALARS[column.kind];
  switch (primitive) {
    case 'integer':
      return (value) => integerText(value) ?? refuse(value);
    case 'decimal':
      return (value) => decimalText(value, column.scale) ?? refuse(value);
    case 'double':
      return (value) => {
        const double = doubleOf(value);
        return double === undefined ? refuse(value) : doubleText(double);
      };
    case 'boolean':
      return (value) => booleanText(value) ?? refuse(value);
    case 'date':
      return (value) => (typeof value === 'string' ? dateText(value) : undefined) ?? refuse(value);
    case 'time':
      return (value) => (typeof value === 'string' ? timeText(value) : undefined) ?? refuse(value);
    case 'datetime': {
      const datetime = compileDatetime(zone, style);
      return (value) => datetime(value) ?? refuse(value);
    }
    case 'binary':
      return (value) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value))).toString('base64');
    default: {
      const plain = (value: Present): string => {
        if (typeof value === 'string') return value;
        if (Buffer.isBuffer(value)) return refuse(value);
        return typeof value === 'bigint' ? value.toString() : decimalOf(value);
      };
      if (lexical === undefined) return plain;
      const { read } = LEXICAL[lexical];
      return (value) => read(plain(value)) ?? refuse(value);
    }
  }
}

/** Digits of an integer; `undefined` if the value is not one. A real number without a fraction counts as one. */
export function integerText(value: Present): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value).toString() : undefined;
  if (typeof value === 'string') return /^-?\d+$/.test(value) ? BigInt(value).toString() : undefined;
  return undefined;
}

/**
 * Digits of a decimal, without exponent; `undefined` if the value is not one. A stored text keeps its digits; a real number is
 * rounded to the scale, where one is declared and it has more.
 */
export function decimalText(value: Present, scale: number | undefined): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return undefined;
    const plain = decimalOf(value);
    const point = plain.indexOf('.');
    return scale === undefined || point < 0 || plain.length - point - 1 <= scale ? plain : value.toFixed(scale);
  }
  if (typeof value !== 'string') return undefined;
  return toDecimal(value, false);
}

/** A stored number, or its text; `undefined` if the value is neither. */
export function doubleOf(value: Present): number | undefined {
  if (Buffer.isBuffer(value)) return undefined;
  return typeof value === 'string' ? readDouble(value) : Number(value);
}

/** `true` or `false`, from 1 and 0 or from the words; undefined for anything else. */
export function booleanText(value: Present): 'true' | 'false' | undefined {
  if (value === 1n || value === 1 || value === '1') return 'true';
  if (value === 0n || value === 0 || value === '0') return 'false';
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return word === 'true' || word === 'false' ? word : undefined;
}

/** The date of a date, or of a datetime; undefined where a text is neither, or has no year, month or day, as MariaDB stores it. */
function dateText(value: string): string | undefined {
  return /^(?!0000)\d{4}-(?!00)\d{2}-(?!00)\d{2}(?:[T ](?!BC|.* BC)|$)/.test(value) ? value.slice(0, 10) : undefined;
}

function timeText(value: string): string | undefined {
  if (!/^\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(value)) return undefined;
  return value.length === 5 ? `${value}:00` : value;
}
