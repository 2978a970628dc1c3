import { OUTERMOST, Scope, XML_NAMESPACE } from './namespaces.ts';
import { escapeAttribute, escapeText } from './text.ts';
import type { XmlAttribute, XmlElement } from './tree.ts';

// XML 1.0 (fifth edition) and Namespaces in XML 1.0 (third edition): writing elements that were read.

/**
 * Writes an element as a text of its own, without an XML declaration. Prefixes are kept; declarations around the
 * element that it uses are repeated on it. A prefix also counts as used if it precedes a colon in a text or value, so
 * QNames in content (`xsi:type`, a `faultcode`) keep their meaning; the default namespace is kept for those without a
 * prefix.
 * @param scope the default namespace where the text is put, which is not declared again; empty for none
 */
export function writeXml(element: XmlElement, scope = ''): string {
  const used = new Set<string>();
  addAllPrefixes(element, used);
  return write(element, scope === '' ? OUTERMOST : new Scope('', scope, OUTERMOST), used);
}

/** @param used prefixes that keep their binding here, whether the element's own name uses them or not */
function write(element: XmlElement, around: Scope, used: ReadonlySet<string>): string {
  const { local, namespace, attributes, content } = element;
  // A prefix can't be bound to no namespace.
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

/**
 * Every attribute in a namespace needs a prefix, even if it was created without one. Adds the prefix to the bindings.
 */
function attributeName({ local, namespace, prefix = '' }: XmlAttribute, bindings: Map<string, string>): string {
  if (namespace === '') return local;
  let chosen = prefix;
  if (namespace === XML_NAMESPACE) chosen = 'xml';
  for (let n = 1; chosen === '' || (bindings.get(chosen) ?? namespace) !== namespace; n++) chosen = `ns${n}`;
  bindings.set(chosen, namespace);
  return `${chosen}:${local}`;
}

/** Declares the bindings that are not in scope yet. */
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

/** Adds the prefixes used anywhere in an element, to be declared once on the outermost element. */
function addAllPrefixes(element: XmlElement, to: Set<string>): void {
  to.add(element.prefix);
  for (const { prefix = '' } of element.attributes) to.add(prefix);
  for (const each of prefixesOf(element)) to.add(each);
  for (const each of element.content) if (typeof each !== 'string') addAllPrefixes(each, to);
}

/** The prefixes of possible QNames in an element's own values and texts, always including the default one. */
function prefixesOf(element: XmlElement): ReadonlySet<string> {
  const candidates = new Set(DEFAULT_ALONE);
  for (const { value } of element.attributes) addCandidates(value, candidates);
  for (const each of element.content) if (typeof each === 'string') addCandidates(each, candidates);
  if (candidates.size === 1) return DEFAULT_ALONE;
  return new Set([...candidates].filter((each) => element.namespaceOf(each) !== undefined));
}

const DEFAULT_ALONE: ReadonlySet<string> = new Set(['']);

/** Adds every text directly before a colon that could be a name. */
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
