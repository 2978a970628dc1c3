// XML 1.0 (fifth edition): the text of a document with its line ends as section 2.11 has them, and the places in it.

/** A text that is no XML as it is read here. `reason` is a clause without a full stop. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
  readonly reason: string;
  /** Where what is wrong begins, both from 1, a column being a character; 0 when it is not in the text: too much of it, or bytes. */
  readonly line: number;
  readonly column: number;

  constructor(reason: string, line: number, column: number) {
    super(line === 0 ? reason : `${reason} (line ${line}, column ${column})`);
    this.reason = reason;
    this.line = line;
    this.column = column;
  }
}

/** Most characters of a reason: it may quote the document. */
const SHOWN = 200;

/** A document. Offsets count the UTF-16 units of its text. */
export class XmlSource {
  readonly text: string;
  // The place that was asked for last: counting goes on from there.
  #offset = 0;
  #line = 1;
  #column = 1;

  constructor(text: string) {
    // A place is where it was: no line loses more than its end.
    this.text = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }

  /** @returns from 1 */
  lineOf(offset: number): number {
    this.#countTo(offset);
    return this.#line;
  }

  /** @returns from 1, in characters */
  columnOf(offset: number): number {
    this.#countTo(offset);
    return this.#column;
  }

  /** Says what is wrong at a place. */
  error(reason: string, offset: number): XmlError {
    const shown = reason.length > SHOWN ? `${reason.slice(0, SHOWN).toWellFormed()}...` : reason;
    return new XmlError(shown, this.lineOf(offset), this.columnOf(offset));
  }

  #countTo(offset: number): void {
    const { text } = this;
    if (offset < this.#offset) {
      this.#offset = 0;
      this.#line = 1;
      this.#column = 1;
    }
    for (let at = this.#offset; at < offset; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x0a) {
        this.#line += 1;
        this.#column = 1;
      } else if (code < 0xdc00 || code > 0xdfff) this.#column += 1;
    }
    this.#offset = offset;
  }
}

/** The index of the first character that is not white space (section 2.3; line ends are normalised), or the bound. */
export function skipWhite(text: string, from: number, bound: number): number {
  let at = from;
  while (at < bound && isWhite(text.charCodeAt(at))) at++;
  return at;
}

function isWhite(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09;
}

/** How much a document may hold. Characters are UTF-16 units. */
export interface XmlLimits {
  /** Characters of the document. */
  readonly document: number;
  /** Elements inside each other, the root among them. */
  readonly depth: number;
  /** Elements of the document. */
  readonly elements: number;
  /** Attributes of one element, declarations of namespaces among them. */
  readonly attributes: number;
  /** Characters of one name, with its prefix. */
  readonly name: number;
  /** Characters of one text or attribute value, references resolved. */
  readonly text: number;
}

export const XML_LIMITS: XmlLimits = {
  document: 64 * 1024 ** 2,
  depth: 100,
  elements: 500_000,
  attributes: 250,
  name: 1000,
  text: 64 * 1024 ** 2,
};
