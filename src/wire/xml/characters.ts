import type { DoctypeReport } from './doctype.ts';
import type { XmlSource } from './source.ts';
import { isXmlName } from './text.ts';

// XML 1.0 (fifth edition): character data and attribute values; sections 2.2 (characters), 2.4 (text), 2.7 (CDATA),
// 3.3.3 (attribute values), 4.1 and 4.6 (references).

/** Control characters that are not allowed in a document. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = [/[\x00-\x08\x0b\x0c\x0e-\x1f]/];
/** The same for Latin-1 texts: the engine searches for sixteen characters at once ten times as fast as for more. */
const CONTROLS_IN_LATIN_1 = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x00-\x08\x0b\x0c\x0e-\x12]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x13-\x1f]/,
];
const NONCHARACTERS = [/\ufffe/, /\uffff/];

/** @throws XmlError for a character that is not allowed in a document */
export function checkCharacters(source: XmlSource): void {
  const { text } = source;
  if (!text.isWellFormed()) throw source.error('half of a surrogate pair', text.search(/\p{Surrogate}/u));
  // The engine knows that a text is Latin-1 without a search.
  const isWide = /[\u0100-\uffff]/.test(text);
  for (const each of isWide ? CONTROLS : CONTROLS_IN_LATIN_1) refuse(source, each);
  if (isWide) for (const each of NONCHARACTERS) refuse(source, each);
}

function refuse(source: XmlSource, characters: RegExp): void {
  if (characters.test(source.text)) throw source.error('disallowed character', source.text.search(characters));
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['apos', "'"],
  ['quot', '"'],
]);

/**
 * Reads text and attribute values of a document whose characters have been checked. Calls must follow document order,
 * so the document is searched only once for constructs that most of it lacks.
 */
export class CharacterReader {
  readonly #source: XmlSource;
  readonly #text: string;
  // The index of the next occurrence of each; the length of the text if there is none.
  #ampersand: number;
  #sectionEnd: number;

  /** What is reported of references to other entities, once a DOCTYPE was read past. */
  doctype: DoctypeReport | undefined;

  constructor(source: XmlSource) {
    this.#source = source;
    this.#text = source.text;
    this.#ampersand = this.#find('&', 0);
    this.#sectionEnd = this.#find(']]>', 0);
  }

  /** Text between two tags. @throws XmlError */
  text(from: number, to: number): string {
    if (this.#sectionEnd < to) {
      if (this.#sectionEnd < from) this.#sectionEnd = this.#find(']]>', from);
      if (this.#sectionEnd < to)
        throw this.#source.error('the string "]]>" is disallowed in char data', this.#sectionEnd);
    }
    return this.#hasReferences(from, to) ? this.#resolved(from, to, false) : this.#text.slice(from, to);
  }

  /** An attribute value, without its quotes. @throws XmlError */
  value(from: number, to: number): string {
    return this.#hasReferences(from, to) ? this.#resolved(from, to, true) : this.#spaced(from, to);
  }

  #spaced(from: number, to: number): string {
    const slice = this.#text.slice(from, to);
    return /[\t\n]/.test(slice) ? slice.replace(/[\t\n]/g, ' ') : slice;
  }

  #hasReferences(from: number, to: number): boolean {
    if (this.#ampersand < from) this.#ampersand = this.#find('&', from);
    return this.#ampersand < to;
  }

  #find(wanted: string, from: number): number {
    const found = this.#text.indexOf(wanted, from);
    return found === -1 ? this.#text.length : found;
  }

  #resolved(from: number, to: number, isValue: boolean): string {
    let out = '';
    let at = from;
    while (this.#ampersand < to) {
      const start = this.#ampersand;
      const end = this.#find(';', start);
      if (end >= to) throw this.#source.error('a reference has no semicolon', start);
      if (at < start) out += isValue ? this.#spaced(at, start) : this.#text.slice(at, start);
      out += this.#referred(start, end, isValue);
      at = end + 1;
      this.#ampersand = this.#find('&', at);
    }
    if (at < to) out += isValue ? this.#spaced(at, to) : this.#text.slice(at, to);
    return out;
  }

  /** The text that a reference represents, given without its `&` and `;`. */
  #referred(start: number, end: number, isValue: boolean): string {
    const name = this.#text.slice(start + 1, end);
    const entity = ENTITIES.get(name);
    if (entity !== undefined) return entity;
    if (name.startsWith('#')) {
      const code = /^#(?:x[0-9A-Fa-f]+|[0-9]+)$/.test(name) ? Number(`0${name.slice(1)}`) : 0;
      if (isCharacter(code)) return String.fromCodePoint(code);
      throw this.#source.error('malformed character entity', start);
    }
    if (name === '') throw this.#source.error('empty entity name', start);
    if (!isXmlName(name)) throw this.#source.error('disallowed character in entity name', start);
    if (this.doctype === undefined) throw this.#source.error('undefined entity', start);
    this.doctype.entity(name, this.#source.lineOf(start), this.#source.columnOf(start), isValue);
    return '';
  }
}

function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code < 0x110000);
}
