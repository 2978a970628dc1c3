import { CharacterReader, checkCharacters } from './characters.ts';
import { skipDeclaration } from './declaration.ts';
import { type DoctypeReport, skipDoctype } from './doctype.ts';
import { nameAt, nameError, type XmlName } from './name.ts';
import { OUTERMOST, type Scope } from './namespaces.ts';
import { skipWhite, XML_LIMITS, XmlError, type XmlLimits, XmlSource } from './source.ts';
import { AttributeReader, NO_ATTRIBUTES, ReadElement } from './start-tag.ts';
import type { XmlElement } from './tree.ts';

// XML 1.0 (fifth edition) and Namespaces in XML 1.0 (third edition): a document from its text, in one pass.

const BANG = 0x21;
const SLASH = 0x2f;
const GREATER = 0x3e;
const QUESTION = 0x3f;

/**
 * Reads one document. Its text is searched for every `<`, and the text from one to the next is read in one step: a tag
 * and the text after it, or a comment or similar construct, which may contain further ones.
 */
class DocumentScanner {
  readonly #source: XmlSource;
  readonly #text: string;
  readonly #limits: XmlLimits;
  readonly #characters: CharacterReader;
  readonly #attributes: AttributeReader;
  /** The current position of the reader. */
  #at = 0;
  /** The index of the next `<`, or the length of the text. */
  #next = 0;
  #root: ReadElement | undefined;
  /** The innermost open element, the elements around it, and the names of all of them. */
  #element: ReadElement | undefined;
  readonly #outer: (ReadElement | undefined)[] = [];
  readonly #names: XmlName[] = [];
  #elements = 0;
  readonly #doctype: DoctypeReport | undefined;
  // The most recent prefix lookup, with its scope: most elements share it.
  #prefix = '';
  #scope = OUTERMOST;
  #namespace = '';

  /** @throws XmlError for characters that are not allowed in XML */
  constructor(text: string, limits: XmlLimits, doctype: DoctypeReport | undefined) {
    const source = new XmlSource(text);
    checkCharacters(source);
    this.#source = source;
    this.#text = source.text;
    this.#limits = limits;
    this.#doctype = doctype;
    this.#characters = new CharacterReader(source);
    this.#attributes = new AttributeReader(source, this.#characters, limits);
  }

  /** @returns the root @throws XmlError */
  read(): XmlElement {
    const text = this.#text;
    this.#at = skipDeclaration(this.#source, text.startsWith('\ufeff') ? 1 : 0);
    this.#next = this.#markupFrom(this.#at);
    for (;;) {
      const start = this.#next;
      if (this.#at < start) this.#readText(this.#at, start);
      if (start === text.length) break;
      this.#readMarkup(start);
    }
    if (this.#root === undefined) throw this.#source.error('document must contain a root element', text.length);
    const unclosed = this.#names.at(-1);
    if (unclosed !== undefined) throw this.#source.error(`unclosed tag: ${unclosed.raw}`, text.length);
    return this.#root;
  }

  #markupFrom(at: number): number {
    const found = this.#text.indexOf('<', at);
    return found === -1 ? this.#text.length : found;
  }

  #readText(from: number, to: number): void {
    if (this.#element !== undefined) this.#addText(this.#element, this.#characters.text(from, to), from);
    else {
      const other = skipWhite(this.#text, from, to);
      if (other < to) throw this.#source.error('text data outside of root node', other);
    }
  }

  #addText(element: ReadElement, text: string, from: number): void {
    if (element.addText(text) > this.#limits.text)
      throw this.#source.error(`a text has more than ${this.#limits.text} characters`, from);
  }

  #readMarkup(start: number): void {
    const bound = this.#markupFrom(start + 1);
    switch (start + 1 === bound ? 0 : this.#text.charCodeAt(start + 1)) {
      case SLASH:
        this.#at = this.#readEndTag(start, bound);
        this.#next = bound;
        break;
      case BANG:
        this.#at = this.#readDeclared(start);
        this.#next = this.#markupFrom(this.#at);
        break;
      case QUESTION:
        this.#at = this.#readInstruction(start);
        this.#next = this.#markupFrom(this.#at);
        break;
      default:
        this.#at = this.#readStartTag(start, bound);
        this.#next = bound;
    }
  }

  /** @param bound the index of the next `<`: a tag contains none @returns the index after the tag */
  #readStartTag(start: number, bound: number): number {
    const text = this.#text;
    const name = nameAt(text, start + 1, bound);
    if (name === undefined || name.raw.length > this.#limits.name)
      throw nameError(this.#source, start + 1, bound, 'tag', this.#limits.name);
    const parent = this.#element;
    let scope = parent === undefined ? OUTERMOST : parent.scope;
    let attributes = NO_ATTRIBUTES;
    let end = start + 1 + name.raw.length;
    let code = end < bound ? text.charCodeAt(end) : 0;
    if (code !== GREATER && code !== SLASH) {
      end = this.#attributes.read(end, bound, scope);
      scope = this.#attributes.scope;
      attributes = this.#attributes.resolve();
      code = text.charCodeAt(end);
    }
    if (code === SLASH) {
      end += 1;
      if (end === bound || text.charCodeAt(end) !== GREATER)
        throw this.#source.error('"/" in a start tag is not followed by ">"', end);
    }
    const namespace = this.#namespaceOf(name.prefix, scope, start + 1);
    const element = new ReadElement(name.local, namespace, name.prefix, attributes, scope, this.#source, end);
    this.#add(element, parent, start);
    if (code === GREATER) {
      this.#outer.push(parent);
      this.#names.push(name);
      this.#element = element;
    }
    return end + 1;
  }

  #namespaceOf(prefix: string, scope: Scope, at: number): string {
    if (prefix === this.#prefix && scope === this.#scope) return this.#namespace;
    if (prefix === 'xmlns') throw this.#source.error('tags may not have "xmlns" as prefix', at);
    const namespace = scope.namespaceOf(prefix);
    if (namespace === undefined) throw this.#source.error(`unbound namespace prefix: "${prefix}"`, at);
    this.#prefix = prefix;
    this.#scope = scope;
    this.#namespace = namespace;
    return namespace;
  }

  #add(element: ReadElement, parent: ReadElement | undefined, at: number): void {
    this.#elements += 1;
    if (this.#elements > this.#limits.elements)
      throw this.#source.error(`there are more than ${this.#limits.elements} elements`, at);
    if (this.#names.length >= this.#limits.depth)
      throw this.#source.error(`elements are more than ${this.#limits.depth} levels deep`, at);
    if (parent !== undefined) parent.add(element);
    else if (this.#root === undefined) this.#root = element;
    else throw this.#source.error('documents may contain only one root', at);
  }

  #readEndTag(start: number, bound: number): number {
    const text = this.#text;
    const name = this.#names.pop();
    if (name === undefined) throw this.#source.error('end tag outside of root node', start);
    const { raw } = name;
    let end = start + 2 + raw.length;
    if (text.slice(start + 2, end) !== raw) throw this.#source.error(`an end tag is not that of ${raw}`, start);
    if (end === bound || text.charCodeAt(end) !== GREATER) {
      end = skipWhite(text, end, bound);
      if (end === bound || text.charCodeAt(end) !== GREATER)
        throw this.#source.error(`an end tag is not that of ${raw}`, start);
    }
    this.#element = this.#outer.pop();
    return end + 1;
  }

  /** A comment (2.5) or a CDATA section (2.7); a document type is rejected, or read past once. */
  #readDeclared(start: number): number {
    const text = this.#text;
    if (text.startsWith('--', start + 2)) {
      const end = this.#find('--', start + 4, 'a comment');
      if (!text.startsWith('-->', end)) throw this.#source.error('malformed comment', end);
      return end + 3;
    }
    if (text.startsWith('[CDATA[', start + 2)) {
      if (this.#element === undefined) throw this.#source.error('text data outside of root node', start);
      const end = this.#find(']]>', start + 9, 'a CDATA section');
      this.#addText(this.#element, text.slice(start + 9, end), start);
      return end + 3;
    }
    const isDoctype = text.startsWith('DOCTYPE', start + 2);
    const isSkipped = this.#root === undefined && this.#characters.doctype === undefined;
    if (isDoctype && isSkipped && this.#doctype !== undefined) {
      this.#characters.doctype = this.#doctype;
      return skipDoctype(this.#source, start, this.#doctype);
    }
    throw this.#source.error(
      isDoctype ? 'it has a DOCTYPE, which is not read here' : 'neither a comment nor a CDATA section',
      start,
    );
  }

  /** A processing instruction (2.6), which is skipped. */
  #readInstruction(start: number): number {
    const from = start + 2;
    const name = nameAt(this.#text, from, this.#text.length);
    if (name === undefined || name.prefix !== '' || name.raw.length > this.#limits.name)
      throw nameError(this.#source, from, this.#text.length, 'processing instruction', this.#limits.name);
    if (name.raw.toLowerCase() === 'xml')
      throw this.#source.error('an XML declaration must be at the start of the document', start);
    const behind = from + name.raw.length;
    const end = this.#find('?>', behind, 'a processing instruction');
    if (end > behind && skipWhite(this.#text, behind, end) === behind)
      throw this.#source.error('disallowed character in processing instruction name', behind);
    return end + 2;
  }

  #find(wanted: string, from: number, what: string): number {
    const found = this.#text.indexOf(wanted, from);
    if (found === -1) throw this.#source.error(`${what} has no end`, from);
    return found;
  }
}

// XML 1.0 (fifth edition) and Namespaces in XML 1.0 (third edition), read strictly; a document type is rejected.

export { type DoctypeReport, XML_LIMITS, XmlError, type XmlLimits };

/**
 * Reads a whole document and past its DOCTYPE, of which nothing is fetched, expanded or applied: for files that people name, and
 * never for messages.
 * @throws XmlError
 */
export function readXmlPastDoctype(text: string, doctype: DoctypeReport): XmlElement {
  if (text.length > XML_LIMITS.document) return readXml(text);
  return new DocumentScanner(text, XML_LIMITS, doctype).read();
}

/** Reads a whole document, as an {@link XmlReader} does. @throws XmlError */
export function readXml(text: string, limits?: Partial<XmlLimits>): XmlElement {
  const reader = new XmlReader(limits);
  reader.write(text);
  return reader.end();
}

/**
 * Accepts a document in pieces of any size, and parses it once it is complete: searching a text in one piece is many
 * times as fast. Only the five entities of section 4.6 and character references are resolved; a DOCTYPE is rejected,
 * comments and processing instructions are dropped.
 */
export class XmlReader {
  readonly #limits: XmlLimits;
  #text = '';
  #failure: XmlError | undefined;

  constructor(limits?: Partial<XmlLimits>) {
    this.#limits = limits === undefined ? XML_LIMITS : { ...XML_LIMITS, ...limits };
  }

  /** @throws XmlError when the document is too long; later calls throw the same error */
  write(text: string): void {
    if (this.#failure !== undefined) throw this.#failure;
    const { document } = this.#limits;
    if (this.#text.length + text.length > document)
      throw this.#refuse(new XmlError(`the document has more than ${document} characters`, 0, 0));
    this.#text += text;
  }

  /** Reads the document. @returns its root @throws XmlError as {@link write} does */
  end(): XmlElement {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return new DocumentScanner(this.#text, this.#limits, undefined).read();
    } catch (error) {
      throw error instanceof XmlError ? this.#refuse(error) : error;
    }
  }

  #refuse(failure: XmlError): XmlError {
    this.#failure = failure;
    this.#text = '';
    return failure;
  }
}
