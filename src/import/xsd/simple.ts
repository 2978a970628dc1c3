import type { XmlElement } from '../../wire/xml/tree.ts';
import type { DraftSimpleType } from '../draft.ts';
import { ImportError, type Losses } from '../place.ts';
import { attribute, childrenNamed, proseOf, type QName, qnameKey } from '../xml.ts';
import { BUILT_IN, type SimpleType, SWA_REF, SWA_REF_NAME, WELL_KNOWN } from './builtin.ts';
import { type Component, type Components, documentationOf, placeIn, type Schema } from './components.ts';
import { asText, restricted } from './restriction.ts';
import { XSD } from './sources.ts';
import { sized } from './typed.ts';
import { unionOf } from './union.ts';

/** Most derivations from one type to the next. */
const DEEPEST = 200;

const FREE: SimpleType = BUILT_IN.get('string') as SimpleType;

/** Reads simple types (XML Schema 1.0 Part 2): each to a scalar with the facets of all its derivations. */
export class SimpleTypes {
  readonly #components: Components;
  readonly #losses: Losses;
  readonly #known = new Map<XmlElement, Map<string, SimpleType>>();
  readonly #declared = new Map<Component, SimpleType>();
  readonly #open = new Set<XmlElement>();
  /** Translated patterns by their sources. */
  readonly #patterns = new Map<string, string>();

  constructor(components: Components, losses: Losses) {
    this.#components = components;
    this.#losses = losses;
  }

  /** The simple type of a name; `undefined` when it is that of a complex type, or unknown. */
  named(name: QName): SimpleType | undefined {
    if (name.namespace === XSD) return BUILT_IN.get(name.local);
    if (qnameKey(name) === SWA_REF_NAME) return SWA_REF;
    const component = this.#components.find('type', name);
    if (component === undefined)
      return SOAP_ENCODED.has(name.namespace) ? soapEncoded(name) : WELL_KNOWN.get(qnameKey(name));
    return component.element.local === 'simpleType' ? this.declared(component) : undefined;
  }

  /** The type of a global xs:simpleType, with its name. A list has none: its entries have that of their own type. */
  declared(component: Component): SimpleType {
    const { element, schema, redefined, name } = component;
    const known = this.#declared.get(component);
    if (known !== undefined) return known;
    const type = this.inPlace(element, schema, redefined);
    if (type.list !== undefined || type.word === 'binary') return type;
    const description = proseOf(documentationOf(element));
    const named: DraftSimpleType = {
      name: name.local,
      namespace: name.namespace,
      place: placeIn(element, schema),
      ...(description === undefined ? {} : { description }),
      ...sized(type),
    };
    const declared: SimpleType = { ...type, named };
    // While a type that is derived from itself is read, it is taken as text.
    if (!this.#open.has(element)) this.#declared.set(component, declared);
    return declared;
  }

  /**
   * The type of an xs:simpleType.
   * @param redefined what it means by the name of its base, when it redefines that
   */
  inPlace(element: XmlElement, schema: Schema, redefined?: Component): SimpleType {
    const known = this.#known.get(element) ?? new Map<string, SimpleType>();
    this.#known.set(element, known);
    const found = known.get(schema.namespace);
    if (found !== undefined) return found;
    if (this.#open.has(element)) {
      this.#losses.add(`${named(element)} is derived from itself`, 'taken as text', placeIn(element, schema));
      return FREE;
    }
    if (this.#open.size >= DEEPEST)
      throw new ImportError(`simple types are derived more than ${DEEPEST} times`, placeIn(element, schema));
    this.#open.add(element);
    const type = this.#derived(element, schema, redefined);
    this.#open.delete(element);
    known.set(schema.namespace, type);
    return type;
  }

  #derived(element: XmlElement, schema: Schema, redefined: Component | undefined): SimpleType {
    const [derivation] = childrenNamed(element, XSD, 'restriction', 'list', 'union');
    if (derivation === undefined) {
      this.#losses.add(`${named(element)} has no content`, 'taken as text', placeIn(element, schema));
      return FREE;
    }
    if (derivation.local === 'list') return this.#list(derivation, schema);
    if (derivation.local === 'union') return this.#union(derivation, schema);
    const base = redefined !== undefined ? this.declared(redefined) : this.#baseOf(derivation, 'base', schema)[0];
    return this.restricted(base ?? FREE, derivation, schema);
  }

  /** The types that an attribute and xs:simpleType elements of a derivation name. */
  #baseOf(derivation: XmlElement, local: string, schema: Schema): SimpleType[] {
    const names = (attribute(derivation, local) ?? '').split(/\s+/).filter((name) => name !== '');
    return [
      ...names.map((text) => this.#referred(this.#components.resolve(text, derivation, schema), derivation, schema)),
      ...childrenNamed(derivation, XSD, 'simpleType').map((each) => this.inPlace(each, schema)),
    ];
  }

  #referred(name: QName, element: XmlElement, schema: Schema): SimpleType {
    const found = this.named(name);
    if (found !== undefined) return found;
    this.#losses.add(`the simple type "${name.local}" is not declared`, 'taken as text', placeIn(element, schema));
    return FREE;
  }

  #list(derivation: XmlElement, schema: Schema): SimpleType {
    const [item = FREE] = this.#baseOf(derivation, 'itemType', schema);
    if (item.list !== undefined) {
      this.#losses.add('a list of lists', 'taken as text', placeIn(derivation, schema));
      return FREE;
    }
    const { space: _space, ...facets } = item.word === 'binary' ? asText(item).facets : item.facets;
    return { ...item, word: item.word === 'binary' ? 'string' : item.word, facets, list: {} };
  }

  #union(derivation: XmlElement, schema: Schema): SimpleType {
    const members = this.#baseOf(derivation, 'memberTypes', schema);
    const { type, imprecise } = unionOf(members);
    if (imprecise) this.#losses.add('facets of the members of a union', 'not checked', placeIn(derivation, schema));
    return type;
  }

  /** A type restricted by the facets in an element. */
  restricted(base: SimpleType, element: XmlElement, schema: Schema): SimpleType {
    return restricted(base, element, schema, this.#losses, this.#patterns);
  }
}

/** The namespaces of SOAP 1.1 and 1.2 encoding, whose types are the built-in ones with attributes for references. */
export const SOAP_ENCODED: ReadonlySet<string> = new Set([
  'http://schemas.xmlsoap.org/soap/encoding/',
  'http://www.w3.org/2003/05/soap-encoding',
]);

function soapEncoded({ local }: QName): SimpleType | undefined {
  return BUILT_IN.get(local === 'base64' ? 'base64Binary' : local);
}

function named(element: XmlElement): string {
  const name = attribute(element, 'name');
  return name === undefined ? 'an xs:simpleType' : `the simple type "${name}"`;
}
