import type { XmlElement } from '../../wire/xml/tree.ts';
import type { SourceLanguage, SourceReference } from '../source.ts';
import { attribute, childrenNamed, parseXml, placeOf } from '../xml.ts';
import { XSD_LANGUAGE } from '../xsd/sources.ts';
import { elementsOf } from './tree.ts';

/** Namespaces of WADL: the submission of 2009 to the W3C, and its draft of 2006, which has the same elements. */
export const WADL: readonly string[] = ['http://wadl.dev.java.net/2009/02', 'http://research.sun.com/wadl/2006/10'];

/** WADL: files refer to grammars, and to methods, representations, parameters and resource types of other files. */
export const WADL_LANGUAGE: SourceLanguage<XmlElement> = {
  parse: parseXml,
  referencesOf(root, location): readonly SourceReference[] {
    if (!WADL.includes(root.namespace)) return XSD_LANGUAGE.referencesOf(root, location);
    const place = (element: XmlElement) => placeOf(element, location);
    const included = childrenNamed(root, root.namespace, 'grammars').flatMap((grammars) =>
      childrenNamed(grammars, root.namespace, 'include').flatMap((each): SourceReference[] => {
        const to = attribute(each, 'href');
        return to === undefined || to === '' ? [] : [{ to, place: place(each) }];
      }),
    );
    const referred = elementsOf(root).flatMap((each): SourceReference[] => {
      if (each.namespace !== root.namespace || each.local === 'include' || each.local === 'link') return [];
      const targets = [attribute(each, 'href') ?? '', ...(attribute(each, 'type') ?? '').split(/\s+/)];
      // The type of a parameter is a QName, that of a resource a list of references.
      const isReference = (to: string): boolean => to.includes('#') && !to.startsWith('#');
      return targets.filter(isReference).map((to) => ({ to, place: place(each) }));
    });
    return [...included, ...referred, ...XSD_LANGUAGE.referencesOf(root, location)];
  },
};
