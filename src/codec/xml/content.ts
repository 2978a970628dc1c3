import type { Attachment } from '../../model/value.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { isInclude } from '../../wire/soap/xop.ts';
import { isWhite, trimmed } from '../../wire/white-space.ts';
import { quote } from '../../wire/words.ts';
import { XML_NAMESPACE, XSI } from '../../wire/xml/namespaces.ts';
import { escapeText } from '../../wire/xml/text.ts';
import { attributeOf, writeXml, type XmlAttribute, type XmlElement } from '../../wire/xml/tree.ts';
import { fromBase64, MemoryAttachment } from '../binary.ts';
import { refuse } from '../error.ts';
import { countIgnored, type Foreign } from '../value.ts';

/** What an element of XML holds: that as a text of its own where there are elements, else the text as it is, escaped markup. */
export function markupOrText(element: XmlElement): string {
  if (element.content.every((each) => typeof each === 'string')) return onlyText(element);
  return element.content.map((each) => (typeof each === 'string' ? escapeText(each) : writeXml(each))).join('');
}

/** The text of an element that holds nothing else. */
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
 * Whether an attribute may stand at any element, and says nothing of a document's fields. Of XML itself these are `space`
 * and `lang` (XML 1.0, sections 2.10 and 2.12), `base` and `id`.
 */
export function isCommon({ namespace }: XmlAttribute): boolean {
  return namespace === XSI || namespace === XML_NAMESPACE;
}

/**
 * Refuses, or counts, attributes at an element whose field has none. Those with a namespace (`wsu:Id`, `soapenv:encodingStyle`)
 * are for other readers of the message.
 */
export function checkAttributes({ attributes }: XmlElement, foreign: Foreign): void {
  for (const { local, namespace } of attributes) {
    if (namespace !== '') continue;
    if (foreign === 'refuse') refuse(`has an attribute ${quote(local)}, which it can't have`);
    countIgnored(foreign, 1);
  }
}

/** Whether `xsi:nil` marks an element as having no value. One that is marked and has a value is refused. */
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

/** A name as an `xsi:type` has it, with its prefix resolved. */
interface TypeName {
  readonly written: string;
  readonly local: string;
  /** Empty for none. */
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

// Binary content of an element: xs:base64Binary, or XOP 1.0 (W3C Recommendation 2005-01-25), section 2.1; its media type as
// in "Describing Media Content of Binary Data in XML" (W3C Note 2005-05-04).

/** The attachment that the `href` of an XOP Include refers to. Throws if there is none. */
export type Resolve = (href: string) => Attachment;

const XMIME: readonly string[] = ['http://www.w3.org/2005/05/xmlmime', 'http://www.w3.org/2004/11/xmlmime'];

/**
 * Reads the content of an element: base64, with white space anywhere, or the attachment that an Include stands for. The
 * media type of base64 may be given by `xmime:contentType`.
 * @throws CodecError without a path, and what `resolve` throws
 */
export function readBinary(element: XmlElement, resolve?: Resolve): Attachment {
  const included = includeIn(element);
  if (included !== undefined) {
    const href = attributeOf(included, 'href') ?? refuse('holds an Include without a href');
    return resolve === undefined ? refuse('is an attachment, and the message has none') : resolve(href);
  }
  const contentType = contentTypeOf(element);
  const text = onlyText(element);
  // swaRef (WS-I Attachments Profile 1.0, section 4): base64 has no colon.
  if (/^\s*cid:/i.test(text))
    return resolve === undefined ? refuse('is an attachment, and the message has none') : resolve(text);
  const inline = fromSpacedBase64(text);
  return contentType === undefined ? inline : new MemoryAttachment(inline.bytes, { contentType });
}

/** Reads base64 with white space in it (XML Schema 1.1 Part 2, section 3.3.16). */
export function fromSpacedBase64(text: string): MemoryAttachment {
  return fromBase64(/[ \t\r\n]/.test(text) ? text.replace(/[ \t\r\n]+/g, '') : text);
}

function includeIn({ content }: XmlElement): XmlElement | undefined {
  let included: XmlElement | undefined;
  for (const each of content) {
    if (typeof each === 'string') continue;
    // Any other element is what onlyText() complains about.
    if (!isInclude(each)) return undefined;
    if (included !== undefined) refuse('holds two Includes');
    included = each;
  }
  if (included !== undefined && !content.every((each) => typeof each !== 'string' || isWhite(each))) {
    refuse('holds an Include and text');
  }
  return included;
}

function contentTypeOf(element: XmlElement): string | undefined {
  if (element.attributes.length === 0) return undefined;
  for (const namespace of XMIME) {
    const given = attributeOf(element, 'contentType', namespace);
    if (given === undefined) continue;
    // It is sent on in headers, where a line end would begin another one.
    return parseMediaType(given) === undefined ? refuse('has an xmime:contentType that is not a media type') : given;
  }
  return undefined;
}
