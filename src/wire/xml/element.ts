// Namespaces in XML 1.0 (third edition): elements while they are read, and what is declared around them.
import type { Scope } from './namespaces.ts';
import type { XmlSource } from './source.ts';
import type { XmlAttribute, XmlElement } from './tree.ts';

export const NO_ATTRIBUTES: readonly XmlAttribute[] = [];
const NO_CONTENT: (XmlElement | string)[] = [];

/** An element as the reader makes it: it grows until its end tag. */
export class ReadElement implements XmlElement {
  readonly local: string;
  readonly namespace: string;
  readonly prefix: string;
  readonly attributes: readonly XmlAttribute[];
  content = NO_CONTENT;
  readonly scope: Scope;
  readonly #source: XmlSource;
  readonly #offset: number;

  /** @param offset where its start tag ends */
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

  // Counted for those who ask: few do.
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
    // An array that grows has room for many, and most elements hold one text.
    if (this.content === NO_CONTENT) this.content = [child];
    else this.content.push(child);
  }

  /** @returns the length of the text that this one belongs to */
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
