import type { XmlElement } from '../../wire/xml/tree.ts';
import type { SourceLanguage, SourceReference } from '../source.ts';
import { attribute, childrenNamed, parseXml, placeOf } from '../xml.ts';
import { XSD_LANGUAGE } from '../xsd/sources.ts';

/** Namespaces of WSDL 1.1, its bindings and what extends them. */
export const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
export const WSDL_2 = 'http://www.w3.org/ns/wsdl';
export const HTTP = 'http://schemas.xmlsoap.org/wsdl/http/';
export const MIME = 'http://schemas.xmlsoap.org/wsdl/mime/';
export const SOAP: Readonly<Record<string, '1.1' | '1.2'>> = {
  'http://schemas.xmlsoap.org/wsdl/soap/': '1.1',
  'http://schemas.xmlsoap.org/wsdl/soap12/': '1.2',
};
/** Namespaces of `Action` at an input (WS-Addressing 1.0 Metadata and its drafts). */
export const ACTION: readonly string[] = [
  'http://www.w3.org/2007/05/addressing/metadata',
  'http://www.w3.org/2006/05/addressing/wsdl',
  'http://www.w3.org/2005/03/addressing/wsdl',
  'http://schemas.xmlsoap.org/ws/2004/08/addressing',
];

/** Namespaces of the extension element UsingAddressing. */
export const ADDRESSING: ReadonlySet<string> = new Set([
  'http://www.w3.org/2006/05/addressing/wsdl',
  'http://www.w3.org/2006/02/addressing/wsdl',
  'http://www.w3.org/2005/03/addressing/wsdl',
  'http://schemas.xmlsoap.org/ws/2004/08/addressing/policy',
]);

/** WSDL 1.1: its files refer to each other by `wsdl:import`, and to schemas from `wsdl:types`. */
export const WSDL_LANGUAGE: SourceLanguage<XmlElement> = {
  parse: parseXml,
  referencesOf(root, location): readonly SourceReference[] {
    const imports = childrenNamed(root, WSDL, 'import').flatMap((each) => {
      const to = attribute(each, 'location');
      return to === undefined ? [] : [{ to, place: placeOf(each, location) }];
    });
    return [...imports, ...XSD_LANGUAGE.referencesOf(root, location)];
  },
};
