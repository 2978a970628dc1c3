/** Texts inside SpreadsheetML (ISO/IEC 29500-1, 22.9.2.19 ST_Xstring): what XML can't carry is written `_xHHHH_`. */

import { ResultLimitError } from '../result-limit.ts';

/** Characters that a cell holds, in UTF-16 units: a limit of every program that opens workbooks. */
const MOST_CHARACTERS = 32_767;

/** Few texts hold any of it. */
const SUSPECT = /[^\x20\x21\x23-\x25\x28-\x3b\x3d\x3f-\x5e\x60-\ud7ff\ue000-\ufffd]/;

/** What XML has no place for, or would not keep: half of a surrogate pair, and a carriage return, which readers normalise. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const LOST = /[\0-\x08\x0b-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** White space that readers would leave out. */
const EDGES = /^\s|\s$/;

/** A text that would be taken for such an escape. */
const ESCAPE = /_(?=x[0-9A-Fa-f]{4}_)/g;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for an element or an attribute. */
export function escapeString(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(ESCAPE, '_x005F_')
    .replace(LOST, (unit) => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>"]/g, (mark) => entities[mark] as string);
}

/** The content of a cell that is a text. It is no formula, whatever it begins with. @throws ResultLimitError */
export function inlineString(text: string, column: string): string {
  if (text.length > MOST_CHARACTERS) {
    throw new ResultLimitError(
      `has a value of ${text.length} characters in ${column}, and a cell of a workbook holds ${MOST_CHARACTERS}; ask for another format`,
    );
  }
  return `<is><t${EDGES.test(text) ? ' xml:space="preserve"' : ''}>${escapeString(text)}</t></is>`;
}

/** Names that Excel keeps for itself, in small letters. */
const RESERVED = 'history';
const LONGEST_NAME = 31;

/** A name that a sheet can have, as close to the given one as can be. */
export function sheetName(name: string): string {
  const allowed = name
    .replace(LOST, '_')
    .replace(/[[\]:*?/\\\t\n]/g, '_')
    .slice(0, LONGEST_NAME)
    .replace(/^'+|'+$/g, '')
    .toWellFormed();
  if (allowed.trim() === '') return 'Sheet1';
  return allowed.toLowerCase() === RESERVED ? `${allowed}_` : allowed;
}
