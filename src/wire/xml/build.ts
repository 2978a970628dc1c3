// XML 1.0 (Fifth Edition): the writer of service descriptions. Replies have their own writers, compiled from their
// documents.
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
 * Elements that contain text are written in one line, since blanks would be part of it.
 */
export function buildXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${write(root, '\n')}\n`;
}

/** An element as one line without the XML declaration, for use inside other text. */
export function buildXmlFragment(root: XmlElement): string {
  return write(root, '');
}

/** @param line what begins a line of the element's own level: a line end and the indent; empty for one line */
function write(node: XmlNode, line: string): string {
  if (typeof node === 'string') return escapeText(node);
  const { name, children } = node;
  const attributes = Object.entries(node.attributes).map(([key, value]) => ` ${key}="${escapeAttribute(value)}"`);
  const start = `${line}<${name}${attributes.join('')}`;
  const isText = children.some((child) => typeof child === 'string');
  const below = line === '' || isText ? '' : `${line}  `;
  const content = children.map((child) => write(child, below)).join('');
  return content === '' ? `${start}/>` : `${start}>${content}${isText ? '' : line}</${name}>`;
}
