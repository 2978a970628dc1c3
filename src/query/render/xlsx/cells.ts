/** Cells of a sheet (ISO/IEC 29500-1, 18.3.1.4 and 18.18.11), typed as their columns are. */

import { SCALARS } from '../../../model/scalar.ts';
import type { Zone } from '../../../wire/timezone.ts';
import type { ResultColumn } from '../../plan.ts';
import { booleanText, compileTextOf, decimalText, integerText } from '../convert.ts';
import { type Present, wrongValue } from '../value.ts';
import { compileDatetimeSerial, dateSerial, timeSerial } from './serial.ts';
import { TEXT_STYLE } from './styles.ts';
import { inlineString } from './text.ts';

/** Digits that programs which open workbooks keep of a number. */
const DIGITS = 15;

/**
 * Compiles the cells of a column, from their reference's end on: `" s="1"><v>...`. A number with more digits than a
 * workbook keeps is a text, so that none is lost, as is a date without a number of its own.
 * @param style the index of the column's style
 * @returns a function that throws ValueError and ResultLimitError
 */
export function compileCell(column: ResultColumn, style: number, zone: Zone): (value: Present) => string {
  const refuse = (value: Present): never => {
    throw wrongValue(column, value);
  };
  const styled = style === 0 ? '' : ` s="${style}"`;
  const number = (digits: number | string): string => `"${styled}><v>${digits}</v></c>`;
  const string = (text: string): string => `" s="${TEXT_STYLE}" t="inlineStr">${inlineString(text, column.name)}</c>`;
  const dated = (serial: (text: string) => number | undefined): ((value: Present) => string) => {
    const textOf = compileTextOf(column, zone, 'document');
    return (value) => {
      const text = textOf(value);
      const found = serial(text);
      return found === undefined ? string(text) : number(found);
    };
  };
  switch (SCALARS[column.kind].primitive) {
    case 'integer':
      return (value) => {
        const digits = integerText(value) ?? refuse(value);
        return isKept(digits) ? number(digits) : string(digits);
      };
    case 'decimal':
      return (value) => {
        const digits = decimalText(value, column.scale) ?? refuse(value);
        // What was stored as a real number is one already.
        return typeof value === 'number' || isKept(digits) ? number(digits) : string(digits);
      };
    case 'boolean':
      return (value) => {
        const word = booleanText(value) ?? refuse(value);
        return `"${styled} t="b"><v>${word === 'true' ? 1 : 0}</v></c>`;
      };
    case 'date':
      return dated(dateSerial);
    case 'time':
      return dated(timeSerial);
    case 'datetime':
      return dated(compileDatetimeSerial(zone));
    default: {
      const textOf = compileTextOf(column, zone, 'query');
      return (value) => string(textOf(value));
    }
  }
}

/** Does a workbook keep every digit that counts? Zeros at either end don't. */
function isKept(digits: string): boolean {
  if (digits.length <= DIGITS) return true;
  const significant = digits.replace(/^-?0*\.?0*/, '').replace('.', '');
  return (digits.includes('.') ? significant.replace(/0+$/, '') : significant).length <= DIGITS;
}
