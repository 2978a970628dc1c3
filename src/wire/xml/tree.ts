// XML 1.0 (fifth edition) and Namespaces in XML 1.0 (third edition): what a reader makes of a document.

/** An attribute; declarations of namespaces are none. `namespace` is empty for none, as it is for most. */
export interface XmlAttribute {
  readonly local: string;
  readonly namespace: string;
  /** As it was read, for writing it again. */
  readonly prefix?: string;
  readonly value: string;
}

/** An element with its names resolved: prefixes are kept for writing it again, and never looked at otherwise. */
export interface XmlElement {
  readonly local: string;
  /** Empty for none. */
  readonly namespace: string;
  readonly prefix: string;
  readonly attributes: readonly XmlAttribute[];
  /** Elements and character data in their order; neighbouring text and CDATA sections are one string, entities are resolved. */
  readonly content: readonly (XmlElement | string)[];
  /** Where its start tag ends (the `>`), from 1. */
  readonly line: number;
  readonly column: number;
  /**
   * The namespace that a prefix stands for here, as QNames in content need it; undefined where it is unbound. `''` is the
   * default namespace, itself empty where none is declared.
   */
  namespaceOf(prefix: string): string | undefined;
}

/** The elements inside an element. */
export function childrenOf({ content }: XmlElement): XmlElement[] {
  return content.filter((each) => typeof each !== 'string');
}

/** The character data right inside an element. */
export function textOf({ content }: XmlElement): string {
  const [first] = content;
  if (content.length === 0) return '';
  if (content.length === 1 && typeof first === 'string') return first;
  return content.filter((each) => typeof each === 'string').join('');
}

/** The value of an attribute; undefined where there is none. */
export function attributeOf({ attributes }: XmlElement, local: string, namespace = ''): string | undefined {
  return attributes.find((each) => each.local === local && each.namespace === namespace)?.value;
}
