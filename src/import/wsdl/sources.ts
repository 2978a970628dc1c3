import type { XmlElement } from '../../wire/xml/tree.ts';
import type { SourceLanguage, SourceReference } from '../source.ts';
import { attribute, childrenNamed, parseXml, placeOf } from '../xml.ts';
import { XSD_LANGUAGE } from '../xsd/sources.ts';
import { WSDL } from './namespaces.ts';

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
