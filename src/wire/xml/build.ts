// XML 1.0 (Fifth Edition): the writer of service descriptions. Replies have their own writers, compiled from their
// documents.
import { XMLBuilder } from 'fast-xml-parser';
import { escapeAttribute, escapeText } from './text.ts';

/** An element: its qualified name, attributes in order, and children, each an element or text. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;

/** Makes an element; attributes without a value and children that are undefined are left out. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
  children: readonly (XmlNode | undefined)[] = [],
): XmlElement {
  const given = Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    name,
    attributes: Object.fromEntries(given),
    children: children.filter((child) => child !== undefined),
  };
}

/**
 * The document as text: with an XML declaration, two spaces per indent, and a final line end. An element has text or elements: text
 * beside elements would get line ends that are part of it.
 */
export function buildXml(root: XmlElement): string {
  return `${INDENTED.build([DECLARATION, orderedOf(root)])}\n`;
}

/** An element as one line without the XML declaration, for use inside other text. */
export function buildXmlFragment(root: XmlElement): string {
  return ONE_LINE.build([orderedOf(root)]);
}

const OPTIONS = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  // Our own escapes know what XML can't carry, and line ends in attributes.
  processEntities: false,
  // Definitions are bounded when they are read.
  maxNestedTags: 0,
} as const;
const INDENTED = new XMLBuilder({ ...OPTIONS, format: true, indentBy: '  ' });
const ONE_LINE = new XMLBuilder(OPTIONS);

const DECLARATION = { '?xml': [], ':@': { version: '1.0', encoding: 'UTF-8' } };

/** A node as the builder takes it in order: `{ name: children, ':@': attributes }`, or `{ '#text': text }`. */
function orderedOf(node: XmlNode): object {
  if (typeof node === 'string') return { '#text': escapeText(node) };
  const attributes = Object.entries(node.attributes).map(([name, value]) => [name, escapeAttribute(value)] as const);
  return { [node.name]: node.children.map(orderedOf), ':@': Object.fromEntries(attributes) };
}
