import type { Attachment } from '../../model/value.ts';
import { parseMediaType } from '../../wire/media-type.ts';
import { isInclude } from '../../wire/soap/xop.ts';
import { isWhite } from '../../wire/white-space.ts';
import { attributeOf, type XmlElement } from '../../wire/xml/tree.ts';
import { fromBase64, MemoryAttachment } from '../binary.ts';
import { refuse } from '../error.ts';
import { onlyText } from './content.ts';

// Binary content of an element: xs:base64Binary, or XOP 1.0 (W3C Recommendation 2005-01-25), section 2.1; its media type as
// in "Describing Media Content of Binary Data in XML" (W3C Note 2005-05-04).

/** The attachment that the `href` of an XOP Include refers to. Throws if there is none. */
export type Resolve = (href: string) => Attachment;

const XMIME: readonly string[] = ['http://www.w3.org/2005/05/xmlmime', 'http://www.w3.org/2004/11/xmlmime'];

/**
 * Reads the content of an element: base64, with white space anywhere, or the attachment that an Include refers to. The media
 * type of base64 may be given by `xmime:contentType`.
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
    // onlyText() reports any other element.
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
    // It is forwarded in headers, where a line end would begin another header.
    return parseMediaType(given) === undefined ? refuse('has an xmime:contentType that is not a media type') : given;
  }
  return undefined;
}
