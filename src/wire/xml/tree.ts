// XML 1.0 (fifth edition) and Namespaces in XML 1.0 (third edition): the tree of a parsed document.

/** An attribute, not including namespace declarations. `namespace` is empty if there is none, as for most. */
export interface XmlAttribute {
  readonly local: string;
  readonly namespace: string;
  /** The prefix that was read, kept for writing. */
  readonly prefix?: string;
  readonly value: string;
}

/** An element with its names resolved: prefixes are kept for writing only. */
export interface XmlElement {
  readonly local: string;
  /** Empty if there is none. */
  readonly namespace: string;
  readonly prefix: string;
  readonly attributes: readonly XmlAttribute[];
  /**
   * Elements and character data in document order; adjacent text and CDATA sections are one string, entities are
   * resolved.
   */
  readonly content: readonly (XmlElement | string)[];
  /** Position of the end of its start tag (the `>`), from 1. */
  readonly line: number;
  readonly column: number;
  /**
   * The namespace that a prefix is bound to here, needed for QNames in content; `undefined` when it is unbound. `''` is
   * the default namespace, itself empty when none is declared.
   */
  namespaceOf(prefix: string): string | undefined;
}

/** The elements inside an element. */
export function childrenOf({ content }: XmlElement): XmlElement[] {
  return content.filter((each) => typeof each !== 'string');
}

/** The character data directly inside an element. */
export function textOf({ content }: XmlElement): string {
  const [first] = content;
  if (content.length === 0) return '';
  if (content.length === 1 && typeof first === 'string') return first;
  return content.filter((each) => typeof each === 'string').join('');
}

/** The value of an attribute; `undefined` when there is none. */
export function attributeOf({ attributes }: XmlElement, local: string, namespace = ''): string | undefined {
  return attributes.find((each) => each.local === local && each.namespace === namespace)?.value;
}
