import { CodecError } from '../codec/index.ts';
import { readXml, XmlError } from '../wire/xml/read.ts';
import { attributeOf, textOf, type XmlElement } from '../wire/xml/tree.ts';

/** An XML declaration: what it says of the encoding has been done by the time that there is a text. */
const DECLARATION = /^<\?xml\s[^>]*\?>/;

/** Reads the XML of a reply. @throws CodecError without a path, where it is none */
export function readReplyXml(text: string): XmlElement {
  try {
    return readXml(text.replace(DECLARATION, ''));
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const place = error.line > 0 ? ` (line ${error.line}, column ${error.column})` : '';
    throw new CodecError('', `is no XML to be read: ${error.reason}${place}`);
  }
}

/** The JSON text inside `<data psnonxml='Yes'>` (specification 2.3); undefined for another element. */
export function unwrapPsnonxml(root: XmlElement): string | undefined {
  if (root.local !== 'data' || attributeOf(root, 'psnonxml')?.toLowerCase() !== 'yes') return undefined;
  return textOf(root).trim();
}
