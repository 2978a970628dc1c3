import type { XmlElement } from '../../wire/xml/tree.ts';
import { attributeOf, childrenOf } from '../../wire/xml/tree.ts';
import { type DraftDocument, MOST_DOCUMENTS } from '../draft.ts';
import { ImportError, type Losses, type Place } from '../place.ts';
import { attribute, childrenNamed, proseOf, type QName } from '../xml.ts';
import { Attributes } from './attributes.ts';
import type { SimpleType } from './builtin.ts';
import { anyDocument, type ComplexType, ComplexTypes } from './complex.ts';
import { type Component, type Components, documentationOf, placeIn, type Schema } from './components.ts';
import { Fields } from './fields.ts';
import { Particles } from './particles.ts';
import { SimpleTypes, SOAP_ENCODED } from './simple.ts';
import { XSD } from './sources.ts';
import { Substitutions } from './substitutions.ts';
import type { Typed } from './typed.ts';

/** The attribute of WSDL 1.1 (section 2.2) that names the type of the entries of an array. */
const WSDL = 'http://schemas.xmlsoap.org/wsdl/';

const XMIME: readonly string[] = ['http://www.w3.org/2005/05/xmlmime', 'http://www.w3.org/2004/11/xmlmime'];

/** Most derivations from one type to the next. */
const DEEPEST = 500;

/** Reads types: simple ones to scalars, complex ones to documents. */
export class Types {
  readonly #components: Components;
  readonly #losses: Losses;
  readonly #simple: SimpleTypes;
  readonly #particles: Particles;
  readonly #fields: Fields;
  readonly #documents: ComplexTypes;
  readonly #global: ReadonlySet<XmlElement>;
  readonly #complex = new Map<XmlElement, Map<string, Typed>>();
  readonly #pending: ComplexType[] = [];
  #count = 0;
  readonly #reported = new Set<string>();
  /** The type of elements with any content: xs:anyType, and what is unknown. */
  readonly anyContent: Typed;

  /** @param place of the schemas */
  constructor(components: Components, losses: Losses, place: Place) {
    this.anyContent = { kind: 'anyType', document: anyDocument({ namespace: '', local: 'anyType' }, place) };
    this.#components = components;
    this.#losses = losses;
    this.#simple = new SimpleTypes(components, losses);
    this.#particles = new Particles(components, losses);
    const substitutions = new Substitutions(components);
    this.#fields = new Fields(
      components,
      losses,
      (...loss) => this.#loseOnce(...loss),
      substitutions,
      (declaration, schema) => this.ofElement(declaration, schema),
      this.anyContent,
    );
    this.#documents = new ComplexTypes({
      components,
      losses,
      simple: this.#simple,
      particles: this.#particles,
      attributes: new Attributes(components, this.#simple, losses),
      fields: this.#fields,
      ofName: (name, element, schema) => this.ofName(name, element, schema),
    });
    this.#global = new Set([...components.all()].map(({ element }) => element));
  }

  /** States that others are derived from a type, which then has fields. */
  addBase(name: QName): void {
    this.#documents.addBase(name);
  }

  /** Whether a type of the schemas is derived from a type. */
  isBase(name: QName): boolean {
    return this.#documents.isBase(name);
  }

  #loseOnce(what: string, instead: string, element: XmlElement, schema: Schema): void {
    const key = `${schema.location} ${what}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
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
      if (inPlace !== undefined)
        return this.#inPlace(inPlace, of, attribute(element, 'name') ?? 'type', this.#global.has(element));
      // A member of a substitution group has the type of its head.
      const head = this.#components.nameIn(element, 'substitutionGroup', of);
      const component = head === undefined ? undefined : this.#components.find('element', head);
      if (component === undefined || seen.has(component.element)) return this.#anyType(element, of);
      [element, of] = [component.element, component.schema];
    }
  }

  #anyType(element: XmlElement, schema: Schema): Typed {
    this.#loseOnce('xsi:type of elements with any content', 'not kept', element, schema);
    return this.anyContent;
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
    if (SOAP_ENCODED.has(name.namespace) && name.local === 'Array') return { kind: 'array', item: this.anyContent };
    this.#losses.add(`the type "${name.local}" is not declared`, 'taken as any XML', placeIn(element, schema));
    return this.anyContent;
  }

  /** The type of a global xs:complexType. */
  ofComponent(component: Component): Typed {
    return this.#inPlace(component.element, component.schema, component.name.local, true, component);
  }

  /** @param isNamed whether the source gives the type a name: its own, or that of a global element */
  #inPlace(element: XmlElement, schema: Schema, name: string, isNamed: boolean, component?: Component): Typed {
    const known = this.#complex.get(element) ?? new Map<string, Typed>();
    this.#complex.set(element, known);
    const found = known.get(schema.namespace);
    if (found !== undefined) return found;
    // Arrays may contain themselves.
    known.set(schema.namespace, this.anyContent);
    const typed =
      this.#arrayOf(element, schema) ??
      this.#binary(element, schema) ??
      this.#started(element, schema, name, isNamed, component);
    known.set(schema.namespace, typed);
    return typed;
  }

  #started(element: XmlElement, schema: Schema, name: string, named: boolean, component?: Component): Typed {
    const document: DraftDocument = {
      name,
      place: placeIn(element, schema),
      named,
      options: { namespace: schema.namespace, ...(component === undefined ? {} : { 'xml-type': name }) },
      fields: [],
    };
    const description = proseOf(documentationOf(element));
    if (description !== undefined) document.description = description;
    const type: ComplexType = { element, schema, document, isFilled: false, ...(component && { component }) };
    if (++this.#count > MOST_DOCUMENTS)
      throw new ImportError(`the contract has more than ${MOST_DOCUMENTS} types`, document.place);
    this.#documents.add(type);
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
    return { kind: 'array', item: isList ? this.ofElement(particle.element, schema) : this.anyContent };
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
    for (const type of this.#pending) this.#fillWithBases(type);
    this.#pending.length = 0;
    this.#fields.reportNil();
  }

  /** A base is filled before the types that are derived from it. */
  #fillWithBases(type: ComplexType): void {
    const chain: ComplexType[] = [];
    const seen = new Set<ComplexType>();
    for (
      let next: ComplexType | undefined = type;
      next !== undefined && !next.isFilled;
      next = this.#documents.baseOf(next)
    ) {
      if (seen.has(next)) break;
      seen.add(next);
      chain.push(next);
      if (chain.length > DEEPEST)
        throw new ImportError(`types are derived more than ${DEEPEST} times`, placeIn(type.element, type.schema));
    }
    for (const each of chain.reverse()) this.#documents.fill(each);
  }
}
