import { type CharsetDecoder, DECLARATION, declaredEncoding, decoderFor, encodingOf } from '../charset.ts';
import { XmlError } from './source.ts';

// XML 1.0 (fifth edition) section 4.3.3 and appendix F, RFC 7303 section 3: decoding the bytes of a document. UTF-8,
// and UTF-16 with a byte order mark, are accepted by every reader (WS-I Basic Profile 1.1, R4001 and R1012); others are
// accepted where the charset of the transport names them, or else the declaration.

/** The encodings that are detected by the first bytes, with the names in messages. */
const DETECTED = { 'utf-8': 'UTF-8', 'utf-16le': 'UTF-16LE', 'utf-16be': 'UTF-16BE' } as const;

type Detected = keyof typeof DETECTED;

const isDetected = (encoding: string): encoding is Detected => Object.hasOwn(DETECTED, encoding);

/** The encodings that a `charset` may stand for, by the names of {@link encodingOf}. */
function encodingsOf(charset: string): readonly string[] | undefined {
  if (/^utf-?16$/i.test(charset)) return ['utf-16le', 'utf-16be'];
  const encoding = encodingOf(charset);
  return encoding === undefined ? undefined : [encoding];
}

const NO_BYTES = new Uint8Array(0);

/** Bytes needed to detect the encoding: the length of a UTF-32 byte order mark. */
const HEAD = 4;

/**
 * Decodes a document as it arrives, in pieces of any size, and removes its byte order mark. The `charset` of its transport
 * determines the encoding, and a byte order mark must agree with it; without a charset the mark does, then the XML
 * declaration, and otherwise it is UTF-8. Invalid bytes are rejected.
 */
export class XmlDecoder {
  readonly #charset: string | undefined;
  readonly #expected: readonly string[] | undefined;
  /** The first bytes, while there are too few to detect the encoding. */
  #head: Uint8Array = NO_BYTES;
  #encoding: string | undefined;
  /** Holds the incomplete end of a piece; created when it is first needed. */
  #decoder: CharsetDecoder | undefined;
  #seen = 0;

  /**
   * @param charset of the Content-Type, in any letter case; `undefined` when it has none
   * @throws XmlError for an unsupported charset, before any byte is read
   */
  constructor(charset?: string) {
    this.#charset = charset;
    this.#expected = charset === undefined ? undefined : encodingsOf(charset);
    if (charset !== undefined && this.#expected === undefined)
      throw refusal(`charset ${JSON.stringify(charset.slice(0, 40))} is not known`);
  }

  /** @returns the text decoded so far that has not been returned yet @throws XmlError */
  write(bytes: Uint8Array): string {
    if (this.#encoding !== undefined) return this.#decode(bytes);
    const head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    if (head.length >= HEAD && !this.#isUndeclared(head)) return this.#begin(head);
    this.#head = head.slice();
    return '';
  }

  /** @returns the rest of the text @throws XmlError when it ends inside a character */
  end(): string {
    const begun = this.#encoding === undefined ? this.#begin(this.#head) : '';
    try {
      return this.#decoder === undefined ? begun : begun + this.#decoder.decode();
    } catch {
      throw refusal('it ends in the middle of a character');
    }
  }

  /** Whether the end of an XML declaration has to arrive before the encoding is known. */
  #isUndeclared(head: Uint8Array): boolean {
    return (
      this.#expected === undefined && head.length < DECLARATION && beginsDeclaration(head) && !head.includes(GREATER)
    );
  }

  #begin(bytes: Uint8Array): string {
    const { encoding, mark } = detect(bytes);
    this.#encoding = this.#agreed(encoding, mark, bytes);
    this.#seen = mark;
    return this.#decode(mark === 0 ? bytes : bytes.subarray(mark));
  }

  #agreed(found: Detected, mark: number, bytes: Uint8Array): string {
    const expected = this.#expected;
    if (expected === undefined) return mark === 0 ? declaredBy(bytes, found) : found;
    if (expected.includes(found)) return found;
    const [only = found] = expected;
    if (mark === 0 && !isDetected(only)) return only;
    const words = mark === 0 ? 'it has no byte order mark' : `its byte order mark is that of ${DETECTED[found]}`;
    throw refusal(`its Content-Type says charset ${this.#charset}, and ${words}`);
  }

  #decode(bytes: Uint8Array): string {
    try {
      const text = this.#isWhole(bytes) ? WHOLE.decode(bytes) : this.#stream(bytes);
      this.#seen += bytes.length;
      return text;
    } catch {
      throw refusal(this.#complaint(bytes));
    }
  }

  /** Whether a piece begins and ends at character boundaries, as a message in one piece does. */
  #isWhole(bytes: Uint8Array): boolean {
    return this.#encoding === 'utf-8' && this.#decoder === undefined && (bytes[bytes.length - 1] ?? 0x80) < 0x80;
  }

  #stream(bytes: Uint8Array): string {
    this.#decoder ??= decoderFor(this.#encoding ?? 'utf-8', SETTINGS);
    return this.#decoder.decode(bytes, STREAM);
  }

  #complaint(bytes: Uint8Array): string {
    const encoding = this.#encoding ?? 'utf-8';
    if (!isDetected(encoding)) return `it holds bytes that are not text in ${encoding}`;
    if (encoding !== 'utf-8') return 'it holds half of a surrogate pair of UTF-16';
    return `byte ${this.#seen + wrongByte(bytes) + 1} of it is not UTF-8`;
  }
}

const SETTINGS = { fatal: true, ignoreBOM: true } as const;
const STREAM = { stream: true } as const;

/** Decodes complete texts: creating a decoder takes longer than decoding a small message. */
const WHOLE = new TextDecoder('utf-8', SETTINGS);

function refusal(reason: string): XmlError {
  return new XmlError(reason, 0, 0);
}

/** @returns the encoding, and the length of its byte order mark */
function detect(bytes: Uint8Array): { readonly encoding: Detected; readonly mark: number } {
  const a = bytes[0];
  const b = bytes[1];
  const c = bytes[2];
  const d = bytes[3];
  if ((a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff))
    throw refusal('it is UTF-32, and only UTF-8 and UTF-16 are read');
  if (a === 0xef && b === 0xbb && c === 0xbf) return { encoding: 'utf-8', mark: 3 };
  if (a === 0xff && b === 0xfe) return { encoding: 'utf-16le', mark: 2 };
  if (a === 0xfe && b === 0xff) return { encoding: 'utf-16be', mark: 2 };
  // A document begins with `<`, and the character 0 is not allowed in it.
  if (a === 0 || b === 0) throw refusal('it is UTF-16 without a byte order mark');
  return { encoding: 'utf-8', mark: 0 };
}

const GREATER = 0x3e;

/** Whether bytes begin as an XML declaration does. */
function beginsDeclaration(bytes: Uint8Array): boolean {
  return bytes[0] === 0x3c && bytes[1] === 0x3f && bytes[2] === 0x78 && bytes[3] === 0x6d;
}

/**
 * The encoding that a declaration names. One that names UTF-16 can be read, so it is not in UTF-16.
 * @throws XmlError for an unknown one
 */
function declaredBy(bytes: Uint8Array, found: Detected): string {
  const name = beginsDeclaration(bytes) ? declaredEncoding(bytes) : undefined;
  if (name === undefined || /^utf-?(?:8|16)$/i.test(name)) return found;
  const encoding = encodingOf(name);
  if (encoding === undefined) throw refusal(`its XML declaration says ${name.slice(0, 40)}, which is not known`);
  return encoding.startsWith('utf-16') ? found : encoding;
}

/**
 * The index of the first byte that is not valid UTF-8. Continuation bytes at the start belong to a character from an
 * earlier piece; they are the error if nothing else is wrong.
 */
function wrongByte(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  if (start === -1 || isUtf8(bytes.subarray(start))) return 0;
  let right = start;
  let wrong = bytes.length;
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (isUtf8(bytes.subarray(start, middle))) right = middle;
    else wrong = middle;
  }
  return right;
}

/** Whether bytes are valid UTF-8, possibly ending in an incomplete character. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', SETTINGS).decode(bytes, STREAM);
    return true;
  } catch {
    return false;
  }
}
