// Range requests for bytes: RFC 9110, section 14.

/** A range of the bytes of a representation; `start` counts from 0. */
interface Bytes {
  readonly start: number;
  readonly length: number;
}

/**
 * Reads the header `Range` for a representation of `size` bytes.
 * @returns the requested bytes; `unsatisfiable` when none of them exist; `undefined` when the header is to be ignored:
 *   another unit, an invalid range, or several ranges, which a server may answer with the whole representation (section
 *   14.2)
 */
export function parseRange(header: string, size: number): Bytes | 'unsatisfiable' | undefined {
  const found = RANGE.exec(header);
  if (found === null) return undefined;
  const [, first = '', last = ''] = found;
  if (first === '') {
    if (last === '') return undefined;
    const length = Math.min(Number(last), size);
    // An empty range can't be expressed: `Content-Range` has no form for it.
    if (length === 0) return Number(last) === 0 ? 'unsatisfiable' : undefined;
    return { start: size - length, length };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return { start, length: end - start + 1 };
}

/** Unit names are case-insensitive (section 14.1); blanks and commas are allowed as in any list (section 5.6.1). */
const RANGE = /^bytes=[ \t,]*(\d*)-(\d*)[ \t,]*$/i;

/** `Content-Range` of some bytes (section 14.4). */
export function contentRange({ start, length }: Bytes, size: number): string {
  return `bytes ${start}-${start + length - 1}/${size}`;
}
