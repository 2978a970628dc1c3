/**
 * Text of CSV cells: RFC 4180, and what spreadsheets calculate (OWASP, "CSV Injection").
 */

/** How CSV is written, beyond RFC 4180. */
export interface CsvOptions {
  /** Whether cells that a spreadsheet would calculate are neutralised by {@link neutraliseFormula}. */
  readonly neutral?: boolean;
  /** Whether a byte order mark comes first, by which spreadsheets know UTF-8. */
  readonly bom?: boolean;
  /** The name of the file that browsers save (Content-Disposition). */
  readonly file?: string;
}

/** U+FEFF: three bytes in UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Beginnings by which spreadsheets know a formula; the last four are the full-width forms of the first four. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A signed number is no formula: it is calculated to itself. */
const NUMBER = /^[+-](?:\d+(?:[.,]\d+)*|[.,]\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The text of a cell that no spreadsheet calculates: an apostrophe comes before what begins with `=`, `+`, `-`, `@`, a tab or
 * a line end. Signed numbers stay as they are. The result is not quoted yet.
 */
export function neutraliseFormula(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** A cell as RFC 4180 writes it: in quotes where it holds a comma, a quote or a line end. */
export function quoteCsv(text: string): string {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22 || code === 0x2c || code === 0x0d || code === 0x0a) return `"${text.replaceAll('"', '""')}"`;
  }
  return text;
}
