/** A page of its own (WHATWG HTML): a table with a caption and headed columns, which loads nothing and runs nothing. */

import { isNumeric } from '../../model/scalar.ts';
import type { Zone } from '../../wire/timezone.ts';
import type { ResultColumn } from '../plan.ts';
import { compileTextOf } from './convert.ts';
import { MOST_ROWS, type RendererFactory } from './renderer.ts';

const STYLE =
  ':root{color-scheme:light dark;font-family:system-ui,sans-serif}body{margin:1.5rem}table{border-collapse:collapse}' +
  'caption{text-align:start;font-weight:600;padding-block-end:.5rem}th,td{padding:.25rem .75rem;text-align:start;' +
  'vertical-align:top;border-block-end:1px solid #8886;white-space:pre-wrap;unicode-bidi:plaintext}' +
  'thead th{position:sticky;inset-block-start:0;background:Canvas;white-space:nowrap}.n{text-align:end;' +
  'white-space:nowrap;font-variant-numeric:tabular-nums}';

/** What a page of values may do: have the style above. Whatever a value says, it is never more than text. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Compiles the writer of a query's result; NULL and the empty text are both an empty cell. */
export function compileHtml(name: string, columns: readonly ResultColumn[], zone: Zone): RendererFactory {
  const cells = columns.map((column) => ({
    at: column.at,
    text: compileTextOf(column, zone, 'query'),
    open: isNumeric(column) ? '<td class="n">' : '<td>',
  }));
  const title = escapeHtml(name);
  const before =
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n' +
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n` +
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n' +
    `<title>${title}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n<table>\n<caption>${title}: `;
  const headings = columns.map((column) => {
    const place = isNumeric(column) ? ' class="n"' : '';
    return `<th scope="col"${place}>${escapeHtml(column.name)}</th>`;
  });
  const after = `</caption>\n<thead>\n<tr>${headings.join('')}</tr>\n</thead>\n<tbody>\n`;
  const head = (rows: number): string => `${before}${rows} ${rows === 1 ? 'row' : 'rows'}${after}`;
  return {
    headRoom: Buffer.byteLength(head(MOST_ROWS)),
    start() {
      let html = '';
      return {
        row(row) {
          html += '<tr>';
          for (const { at, text, open } of cells) {
            const value = row[at] ?? null;
            html += `${open}${value === null ? '' : escapeHtml(text(value))}</td>`;
          }
          html += '</tr>\n';
        },
        flush() {
          const done = html;
          html = '';
          return done;
        },
        head,
        tail: () => '</tbody>\n</table>\n</body>\n</html>\n',
      };
    },
  };
}

/** What has to be replaced: markup, and what HTML has no character reference for (13.2.3.5, 13.2.5.80). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SUSPECT = /[&<>"'\r\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff]/;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or an attribute. Every end of a line becomes a line feed, as readers take it; what is no text becomes U+FFFD. */
function escapeHtml(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return (
    text
      .toWellFormed()
      .replace(/\r\n?/g, '\n')
      .replace(/[&<>"']/g, (mark) => entities[mark] as string)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
      .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]/g, '\ufffd')
  );
}
