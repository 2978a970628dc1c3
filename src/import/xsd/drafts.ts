import type { XmlElement } from '../../wire/xml/tree.ts';
import type { DraftDocument, DraftField } from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import type { Sources } from '../source.ts';
import { childrenNamed, proseOf, type QName, qnameKey } from '../xml.ts';
import { anyDocument, contentField } from './complex.ts';
import { type Component, Components, documentationOf, placeIn, type SchemaPart } from './components.ts';
import { isNillable, Names, tellIdentity } from './fields.ts';
import { SOAP_ENCODED } from './simple.ts';
import { XSD } from './sources.ts';
import { isAbstract, Substitutions } from './substitutions.ts';
import { singleField, type Typed } from './typed.ts';
import { Types } from './types.ts';

export type { SchemaPart } from './components.ts';

/** Schemas of tools, which are no part of a contract. Their types become documents where they are used. */
const HELPERS: ReadonlySet<string> = new Set([
  ...SOAP_ENCODED,
  'http://schemas.microsoft.com/2003/10/Serialization/',
  'http://www.w3.org/2005/05/xmlmime',
  'http://www.w3.org/2004/11/xmlmime',
]);

/** Documents and fields from schemas. */
export class SchemaDrafts {
  readonly #components: Components;
  readonly #losses: Losses;
  readonly #types: Types;
  readonly #substitutions: Substitutions;
  readonly #roots = new Map<Component, DraftDocument>();
  /** Elements that are not declared, by name. */
  readonly #undeclared = new Map<string, DraftDocument>();
  /** Types that exactly one global element has, in the same namespace: their documents have that root element. */
  readonly #soleElements: ReadonlyMap<string, Component>;

  /** @param parts the schemas to begin with; what they refer to is taken from the sources */
  constructor(parts: readonly SchemaPart[], sources: Sources<XmlElement>, losses: Losses) {
    this.#components = new Components(parts, sources, losses);
    this.#losses = losses;
    this.#types = new Types(this.#components, losses, placeOfAll(parts));
    this.#substitutions = new Substitutions(this.#components);
    this.#soleElements = this.#findSoleElements();
  }

  #findSoleElements(): ReadonlyMap<string, Component> {
    const users = new Map<string, Component[]>();
    for (const component of this.#components.all()) {
      const type = component.kind === 'element' ? this.#typeNameOf(component) : undefined;
      if (type === undefined || isAbstract(component)) continue;
      const all = users.get(qnameKey(type));
      if (all === undefined) users.set(qnameKey(type), [component]);
      else all.push(component);
    }
    const sole = new Map<string, Component>();
    for (const [key, [first, ...others]] of users) {
      const type = first && this.#typeNameOf(first);
      if (first === undefined || type === undefined) continue;
      if (others.length === 0 && first.name.namespace === type.namespace) sole.set(key, first);
      // The documents of several elements are derived from that of their type.
      else this.#types.addBase(type);
    }
    return sole;
  }

  #typeNameOf({ element, schema }: Component): QName | undefined {
    return this.#components.nameIn(element, 'type', schema);
  }

  /** The document of a global element, with its root element in XML. An element that is not declared is any XML. */
  element(name: QName, place: Place): DraftDocument {
    const component = this.#components.find('element', name);
    if (component === undefined) {
      this.#losses.add(`the element "${name.local}" is not declared`, 'taken as any XML', place);
      const key = qnameKey(name);
      const known = this.#undeclared.get(key) ?? anyDocument(name, place);
      this.#undeclared.set(key, known);
      return known;
    }
    const document = this.#rootOf(component);
    this.#types.fill();
    const what = `the element "${name.local}" as a message`;
    if (isNillable(component.element))
      this.#losses.add(`${what} may be nil`, 'read as an empty one', placeIn(component.element, component.schema));
    if (this.#substitutions.of(component) !== undefined)
      this.#losses.add(`others may stand for ${what}`, 'only the element itself is accepted', place);
    return document;
  }

  /** A field with a type, for a part of a message. */
  field(name: string, type: QName, place: Place): DraftField {
    const typed = this.#types.ofName(type, this.#anchor(place), {
      root: this.#anchor(place),
      location: place.source,
      namespace: '',
      chameleon: false,
    });
    this.#types.fill();
    const { type: word, options } = singleField(typed);
    // Fields of one type share its options, and readers of messages add theirs.
    return { name, place, type: word, options: { ...options } };
  }

  /** An element for what a name outside of the schemas refers to: losses are at its place. */
  #anchor({ line, column }: Place): XmlElement {
    return {
      local: 'part',
      namespace: '',
      prefix: '',
      attributes: [],
      content: [],
      line,
      column,
      namespaceOf: () => undefined,
    };
  }

  /** The documents of all global elements and complex types, in the order of the source. */
  documents(): readonly DraftDocument[] {
    const found = new Set<DraftDocument>();
    for (const component of this.#components.all()) {
      if (HELPERS.has(component.name.namespace)) continue;
      const document = this.#documentOf(component);
      if (document !== undefined) found.add(document);
    }
    this.#types.fill();
    return [...found];
  }

  #documentOf(component: Component): DraftDocument | undefined {
    const { kind, element } = component;
    if (kind === 'type' && element.local === 'complexType') {
      const typed = this.#types.ofComponent(component);
      const sole = this.#soleElements.get(qnameKey(component.name));
      if (typed.kind === 'document' && sole !== undefined) this.#rootOf(sole);
      return typed.kind === 'document' ? typed.document : undefined;
    }
    const isInPlace = childrenNamed(element, XSD, 'complexType').length > 0;
    return kind === 'element' && (isInPlace || !isAbstract(component)) ? this.#rootOf(component) : undefined;
  }

  #rootOf(component: Component): DraftDocument {
    const known = this.#roots.get(component);
    if (known !== undefined) return known;
    const { element, schema } = component;
    const document = this.#typedRoot(component, this.#types.ofElement(element, schema));
    this.#roots.set(component, document);
    tellIdentity(element, schema, this.#losses);
    const description = proseOf(documentationOf(element));
    if (description !== undefined && document.description === undefined) document.description = description;
    return document;
  }

  #typedRoot(component: Component, typed: Typed): DraftDocument {
    const { element, schema, name } = component;
    const place = placeIn(element, schema);
    if (typed.kind !== 'simple' && typed.kind !== 'document') return anyDocument(name, place);
    if (typed.kind === 'simple') {
      const document = newRoot(name, place);
      document.fields.push(contentField(typed.simple, document, new Names()));
      return document;
    }
    const type = this.#typeNameOf(component);
    const isOwn = type === undefined ? isDeclaredIn(element) : this.#soleElements.get(qnameKey(type)) === component;
    if (!isOwn) {
      if (type !== undefined && this.#types.isBase(type)) {
        const what = `other types may stand for that of the element "${name.local}"`;
        this.#losses.add(what, 'only its own type is accepted', place);
      }
      return { ...newRoot(name, place), extends: typed.document };
    }
    typed.document.options.xml = name.local;
    return typed.document;
  }
}

function newRoot({ namespace, local }: QName, place: Place): DraftDocument {
  return { name: local, place, named: true, options: { namespace, xml: local }, fields: [] };
}

/** Whether an element has a complex type of its own. One without a type has that of the head of its substitution group. */
function isDeclaredIn(element: XmlElement): boolean {
  return childrenNamed(element, XSD, 'complexType').length > 0;
}

/** The place of what belongs to no schema in particular. */
function placeOfAll([first]: readonly SchemaPart[]): Place {
  return { source: first?.location ?? '', line: 0, column: 0 };
}
