/**
 * A JSON Pointer as URI fragment (RFC 6901, section 6): `#/a~1b/0`; `#` is the whole value.
 * @param tokens names of members and indexes of entries, outermost first
 */
export function jsonPointer(tokens: readonly (string | number)[]): string {
  return `#${tokens.map((token) => `/${escaped(String(token))}`).join('')}`;
}

/** `~` and `/` are escaped (section 3), and then what a fragment can't have. */
function escaped(token: string): string {
  return encodeURIComponent(token.toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1'));
}
