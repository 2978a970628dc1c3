/** RFC 4180: CRLF ends every line, the first line holds the names. Values are written as they are, never altered. */

import type { Zone } from '../../wire/timezone.ts';
import type { ResultColumn } from '../plan.ts';
import { compileTextOf } from './convert.ts';
import type { RendererFactory } from './renderer.ts';

/** NULL and the empty text are both an empty field. */
export function compileCsv(columns: readonly ResultColumn[], zone: Zone): RendererFactory {
  const fields = columns.map((column) => ({ at: column.at, text: compileTextOf(column, zone, 'query') }));
  const header = line(columns.map((column) => quoted(column.name)));
  return {
    headRoom: Buffer.byteLength(header),
    start() {
      let text = '';
      return {
        row(cells) {
          const values = fields.map(({ at, text: textOf }) => {
            const value = cells[at] ?? null;
            return value === null ? '' : quoted(textOf(value));
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

/** One empty field alone would be an empty line, which readers skip. */
function line(values: readonly string[]): string {
  return values.length === 1 && values[0] === '' ? '""\r\n' : `${values.join(',')}\r\n`;
}

function quoted(text: string): string {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x2c || code === 0x0d || code === 0x0a) return `"${text.replaceAll('"', '""')}"`;
  }
  return text;
}
