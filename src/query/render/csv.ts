/** RFC 4180: CRLF ends every line, the first line holds the names. Values are written as they are, unless `neutral` is asked for. */

import { SCALARS } from '../../model/scalar.ts';
import { BYTE_ORDER_MARK, type CsvOptions, neutraliseFormula, quoteCsv } from '../../wire/csv.ts';
import type { Zone } from '../../wire/timezone.ts';
import type { ResultColumn } from '../plan.ts';
import { compileTextOf } from './convert.ts';
import type { RendererFactory } from './renderer.ts';
import type { Present } from './value.ts';

/** NULL and the empty text are both an empty field. */
export function compileCsv(columns: readonly ResultColumn[], zone: Zone, options: CsvOptions = {}): RendererFactory {
  const { neutral = false, bom = false } = options;
  const fields = columns.map((column) => ({ at: column.at, text: compileCell(column, zone, neutral) }));
  const names = columns.map(({ name }) => quoteCsv(neutral ? neutraliseFormula(name) : name));
  const header = `${bom ? BYTE_ORDER_MARK : ''}${line(names)}`;
  return {
    headRoom: Buffer.byteLength(header),
    start() {
      let text = '';
      return {
        row(cells) {
          const values = fields.map(({ at, text: textOf }) => {
            const value = cells[at] ?? null;
            return value === null ? '' : textOf(value);
          });
          text += line(values);
        },
        flush() {
          const done = text;
          text = '';
          return done;
        },
        head: () => header,
        tail: () => '',
      };
    },
  };
}

/** Numbers, `-INF` included, are never taken for formulas. */
function compileCell(column: ResultColumn, zone: Zone, neutral: boolean): (value: Present) => string {
  const textOf = compileTextOf(column, zone, 'query');
  const { primitive } = SCALARS[column.kind];
  const isNumber = primitive === 'integer' || primitive === 'decimal' || primitive === 'double';
  return neutral && !isNumber
    ? (value) => quoteCsv(neutraliseFormula(textOf(value)))
    : (value) => quoteCsv(textOf(value));
}

/** One empty field alone would be an empty line, which readers skip. */
function line(values: readonly string[]): string {
  return values.length === 1 && values[0] === '' ? '""\r\n' : `${values.join(',')}\r\n`;
}
