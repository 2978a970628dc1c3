import { WireError } from '../error.ts';

// The lines between the parts of a multipart message: delimiter and close-delimiter, RFC 2046 section 5.1.1.

/**
 * The position of a delimiter: `start` at the line end before it, which belongs to it; `end` after its own line end.
 */
interface FoundDelimiter {
  readonly start: number;
  /** `undefined` if more bytes are needed to be certain. */
  readonly end: number | undefined;
  /** Whether it is the close-delimiter `--boundary--`, after which no part follows. */
  readonly closing: boolean;
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const DASH = 0x2d;

/** Most bytes of transport padding: blanks that a mail gateway may have added after a boundary. */
const PADDING = 256;

type LineEnd = { readonly end: number | undefined; readonly closing: boolean };

/** Searches for the delimiters of one boundary. Lines may end with CRLF or LF. */
class Delimiter {
  readonly #needle: Buffer;
  /** This many bytes always suffice to decide whether they begin with a delimiter. */
  readonly longest: number;

  constructor(boundary: string) {
    this.#needle = Buffer.from(`\n--${boundary}`, 'latin1');
    this.longest = '\r'.length + this.#needle.length + '--'.length + PADDING + '\r\n'.length;
  }

  /**
   * The first delimiter, or a possible beginning of one at the end of the bytes. A line that continues after the
   * boundary is not a delimiter: the boundary of a nested message may begin with this one's.
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

  /** Whether bytes that begin with a boundary's line end, with nothing after them, are the close-delimiter. */
  closes(bytes: Buffer): boolean {
    const boundary = bytes.indexOf(this.#needle);
    return boundary !== -1 && lineEnd(bytes, boundary + this.#needle.length)?.closing === true;
  }

  /**
   * The index at which a beginning of the line end and boundary starts at the end of the bytes; -1 if there is none.
   */
  #begunAtEnd(bytes: Buffer): number {
    const from = Math.max(0, bytes.length - this.#needle.length + 1);
    const feed = bytes.subarray(from).lastIndexOf(LINE_FEED);
    if (feed !== -1) {
      const at = from + feed;
      // A boundary contains no line end, so an earlier line end in these few bytes can't begin one.
      return bytes.compare(this.#needle, 0, bytes.length - at, at) === 0 ? withReturn(bytes, at) : crAtEnd(bytes);
    }
    return crAtEnd(bytes);
  }
}

function crAtEnd(bytes: Buffer): number {
  return bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : -1;
}

function withReturn(bytes: Buffer, feed: number): number {
  return bytes[feed - 1] === RETURN ? feed - 1 : feed;
}

/** The end of a boundary's line, searched from after the boundary; `undefined` if anything else follows. */
function lineEnd(bytes: Buffer, from: number): LineEnd | undefined {
  let at = from;
  if (bytes[at] === DASH && at + 1 === bytes.length) return { end: undefined, closing: false };
  const closing = bytes[at] === DASH && bytes[at + 1] === DASH;
  if (closing) at += 2;
  for (const limit = at + PADDING; at < limit && (bytes[at] === SPACE || bytes[at] === TAB); ) at++;
  if (bytes[at] === RETURN) at++;
  if (at === bytes.length) return { end: undefined, closing };
  return bytes[at] === LINE_FEED ? { end: at + 1, closing } : undefined;
}

/** A message that is not valid multipart (RFC 2046 section 5.1). */
export class MultipartError extends WireError {
  override readonly name = 'MultipartError';
  /** `cut`: the source ended before the message did. */
  readonly kind: 'syntax' | 'limit' | 'cut';

  constructor(kind: MultipartError['kind'], reason: string) {
    super(reason);
    this.kind = kind;
  }
}

// The bytes of a multipart message, RFC 2046 section 5.1, split at its delimiters while they are streamed.

const NOTHING = Buffer.alloc(0);
const LF = 0x0a;
const CR = 0x0d;

/**
 * Reads contents and headers alternately, beginning with the content of the preamble. Pieces are views of the source's
 * chunks; only the few bytes at the end of a chunk that may begin a delimiter are copied.
 */
export class MultipartScanner {
  readonly #source: AsyncIterator<Uint8Array>;
  readonly #delimiter: Delimiter;
  /** The unread rest of the last chunk. A line end is prepended so that a delimiter at the very start is recognised. */
  #unread: Buffer = Buffer.from('\n');
  /**
   * Bytes at the start of `#unread` that may be a delimiter's line end and are not content: 1 at the start of a
   * content.
   */
  #lead = 1;
  #part = 0;
  #last = false;
  #reading = false;
  #ended = false;

  constructor(source: AsyncIterable<Uint8Array>, boundary: string) {
    this.#source = source[Symbol.asyncIterator]();
    this.#delimiter = new Delimiter(boundary);
  }

  /** Number of the current part, from 1; 0 in the preamble. */
  get part(): number {
    return this.#part;
  }

  /** Whether the closing delimiter has been read. */
  get last(): boolean {
    return this.#last;
  }

  /** The next bytes of a content; `undefined` once its delimiter has been read. @throws MultipartError */
  async piece(): Promise<Buffer | undefined> {
    for (;;) {
      const found = this.#delimiter.find(this.#unread);
      if (found?.start === 0 && found.end !== undefined) return this.#goBehind(this.#unread, found.end, found.closing);
      const content = found?.start === 0 ? await this.#settle() : this.#take(found?.start ?? this.#unread.length);
      if (content === undefined || content.length > 0) return content;
      if (this.#unread.length === 0) this.#unread = await this.#chunk();
    }
  }

  /** The lines of the next part's header, without the blank line after them. @throws MultipartError */
  async header(limit: number): Promise<Buffer> {
    this.#part++;
    const most = limit + '\r\n'.length;
    let block: Buffer = NOTHING;
    let line = 0;
    for (;;) {
      const taken = this.#unread.subarray(0, most - block.length);
      block = block.length === 0 ? taken : Buffer.concat([block, taken]);
      for (let feed = block.indexOf(LF, line); feed !== -1 && line <= limit; feed = block.indexOf(LF, line)) {
        if (feed === line || (feed === line + 1 && block[line] === CR)) {
          // In a part without content the blank line may also be the delimiter's line end.
          this.#unread = this.#unread.subarray(taken.length - (block.length - feed));
          this.#lead = 1;
          return block.subarray(0, line);
        }
        line = feed + 1;
      }
      if (block.length >= most) {
        throw new MultipartError('limit', `part ${this.#part}: its header is longer than ${limit} bytes`);
      }
      this.#unread = await this.#chunk();
    }
  }

  /** The next bytes after the closing delimiter; `undefined` at the end of the source. */
  async epilogue(): Promise<Buffer | undefined> {
    const rest = this.#take(this.#unread.length);
    return rest.length > 0 ? rest : await this.#read();
  }

  /** Ends the source, unless it has ended. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    // Errors of content that is no longer needed are ignored.
    this.#source.return?.().then(undefined, () => {});
  }

  /** Takes the unread content up to `end`. */
  #take(end: number): Buffer {
    const content = this.#unread.subarray(this.#lead, end);
    this.#unread = this.#unread.subarray(end);
    this.#lead = 0;
    return content;
  }

  #goBehind(bytes: Buffer, end: number, closing: boolean): undefined {
    this.#unread = bytes.subarray(end);
    this.#lead = 0;
    this.#last = closing;
  }

  /**
   * All unread bytes may begin a delimiter: reads more to decide. Returns them as content if they do not, no bytes
   * while that is uncertain, and `undefined` after the delimiter.
   */
  async #settle(): Promise<Buffer | undefined> {
    const begun = this.#unread;
    const chunk = await this.#read();
    if (chunk === undefined) {
      if (!this.#delimiter.closes(begun)) throw this.#cut();
      return this.#goBehind(NOTHING, 0, true);
    }
    const joined = Buffer.concat([begun, chunk.subarray(0, this.#delimiter.longest)]);
    const found = this.#delimiter.find(joined);
    if (found?.start !== 0) {
      const content = this.#take(begun.length);
      this.#unread = chunk;
      return content;
    }
    if (found.end !== undefined) return this.#goBehind(chunk, found.end - begun.length, found.closing);
    this.#unread = joined;
    return NOTHING;
  }

  async #chunk(): Promise<Buffer> {
    const chunk = await this.#read();
    if (chunk === undefined) throw this.#cut();
    return chunk;
  }

  async #read(): Promise<Buffer | undefined> {
    if (this.#reading) throw new Error('a multipart message can be read in one place at a time');
    this.#reading = true;
    try {
      const { done, value } = await this.#source.next();
      if (done !== true)
        return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.length);
      this.#ended = true;
      return undefined;
    } finally {
      this.#reading = false;
    }
  }

  #cut(): MultipartError {
    const where = this.#part === 0 ? 'before its first boundary' : `within part ${this.#part}`;
    return new MultipartError('cut', `it ends ${where}`);
  }
}
