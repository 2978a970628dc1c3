import { attribute, childrenNamed, type QName } from '../../../src/import/xml.ts';
import type { Component, Components, Schema } from '../../../src/import/xsd/components.ts';
import { XSD } from '../../../src/import/xsd/sources.ts';
import { childrenOf, type XmlElement } from '../../../src/wire/xml/tree.ts';

/** The facets of one step of derivation. */
export type Facets = ReadonlyMap<string, readonly string[]>;

/** A simple type as a schema declares it, with the facets of each step, the innermost first. */
export type Simple =
  | { readonly kind: 'atomic'; readonly builtIn: string; readonly steps: readonly Facets[] }
  | { readonly kind: 'list'; readonly item: Simple; readonly steps: readonly Facets[] }
  | { readonly kind: 'union'; readonly members: readonly Simple[]; readonly steps: readonly Facets[] };

const LISTS: Readonly<Record<string, string>> = { NMTOKENS: 'NMTOKEN', IDREFS: 'IDREF', ENTITIES: 'ENTITY' };

/** A type that is not declared, or not simple. */
export class NotSimple extends Error {}

export function simpleOfName(name: QName, components: Components): Simple {
  if (name.namespace === XSD) {
    const item = LISTS[name.local];
    if (item === undefined) return { kind: 'atomic', builtIn: name.local, steps: [] };
    return { kind: 'list', item: { kind: 'atomic', builtIn: item, steps: [] }, steps: [] };
  }
  const component = components.find('type', name);
  // A schema that redefines a type means the earlier one by its name.
  if (component?.element.local !== 'simpleType') throw new NotSimple(name.local);
  return simpleOfComponent(component, components);
}

function simpleOfComponent({ element, schema, redefined }: Component, components: Components): Simple {
  return simpleOfElement(element, schema, components, redefined);
}

/** @param element an xs:simpleType */
export function simpleOfElement(element: XmlElement, schema: Schema, components: Components, own?: Component): Simple {
  const [derivation] = childrenNamed(element, XSD, 'restriction', 'list', 'union');
  if (derivation === undefined) throw new NotSimple('without a derivation');
  const inside = childrenNamed(derivation, XSD, 'simpleType').map((each) => simpleOfElement(each, schema, components));
  const named = (text: string): Simple => {
    const name = components.resolve(text, derivation, schema);
    if (own !== undefined && name.local === own.name.local && name.namespace === own.name.namespace)
      return simpleOfComponent(own, components);
    return simpleOfName(name, components);
  };
  const of = (local: string): Simple => {
    const text = attribute(derivation, local);
    const simple = text === undefined ? inside[0] : named(text);
    if (simple === undefined) throw new NotSimple(local);
    return simple;
  };
  switch (derivation.local) {
    case 'list':
      return { kind: 'list', item: of('itemType'), steps: [] };
    case 'union': {
      const texts = (attribute(derivation, 'memberTypes') ?? '').split(/\s+/).filter((each) => each !== '');
      return { kind: 'union', members: [...texts.map(named), ...inside], steps: [] };
    }
    default:
      return restricted(of('base'), derivation);
  }
}

/** A type with the facets that a restriction of it has. */
export function restricted(base: Simple, restriction: XmlElement): Simple {
  const facets = new Map<string, string[]>();
  for (const { local, namespace, attributes } of childrenOf(restriction)) {
    const value = attributes.find((each) => each.local === 'value')?.value;
    if (namespace !== XSD || value === undefined) continue;
    facets.set(local, [...(facets.get(local) ?? []), value]);
  }
  return facets.size === 0 ? base : { ...base, steps: [...base.steps, facets] };
}
