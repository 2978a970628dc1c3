import { isUtf8 } from 'node:buffer';
import { quote } from '../words.ts';

// Header fields of a body part, RFC 2045 section 3 and RFC 5322 section 2.2; UTF-8 is allowed in them (RFC 6532).

/** Creates the error for invalid content. `reason` is a clause without a full stop. */
export type Complain = (reason: string) => Error;

/**
 * Reads the lines of a header, each ending with CRLF or LF. Folded lines are unfolded, and blanks before the colon,
 * which old mail programs wrote, are ignored. Bytes that are not UTF-8 are read as ISO 8859-1.
 * @returns values by lower-case name; repeated fields are joined with a comma
 * @throws the error of `complain` for a line without a name, a control character, or a Content- field that is repeated
 * with another value
 */
export function parseMimeHeaders(block: Buffer, complain: Complain): Map<string, string> {
  const headers = new Map<string, string>();
  const lines = block.toString(isUtf8(block) ? 'utf8' : 'latin1').split(/\r?\n/);
  let field = '';
  for (const line of lines) {
    if (hasControls(line)) throw complain(`its header holds a control character in ${quote(line)}`);
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
  if (!/^[\x21-\x39\x3b-\x7e]+$/.test(name)) throw complain(`its header has a line without a name: ${quote(field)}`);
  const value = field.slice(colon + 1).trim();
  const before = headers.get(name);
  // RFC 2045 allows each of these once; a reader that uses the other value would see a different message.
  if (before !== undefined && name.startsWith('content-')) {
    if (before === value) return;
    throw complain(`its header has ${name} twice, as ${quote(before)} and ${quote(value)}`);
  }
  headers.set(name, before === undefined ? value : `${before}, ${value}`);
}

/** C0 controls except the tab, and DEL. */
function hasControls(line: string): boolean {
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}
