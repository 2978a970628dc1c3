// Range requests for bytes: RFC 9110, section 14.

/** Some of the bytes of a representation, from 0. */
interface Bytes {
  readonly start: number;
  readonly length: number;
}

/**
 * Reads the header `Range` against a representation of so many bytes.
 * @returns the bytes that it asks for; `unsatisfiable` when there are none of them; undefined when the header is to be
 *   ignored: another unit, no valid range, or several ranges, which a server may answer with the whole (section 14.2)
 */
export function parseRange(header: string, size: number): Bytes | 'unsatisfiable' | undefined {
  const found = RANGE.exec(header);
  if (found === null) return undefined;
  const [, first = '', last = ''] = found;
  if (first === '') {
    if (last === '') return undefined;
    const length = Math.min(Number(last), size);
    // Nothing can be said of no bytes: `Content-Range` has no form for that.
    if (length === 0) return Number(last) === 0 ? 'unsatisfiable' : undefined;
    return { start: size - length, length };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return { start, length: end - start + 1 };
}

/** Names of units do not depend on letter case (section 14.1); blanks may be where a list could go on (section 5.6.1). */
const RANGE = /^bytes=[ \t,]*(\d*)-(\d*)[ \t,]*$/i;

/** `Content-Range` of some bytes (section 14.4). */
export function contentRange({ start, length }: Bytes, size: number): string {
  return `bytes ${start}-${start + length - 1}/${size}`;
}
