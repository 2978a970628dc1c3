import type { Field } from '../../model/field.ts';
import { element, type XmlElement } from '../../wire/xml/build.ts';

/**
 * The content of an open document: undeclared elements, which have no namespace, after the declared ones. Where a
 * declared element could be taken for an undeclared one (Unique Particle Attribution, XML Schema Part 1, 3.8.6), it and
 * what follows it are left to the wildcard and named in the documentation.
 * @param namespace the document's own
 */
export function openContent(
  fields: readonly Field[],
  particles: readonly XmlElement[],
  namespace: string,
): { readonly particles: readonly XmlElement[]; readonly notes: readonly string[] } {
  const any = (namespace: string): XmlElement =>
    element('xs:any', { namespace, processContents: 'lax', minOccurs: '0', maxOccurs: 'unbounded' });
  const once = (index: number): boolean => {
    const { minOccurs, maxOccurs } = particles[index]?.attributes ?? {};
    return fields[index]?.required === true && minOccurs === undefined && maxOccurs === undefined;
  };
  const clashes = fields.some((field, index) => (field.namespace ?? namespace) === '' && !once(index));
  if (!clashes) return { particles: [...particles, any('##local')], notes: [] };
  const cut = fields.findIndex((_, index) => !once(index));
  const names = fields.slice(cut).map((field) => field.xmlName);
  return {
    particles: [...particles.slice(0, cut), any('##any')],
    notes: [`Declared among the elements that may follow: ${names.join(', ')}.`],
  };
}
