// XML 1.0 (fifth edition): the text of a document with line ends normalised (section 2.11), and positions in it.

/** A text that is not XML, or not XML that this reader accepts. `reason` is a clause without a full stop. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
  readonly reason: string;
  /**
   * The position of the error, both from 1, a column being a character; 0 for an error without a position: the document
   * is too long, or its bytes are invalid.
   */
  readonly line: number;
  readonly column: number;

  constructor(reason: string, line: number, column: number) {
    super(line === 0 ? reason : `${reason} (line ${line}, column ${column})`);
    this.reason = reason;
    this.line = line;
    this.column = column;
  }
}

/** Longest reason, in characters: it may quote the document. */
const SHOWN = 200;

/** A document. Offsets count the UTF-16 units of its text. */
export class XmlSource {
  readonly text: string;
  /** Positions of each {@link STEP} characters, as far as they were counted: positions may be requested in any order. */
  readonly #marks: Position[] = [START];
  /** The position requested last: counting continues from there. */
  #last: Position = START;

  constructor(text: string) {
    // Positions do not change: a line loses only its line end.
    this.text = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }

  /** @returns the line number, from 1 */
  lineOf(offset: number): number {
    return this.#at(offset).line;
  }

  /** @returns the column, from 1, in characters */
  columnOf(offset: number): number {
    return this.#at(offset).column;
  }

  /** Creates the error for a position. */
  error(reason: string, offset: number): XmlError {
    const shown = reason.length > SHOWN ? `${reason.slice(0, SHOWN).toWellFormed()}...` : reason;
    return new XmlError(shown, this.lineOf(offset), this.columnOf(offset));
  }

  #at(offset: number): Position {
    const marks = this.#marks;
    const step = Math.floor(offset / STEP);
    for (let last = marks.at(-1) ?? START; marks.length <= step; marks.push(last))
      last = this.#counted(last, marks.length * STEP);
    const mark = marks[step] ?? START;
    const isBehind = this.#last.offset >= mark.offset && this.#last.offset <= offset;
    this.#last = this.#counted(isBehind ? this.#last : mark, offset);
    return this.#last;
  }

  /** The position of an offset that is not before another one. */
  #counted(from: Position, offset: number): Position {
    if (from.offset === offset) return from;
    const { text } = this;
    let { line, column } = from;
    for (let at = from.offset; at < offset; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x0a) {
        line += 1;
        column = 1;
      } else if (code < 0xdc00 || code > 0xdfff) column += 1;
    }
    return { offset, line, column };
  }
}

interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

const START: Position = { offset: 0, line: 1, column: 1 };

/** Characters between two positions that are kept. */
const STEP = 4096;

/** The index of the first character that is not white space (section 2.3; line ends are normalised), or the bound. */
export function skipWhite(text: string, from: number, bound: number): number {
  let at = from;
  while (at < bound && isWhite(text.charCodeAt(at))) at++;
  return at;
}

function isWhite(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09;
}

/** Limits of a document. Characters are UTF-16 units. */
export interface XmlLimits {
  /** Characters of the document. */
  readonly document: number;
  /** Nesting of elements, including the root. */
  readonly depth: number;
  /** Elements of the document. */
  readonly elements: number;
  /** Attributes of one element, including namespace declarations. */
  readonly attributes: number;
  /** Characters of one name, with its prefix. */
  readonly name: number;
  /** Characters of one text or attribute value after references are resolved. */
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
