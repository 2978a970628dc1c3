import { childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { SourceLanguage, SourceReference } from '../source.ts';
import { attribute, childrenNamed, parseXml, placeOf } from '../xml.ts';

/** The namespace of XML Schema 1.0 and 1.1. */
export const XSD = 'http://www.w3.org/2001/XMLSchema';

/** Namespaces whose schemas need not be read: what contracts use of them is known. */
const KNOWN: ReadonlySet<string> = new Set([
  XSD,
  'http://www.w3.org/XML/1998/namespace',
  'http://www.w3.org/2005/05/xmlmime',
  'http://www.w3.org/2004/11/xmlmime',
  'http://schemas.xmlsoap.org/soap/encoding/',
  'http://www.w3.org/2003/05/soap-encoding',
]);

/** Schemas, alone or in the types of a WSDL or the grammars of a WADL, and what they include, import and redefine. */
export const XSD_LANGUAGE: SourceLanguage<XmlElement> = {
  parse: parseXml,
  referencesOf: (content, location) =>
    schemasOf(content).flatMap((schema) =>
      childrenNamed(schema, XSD, 'include', 'import', 'redefine').flatMap((each): SourceReference[] => {
        const to = attribute(each, 'schemaLocation');
        if (to === undefined || to === '') return [];
        const known = KNOWN.has(attribute(each, 'namespace') ?? '');
        return [{ to, place: placeOf(each, location), ...(known ? { known } : {}) }];
      }),
    ),
};

/** The schemas of a document, in its order: itself, or those that it contains. */
export function schemasOf(root: XmlElement): XmlElement[] {
  if (root.namespace === XSD && root.local === 'schema') return [root];
  return childrenOf(root).flatMap(schemasOf);
}
