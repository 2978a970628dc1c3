import { SCALARS } from '../../../model/scalar.ts';
import { doubleText } from '../../../wire/double.ts';
import type { Zone } from '../../../wire/timezone.ts';
import type { ResultColumn } from '../../plan.ts';
import { booleanText, compileTextOf, decimalText, doubleOf, integerText } from '../convert.ts';
import type { RendererFactory } from '../renderer.ts';
import { ResultLimitError } from '../result-limit.ts';
import { type Present, wrongValue } from '../value.ts';
import { fixedParts, NAMESPACE, SHEET_PART, STYLES_PART, XML } from './parts.ts';
import { HEADING, stylesOf, TEXT_STYLE } from './styles.ts';
import { inlineString } from './text.ts';
import { ZipWriter } from './zip.ts';

/** A workbook with one sheet (ISO/IEC 29500-1, SpreadsheetML): a row of headings that stays in sight, and a typed cell a value. */

/** Rows and columns of a sheet, that of the headings included. */
const MOST_ROWS = 1_048_576;
const MOST_COLUMNS = 16_384;

/**
 * Compiles the writer of a query's result. Dates, times and datetimes are numbers with a format; a datetime is what clocks of
 * the zone show, since a workbook knows no offsets. NULL is no cell. The same rows make the same bytes.
 */
export function compileXlsx(name: string, columns: readonly ResultColumn[], zone: Zone): RendererFactory {
  if (columns.length > MOST_COLUMNS) {
    throw new ResultLimitError(
      `has ${columns.length} columns, and a sheet holds ${MOST_COLUMNS}; ask for another format`,
    );
  }
  const styles = stylesOf(columns);
  const letters = columns.map((_, index) => lettersOf(index));
  const cells = columns.map((column, index) => ({
    at: column.at,
    open: `<c r="${letters[index]}`,
    content: compileCell(column, styles.indices[index] ?? 0, zone),
  }));
  const before = sheetStart(columns, letters);
  const lastColumn = letters.at(-1) ?? 'A';
  return {
    headRoom: 0,
    start() {
      const zip = new ZipWriter();
      for (const [part, content] of [...fixedParts(name), [STYLES_PART, styles.part] as const]) {
        zip.file(part);
        zip.write(content);
      }
      zip.file(SHEET_PART);
      zip.write(before);
      let last = 1;
      return {
        row(row) {
          if (last === MOST_ROWS) throw tooManyRows();
          last += 1;
          let text = `<row r="${last}">`;
          for (const { at, open, content } of cells) {
            const value = row[at] ?? null;
            if (value !== null) text += open + last + content(value);
          }
          zip.write(`${text}</row>`);
        },
        flush: () => zip.take(),
        head: () => '',
        tail() {
          zip.write(`</sheetData><autoFilter ref="A1:${lastColumn}${last}"/></worksheet>`);
          zip.end();
          return zip.take();
        },
      };
    },
  };
}

function tooManyRows(): ResultLimitError {
  return new ResultLimitError(`has more than the ${MOST_ROWS - 1} rows that a sheet holds; ask for fewer or for CSV`);
}

function sheetStart(columns: readonly ResultColumn[], letters: readonly string[]): string {
  const widths = columns
    .map((column, index) => `<col min="${index + 1}" max="${index + 1}" width="${widthOf(column)}" customWidth="1"/>`)
    .join('');
  const headings = columns
    .map(
      ({ name }, index) =>
        `<c r="${letters[index]}1" s="${HEADING}" t="inlineStr">${inlineString(name, 'a heading')}</c>`,
    )
    .join('');
  return (
    `${XML}<worksheet xmlns="${NAMESPACE}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    `</sheetView></sheetViews><cols>${widths}</cols><sheetData><row r="1">${headings}</row>`
  );
}

/** A column's letters: A to Z, then AA (18.18.7 ST_CellRef). */
function lettersOf(index: number): string {
  const last = String.fromCharCode(0x41 + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}

/** Room round a value, and beside a heading for the button of its filter. */
const MARGIN = 2;
const BUTTON = 3;
const WIDEST = 60;

/** The width of a column in characters (18.3.1.13): its heading's, or its values' as they are declared. */
function widthOf({ name, kind, length }: ResultColumn): number {
  const values = length ?? SCALARS[kind].workbook.width;
  return Math.min(WIDEST, Math.max(name.length + BUTTON, values) + MARGIN);
}

/** Cells of a sheet (ISO/IEC 29500-1, 18.3.1.4 and 18.18.11), typed as their columns are. */

/** Digits that programs which open workbooks keep of a number. */
const DIGITS = 15;

/**
 * Compiles the cells of a column, from their reference's end on: `" s="1"><v>...`. A number with more digits than a
 * workbook keeps is a text, so that none is lost, as is a date without a number of its own.
 * @param style the index of the column's style
 * @returns a function that throws ValueError and ResultLimitError
 */
function compileCell(column: ResultColumn, style: number, zone: Zone): (value: Present) => string {
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
    case 'double':
      return (value) => {
        const found = doubleOf(value) ?? refuse(value);
        return Number.isFinite(found) ? number(String(found)) : string(doubleText(found));
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

/**
 * Dates and times as numbers: days since the last of 1899, of the 1900 date system (ISO/IEC 29500-1, 18.17.4.1). It takes
 * 1900 for a leap year, so that days before 1 March 1900 have no number that all readers agree on.
 */

const DAY = 86_400_000;
const MINUTE = 60_000;
/** The day that is number 0 from March 1900 on. */
const EPOCH = Date.UTC(1899, 11, 30);
const FIRST = Date.UTC(1900, 2, 1);

const datePattern = /^\d{4}-\d{2}-\d{2}$/;
const timePattern = /^\d{2}:\d{2}:\d{2}(?:\.\d+)?$/;
const datetimePattern = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2}(?:\.\d+)?)(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** The number of a `yyyy-MM-dd`; undefined where there is none. */
function dateSerial(date: string): number | undefined {
  const start = startOf(date);
  return start === undefined || start < FIRST ? undefined : (start - EPOCH) / DAY;
}

/** The part of a day that an `HH:mm:ss`, with a fraction or without, is; undefined where there is none. */
function timeSerial(time: string): number | undefined {
  const milliseconds = millisecondsOf(time);
  return milliseconds === undefined ? undefined : milliseconds / DAY;
}

/** Compiles the numbers of xs:dateTime with an offset: what clocks of the zone show then. Undefined where there is none. */
function compileDatetimeSerial(zone: Zone): (datetime: string) => number | undefined {
  return (datetime) => {
    const match = datetimePattern.exec(datetime);
    if (match === null) return undefined;
    const [, date = '', time = '', sign, hours = '0', minutes = '0'] = match;
    const day = startOf(date);
    const within = millisecondsOf(time);
    if (day === undefined || within === undefined) return undefined;
    const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
    const local = day + within;
    const wall = zone.offsetAt(datetime) === offset ? local : onTheClock(local - offset * MINUTE, zone);
    return wall < FIRST ? undefined : (wall - EPOCH) / DAY;
  };
}

/** Milliseconds, as if in UTC, that the zone's clocks show at an instant. */
function onTheClock(instant: number, zone: Zone): number {
  // The offset that holds up to a change of the clock reaches as far as the larger of the two says.
  const around = [instant - DAY, instant + DAY].map((each) => zone.offsetAt(textOf(each)));
  return instant + zone.offsetAt(textOf(instant + Math.max(...around) * MINUTE)) * MINUTE;
}

function textOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19);
}

/** Milliseconds of a day's start; undefined where there is no such day, or it is before 1900. */
function startOf(date: string): number | undefined {
  if (!datePattern.test(date)) return undefined;
  const year = Number(date.slice(0, 4));
  const month = Number(date.slice(5, 7)) - 1;
  const day = Number(date.slice(8));
  if (year < 1900) return undefined;
  const start = Date.UTC(year, month, day);
  // A day that is in no calendar is one of another month.
  return start >= Date.UTC(year, month, 1) && start < Date.UTC(year, month + 1, 1) && month <= 11 ? start : undefined;
}

function millisecondsOf(time: string): number | undefined {
  if (!timePattern.test(time)) return undefined;
  const hours = Number(time.slice(0, 2));
  const minutes = Number(time.slice(3, 5));
  const seconds = Number(time.slice(6));
  if (hours > 23 || minutes > 59 || seconds >= 60) return undefined;
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
