/** A workbook with one sheet (ISO/IEC 29500-1, SpreadsheetML): a row of headings that stays in sight, and a typed cell a value. */

import type { Zone } from '../../../wire/timezone.ts';
import type { ResultColumn } from '../../plan.ts';
import type { RendererFactory } from '../renderer.ts';
import { ResultLimitError } from '../result-limit.ts';
import { compileCell } from './cells.ts';
import { fixedParts, NAMESPACE, SHEET_PART, STYLES_PART, XML } from './parts.ts';
import { HEADING, stylesOf } from './styles.ts';
import { inlineString } from './text.ts';
import { widthOf } from './width.ts';
import { ZipWriter } from './zip.ts';

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
