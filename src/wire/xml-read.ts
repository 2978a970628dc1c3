// XML 1.0 (fifth edition) and Namespaces in XML 1.0 (third edition), read strictly; a document type has no place in it.
import { type SaxesAttributeNSIncomplete, SaxesParser, type SaxesTagNS } from 'saxes';
import { NO_ATTRIBUTES, OUTERMOST, ReadElement, XMLNS_NAMESPACE } from './xml-element.ts';
import { isXmlName } from './xml-text.ts';
import type { XmlAttribute, XmlElement } from './xml-tree.ts';

/** How much a document may hold. */
export interface XmlLimits {
  /** Elements inside each other, the root among them. */
  readonly depth: number;
  /** Elements of the document. */
  readonly elements: number;
  /** Attributes of one element, declarations of namespaces among them. */
  readonly attributes: number;
  /** Characters of one name, with its prefix. */
  readonly name: number;
  /** Characters of one text or attribute value; also of a comment and of all else that is read in one piece, as written. */
  readonly text: number;
}

export const XML_LIMITS: XmlLimits = {
  depth: 100,
  elements: 500_000,
  attributes: 250,
  name: 1000,
  text: 64 * 1024 ** 2,
};

/** A text that is no XML as it is read here. `reason` is a clause without a full stop. */
export class XmlError extends Error {
  override readonly name = 'XmlError';
  readonly reason: string;
  /** Where reading stopped, both from 1, a column being a character; 0 where bytes are at fault, and no text is there yet. */
  readonly line: number;
  readonly column: number;

  constructor(reason: string, line: number, column: number) {
    super(line === 0 ? reason : `${reason} (line ${line}, column ${column})`);
    this.reason = reason;
    this.line = line;
    this.column = column;
  }
}

/** Reads a whole document. @throws XmlError */
export function readXml(text: string, limits?: Partial<XmlLimits>): XmlElement {
  const reader = new XmlReader(limits);
  reader.write(text);
  return reader.end();
}

/** Characters that the parser gets at once: what it collects silently is looked at after each of these. */
const SLICE = 64 * 1024;

/** Room for the markup around a text or a value, beside a name. */
const MARKUP = 64;

/** Encodings that an XML declaration may name: the document is text by now, which these and no others became. */
const ENCODINGS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'utf-16', 'us-ascii']);

/**
 * Reads a document as it comes, in pieces of any size. The five entities of section 4.6 and character references are all
 * that there is to resolve; a DOCTYPE is refused, comments and processing instructions are left out. Every limit holds
 * while the document is being read.
 */
export class XmlReader {
  readonly #limits: XmlLimits;
  /** Characters that may be written between two reports of the parser. */
  readonly #piece: number;
  // Other versions than 1.0 are read as 1.0, as section 2.8 has it.
  readonly #parser = new SaxesParser({
    xmlns: true,
    position: false,
    forceXMLVersion: true,
    defaultXMLVersion: '1.0',
  });
  readonly #open: ReadElement[] = [];
  #root: ReadElement | undefined;
  #elements = 0;
  /** Of the start tag that is being read; their namespaces come with its end. */
  #attributes: SaxesAttributeNSIncomplete[] = [];
  #declares = false;
  /** Characters given to the parser, and where among them it reported last. */
  #given = 0;
  #reported = 0;
  /** The first half of a surrogate pair whose second is to come. */
  #half = '';
  #failure: XmlError | undefined;

  constructor(limits?: Partial<XmlLimits>) {
    this.#limits = limits === undefined ? XML_LIMITS : { ...XML_LIMITS, ...limits };
    this.#piece = this.#limits.text + this.#limits.name + MARKUP;
    this.#listen();
  }

  /** @throws XmlError, the same one again once there was one */
  write(text: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    const whole = this.#half === '' ? text : this.#half + text;
    this.#half = '';
    for (let from = 0; from < whole.length; ) {
      let to = Math.min(from + SLICE, whole.length);
      if (isFirstHalf(whole.charCodeAt(to - 1))) to -= 1;
      if (from === to) {
        this.#half = whole.slice(to);
        return;
      }
      this.#take(whole.slice(from, to));
      from = to;
    }
  }

  /** Ends the document. @returns its root @throws XmlError as {@link write} does */
  end(): XmlElement {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#half !== '') throw this.#refusal('half of a surrogate pair');
    this.#run(() => this.#parser.close());
    // The parser has refused a document without one.
    return this.#root!;
  }

  #take(slice: string): void {
    // The parser takes what follows half of a pair for the other half, be it a `<`.
    if (!slice.isWellFormed()) {
      this.#run(() => this.#parser.write(slice.slice(0, slice.search(/\p{Surrogate}/u))));
      throw this.#refusal('half of a surrogate pair');
    }
    this.#given += slice.length;
    this.#run(() => this.#parser.write(slice));
    if (this.#given - this.#reported > this.#piece) throw this.#tooLong();
  }

  #run(parse: () => unknown): void {
    try {
      parse();
    } catch (error) {
      // The parser's own are plain ones.
      if (!(error instanceof Error) || error.name !== 'Error') throw error;
      throw this.#refusal(error.message.replace(/\.$/, ''));
    }
  }

  /**
   * No more than six: V8 takes an object whose properties keep coming by computed names for a dictionary, and this parser
   * is six times slower as one. Errors are thrown where nobody listens for them.
   */
  #listen(): void {
    const parser = this.#parser;
    parser.on('attribute', (attribute) => this.#attribute(attribute));
    parser.on('opentag', (tag) => this.#element(tag));
    parser.on('closetag', () => {
      this.#progress();
      this.#open.pop();
    });
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
    parser.on('doctype', () => {
      throw this.#refusal('it has a DOCTYPE, which is not read here');
    });
  }

  /** Notes that the parser has reported, and thereby let go of what it had collected. */
  #progress(): void {
    const { position } = this.#parser;
    if (position - this.#reported > this.#piece) throw this.#tooLong();
    this.#reported = position;
  }

  #attribute(attribute: SaxesAttributeNSIncomplete): void {
    this.#progress();
    const { name, prefix, value } = attribute;
    this.#checkName(name);
    if (value.length > this.#limits.text) throw this.#tooLong();
    if (prefix === 'xmlns' || name === 'xmlns') {
      this.#declares = true;
      // The parser would take it away, and with it the difference between two names.
      if (value.trim() !== value) throw this.#refusal(`the namespace of ${name} has white space around it`);
    }
    this.#attributes.push(attribute);
    if (this.#attributes.length > this.#limits.attributes)
      throw this.#refusal(`an element has more than ${this.#limits.attributes} attributes`);
  }

  #checkName(name: string): void {
    if (name.length > this.#limits.name) throw this.#refusal(`a name has more than ${this.#limits.name} characters`);
    const colon = name.indexOf(':');
    // The parser looks at a name as a whole, where `a:1` is one; Namespaces section 4 wants an NCName behind the colon.
    if (colon !== -1 && !beginsName(name, colon + 1)) throw this.#refusal(`malformed name: ${name}`);
  }

  #element({ name, local, prefix, uri, ns }: SaxesTagNS): void {
    this.#progress();
    this.#checkName(name);
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#checkEncoding();
    this.#elements += 1;
    if (this.#elements > this.#limits.elements)
      throw this.#refusal(`there are more than ${this.#limits.elements} elements`);
    if (this.#open.length === this.#limits.depth)
      throw this.#refusal(`elements are more than ${this.#limits.depth} levels deep`);
    const outer = parent?.scope ?? OUTERMOST;
    const scope = this.#declares ? { bindings: ns, outer } : outer;
    const { line, column } = this.#parser;
    const element = new ReadElement(local, uri, prefix, this.#takeAttributes(), line, column, scope);
    if (parent === undefined) this.#root = element;
    else parent.add(element);
    this.#open.push(element);
  }

  #takeAttributes(): readonly XmlAttribute[] {
    if (this.#attributes.length === 0) return NO_ATTRIBUTES;
    const attributes = resolved(this.#attributes);
    this.#attributes = [];
    this.#declares = false;
    return attributes;
  }

  #checkEncoding(): void {
    const { encoding } = this.#parser.xmlDecl;
    if (encoding !== undefined && !ENCODINGS.has(encoding.toLowerCase()))
      throw this.#refusal(`its XML declaration says ${encoding}, and it is read in UTF-8 or UTF-16 only`);
  }

  #text(text: string): void {
    this.#progress();
    // White space outside the root; the parser refuses anything else.
    const parent = this.#open.at(-1);
    if (parent !== undefined && parent.addText(text) > this.#limits.text) throw this.#tooLong();
  }

  #tooLong(): XmlError {
    return this.#refusal(`a text, value or other piece has more than ${this.#limits.text} characters`);
  }

  #refusal(reason: string): XmlError {
    const { line, column } = this.#parser;
    const shown = reason.length > 200 ? `${reason.slice(0, 200).toWellFormed()}...` : reason;
    // The column is that of the character read last; before the first, and behind a line's end, there is none.
    this.#failure = new XmlError(shown, line, Math.max(column, 1));
    return this.#failure;
  }
}

function resolved(attributes: readonly SaxesAttributeNSIncomplete[]): readonly XmlAttribute[] {
  const found: XmlAttribute[] = [];
  for (const attribute of attributes) {
    const { local, prefix, uri, value } = attribute as SaxesTagNS['attributes'][string];
    if (uri !== XMLNS_NAMESPACE) found.push({ local, namespace: uri, prefix, value });
  }
  return found.length === 0 ? NO_ATTRIBUTES : found;
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function beginsName(name: string, at: number): boolean {
  const code = name.charCodeAt(at) | 0x20;
  return (code >= 0x61 && code <= 0x7a) || isXmlName(name.slice(at));
}
