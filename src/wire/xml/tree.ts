import { OUTERMOST, Scope, XML_NAMESPACE } from './namespaces.ts';
import { escapeAttribute, escapeText } from './text.ts';

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
   * The namespace that a prefix stands for here, as QNames in content need it; `undefined` when it is unbound. `''` is the
   * default namespace, itself empty when none is declared.
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

/** The value of an attribute; `undefined` when there is none. */
export function attributeOf({ attributes }: XmlElement, local: string, namespace = ''): string | undefined {
  return attributes.find((each) => each.local === local && each.namespace === namespace)?.value;
}

// XML 1.0 (fifth edition) and Namespaces in XML 1.0 (third edition): elements that were read, as text again.

/**
 * Writes an element as a text of its own, without an XML declaration. Prefixes are kept; what is declared around the
 * element and used in it is declared at it. A prefix counts as used where it stands before a colon in a text or value
 * too, so that QNames in content (`xsi:type`, a `faultcode`) go on meaning the same; the default namespace is kept for
 * those without a prefix.
 */
export function writeXml(element: XmlElement): string {
  const used = new Set<string>();
  addAllPrefixes(element, used);
  return write(element, OUTERMOST, used);
}

/** @param used prefixes that mean here what the element says, whether its own name bears them or not */
function write(element: XmlElement, around: Scope, used: ReadonlySet<string>): string {
  const { local, namespace, attributes, content } = element;
  // No prefix can be bound to no namespace.
  const prefix = namespace === '' ? '' : element.prefix;
  const bindings = new Map([[prefix, namespace]]);
  for (const each of used) {
    const found = element.namespaceOf(each);
    if (found !== undefined && !bindings.has(each)) bindings.set(each, found);
  }
  let written = '';
  for (const each of attributes) written += ` ${attributeName(each, bindings)}="${escapeAttribute(each.value)}"`;
  const { declarations, declared } = declare(bindings, around);
  const name = prefix === '' ? local : `${prefix}:${local}`;
  if (content.length === 0) return `<${name}${declarations}${written}/>`;
  let inside = '';
  for (const each of content) {
    inside += typeof each === 'string' ? escapeText(each) : write(each, declared, prefixesOf(each));
  }
  return `<${name}${declarations}${written}>${inside}</${name}>`;
}

/** Every attribute in a namespace bears a prefix, be it one that was made without. The prefix is noted in the bindings. */
function attributeName({ local, namespace, prefix = '' }: XmlAttribute, bindings: Map<string, string>): string {
  if (namespace === '') return local;
  let chosen = prefix;
  if (namespace === XML_NAMESPACE) chosen = 'xml';
  for (let n = 1; chosen === '' || (bindings.get(chosen) ?? namespace) !== namespace; n++) chosen = `ns${n}`;
  bindings.set(chosen, namespace);
  return `${chosen}:${local}`;
}

/** Declares what is not so already. */
function declare(
  bindings: ReadonlyMap<string, string>,
  around: Scope,
): { readonly declarations: string; readonly declared: Scope } {
  let declarations = '';
  let declared = around;
  for (const [prefix, namespace] of bindings) {
    if (around.namespaceOf(prefix) === namespace) continue;
    declarations += ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapeAttribute(namespace)}"`;
    if (declared === around) declared = new Scope(prefix, namespace, around);
    else declared.add(prefix, namespace);
  }
  return { declarations, declared };
}

/** Adds the prefixes that are used anywhere in an element, to be declared once at the outermost. */
function addAllPrefixes(element: XmlElement, to: Set<string>): void {
  to.add(element.prefix);
  for (const { prefix = '' } of element.attributes) to.add(prefix);
  for (const each of prefixesOf(element)) to.add(each);
  for (const each of element.content) if (typeof each !== 'string') addAllPrefixes(each, to);
}

/** The prefixes of what may be QNames in an element's own values and texts: the default one always is among them. */
function prefixesOf(element: XmlElement): ReadonlySet<string> {
  const candidates = new Set(DEFAULT_ALONE);
  for (const { value } of element.attributes) addCandidates(value, candidates);
  for (const each of element.content) if (typeof each === 'string') addCandidates(each, candidates);
  if (candidates.size === 1) return DEFAULT_ALONE;
  return new Set([...candidates].filter((each) => element.namespaceOf(each) !== undefined));
}

const DEFAULT_ALONE: ReadonlySet<string> = new Set(['']);

/** Adds what stands right before a colon and could be a name. */
function addCandidates(text: string, to: Set<string>): void {
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let from = colon;
    while (from > 0 && isNameUnit(text.charCodeAt(from - 1))) from -= 1;
    to.add(text.slice(from, colon));
  }
}

/** Whether a name may contain a UTF-16 unit; beyond ASCII all are assumed to be allowed. */
function isNameUnit(code: number): boolean {
  if (code >= 0x80 || code === 0x2d || code === 0x2e || code === 0x5f) return true;
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}
