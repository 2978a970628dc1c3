import { CodecError, type DocumentCodec } from '../../codec/index.ts';
import type { Document } from '../../model/document.ts';
import type { DocumentValue } from '../../model/value.ts';
import { readXml, XmlError } from '../../wire/xml/read-xml.ts';
import { attributeOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';

/** An XML declaration: the text is decoded already, so its encoding no longer matters. */
const DECLARATION = /^<\?xml\s[^>]*\?>/;

/** The text of a reply. */
export class ReplyText {
  readonly text: string;
  #root: XmlElement | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Its XML, parsed once. @throws CodecError without a path, when it is not XML */
  get root(): XmlElement {
    this.#root ??= readReplyXml(this.text);
    return this.#root;
  }
}

function readReplyXml(text: string): XmlElement {
  try {
    return readXml(text.replace(DECLARATION, ''));
  } catch (error) {
    if (error instanceof XmlError) throw new CodecError('', `is not readable XML: ${error.message}`);
    throw error;
  }
}

/** The JSON text inside `<data psnonxml='Yes'>` (specification 2.3); undefined for another element. */
export function unwrapPsnonxml(root: XmlElement): string | undefined {
  if (root.local !== 'data' || attributeOf(root, 'psnonxml')?.toLowerCase() !== 'yes') return undefined;
  return textOf(root).trim();
}

/**
 * Reads a document from a reply in XML or in JSON; in place of XML, JSON in its wrapper is accepted.
 * @throws CodecError
 */
export function readDocument(
  codec: DocumentCodec,
  { xmlName, bare }: Document,
  reply: ReplyText,
  isXml: boolean,
): DocumentValue {
  if (!isXml) return codec.fromJson(reply.text);
  const { root } = reply;
  const json = unwrapPsnonxml(root);
  if (json !== undefined) return codec.fromJson(json);
  // No definition names the element around a list.
  if (root.local !== xmlName && bare !== true)
    throw new CodecError('', `is the element ${root.local.slice(0, 40)}, not ${xmlName}`);
  return codec.fromXml(root);
}
