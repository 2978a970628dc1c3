import type { CharacterReader } from './characters.ts';
import { nameAt, nameError, type XmlName } from './name.ts';
import { faultOfDeclaration, OUTERMOST, Scope, XMLNS_NAMESPACE } from './namespaces.ts';
import { skipWhite, type XmlError, type XmlLimits, type XmlSource } from './source.ts';
import type { XmlAttribute, XmlElement } from './tree.ts';

// Namespaces in XML 1.0 (third edition): elements while they are being read, and the declarations around them.

export const NO_ATTRIBUTES: readonly XmlAttribute[] = [];
const NO_CONTENT: (XmlElement | string)[] = [];

/** An element under construction: content is added until its end tag. */
export class ReadElement implements XmlElement {
  readonly local: string;
  readonly namespace: string;
  readonly prefix: string;
  readonly attributes: readonly XmlAttribute[];
  content = NO_CONTENT;
  readonly scope: Scope;
  readonly #source: XmlSource;
  readonly #offset: number;

  /** @param offset of the end of its start tag */
  constructor(
    local: string,
    namespace: string,
    prefix: string,
    attributes: readonly XmlAttribute[],
    scope: Scope,
    source: XmlSource,
    offset: number,
  ) {
    this.local = local;
    this.namespace = namespace;
    this.prefix = prefix;
    this.attributes = attributes;
    this.scope = scope;
    this.#source = source;
    this.#offset = offset;
  }

  // Computed on demand: few callers need it.
  get line(): number {
    return this.#source.lineOf(this.#offset);
  }

  get column(): number {
    return this.#source.columnOf(this.#offset);
  }

  namespaceOf(prefix: string): string | undefined {
    return this.scope.namespaceOf(prefix);
  }

  add(child: XmlElement | string): void {
    // A growing array allocates room for many entries, and most elements contain one text.
    if (this.content === NO_CONTENT) this.content = [child];
    else this.content.push(child);
  }

  /** @returns the length of the text that this one was added to */
  addText(text: string): number {
    const last = this.content.at(-1);
    if (typeof last !== 'string') {
      if (text !== '') this.add(text);
      return text.length;
    }
    const joined = last + text;
    this.content[this.content.length - 1] = joined;
    return joined.length;
  }
}

// XML 1.0 (fifth edition) section 3.1 and Namespaces in XML 1.0 (third edition) sections 3 and 6: the content of a
// start tag after its name.

/** An attribute as written: its prefix can be resolved only at the end of the tag. */
interface Written {
  readonly name: XmlName;
  readonly value: string;
  /** Offset of the name. */
  readonly offset: number;
}

/** Up to this many attributes are compared one by one; beyond that a set finds duplicates. */
const FEW = 8;

export class AttributeReader {
  readonly #source: XmlSource;
  readonly #characters: CharacterReader;
  readonly #limits: XmlLimits;
  // The attributes of the most recent tag.
  #written: Written[] = [];
  #scope = OUTERMOST;

  constructor(source: XmlSource, characters: CharacterReader, limits: XmlLimits) {
    this.#source = source;
    this.#characters = characters;
    this.#limits = limits;
  }

  /**
   * Reads to the end of a tag.
   * @param from the index after its name
   * @param bound the index of the next `<`, or of the end of the document
   * @param outer the declarations around the tag
   * @returns the index of its `>` or `/>`
   * @throws XmlError
   */
  read(from: number, bound: number, outer: Scope): number {
    const { text } = this.#source;
    this.#written = [];
    this.#scope = outer;
    for (let at = from; ; ) {
      const start = skipWhite(text, at, bound);
      if (start === bound) throw this.#source.error('a tag has no end', bound);
      const code = text.charCodeAt(start);
      if (code === 0x3e || code === 0x2f) return start;
      const name = nameAt(text, start, bound);
      if (name === undefined || name.raw.length > this.#limits.name)
        throw nameError(this.#source, start, bound, 'attribute', this.#limits.name);
      if (start === at) throw this.#source.error('no whitespace between attributes', start);
      at = this.#readValue(name, start, bound, outer);
    }
  }

  /** The declarations of the tag and those around it. */
  get scope(): Scope {
    return this.#scope;
  }

  /** Attributes of the tag, without its namespace declarations. @throws XmlError */
  resolve(): readonly XmlAttribute[] {
    const found: XmlAttribute[] = [];
    const seen = this.#written.length > FEW ? new Set<string>() : undefined;
    for (const { name, value, offset } of this.#written) {
      const { local, prefix } = name;
      if (isDeclaration(name)) continue;
      const namespace = prefix === '' ? '' : this.#scope.namespaceOf(prefix);
      if (namespace === undefined) throw this.#source.error(`unbound namespace prefix: "${prefix}"`, offset);
      if (seen === undefined ? holds(found, local, namespace) : seen.size === seen.add(`{${namespace}}${local}`).size)
        throw this.#twice(namespace, local, offset);
      found.push({ local, namespace, prefix, value });
    }
    return found.length === 0 ? NO_ATTRIBUTES : found;
  }

  /** @returns the index after the closing quote */
  #readValue(name: XmlName, start: number, bound: number, outer: Scope): number {
    if (this.#written.length === this.#limits.attributes)
      throw this.#source.error(`an element has more than ${this.#limits.attributes} attributes`, start);
    const opening = this.#openingQuote(start + name.raw.length, bound);
    const closing = this.#closingQuote(opening, bound);
    const value = this.#characters.value(opening + 1, closing);
    if (value.length > this.#limits.text)
      throw this.#source.error(`an attribute value has more than ${this.#limits.text} characters`, opening);
    this.#written.push({ name, value, offset: start });
    if (isDeclaration(name)) this.#declare(name, value, start, outer);
    return closing + 1;
  }

  #openingQuote(from: number, bound: number): number {
    const { text } = this.#source;
    const equals = skipWhite(text, from, bound);
    if (equals === bound || text.charCodeAt(equals) !== 0x3d) throw this.#source.error('attribute without value', from);
    const opening = skipWhite(text, equals + 1, bound);
    const code = opening === bound ? 0 : text.charCodeAt(opening);
    if (code !== 0x22 && code !== 0x27) throw this.#source.error('unquoted attribute value', opening);
    return opening;
  }

  #closingQuote(opening: number, bound: number): number {
    const { text } = this.#source;
    const closing = text.indexOf(text.charCodeAt(opening) === 0x22 ? '"' : "'", opening + 1);
    if (closing !== -1 && closing < bound) return closing;
    if (bound === text.length) throw this.#source.error('an attribute value has no end', opening);
    throw this.#source.error('"<" is disallowed in an attribute value', bound);
  }

  #declare({ prefix, local }: XmlName, namespace: string, offset: number, outer: Scope): void {
    const declared = prefix === '' ? '' : local;
    const fault = faultOfDeclaration(declared, namespace);
    if (fault !== undefined) throw this.#source.error(fault, offset);
    if (this.#scope === outer) this.#scope = new Scope(declared, namespace, outer);
    else if (!this.#scope.add(declared, namespace))
      throw this.#twice(declared === '' ? '' : XMLNS_NAMESPACE, local, offset);
  }

  #twice(namespace: string, local: string, offset: number): XmlError {
    return this.#source.error(`duplicate attribute: ${namespace === '' ? local : `{${namespace}}${local}`}`, offset);
  }
}

function isDeclaration({ prefix, raw }: XmlName): boolean {
  return prefix === 'xmlns' || raw === 'xmlns';
}

function holds(found: readonly XmlAttribute[], local: string, namespace: string): boolean {
  for (const each of found) if (each.local === local && each.namespace === namespace) return true;
  return false;
}
