import type { XmlElement } from '../../wire/xml/tree.ts';
import type { SourceLanguage, SourceReference } from '../source.ts';
import { attribute, parseXml, placeOf } from '../xml.ts';
import { XSD_LANGUAGE } from '../xsd/sources.ts';
import { inclusionIn } from './inclusion.ts';
import { elementsOf } from './tree.ts';

/** Namespaces of WADL: the submission of 2009 to the W3C, and its draft of 2006, which has the same elements. */
export const WADL: readonly string[] = ['http://wadl.dev.java.net/2009/02', 'http://research.sun.com/wadl/2006/10'];

/** WADL: files refer to grammars, and to methods, representations, parameters and resource types of others, or include parts of them. */
export const WADL_LANGUAGE: SourceLanguage<XmlElement> = {
  parse: parseXml,
  referencesOf(root, location): readonly SourceReference[] {
    const isInclusion = inclusionIn(root) !== undefined;
    if (!WADL.includes(root.namespace) && !isInclusion) return XSD_LANGUAGE.referencesOf(root, location);
    const place = (element: XmlElement) => placeOf(element, location);
    const referred = [root, ...elementsOf(root)].flatMap((each): SourceReference[] => {
      const inclusion = inclusionIn(each);
      if (inclusion !== undefined && attribute(each, 'parse') !== 'text' && inclusion.href !== '')
        return [{ to: inclusion.href, place: place(each) }];
      if (each.namespace !== root.namespace || each.local === 'link') return [];
      const grammar = each.local === 'include' ? attribute(each, 'href') : undefined;
      if (grammar !== undefined && grammar !== '') return [{ to: grammar, place: place(each) }];
      const targets = [attribute(each, 'href') ?? '', ...(attribute(each, 'type') ?? '').split(/\s+/)];
      // The type of a parameter is a QName, that of a resource a list of references.
      const isReference = (to: string): boolean => to.includes('#') && !to.startsWith('#');
      return targets.filter(isReference).map((to) => ({ to, place: place(each) }));
    });
    return [...referred, ...XSD_LANGUAGE.referencesOf(root, location)];
  },
};
