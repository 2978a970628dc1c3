import { isWhite, trimmed } from '../../wire/white-space.ts';
import { quote } from '../../wire/words.ts';
import { XML_NAMESPACE, XSI } from '../../wire/xml/namespaces.ts';
import { escapeText } from '../../wire/xml/text.ts';
import { attributeOf, type XmlAttribute, type XmlElement } from '../../wire/xml/tree.ts';
import { writeXml } from '../../wire/xml/write-xml.ts';
import { refuse } from '../error.ts';
import { countIgnored, type Foreign } from '../value.ts';

/** The content of an element as text: markup if it has elements, otherwise the text as it is, which may be escaped markup. */
export function markupOrText(element: XmlElement): string {
  if (element.content.every((each) => typeof each === 'string')) return onlyText(element);
  return element.content.map((each) => (typeof each === 'string' ? escapeText(each) : writeXml(each))).join('');
}

/** The text of an element that has no other content. */
export function onlyText({ content }: XmlElement): string {
  if (content.length === 0) return '';
  const first = content[0]!;
  if (content.length === 1 && typeof first === 'string') return first;
  for (const each of content) {
    if (typeof each !== 'string') refuse(`holds an element ${quote(each.local)}, and is a single value`);
  }
  return content.join('');
}

/**
 * Whether an attribute is permitted on any element and is not a field of a document. Of the attributes of XML itself these are
 * `space` and `lang` (XML 1.0, sections 2.10 and 2.12), `base` and `id`.
 */
export function isCommon({ namespace }: XmlAttribute): boolean {
  return namespace === XSI || namespace === XML_NAMESPACE;
}

/**
 * Refuses or counts attributes of an element whose field has none. Attributes with a namespace (`wsu:Id`,
 * `soapenv:encodingStyle`) are for other readers of the message.
 */
export function checkAttributes({ attributes }: XmlElement, foreign: Foreign): void {
  for (const { local, namespace } of attributes) {
    if (namespace !== '') continue;
    if (foreign === 'refuse') refuse(`has an attribute ${quote(local)}, which it can't have`);
    countIgnored(foreign, 1);
  }
}

/** Whether `xsi:nil` marks an element as having no value. Throws for a marked element that has a value. */
export function isNil(element: XmlElement): boolean {
  let nil = false;
  for (const { local, namespace, value } of element.attributes) {
    if (local === 'nil' && namespace === XSI) nil = truth(trimmed(value));
  }
  if (!nil) return false;
  if (!element.content.every((each) => typeof each === 'string' && isWhite(each)))
    refuse('is nil, and holds something');
  checkAttributes(element, 'refuse');
  return true;
}

/** The name in an `xsi:type`, with its prefix resolved. */
interface TypeName {
  readonly written: string;
  readonly local: string;
  /** Empty for a name without a namespace. */
  readonly namespace: string;
}

/** The `xsi:type` of an element; `undefined` if it has none. */
export function typeOf(element: XmlElement): TypeName | undefined {
  const given = attributeOf(element, 'type', XSI);
  if (given === undefined) return undefined;
  const written = trimmed(given);
  const colon = written.indexOf(':');
  const prefix = written.slice(0, Math.max(colon, 0));
  const namespace =
    element.namespaceOf(prefix) ?? refuse(`has an xsi:type whose prefix ${quote(prefix)} is not declared`);
  return { written, local: written.slice(colon + 1), namespace };
}

function truth(given: string): boolean {
  if (given === 'true' || given === '1') return true;
  return given === 'false' || given === '0' ? false : refuse('has an xsi:nil that is not true or false');
}
