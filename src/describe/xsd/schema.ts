// XML Schema 1.0 (W3C Recommendation, 28 October 2004): one schema per namespace.
import { classNameOf, type Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { element, type XmlElement, type XmlNode } from '../../wire/xml/build.ts';
import { ncName } from '../names.ts';
import type { DocumentSet } from '../scope.ts';
import { typeNamesOf } from './class-names.ts';
import {
  annotation,
  fieldAttribute,
  fieldElement,
  hasAttachment,
  openContent,
  type Wrapper,
  wrapperElement,
  XMIME,
} from './elements.ts';
import type { SharedType, SimpleType } from './types.ts';

const XS = 'http://www.w3.org/2001/XMLSchema';

/** The contents of a set of schemas. */
export interface SchemaOptions {
  readonly documents: DocumentSet;
  /** The namespace of the service; its schema is the main one. */
  readonly namespace: string;
  /** Elements of the service's namespace around SOAP messages; empty without SOAP operations. */
  readonly wrappers: readonly Wrapper[];
  /** Documentation at the head of each schema. */
  readonly title: string;
  /** Elements other than those of the documents, declared in the schema without a namespace. */
  readonly extra: readonly XmlElement[];
  /** Names of the classes for parts outside of the schemas: port types, services and faults. */
  readonly classNames: readonly string[];
  /** Simple types that fields share, in the service's namespace. */
  readonly shared: readonly SharedType[];
}

/** The schemas of a set of documents. */
export interface SchemaSet {
  /** Namespaces that have a schema, the main one first; `''` is the schema without a target namespace. */
  readonly namespaces: readonly string[];
  /** Prefix of a namespace, the same in every schema; `undefined` for `''`. */
  prefixOf(namespace: string): string | undefined;
  /** Whether a document has a global element: not if a wrapper or another document has the same name. */
  hasElement(document: Document): boolean;
  /**
   * The schema of a namespace, which imports the schemas it refers to. With `locations`, the files of all schemas, the main
   * schema imports every other one, as the entry point.
   */
  schemaOf(namespace: string, locations?: ReadonlyMap<string, string>): XmlElement;
}

/** The contents of one `xs:schema`. */
interface Draft {
  readonly namespace: string;
  /** Namespaces that it refers to. */
  readonly imports: Set<string>;
  readonly elements: XmlElement[];
  readonly types: XmlElement[];
  readonly groups: XmlElement[];
}

/** The context of declarations. */
interface Workshop {
  readonly options: SchemaOptions;
  readonly drafts: ReadonlyMap<string, Draft>;
  readonly typeNames: (document: Document) => string;
  readonly giveName: (wanted: string) => string;
  /** Names of the simple types that fields share with others. */
  readonly sharedNames: ReadonlyMap<Field, string>;
  readonly prefixOf: (namespace: string) => string | undefined;
  /** Named simple types of fields that others restrict. */
  readonly valueTypes: Map<Field, { readonly namespace: string; readonly name: string; readonly content: XmlElement }>;
}

/**
 * Builds the schemas: a named complexType for each document, and a global element for each that is a message or has a
 * name of its own. A field in another namespace than its document's is declared in a group of that namespace's schema.
 */
export function buildSchemas(options: SchemaOptions): SchemaSet {
  const { documents, namespace: main, wrappers, extra } = options;
  // Messages get their elements first: of two documents with the same name the message keeps it.
  const named = [...documents.roots, ...documents.all.filter((each) => !documents.roots.has(each) && !each.inPlace)];
  const namespaces = namespacesOf(options, named);
  const prefixes = new Map(
    namespaces.filter((each) => each !== '').map((each, index) => [each, index === 0 ? 'tns' : `ns${index}`]),
  );
  const drafts = new Map(
    namespaces.map((namespace): [string, Draft] => {
      const elements = namespace === '' ? [...extra] : [];
      return [namespace, { namespace, imports: new Set(), elements, types: [], groups: [] }];
    }),
  );
  const typeNames = typeNamesOf(documents.all, [...options.classNames, ...anonymousNames(options)]);
  const shared = options.shared.map((type) => ({ ...type, name: typeNames.give(type.wanted) }));
  const sharedNames = new Map(shared.flatMap(({ fields, name }) => [...fields].map((field) => [field, name] as const)));
  const prefixOf = (namespace: string): string | undefined => prefixes.get(namespace);
  const workshop: Workshop = {
    options,
    drafts,
    typeNames: typeNames.of,
    giveName: typeNames.give,
    sharedNames,
    prefixOf,
    valueTypes: new Map(),
  };
  for (const wrapper of wrappers) declareWrapper(wrapper, drafts.get(main) as Draft, workshop);
  for (const document of baseFirst(documents.all)) declareType(document, workshop);
  for (const { name, base } of shared)
    drafts.get(main)?.types.push(element('xs:simpleType', { name }, [element('xs:restriction', { base })]));
  const declared = new Set(named.filter((document) => declareElement(document, workshop)));
  return {
    namespaces,
    prefixOf: workshop.prefixOf,
    hasElement: (document) => declared.has(document),
    schemaOf: (namespace, locations) => {
      const draft = drafts.get(namespace);
      if (draft === undefined) throw new RangeError(`no schema has the namespace "${namespace}"`);
      return schemaElement(draft, workshop, locations);
    },
  };
}

/** Restrictions refer to the types of what they restrict. */
function baseFirst(documents: readonly Document[]): ReadonlySet<Document> {
  const sorted = new Set<Document>();
  const add = (document: Document): void => {
    if (document.derivation !== undefined) add(document.derivation.base);
    sorted.add(document);
  };
  documents.forEach(add);
  return sorted;
}

/** Names of the global elements with anonymous types: code generators write classes with these names. */
function anonymousNames({ wrappers, extra }: SchemaOptions): string[] {
  const anonymous = wrappers.filter(({ message }) => message.kind !== 'document');
  return [...anonymous.map(({ name }) => name), ...extra.flatMap(({ attributes }) => attributes.name ?? [])];
}

/** The declarations of the schemas' prefixes, for the root element. */
export function prefixesOf({ namespaces, prefixOf }: SchemaSet): Record<string, string> {
  return Object.fromEntries(namespaces.filter((each) => each !== '').map((each) => [`xmlns:${prefixOf(each)}`, each]));
}

/** @param named documents with a global element */
function namespacesOf(options: SchemaOptions, named: readonly Document[]): string[] {
  const { documents, namespace, wrappers, extra } = options;
  const own = documents.all.map((document) => homeOf(document, options));
  // An element or attribute without a namespace is declared in place, whatever the namespace of the schema.
  const foreign = documents.all.flatMap((document) => document.fields.flatMap((field) => field.namespace || []));
  const main = own.includes(namespace) || wrappers.length > 0 ? [namespace] : [];
  const elements = named.map((document) => documents.namespaceOf(document));
  return [...new Set([...main, ...own, ...elements, ...(extra.length > 0 ? [''] : []), ...foreign])];
}

/**
 * The namespace of the schema with a document's type, which is usually its own. Every schema in a WSDL must have a namespace
 * (WS-I Basic Profile 1.1, R2105), so in a service with SOAP operations a type without one is in the namespace of the service,
 * with unqualified elements.
 */
function homeOf(document: Document, { documents, namespace, wrappers }: SchemaOptions): string {
  const own = documents.namespaceOf(document);
  return own === '' && wrappers.length > 0 ? namespace : own;
}

function schemaElement(
  draft: Draft,
  { options, drafts, prefixOf }: Workshop,
  locations: ReadonlyMap<string, string> | undefined,
): XmlElement {
  const others = [...drafts.keys()].filter((each) => each !== draft.namespace);
  const isEntrance = locations !== undefined && draft === drafts.values().next().value;
  const imported = isEntrance ? others : others.filter((each) => draft.imports.has(each));
  const named = [draft.namespace, ...imported].filter((each) => each !== '');
  const attributes: Record<string, string> = { 'xmlns:xs': XS };
  if ([...draft.elements, ...draft.types, ...draft.groups].some(hasAttachment)) attributes['xmlns:xmime'] = XMIME;
  // Names without a namespace have no prefix, so there must not be a default namespace.
  if (named.length <= imported.length) attributes.xmlns = '';
  for (const namespace of named) attributes[`xmlns:${prefixOf(namespace)}`] = namespace;
  if (draft.namespace !== '') attributes.targetNamespace = draft.namespace;
  attributes.elementFormDefault = 'qualified';
  const imports = imported.map((namespace) =>
    element('xs:import', { namespace: namespace || undefined, schemaLocation: locations?.get(namespace) }),
  );
  return element('xs:schema', attributes, [
    ...imports,
    annotation(options.title),
    ...draft.elements,
    ...draft.types,
    ...draft.groups,
  ]);
}

/** The QName of a component, as a schema refers to it. */
function refer(from: Draft, namespace: string, name: string, workshop: Workshop): string {
  if (namespace !== from.namespace) from.imports.add(namespace);
  const prefix = workshop.prefixOf(namespace);
  return prefix === undefined ? name : `${prefix}:${name}`;
}

/** The QName of a document's type, as a schema refers to it. */
function referType(from: Draft, document: Document, workshop: Workshop): string {
  return refer(from, homeOf(document, workshop.options), workshop.typeNames(document), workshop);
}

function declareWrapper(wrapper: Wrapper, draft: Draft, workshop: Workshop): void {
  if (draft.elements.some((each) => each.attributes.name === wrapper.name)) return;
  draft.elements.push(wrapperElement(wrapper, (document) => referType(draft, document, workshop)));
}

/**
 * @returns false if the name is taken: for a message by exactly that name, for a part of one also by a name that is the same
 * in generated code
 */
function declareElement(document: Document, workshop: Workshop): boolean {
  const { documents } = workshop.options;
  const draft = workshop.drafts.get(documents.namespaceOf(document)) as Draft;
  const form = documents.roots.has(document) ? (name: string) => name : classNameOf;
  if (draft.elements.some(({ attributes: { name = '' } }) => form(name) === form(document.xmlName))) return false;
  const type = referType(draft, document, workshop);
  draft.elements.push(element('xs:element', { name: document.xmlName, type }, [annotation(document.description)]));
  return true;
}

function declareType(document: Document, workshop: Workshop): void {
  const draft = workshop.drafts.get(homeOf(document, workshop.options)) as Draft;
  const { abstract, derivation, kinds } = document;
  // Nothing refers to what may stand for a document; who has its schema needs theirs too.
  for (const each of kinds?.derived ?? []) {
    const home = homeOf(each, workshop.options);
    if (home !== draft.namespace) draft.imports.add(home);
  }
  const { notes, children } = contentOf(document, draft, workshop);
  const base = derivation && referType(draft, derivation.base, workshop);
  const derived = derivation && element(`xs:${derivation.by}`, { base }, children);
  draft.types.push(
    element('xs:complexType', { name: workshop.typeNames(document), abstract: abstract && 'true' }, [
      annotation(document.description, notes),
      ...(derived === undefined ? children : [element('xs:complexContent', {}, [derived])]),
    ]),
  );
}

/** The elements and attributes of a document, of an extension those of its own. */
function contentOf(document: Document, draft: Draft, workshop: Workshop) {
  const namespace = workshop.options.documents.namespaceOf(document);
  const { choice, derivation } = document;
  const inherited = derivation?.by === 'extension' ? derivation.base.fields.length : 0;
  const own = document.fields.slice(inherited);
  const elements = own.filter((field) => !field.attribute);
  const particles = elements.map((field) => particle(field, document, draft, workshop));
  const attributes = own.filter((field) => field.attribute);
  const content = document.open ? openContent(elements, particles, namespace) : { particles, notes: [] };
  const children = [
    content.particles.length === 0
      ? undefined
      : element(choice === undefined ? 'xs:sequence' : 'xs:choice', {}, content.particles),
    ...attributes.map((field) => attribute(field, document, draft, workshop)),
    ...prohibited(document),
  ];
  return { notes: content.notes, children };
}

/** A restriction has the attributes of its base unless it says that it does not. */
function prohibited({ derivation, fields }: Document): readonly XmlElement[] {
  if (derivation?.by !== 'restriction') return [];
  const own = new Set(fields.map(({ name }) => name));
  const others = derivation.base.fields.filter(({ attribute, name }) => attribute && !own.has(name));
  return others.map(({ xmlName }) => element('xs:attribute', { name: xmlName, use: 'prohibited' }));
}

/** An element in place, or a group in the schema of the field's namespace. */
function particle(field: Field, document: Document, draft: Draft, workshop: Workshop): XmlElement {
  const { documents, wrappers } = workshop.options;
  const namespace = field.namespace ?? documents.namespaceOf(document);
  // The branch that a choice has is always there.
  const shown = document.choice === undefined ? field : { ...field, required: true };
  const context = (from: Draft, form?: 'unqualified') => ({
    form,
    nillable: document.patch?.clear === undefined && document.patch?.clearable.includes(field) === true,
    attachments: wrappers.length > 0,
    typeName: (inner: Document) => referType(from, inner, workshop),
    nameType: (content: readonly XmlNode[]) => {
      const name = workshop.giveName(`${workshop.typeNames(document)}_${ncName(field.xmlName)}_value`);
      from.types.push(element('xs:simpleType', { name }, content));
      return refer(from, from.namespace, name, workshop);
    },
    deriveType: (own: SimpleType) => deriveType(own, field, document, from, workshop),
    sharedType: () => {
      const name = workshop.sharedNames.get(field);
      return name === undefined ? undefined : refer(from, workshop.options.namespace, name, workshop);
    },
  });
  if (namespace === draft.namespace) return fieldElement(shown, context(draft));
  if (namespace === '') return fieldElement(shown, context(draft, 'unqualified'));
  const home = workshop.drafts.get(namespace) as Draft;
  const name = `${workshop.typeNames(document)}.${ncName(field.name)}`;
  const content = fieldElement(shown, context(home));
  home.groups.push(element('xs:group', { name }, [element('xs:sequence', {}, [content])]));
  return element('xs:group', { ref: refer(draft, namespace, name, workshop) });
}

/**
 * The simple type of a field. In a restriction of a complex type that of each element and attribute must be derived from the one
 * in its base (XML Schema Part 1, 3.9.6 and 3.4.6), so these have names there.
 */
function deriveType(own: SimpleType, field: Field, document: Document, from: Draft, workshop: Workshop): SimpleType {
  const { derivation, kinds } = document;
  const base =
    derivation?.by === 'restriction' ? derivation.base.fields.find(({ name }) => name === field.name) : undefined;
  const type = base && workshop.valueTypes.get(base);
  const derived =
    type === undefined ? own : restricted(own, type.content, refer(from, type.namespace, type.name, workshop));
  const isRestricted = kinds?.derived.some(
    (each) => each.derivation?.base === document && each.derivation.by === 'restriction',
  );
  const { restriction: content } = derived;
  if (!isRestricted || content === undefined) return derived;
  const name = workshop.giveName(`${workshop.typeNames(document)}_${ncName(field.xmlName)}_value`);
  from.types.push(element('xs:simpleType', { name }, content.children));
  workshop.valueTypes.set(field, { namespace: from.namespace, name, content });
  return { type: refer(from, from.namespace, name, workshop) };
}

/** The named type of the base if the own one is the same, else a restriction of it. */
function restricted({ restriction }: SimpleType, base: XmlElement, name: string): SimpleType {
  const [own] = restriction?.children ?? [];
  if (own === undefined || typeof own === 'string' || JSON.stringify(restriction) === JSON.stringify(base))
    return { type: name };
  return { restriction: element('xs:simpleType', {}, [element('xs:restriction', { base: name }, own.children)]) };
}

/** Attributes have no namespace unless the field declares one. */
function attribute(field: Field, document: Document, draft: Draft, workshop: Workshop): XmlElement {
  const context = (from: Draft) => ({
    deriveType: (own: SimpleType) => deriveType(own, field, document, from, workshop),
  });
  if (field.namespace === undefined || field.namespace === '') return fieldAttribute(field, undefined, context(draft));
  const home = workshop.drafts.get(field.namespace) as Draft;
  const name = `${workshop.typeNames(document)}.${ncName(field.name)}`;
  home.groups.push(element('xs:attributeGroup', { name }, [fieldAttribute(field, 'qualified', context(home))]));
  return element('xs:attributeGroup', { ref: refer(draft, field.namespace, name, workshop) });
}
