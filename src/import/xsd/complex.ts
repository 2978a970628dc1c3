import { childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { DraftDocument, DraftField } from '../draft.ts';
import type { Losses, Place } from '../place.ts';
import { attribute, childrenNamed, type QName, qnameKey } from '../xml.ts';
import { alignWithBase } from './aligned.ts';
import { ANY_ATTRIBUTE, type AttributeFields, type Attributes, anyAttribute } from './attributes.ts';
import { BUILT_IN, type SimpleType } from './builtin.ts';
import { type Component, type Components, placeIn, type Schema } from './components.ts';
import { Fields, Names } from './fields.ts';
import type { Particle, Particles } from './particles.ts';
import type { SimpleTypes } from './simple.ts';
import { XSD } from './sources.ts';
import { isAbstract } from './substitutions.ts';
import { singleField, type Typed, textual } from './typed.ts';

// The documents of complex types (XML Schema 1.0 Part 1, section 3.4): their content and attributes, by their derivations.

/** A complex type whose document is made, and filled later: types refer to each other in circles. */
export interface ComplexType {
  readonly element: XmlElement;
  readonly schema: Schema;
  readonly component?: Component;
  readonly document: DraftDocument;
  isFilled: boolean;
  /** The type of the text, for simple content. */
  value?: SimpleType;
  /** Attributes with those of its bases, which a restriction keeps. */
  attributes?: AttributeFields;
}

/** How a complex type is derived. */
interface Derivation {
  /** The element that contains the content model and the attributes. */
  readonly holder: XmlElement;
  readonly by: 'extension' | 'restriction' | undefined;
  readonly base: Typed | undefined;
  /** The type that this one redefines, in place of a base. */
  readonly redefined?: Component;
  readonly isSimple: boolean;
  readonly isMixed: boolean;
}

/** What complex types consist of. */
interface Readers {
  readonly components: Components;
  readonly losses: Losses;
  readonly simple: SimpleTypes;
  readonly particles: Particles;
  readonly attributes: Attributes;
  readonly fields: Fields;
  /** The type of a name, which the base of a type is. */
  readonly ofName: (name: QName, element: XmlElement, schema: Schema) => Typed;
}

/** Fills the documents of complex types. */
export class ComplexTypes {
  readonly #readers: Readers;
  readonly #byDocument = new Map<DraftDocument, ComplexType>();
  /** Named types that others are derived from. */
  /** The types that others of the schemas derive from. */
  readonly #declaredBases: ReadonlySet<string>;
  readonly #bases: Set<string>;
  /** Types from which others with elements derive. */
  readonly #withElements: ReadonlySet<string>;

  constructor(readers: Readers) {
    this.#readers = readers;
    const derivations = derivationsIn(readers.components);
    this.#declaredBases = new Set(derivations.map(({ base }) => base));
    this.#withElements = basesOfElements(derivations);
    this.#bases = new Set(this.#declaredBases);
  }

  /** States that documents are derived from that of a type, which then has fields, and is not a choice. */
  addBase(name: QName): void {
    this.#bases.add(qnameKey(name));
  }

  isBase(name: QName): boolean {
    return this.#declaredBases.has(qnameKey(name));
  }

  add(type: ComplexType): void {
    this.#byDocument.set(type.document, type);
  }

  /** The complex type that a type is derived from. */
  baseOf(type: ComplexType): ComplexType | undefined {
    let derivation = this.#derivationOf(type.element, type.schema, type.component);
    for (let { redefined } = derivation; redefined !== undefined; redefined = derivation.redefined)
      derivation = this.#derivationOf(redefined.element, redefined.schema, redefined);
    const { base } = derivation;
    return base?.kind === 'document' ? this.#byDocument.get(base.document) : undefined;
  }

  #derivationOf(element: XmlElement, schema: Schema, component: Component | undefined): Derivation {
    const [content] = childrenNamed(element, XSD, 'simpleContent', 'complexContent');
    const isMixed = [content, element].some((each) => each && /^(?:true|1)$/.test(attribute(each, 'mixed') ?? ''));
    const [derivation] = content === undefined ? [] : childrenNamed(content, XSD, 'extension', 'restriction');
    const isSimple = content?.local === 'simpleContent';
    if (derivation === undefined) return { holder: element, by: undefined, base: undefined, isSimple: false, isMixed };
    const by = derivation.local as 'extension' | 'restriction';
    const name = this.#readers.components.nameIn(derivation, 'base', schema);
    const rest = { holder: derivation, by, isSimple, isMixed };
    if (name === undefined || (name.namespace === XSD && name.local === 'anyType')) return { ...rest, base: undefined };
    if (component?.redefined !== undefined && qnameKey(component.name) === qnameKey(name))
      return { ...rest, base: undefined, redefined: component.redefined };
    return { ...rest, base: this.#readers.ofName(name, derivation, schema) };
  }

  /** Fills a document, after that of its base. */
  fill(type: ComplexType): void {
    if (type.isFilled) return;
    type.isFilled = true;
    const { element, schema, component, document } = type;
    if (isAbstract(type)) document.options.abstract = true;
    this.#body(type, element, schema, component);
    this.#reportBlock(type);
  }

  /** Fills a document by one declaration of its type: its own, or before it the one that this redefines. */
  #body(type: ComplexType, element: XmlElement, schema: Schema, component: Component | undefined): void {
    const derivation = this.#derivationOf(element, schema, component);
    const { redefined, by } = derivation;
    if (redefined !== undefined) {
      this.#body(type, redefined.element, redefined.schema, redefined);
      // A restriction states the whole content again.
      if (by === 'restriction') type.document.fields = [];
    } else this.#derive(type, derivation, schema);
    const { document } = type;
    if (derivation.isSimple) this.#simpleContent(type, derivation, schema);
    else this.#complexContent(type, derivation, schema, component);
    this.#addAttributes(type, derivation, schema);
    if (derivation.by === undefined && document.fields.length === 0) delete document.options.unqualified;
  }

  /** Connects a document with that of its base. */
  #derive(type: ComplexType, { base, by, holder, isSimple }: Derivation, schema: Schema): void {
    const { document } = type;
    if (base === undefined) return;
    if (base.kind === 'document') {
      if (this.#isDerivedFrom(base.document, document)) {
        this.#readers.losses.add(
          `the type "${document.name}" is derived from itself`,
          'without a base',
          placeIn(holder, schema),
        );
        return;
      }
      if (by === 'extension') document.extends = base.document;
      else document.restricts = base.document;
      const { value, attributes } = this.#byDocument.get(base.document) as ComplexType;
      if (value !== undefined) type.value = value;
      if (attributes !== undefined) type.attributes = new Map(attributes);
    } else if (base.kind === 'simple') {
      if (isSimple) return;
      const what = `the type "${document.name}" has complex content derived from a simple type`;
      this.#readers.losses.add(what, 'without a base', placeIn(holder, schema));
    } else {
      const what = `the base of the type "${document.name}" has any content`;
      const own = childrenNamed(holder, XSD, 'sequence', 'choice', 'all', 'group').length > 0;
      const which = own ? 'any elements of other namespaces' : 'any elements';
      this.#readers.losses.add(
        what,
        `${which} and any attributes are accepted before its own`,
        placeIn(holder, schema),
      );
      // Before an element of its own, it would not be clear which of the two an element of that name is.
      this.#openContent(type, holder, schema, own ? '##other' : true);
    }
  }

  #isDerivedFrom(document: DraftDocument | undefined, from: DraftDocument): boolean {
    for (let each = document; each !== undefined; each = each.extends ?? each.restricts) if (each === from) return true;
    return false;
  }

  #openContent(type: ComplexType, element: XmlElement, schema: Schema, any: true | '##other' = true): void {
    const place = placeIn(element, schema);
    const item = { kind: 'scalar', word: 'xml' } as const;
    type.document.fields.push({ name: 'any', place, type: { kind: 'list', item }, options: { flat: true, any } });
    type.attributes = new Map([[ANY_ATTRIBUTE, anyAttribute(place)]]);
  }

  #simpleContent(type: ComplexType, { base, by, holder }: Derivation, schema: Schema): void {
    const inherited = base?.kind === 'simple' ? base.simple : type.value;
    const [inPlace] = by === 'restriction' ? childrenNamed(holder, XSD, 'simpleType') : [];
    const of = inPlace === undefined ? (inherited ?? FREE) : this.#readers.simple.inPlace(inPlace, schema);
    const value = by === 'restriction' ? this.#readers.simple.restricted(of, holder, schema) : of;
    const isInherited = by === 'extension' && type.document.extends !== undefined && type.value !== undefined;
    type.value = value;
    if (isInherited || type.document.fields.some(({ options }) => options.content)) return;
    type.document.fields.push(contentField(value, type.document, namesOf(type.document)));
  }

  #complexContent(type: ComplexType, derivation: Derivation, schema: Schema, component: Component | undefined): void {
    const { document } = type;
    const { holder, isMixed } = derivation;
    const particle = this.#readers.particles.inside(holder, schema);
    const inherited = document.extends === undefined ? [] : allFields(document.extends);
    const place = placeIn(holder, schema);
    if (inherited.some(({ options }) => options.content)) {
      if (particle !== undefined) this.#reportMarkup(document, place);
      return;
    }
    if (isMixed && !inherited.some(({ options }) => options.attribute !== true)) {
      if (particle === undefined && !this.#hasMarkup(document.restricts) && !this.#haveElements(component)) {
        type.value = FREE;
        document.fields.push(contentField(FREE, document, namesOf(document)));
        return;
      }
      const xml = { kind: 'scalar', word: 'xml' } as const;
      document.fields.push({ name: namesOf(document).free('content'), place, type: xml, options: { content: true } });
      if (particle !== undefined) this.#reportMarkup(document, place);
      return;
    }
    if (isMixed)
      this.#readers.losses.add(`text between the elements of "${document.name}"`, 'refused: its base has none', place);
    if (particle !== undefined) this.#addParticle(particle, type, derivation, schema, component);
    if (document.restricts !== undefined) alignWithBase(document, allFields(document.restricts), this.#readers.losses);
  }

  #reportMarkup({ name }: DraftDocument, place: Place): void {
    this.#readers.losses.add(`elements in the mixed content of "${name}"`, 'kept as markup, not checked', place);
  }

  /** Whether a document, which another one restricts, has mixed content with elements. */
  #hasMarkup(document: DraftDocument | undefined): boolean {
    return (
      document !== undefined &&
      this.#byDocument.get(document)?.value === undefined &&
      allFields(document).some(({ options }) => options.content === true)
    );
  }

  /** Whether types that derive from one, at any depth, have elements: then these are among its text. */
  #haveElements(component: Component | undefined): boolean {
    return component !== undefined && this.#withElements.has(qnameKey(component.name));
  }

  #addParticle(
    particle: Particle,
    { document }: ComplexType,
    { by, redefined, holder }: Derivation,
    schema: Schema,
    component: Component | undefined,
  ): void {
    const isBase = component !== undefined && this.#bases.has(qnameKey(component.name));
    const hasAttributes = childrenNamed(holder, XSD, 'attribute', 'attributeGroup', 'anyAttribute').length > 0;
    const isPlain = by === undefined && redefined === undefined && !isBase && !hasAttributes;
    const branches = isPlain && document.options.abstract !== true ? Fields.branchesOf(particle) : undefined;
    if (branches === undefined) this.#readers.fields.add(particle, document, schema, namesOf(document));
    else this.#readers.fields.addBranches(branches, document, schema);
  }

  /** Adds attributes: an extension those of its own, a restriction all that it does not prohibit. */
  #addAttributes(type: ComplexType, { holder, redefined }: Derivation, schema: Schema): void {
    const { document } = type;
    const inherited = type.attributes ?? new Map();
    const own: AttributeFields = new Map();
    if (document.restricts !== undefined || redefined !== undefined) {
      // The wildcard of a restriction is the one that it states.
      for (const [key, field] of inherited) if (key !== ANY_ATTRIBUTE) own.set(key, field);
      document.fields = document.fields.filter(({ options }) => options.attribute !== true);
    }
    this.#readers.attributes.add(holder, schema, own);
    if (document.extends === undefined && document.restricts === undefined && redefined === undefined)
      for (const [key, field] of inherited) own.set(key, field);
    const names = namesOf(document);
    const isNew = ([key]: [string, DraftField | undefined]): boolean =>
      document.extends === undefined || !inherited.has(key) || redefined !== undefined;
    for (const [, field] of [...own].filter(isNew)) if (field !== undefined) document.fields.push(names.named(field));
    type.attributes = new Map([...inherited, ...own]);
  }

  #reportBlock({ element, schema, component, document }: ComplexType): void {
    const block = attribute(element, 'block') ?? attribute(schema.root, 'blockDefault') ?? '';
    if (!/extension|restriction|#all/.test(block) || component === undefined) return;
    if (this.#bases.has(qnameKey(component.name)))
      this.#readers.losses.add(
        `block="${block}" of the type "${document.name}"`,
        'derived types are accepted',
        document.place,
      );
  }
}

const FREE: SimpleType = BUILT_IN.get('string') as SimpleType;

/** The field with the text of a document's own element. */
export function contentField(value: SimpleType, { place }: DraftDocument, names: Names): DraftField {
  const { type, options } = singleField({ kind: 'simple', simple: value.list === undefined ? value : textual(value) });
  // An empty text may be a value; nothing else is where the element is empty.
  const { enum: listed, pattern, minimum } = options;
  const isFree = listed === undefined && pattern === undefined && (minimum === undefined || minimum === 0);
  const isText = (value.word === 'string' || value.list !== undefined) && isFree;
  return {
    name: names.free('value'),
    place,
    type,
    options: { ...options, content: true, ...(isText ? {} : { required: true }) },
  };
}

/** A document of any content, as markup, and of any attributes. */
export function anyDocument({ namespace, local }: QName, place: Place): DraftDocument {
  const xml = { kind: 'scalar', word: 'xml' } as const;
  return {
    name: local,
    place,
    named: true,
    options: { namespace, xml: local },
    fields: [{ name: 'content', place, type: xml, options: { content: true } }, anyAttribute(place)],
  };
}

/** The names of fields that a document has already, with those of its bases. */
function namesOf(document: DraftDocument): Names {
  return new Names(allFields(document).map(({ name }) => name));
}

/** The fields of a document with those of its bases. */
function allFields(document: DraftDocument): DraftField[] {
  const all: DraftField[][] = [];
  for (let each: DraftDocument | undefined = document; each !== undefined; each = each.extends)
    all.unshift(each.fields);
  return all.flat();
}

/** A derivation, by the names of its types. */
interface Derived {
  readonly base: string;
  /** The type that derives, or the element that one in place is of. */
  readonly name: string;
  readonly hasElements: boolean;
}

const PARTICLES = ['sequence', 'choice', 'all', 'group'] as const;

/** All derivations in schemas. */
function derivationsIn(components: Components): readonly Derived[] {
  const found: Derived[] = [];
  for (const { element, schema, name: of } of components.all()) {
    const open = [element];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.local === 'extension' || next.local === 'restriction') {
        const base = components.nameIn(next, 'base', schema);
        const hasElements = childrenNamed(next, XSD, ...PARTICLES).length > 0;
        if (base !== undefined) found.push({ base: qnameKey(base), name: qnameKey(of), hasElements });
      }
      for (const child of childrenOf(next)) open.push(child);
    }
  }
  return found;
}

/** The types from which those with elements derive, at any depth. */
function basesOfElements(derivations: readonly Derived[]): Set<string> {
  const basesOf = new Map<string, string[]>();
  for (const { base, name } of derivations) basesOf.set(name, [...(basesOf.get(name) ?? []), base]);
  const found = new Set<string>();
  const open = derivations.filter(({ hasElements }) => hasElements).map(({ base }) => base);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(basesOf.get(next) ?? []));
  }
  return found;
}
