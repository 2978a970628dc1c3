// The lines between the parts of a multipart message: delimiter and close-delimiter, RFC 2046 section 5.1.1.

/** Where a delimiter stands among some bytes: from the line end before it, which belongs to it, to behind its own. */
interface FoundDelimiter {
  readonly start: number;
  /** Undefined where the bytes end before it can be told whether it is one. */
  readonly end: number | undefined;
  /** `--boundary--`, behind which no part comes. */
  readonly closing: boolean;
}

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;

/** Most bytes of transport padding, the blanks that a mail gateway may have put behind a boundary. */
const PADDING = 256;

type LineEnd = { readonly end: number | undefined; readonly closing: boolean };

/** Searches for the delimiters of one boundary. Lines may end with CRLF or LF. */
export class Delimiter {
  readonly #needle: Buffer;
  /** Bytes after which it is always known whether what begins with them is a delimiter. */
  readonly longest: number;

  constructor(boundary: string) {
    this.#needle = Buffer.from(`\n--${boundary}`, 'latin1');
    this.longest = '\r'.length + this.#needle.length + '--'.length + PADDING + '\r\n'.length;
  }

  /**
   * The first delimiter, or the end of the bytes where that may be the beginning of one. A line that goes on behind the
   * boundary is none: the boundary of a message inside this one may begin with this one's.
   */
  find(bytes: Buffer): FoundDelimiter | undefined {
    const needle = this.#needle;
    for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length)) {
      const line = lineEnd(bytes, at + needle.length);
      if (line !== undefined) return { start: withReturn(bytes, at), ...line };
    }
    const start = this.#begunAtEnd(bytes);
    return start === -1 ? undefined : { start, end: undefined, closing: false };
  }

  /** Whether bytes that begin with a boundary's line end, and behind which nothing comes, are the close-delimiter. */
  closes(bytes: Buffer): boolean {
    const boundary = bytes.indexOf(this.#needle);
    return boundary !== -1 && lineEnd(bytes, boundary + this.#needle.length)?.closing === true;
  }

  /** Where the bytes end with a beginning of the line end and boundary; -1 where they don't. */
  #begunAtEnd(bytes: Buffer): number {
    const from = Math.max(0, bytes.length - this.#needle.length + 1);
    const feed = bytes.subarray(from).lastIndexOf(LF);
    if (feed !== -1) {
      const at = from + feed;
      // A boundary holds no line end, so an earlier one in the same few bytes begins nothing.
      return bytes.compare(this.#needle, 0, bytes.length - at, at) === 0 ? withReturn(bytes, at) : crAtEnd(bytes);
    }
    return crAtEnd(bytes);
  }
}

function crAtEnd(bytes: Buffer): number {
  return bytes[bytes.length - 1] === CR ? bytes.length - 1 : -1;
}

function withReturn(bytes: Buffer, feed: number): number {
  return bytes[feed - 1] === CR ? feed - 1 : feed;
}

/** The end of a boundary's line, from behind the boundary; undefined where something else stands there. */
function lineEnd(bytes: Buffer, from: number): LineEnd | undefined {
  let at = from;
  if (bytes[at] === DASH && at + 1 === bytes.length) return { end: undefined, closing: false };
  const closing = bytes[at] === DASH && bytes[at + 1] === DASH;
  if (closing) at += 2;
  for (const limit = at + PADDING; at < limit && (bytes[at] === SPACE || bytes[at] === TAB); ) at++;
  if (bytes[at] === CR) at++;
  if (at === bytes.length) return { end: undefined, closing };
  return bytes[at] === LF ? { end: at + 1, closing } : undefined;
}
