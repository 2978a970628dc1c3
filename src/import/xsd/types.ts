import type { XmlElement } from '../../wire/xml/tree.ts';
import { attributeOf, childrenOf } from '../../wire/xml/tree.ts';
import type { DraftDocument, DraftField } from '../draft.ts';
import { ImportError, type Losses } from '../place.ts';
import { attribute, childrenNamed, proseOf, type QName, qnameKey } from '../xml.ts';
import { ANY_ATTRIBUTE, type AttributeFields, Attributes } from './attributes.ts';
import { BUILT_IN, type SimpleType } from './builtin.ts';
import { type Component, type Components, documentationOf, placeIn, type Schema } from './components.ts';
import { Fields, Names } from './fields.ts';
import { type Particle, Particles } from './particles.ts';
import { SimpleTypes, SOAP_ENCODED } from './simple.ts';
import { XSD } from './sources.ts';
import { isAbstract, Substitutions } from './substitutions.ts';
import { MARKUP, singleField, type Typed, textual } from './typed.ts';

/** The attribute of WSDL 1.1 (section 2.2) that names the type of the entries of an array. */
const WSDL = 'http://schemas.xmlsoap.org/wsdl/';

const XMIME: readonly string[] = ['http://www.w3.org/2005/05/xmlmime', 'http://www.w3.org/2004/11/xmlmime'];

/** Most derivations from one type to the next. */
const DEEPEST = 500;

/** A complex type whose document is made, and filled later: types refer to each other in circles. */
interface ComplexType {
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

/** Reads types: simple ones to scalars, complex ones to documents. */
export class Types {
  readonly #components: Components;
  readonly #losses: Losses;
  readonly #simple: SimpleTypes;
  readonly #particles: Particles;
  readonly #attributes: Attributes;
  readonly #fields: Fields;
  readonly #complex = new Map<XmlElement, Map<string, Typed>>();
  readonly #byDocument = new Map<DraftDocument, ComplexType>();
  readonly #pending: ComplexType[] = [];
  /** Named types that others are derived from. */
  readonly #bases: Set<string>;
  readonly #told = new Set<string>();

  constructor(components: Components, losses: Losses) {
    this.#components = components;
    this.#losses = losses;
    this.#simple = new SimpleTypes(components, losses);
    this.#particles = new Particles(components, losses);
    this.#attributes = new Attributes(components, this.#simple, losses);
    const substitutions = new Substitutions(components);
    this.#fields = new Fields(
      components,
      losses,
      (...loss) => this.#loseOnce(...loss),
      substitutions,
      (declaration, schema) => this.ofElement(declaration, schema),
    );
    this.#bases = basesIn(components);
  }

  /** Says that others are derived from a type, which then has fields. */
  addBase(name: QName): void {
    this.#bases.add(qnameKey(name));
  }

  #loseOnce(what: string, instead: string, element: XmlElement, schema: Schema): void {
    const key = `${schema.location} ${what}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#losses.add(what, instead, placeIn(element, schema));
  }

  /** The type of an element. */
  ofElement(declaration: XmlElement, schema: Schema): Typed {
    const seen = new Set<XmlElement>();
    let [element, of] = [declaration, schema];
    for (;;) {
      seen.add(element);
      const name = this.#components.nameIn(element, 'type', of);
      if (name !== undefined) return this.ofName(name, element, of);
      const [inPlace] = childrenNamed(element, XSD, 'simpleType', 'complexType');
      if (inPlace?.local === 'simpleType') return this.#value(this.#simple.inPlace(inPlace, of), element, of);
      if (inPlace !== undefined) return this.#inPlace(inPlace, of, attribute(element, 'name') ?? 'type');
      // A member of a substitution group has the type of its head.
      const head = this.#components.nameIn(element, 'substitutionGroup', of);
      const component = head === undefined ? undefined : this.#components.find('element', head);
      if (component === undefined || seen.has(component.element)) return this.#anyType(element, of);
      [element, of] = [component.element, component.schema];
    }
  }

  #anyType(element: XmlElement, schema: Schema): Typed {
    this.#loseOnce('attributes (xsi:type) of elements with any content', 'not kept', element, schema);
    return MARKUP;
  }

  #value(simple: SimpleType, element: XmlElement, schema: Schema): Typed {
    const { note } = simple;
    if (note !== undefined) this.#loseOnce(note.what, note.instead, element, schema);
    return { kind: 'simple', simple };
  }

  /** The type of a name that an element refers to. An unknown one is any XML. */
  ofName(name: QName, element: XmlElement, schema: Schema): Typed {
    const simple = this.#simple.named(name);
    if (simple !== undefined) return this.#value(simple, element, schema);
    if (name.namespace === XSD && name.local === 'anyType') return this.#anyType(element, schema);
    const component = this.#components.find('type', name);
    if (component !== undefined) return this.ofComponent(component);
    if (SOAP_ENCODED.has(name.namespace) && name.local === 'Array') return { kind: 'array', item: MARKUP };
    this.#losses.add(`the type "${name.local}" is not declared`, 'taken as any XML', placeIn(element, schema));
    return MARKUP;
  }

  /** The type of a global xs:complexType. */
  ofComponent(component: Component): Typed {
    return this.#inPlace(component.element, component.schema, component.name.local, component);
  }

  #inPlace(element: XmlElement, schema: Schema, name: string, component?: Component): Typed {
    const known = this.#complex.get(element) ?? new Map<string, Typed>();
    this.#complex.set(element, known);
    const found = known.get(schema.namespace);
    if (found !== undefined) return found;
    // Arrays may contain themselves.
    known.set(schema.namespace, MARKUP);
    const typed =
      this.#arrayOf(element, schema) ??
      this.#binary(element, schema) ??
      this.#started(element, schema, name, component);
    known.set(schema.namespace, typed);
    return typed;
  }

  #started(element: XmlElement, schema: Schema, name: string, component: Component | undefined): Typed {
    const isGlobal = component !== undefined || isGlobalElement(element, schema);
    const document: DraftDocument = {
      name,
      place: placeIn(element, schema),
      named: isGlobal,
      options: { namespace: schema.namespace, ...(component === undefined ? {} : { 'xml-type': name }) },
      fields: [],
    };
    const description = proseOf(documentationOf(element));
    if (description !== undefined) document.description = description;
    const type: ComplexType = { element, schema, document, isFilled: false, ...(component && { component }) };
    this.#byDocument.set(document, type);
    this.#pending.push(type);
    return { kind: 'document', document };
  }

  /** An array of SOAP encoding (SOAP 1.1, section 5.4.2). */
  #arrayOf(element: XmlElement, schema: Schema): Typed | undefined {
    const [content] = childrenNamed(element, XSD, 'complexContent');
    const [derivation] = content === undefined ? [] : childrenNamed(content, XSD, 'restriction', 'extension');
    const base = derivation && this.#components.nameIn(derivation, 'base', schema);
    if (derivation === undefined || base === undefined || !SOAP_ENCODED.has(base.namespace) || base.local !== 'Array')
      return undefined;
    const text = childrenNamed(derivation, XSD, 'attribute')
      .map((each) => attributeOf(each, 'arrayType', WSDL))
      .find((each) => each !== undefined);
    const item = text?.replace(/\[[\d,\s]*\]\s*$/, '');
    if (item !== undefined && !item.includes('['))
      return {
        kind: 'array',
        item: this.ofName(this.#components.resolve(item, derivation, schema), derivation, schema),
      };
    const particle = this.#particles.inside(derivation, schema);
    const isList = particle?.kind === 'element' && attribute(particle.element, 'ref') === undefined;
    return { kind: 'array', item: isList ? this.ofElement(particle.element, schema) : MARKUP };
  }

  /** Binary content with its media type, which every binary value may have. */
  #binary(element: XmlElement, schema: Schema): Typed | undefined {
    const [content] = childrenNamed(element, XSD, 'simpleContent');
    const [extension] = content === undefined ? [] : childrenNamed(content, XSD, 'extension');
    const base = extension && this.#components.nameIn(extension, 'base', schema);
    const simple = base && this.#simple.named(base);
    if (extension === undefined || simple?.word !== 'binary') return undefined;
    const attributes = childrenOf(extension).filter(({ local }) => local !== 'annotation');
    const isMediaType = (each: XmlElement): boolean => {
      const name = this.#components.nameIn(each, 'ref', schema);
      return each.local === 'attribute' && name?.local === 'contentType' && XMIME.includes(name.namespace);
    };
    return attributes.every(isMediaType) ? { kind: 'simple', simple } : undefined;
  }

  /** Fills the documents of all types that were referred to, and of those that these refer to. */
  fill(): void {
    for (let next = this.#pending.pop(); next !== undefined; next = this.#pending.pop()) this.#fillWithBases(next);
  }

  /** A base is filled before the types that are derived from it. */
  #fillWithBases(type: ComplexType): void {
    const chain: ComplexType[] = [];
    const seen = new Set<ComplexType>();
    for (let next: ComplexType | undefined = type; next !== undefined && !next.isFilled; next = this.#baseOf(next)) {
      if (seen.has(next)) break;
      seen.add(next);
      chain.push(next);
      if (chain.length > DEEPEST)
        throw new ImportError(`types are derived more than ${DEEPEST} times`, placeIn(type.element, type.schema));
    }
    for (const each of chain.reverse()) this.#fillOne(each);
  }

  #baseOf(type: ComplexType): ComplexType | undefined {
    const { base } = this.#derivationOf(type.element, type.schema, type.component);
    return base?.kind === 'document' ? this.#byDocument.get(base.document) : undefined;
  }

  #derivationOf(element: XmlElement, schema: Schema, component: Component | undefined): Derivation {
    const [content] = childrenNamed(element, XSD, 'simpleContent', 'complexContent');
    const isMixed = [content, element].some((each) => each && /^(?:true|1)$/.test(attribute(each, 'mixed') ?? ''));
    const [derivation] = content === undefined ? [] : childrenNamed(content, XSD, 'extension', 'restriction');
    const isSimple = content?.local === 'simpleContent';
    if (derivation === undefined) return { holder: element, by: undefined, base: undefined, isSimple: false, isMixed };
    const by = derivation.local as 'extension' | 'restriction';
    const name = this.#components.nameIn(derivation, 'base', schema);
    const rest = { holder: derivation, by, isSimple, isMixed };
    if (name === undefined || (name.namespace === XSD && name.local === 'anyType')) return { ...rest, base: undefined };
    if (component?.redefined !== undefined && qnameKey(component.name) === qnameKey(name))
      return { ...rest, base: undefined, redefined: component.redefined };
    return { ...rest, base: this.ofName(name, derivation, schema) };
  }

  #fillOne(type: ComplexType): void {
    if (type.isFilled) return;
    type.isFilled = true;
    const { element, schema, component, document } = type;
    if (isAbstract(type)) document.options.abstract = true;
    this.#body(type, element, schema, component);
    this.#tellBlocks(type);
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
        this.#losses.add(
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
      this.#losses.add(what, 'without a base', placeIn(holder, schema));
    } else {
      const what = `the base of the type "${document.name}" has any content`;
      this.#losses.add(what, 'any elements and attributes are accepted before its own', placeIn(holder, schema));
      this.#openContent(type, holder, schema);
    }
  }

  #isDerivedFrom(document: DraftDocument | undefined, from: DraftDocument): boolean {
    for (let each = document; each !== undefined; each = each.extends ?? each.restricts) if (each === from) return true;
    return false;
  }

  #openContent(type: ComplexType, element: XmlElement, schema: Schema): void {
    const place = placeIn(element, schema);
    const xml = { kind: 'scalar', word: 'xml' } as const;
    const text = { kind: 'scalar', word: 'text' } as const;
    type.document.fields.push({
      name: 'any',
      place,
      type: { kind: 'list', item: xml },
      options: { flat: true, any: true },
    });
    type.attributes = new Map([
      [ANY_ATTRIBUTE, { name: 'anyAttribute', place, type: { kind: 'map', item: text }, options: { attribute: true } }],
    ]);
  }

  #simpleContent(type: ComplexType, { base, by, holder }: Derivation, schema: Schema): void {
    const inherited = base?.kind === 'simple' ? base.simple : type.value;
    const [inPlace] = by === 'restriction' ? childrenNamed(holder, XSD, 'simpleType') : [];
    const of = inPlace === undefined ? (inherited ?? FREE) : this.#simple.inPlace(inPlace, schema);
    const value = by === 'restriction' ? this.#simple.restricted(of, holder, schema) : of;
    const isInherited = by === 'extension' && type.document.extends !== undefined && type.value !== undefined;
    type.value = value;
    if (isInherited || type.document.fields.some(({ options }) => options.content)) return;
    type.document.fields.push(contentField(value, type.document, namesOf(type.document)));
  }

  #complexContent(type: ComplexType, derivation: Derivation, schema: Schema, component: Component | undefined): void {
    const { document } = type;
    const { holder, isMixed } = derivation;
    const particle = this.#particles.inside(holder, schema);
    const inherited = document.extends === undefined ? [] : allFields(document.extends);
    const place = placeIn(holder, schema);
    if (inherited.some(({ options }) => options.content)) return;
    if (isMixed && !inherited.some(({ options }) => options.attribute !== true)) {
      const type = { kind: 'scalar', word: 'xml' } as const;
      document.fields.push({ name: namesOf(document).free('content'), place, type, options: { content: true } });
      if (particle !== undefined)
        this.#losses.add(`elements in the mixed content of "${document.name}"`, 'kept as markup, not checked', place);
      return;
    }
    if (isMixed)
      this.#losses.add(`text between the elements of "${document.name}"`, 'refused: its base has none', place);
    if (particle !== undefined) this.#addParticle(particle, type, derivation, schema, component);
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
    if (branches === undefined) this.#fields.add(particle, document, schema, namesOf(document));
    else this.#fields.addBranches(branches, document, schema);
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
    this.#attributes.add(holder, schema, own);
    if (document.extends === undefined && document.restricts === undefined && redefined === undefined)
      for (const [key, field] of inherited) own.set(key, field);
    const names = namesOf(document);
    const isNew = ([key]: [string, DraftField | undefined]): boolean =>
      document.extends === undefined || !inherited.has(key) || redefined !== undefined;
    for (const [, field] of [...own].filter(isNew)) if (field !== undefined) document.fields.push(names.named(field));
    type.attributes = new Map([...inherited, ...own]);
  }

  #tellBlocks({ element, schema, component, document }: ComplexType): void {
    const block = attribute(element, 'block') ?? attribute(schema.root, 'blockDefault') ?? '';
    if (!/extension|restriction|#all/.test(block) || component === undefined) return;
    if (this.#bases.has(qnameKey(component.name)))
      this.#losses.add(`block="${block}" of the type "${document.name}"`, 'derived types are accepted', document.place);
  }
}

const FREE: SimpleType = BUILT_IN.get('string') as SimpleType;

/** The field with the text of a document's own element. */
export function contentField(value: SimpleType, { place }: DraftDocument, names: Names): DraftField {
  const { type, options } = singleField({ kind: 'simple', simple: value.list === undefined ? value : textual(value) });
  // An empty text may be a value; nothing else is where the element is empty.
  const isText = value.word === 'string' || value.list !== undefined;
  return {
    name: names.free('value'),
    place,
    type,
    options: { ...options, content: true, ...(isText ? {} : { required: true }) },
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

/** Whether an anonymous type is that of a global element. */
function isGlobalElement(element: XmlElement, { root }: Schema): boolean {
  return childrenNamed(root, XSD, 'element').some((each) => each.content.includes(element));
}

/** The names of all types that complex types are derived from. */
function basesIn(components: Components): Set<string> {
  const found = new Set<string>();
  for (const { element, schema } of components.all()) {
    const open = [element];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next.local === 'extension' || next.local === 'restriction') {
        const name = components.nameIn(next, 'base', schema);
        if (name !== undefined) found.add(qnameKey(name));
      }
      open.push(...childrenOf(next));
    }
  }
  return found;
}
