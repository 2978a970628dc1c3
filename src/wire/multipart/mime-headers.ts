// Header fields of a body part, RFC 2045 section 3 and RFC 5322 section 2.2; UTF-8 in them as RFC 6532 has it.

import { isUtf8 } from 'node:buffer';

/** Makes the error for something that is wrong. `reason` is a clause without a full stop. */
export type Complain = (reason: string) => Error;

/**
 * Reads the lines of a header, CRLF or LF at the end of each. Folded lines are unfolded, and blanks before the colon, which
 * old mail programs wrote, are passed over. Bytes that are no UTF-8 are read as ISO 8859-1.
 * @returns values by names in lower case; those of a name that comes twice are joined with a comma
 * @throws what `complain` makes: of a line without a name, a control character, a Content- field that comes twice
 */
export function parseMimeHeaders(block: Buffer, complain: Complain): Map<string, string> {
  const headers = new Map<string, string>();
  const lines = block.toString(isUtf8(block) ? 'utf8' : 'latin1').split(/\r?\n/);
  let field = '';
  for (const line of lines) {
    if (hasControls(line)) throw complain(`its header holds a control character in ${shown(line)}`);
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (field === '') throw complain('its header begins with a folded line');
      field += line;
      continue;
    }
    add(headers, field, complain);
    field = line;
  }
  add(headers, field, complain);
  return headers;
}

function add(headers: Map<string, string>, field: string, complain: Complain): void {
  if (field === '') return;
  const colon = field.indexOf(':');
  const name = field.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase();
  // RFC 5322, 2.2: printable ASCII without the colon.
  if (!/^[\x21-\x39\x3b-\x7e]+$/.test(name)) throw complain(`its header has a line without a name: ${shown(field)}`);
  const value = field.slice(colon + 1).trim();
  const before = headers.get(name);
  // RFC 2045 allows each of these once; whoever reads the other one reads another message.
  if (before !== undefined && name.startsWith('content-')) throw complain(`its header has ${name} twice`);
  headers.set(name, before === undefined ? value : `${before}, ${value}`);
}

/** C0 controls but for the tab, and DEL. */
function hasControls(line: string): boolean {
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}

function shown(line: string): string {
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}...` : line);
}
