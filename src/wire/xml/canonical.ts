import { XML_NAMESPACE } from './namespaces.ts';
import type { XmlAttribute, XmlElement } from './tree.ts';

// Exclusive XML Canonicalization 1.0 (W3C recommendation of 18 July 2002), without comments, of the strict reader's elements.
// The reader drops processing instructions, which SOAP forbids (1.1 section 3): a digest over them does not match.

const NONE: ReadonlyMap<string, string> = new Map([['', '']]);
const NOTHING: readonly (readonly [string, string])[] = [];

/** A form that is too large. */
export class CanonicalError extends Error {
  override readonly name = 'CanonicalError';
}

/** Characters of all tags. A prefix that is declared once on an outer element may be repeated on a thousand inner ones. */
const LONGEST_CANONICAL = 32 * 1024 ** 2;

/**
 * The canonical form of an element with its content.
 * @param inclusive prefixes treated as in Canonical XML 1.0 (section 3, InclusiveNamespaces); `''` is the default namespace
 * @throws CanonicalError when it grows beyond any reasonable size
 */
export function canonicalXml(element: XmlElement, inclusive: readonly string[] = []): string {
  return write(element, NONE, inclusive, { length: 0 });
}

/** @param rendered the namespaces that the output declares around the element, by prefix */
function write(
  element: XmlElement,
  rendered: ReadonlyMap<string, string>,
  inclusive: readonly string[],
  written: { length: number },
): string {
  const { local, prefix, attributes, content } = element;
  const declared = declarationsOf(element, rendered, inclusive);
  const name = prefix === '' ? local : `${prefix}:${local}`;
  let out = `<${name}`;
  for (const [each, namespace] of declared)
    out += ` ${each === '' ? 'xmlns' : `xmlns:${each}`}="${attributeValue(namespace)}"`;
  for (const each of attributes.length < 2 ? attributes : attributes.toSorted(byNamespaceAndName))
    out += ` ${each.prefix ? `${each.prefix}:` : ''}${each.local}="${attributeValue(each.value)}"`;
  out += '>';
  written.length += out.length + name.length;
  if (written.length > LONGEST_CANONICAL)
    throw new CanonicalError(`the tags of a canonical form have more than ${LONGEST_CANONICAL} characters`);
  const within = declared.length === 0 ? rendered : new Map([...rendered, ...declared]);
  for (const each of content)
    out += typeof each === 'string' ? textValue(each) : write(each, within, inclusive, written);
  return `${out}</${name}>`;
}

/** The declarations of a start tag: the prefixes that it uses visibly and the inclusive ones, sorted. */
function declarationsOf(
  element: XmlElement,
  rendered: ReadonlyMap<string, string>,
  inclusive: readonly string[],
): readonly (readonly [string, string])[] {
  // Most elements have neither attributes nor a namespace of their own.
  const isPlain = element.attributes.length === 0 && inclusive.length === 0;
  if (isPlain && rendered.get(element.prefix) === element.namespace) return NOTHING;
  const needed = new Map([[element.prefix, element.namespace]]);
  for (const { prefix = '', namespace } of element.attributes) if (prefix !== '') needed.set(prefix, namespace);
  for (const prefix of inclusive) {
    const namespace = element.namespaceOf(prefix);
    if (namespace !== undefined) needed.set(prefix, namespace);
  }
  return [...needed]
    .filter(([prefix, namespace]) => namespace !== XML_NAMESPACE && rendered.get(prefix) !== namespace)
    .toSorted(([one], [other]) => compare(one, other));
}

/** Attributes without a namespace come first: theirs sorts as the empty text. */
function byNamespaceAndName(one: XmlAttribute, other: XmlAttribute): number {
  return compare(one.namespace, other.namespace) || compare(one.local, other.local);
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const IN_TEXT: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };
const IN_VALUE: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
};

function textValue(text: string): string {
  return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, (each) => IN_TEXT[each]!) : text;
}

function attributeValue(text: string): string {
  return /[&<"\t\n\r]/.test(text) ? text.replace(/[&<"\t\n\r]/g, (each) => IN_VALUE[each]!) : text;
}
