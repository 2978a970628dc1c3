// Boundaries of multipart messages, RFC 2046 section 5.1.1.

/**
 * What is wrong with a boundary, as a clause; `undefined` for a valid one. It has 1 to 70 characters and does not end
 * with a space. All printable ASCII is accepted, since senders use characters outside the RFC's `bchars` (`{`, `<`,
 * `@`, `*`).
 */
export function boundaryFault(boundary: string): string | undefined {
  if (boundary === '') return 'its boundary is empty';
  if (boundary.length > MAX_BOUNDARY)
    return `its boundary has ${boundary.length} characters, of at most ${MAX_BOUNDARY}`;
  if (!/^[\x20-\x7e]*[\x21-\x7e]$/.test(boundary))
    return 'its boundary holds characters that none may have, or ends with a space';
  return undefined;
}

const MAX_BOUNDARY = 70;

/**
 * The boundary of a multipart message that arrives without the header that names it: the text after `--` on the first
 * line that is not blank. `undefined` if that line is not a boundary.
 */
export function boundaryOfText(text: string): string | undefined {
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.indexOf('\n', at);
    const line = text.slice(at, lineEnd === -1 ? undefined : lineEnd).trimEnd();
    if (line !== '') {
      const boundary = line.slice(2);
      return line.startsWith('--') && boundaryFault(boundary) === undefined ? boundary : undefined;
    }
    if (lineEnd === -1) return undefined;
    at = lineEnd + 1;
  }
  return undefined;
}
