// Namespaces in XML 1.0 (third edition): elements while they are read, and what is declared around them.
import type { XmlAttribute, XmlElement } from './xml-tree.ts';

export const XMLNS_NAMESPACE = 'http://www.w3.org/2000/xmlns/';

/** Declarations of one start tag, and those around it: elements without any share the scope of their parent. */
interface Scope {
  /** Namespaces by prefix; an object without a prototype. */
  readonly bindings: Readonly<Record<string, string>>;
  readonly outer: Scope | undefined;
}

export const OUTERMOST: Scope = {
  bindings: Object.assign(Object.create(null), {
    xml: 'http://www.w3.org/XML/1998/namespace',
    xmlns: XMLNS_NAMESPACE,
    '': '',
  }),
  outer: undefined,
};

export const NO_ATTRIBUTES: readonly XmlAttribute[] = [];
const NO_CONTENT: (XmlElement | string)[] = [];

/** An element as the reader makes it: it grows until its end tag. */
export class ReadElement implements XmlElement {
  readonly local: string;
  readonly namespace: string;
  readonly prefix: string;
  readonly attributes: readonly XmlAttribute[];
  content = NO_CONTENT;
  readonly line: number;
  readonly column: number;
  readonly scope: Scope;

  constructor(
    local: string,
    namespace: string,
    prefix: string,
    attributes: readonly XmlAttribute[],
    line: number,
    column: number,
    scope: Scope,
  ) {
    this.local = local;
    this.namespace = namespace;
    this.prefix = prefix;
    this.attributes = attributes;
    this.line = line;
    this.column = column;
    this.scope = scope;
  }

  namespaceOf(prefix: string): string | undefined {
    for (let scope: Scope | undefined = this.scope; scope !== undefined; scope = scope.outer) {
      const found = scope.bindings[prefix];
      if (found !== undefined) return found;
    }
    return undefined;
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
