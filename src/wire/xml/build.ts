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
 * The document as text: with an XML declaration, two spaces per indent, and a final line end. Text is always escaped.
 */
export function buildXml(root: XmlElement): string {
  const declaration = { '?xml': [{ '#text': '' }], ':@': { version: '1.0', encoding: 'UTF-8' } };
  return `${builder.build([declaration, ordered(root)])}\n`;
}

/** An element as one line without the XML declaration, for use inside other text. */
export function buildXmlFragment(root: XmlElement): string {
  return inlineBuilder.build([ordered(root)]);
}

const settings = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  // The library does not escape line ends and control characters.
  processEntities: false,
  tagValueProcessor: (_: string, value: unknown) => escapeText(String(value)),
  attributeValueProcessor: (_: string, value: unknown) => escapeAttribute(String(value)),
  maxNestedTags: 1000,
};
const builder = new XMLBuilder({ ...settings, format: true, indentBy: '  ' });
const inlineBuilder = new XMLBuilder(settings);

/** The form that the library expects when order is significant. */
function ordered(node: XmlNode): object {
  if (typeof node === 'string') return { '#text': node };
  return { [node.name]: node.children.map(ordered), ':@': node.attributes };
}
