// XML Schema 1.0 (W3C Recommendation, 28 October 2004): one schema per namespace.
import { contentField, type Document, documentName } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import { inlineDocument } from '../../model/particles.ts';
import { type ElementContent, isSameElement } from '../../model/same-element.ts';
import type { SimpleType as NamedType } from '../../model/simple-type.ts';
import { element, type XmlElement, type XmlNode } from '../../wire/xml/build.ts';
import { XML_NAMESPACE } from '../../wire/xml/namespaces.ts';
import { ncName } from '../names.ts';
import type { HeaderBlock } from '../scope.ts';
import { joined } from '../words.ts';
import { typeNamesOf } from './class-names.ts';
import { baseFirst, baseOf, deriveType, namedValueType, ownFields, prohibited } from './derivation.ts';
import {
  annotation,
  anyAttribute,
  anyElement,
  contentType,
  fieldAttribute,
  fieldElement,
  hasAttachment,
  namedTypeElement,
  occurrence,
  openContent,
  type SchemaContext,
  XMIME,
} from './elements.ts';
import { namedTypeOf, restrictionOf, type SimpleType } from './types.ts';
import {
  type Draft,
  GlobalElements,
  homeOf,
  homeOfType,
  qualifiedName,
  refer,
  referType,
  type SchemaOptions,
  type ValueType,
  type Workshop,
} from './workshop.ts';
import { type Wrapper, wrapperElement } from './wrappers.ts';

const XS = 'http://www.w3.org/2001/XMLSchema';

/** The schema of swaRef (WS-I Attachments Profile 1.0, section 4.4). Code generators know the type by this name. */
const REFERENCES = 'http://ws-i.org/profiles/basic/1.1/xsd';
const REFERENCE = element('xs:simpleType', { name: 'swaRef' }, [element('xs:restriction', { base: 'xs:anyURI' })]);

/** The schemas of a set of documents. */
export interface SchemaSet {
  /** Namespaces that have a schema, the main one first; `''` is the schema without a target namespace. */
  readonly namespaces: readonly string[];
  /** Prefix of a namespace, the same in every schema; `undefined` for `''`. */
  prefixOf(namespace: string): string | undefined;
  /** Whether a document has a global element: not if a wrapper or another document has the same name, and is not the same. */
  hasElement(document: Document): boolean;
  /** The QName of the type of a field that is a part of a message in rpc/literal. */
  partType(field: Field): string;
  /** The QName of the named type of a parameter; `undefined` if it has none. */
  parameterType(field: Field): string | undefined;
  /**
   * The schema of a namespace, which imports the schemas it refers to. With `locations`, the files of all schemas, the main
   * schema imports every other one, as the entry point.
   */
  schemaOf(namespace: string, locations?: ReadonlyMap<string, string>): XmlElement;
}

/**
 * Builds the schemas: a named complexType for each document, and a global element for each that is a message or has a
 * name of its own. A field in another namespace than its document's is declared in a group of that namespace's schema.
 */
export function buildSchemas(options: SchemaOptions): SchemaSet {
  const { documents, namespace: main, wrappers, extra } = options;
  // Messages get their elements first: of two documents with the same name the message keeps it.
  const typed = documents.all.filter((each) => documents.typed.has(each));
  const named = [...documents.roots, ...typed.filter((each) => !documents.roots.has(each) && !each.inPlace)];
  const simple = namedTypesOf(options);
  const namespaces = namespacesOf(options, named, simple);
  const prefixes = new Map(
    namespaces
      .filter((each) => each !== '')
      .map((each, index) => [each, each === XML_NAMESPACE ? 'xml' : index === 0 ? 'tns' : `ns${index}`]),
  );
  const drafts = new Map(
    namespaces.map((namespace): [string, Draft] => {
      const elements = new GlobalElements();
      if (namespace === '') for (const each of extra) elements.add(each);
      const types = namespace === REFERENCES ? [REFERENCE] : [];
      return [namespace, { namespace, imports: new Set(), elements, types, groups: [] }];
    }),
  );
  const typeNames = typeNamesOf({
    documents: documents.all,
    types: simple,
    taken: [...options.classNames, ...anonymousNames(options)],
    homeOf: (each) => ('base' in each ? homeOfType(each, options) : homeOf(each, options)),
  });
  const namedTypes = new Map(
    simple.map((type): [NamedType, ValueType] => {
      const [namespace, name] = [homeOfType(type, options), typeNames.of(type)];
      return [type, { namespace, name, content: restrictionOf(type) }];
    }),
  );
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
    namedTypes,
  };
  for (const [type, { namespace, name }] of namedTypes) drafts.get(namespace)?.types.push(namedTypeElement(type, name));
  for (const wrapper of wrappers) declareWrapper(wrapper, drafts.get(wrapper.namespace ?? main) as Draft, workshop);
  for (const block of options.blocks) declareBlock(block, workshop);
  for (const document of baseFirst(typed)) declareType(document, workshop);
  for (const { name, base } of shared)
    drafts.get(main)?.types.push(element('xs:simpleType', { name }, [element('xs:restriction', { base })]));
  const partTypes = new Map(options.parts.flatMap((document) => declareParts(document, workshop)));
  const declared = new Set(named.filter((document) => declareElement(document, workshop)));
  const others = elementsOf(options, declared);
  const isDeclared = (document: Document): boolean => {
    if (declared.has(document)) return true;
    const own = { document, namespace: documents.namespaceOf(document) };
    const same = others.get(elementKey(document.xmlName, own.namespace)) ?? [];
    return same.some((each) => isSameElement(each, own, main));
  };
  return {
    namespaces,
    prefixOf: workshop.prefixOf,
    partType: (field) => partTypes.get(field) as string,
    parameterType: (field) => {
      const type = namedTypes.get(namedTypeOf(field) as NamedType);
      // A name without a prefix would be one of WADL itself.
      if (type === undefined || prefixOf(type.namespace) === undefined) return undefined;
      return qualifiedName(type.namespace, type.name, prefixOf);
    },
    hasElement: isDeclared,
    schemaOf: (namespace, locations) => {
      const draft = drafts.get(namespace);
      if (draft === undefined) throw new RangeError(`no schema has the namespace "${namespace}"`);
      return schemaElement(draft, workshop, locations);
    },
  };
}

/** What the elements of wrappers, header blocks and documents hold, by their names. */
function elementsOf(
  options: SchemaOptions,
  declared: ReadonlySet<Document>,
): ReadonlyMap<string, readonly ElementContent[]> {
  const { documents, namespace: main, wrappers, blocks } = options;
  const contentOf = (document: Document): ElementContent => ({ document, namespace: documents.namespaceOf(document) });
  const around = wrappers.flatMap(({ name, namespace = main, message }) =>
    message.kind === 'document' ? [{ key: elementKey(name, namespace), content: contentOf(message.document) }] : [],
  );
  const ofBlocks = blocks.flatMap(({ field: { type, xmlName, namespace }, document }) => {
    if (type.kind !== 'document') return [];
    const key = elementKey(xmlName, namespace ?? documents.namespaceOf(document));
    return [{ key, content: contentOf(type.document) }];
  });
  const own = [...declared].map((document) => {
    const content = contentOf(document);
    return { key: elementKey(document.xmlName, content.namespace), content };
  });
  const groups = Map.groupBy([...around, ...ofBlocks, ...own], ({ key }) => key);
  return new Map([...groups].map(([key, all]) => [key, all.map(({ content }) => content)]));
}

const elementKey = (name: string, namespace: string): string => `{${namespace}}${name}`;

/** Names of the global elements with anonymous types: code generators write classes with these names. */
function anonymousNames({ wrappers, extra }: SchemaOptions): string[] {
  const anonymous = wrappers.filter(({ message }) => message.kind !== 'document');
  return [...anonymous.map(({ name }) => name), ...extra.flatMap(({ attributes }) => attributes.name ?? [])];
}

/** The declarations of the schemas' prefixes, for the root element. */
export function prefixesOf({ namespaces, prefixOf }: SchemaSet): Record<string, string> {
  return Object.fromEntries(namespaces.filter((each) => each !== '').map((each) => [`xmlns:${prefixOf(each)}`, each]));
}

/** The named types of the definitions that fields of documents and parameters have, each once. */
function namedTypesOf({ documents, parameters }: SchemaOptions): readonly NamedType[] {
  const fields = [...documents.all.flatMap((document) => document.fields), ...parameters];
  return [...new Set(fields.flatMap((field) => namedTypeOf(field) ?? []))];
}

/**
 * @param named documents with a global element
 * @param simple named types of the definitions
 */
function namespacesOf(options: SchemaOptions, named: readonly Document[], simple: readonly NamedType[]): string[] {
  const { documents, namespace, soap, extra } = options;
  const own = documents.all.map((document) => homeOf(document, options));
  // An element or attribute without a namespace is declared in place, whatever the namespace of the schema.
  const foreign = documents.all.flatMap((document) => document.fields.flatMap((field) => field.namespace || []));
  const types = simple.map((type) => homeOfType(type, options));
  const main = own.includes(namespace) || soap ? [namespace] : [];
  const elements = named.map((document) => documents.namespaceOf(document));
  const around = options.wrappers.flatMap((wrapper) => wrapper.namespace ?? []);
  const blocks = options.blocks.map(({ field, document }) => field.namespace ?? documents.namespaceOf(document));
  const refers = documents.all.some(({ fields }) => fields.some(({ attachment }) => attachment === 'reference'));
  const known = soap && refers ? [REFERENCES] : [];
  return [
    ...new Set([
      ...main,
      ...known,
      ...own,
      ...elements,
      ...blocks,
      ...around,
      ...(extra.length > 0 ? [''] : []),
      ...foreign,
      ...types,
    ]),
  ];
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
  if ([...draft.elements.all, ...draft.types, ...draft.groups].some(hasAttachment)) attributes['xmlns:xmime'] = XMIME;
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
    ...draft.elements.all,
    ...draft.types,
    ...draft.groups,
  ]);
}

function declareWrapper(wrapper: Wrapper, draft: Draft, workshop: Workshop): void {
  if (draft.elements.has(wrapper.name)) return;
  draft.elements.add(wrapperElement(wrapper, (document) => referType(draft, document, workshop)));
}

/**
 * @returns false if the name is taken: for a message by exactly that name, for a part of one also by a name that is the same
 * in generated code
 */
function declareElement(document: Document, workshop: Workshop): boolean {
  const { documents } = workshop.options;
  const draft = workshop.drafts.get(documents.namespaceOf(document)) as Draft;
  const { elements } = draft;
  const { xmlName } = document;
  if (documents.roots.has(document) ? elements.has(xmlName) : elements.hasLike(xmlName)) return false;
  const type = referType(draft, document, workshop);
  elements.add(element('xs:element', { name: xmlName, type }, [annotation(document.description)]));
  return true;
}

function declareType(document: Document, workshop: Workshop): void {
  const draft = workshop.drafts.get(homeOf(document, workshop.options)) as Draft;
  const { description, derivation, kinds } = document;
  // Nothing refers to what may stand for a document; who has its schema needs theirs too.
  for (const each of kinds?.derived ?? []) {
    const home = homeOf(each, workshop.options);
    if (home !== draft.namespace) draft.imports.add(home);
  }
  const head = { name: workshop.typeNames(document), abstract: document.abstract && 'true' };
  const base = derivation && baseOf(derivation, draft, workshop);
  const attributes = [...attributesOf(document, draft, workshop), ...prohibited(document)];
  const text = contentField(document);
  if (text !== undefined) {
    const context = contextOf(text, document, draft, workshop);
    draft.types.push(contentType(head, description, text, attributes, context, base));
    return;
  }
  const elements = ownFields(document).filter((field) => !field.attribute);
  const particles = particlesOf(document, elements, draft, workshop);
  const namespace = workshop.options.documents.namespaceOf(document);
  const content = document.open ? openContent(elements, particles, namespace) : { particles, notes: [] };
  const group = content.particles.length === 0 ? undefined : element(groupOf(document), {}, content.particles);
  const children = [group, ...attributes];
  const derived = base && element(`xs:${base.by}`, { base: base.type }, children);
  draft.types.push(
    element('xs:complexType', head, [
      annotation(description, content.notes),
      ...(derived === undefined ? children : [element('xs:complexContent', {}, [derived])]),
    ]),
  );
}

function attributesOf(document: Document, draft: Draft, workshop: Workshop): readonly XmlElement[] {
  const attributes = ownFields(document).filter((field) => field.attribute);
  return [
    ...attributes.filter(({ any }) => any === undefined).map((field) => attribute(field, document, draft, workshop)),
    ...attributes.filter(({ any }) => any !== undefined).map(anyAttribute),
  ];
}

function groupOf({ choice }: Document): 'xs:sequence' | 'xs:choice' {
  return choice === undefined ? 'xs:sequence' : 'xs:choice';
}

/** The elements among fields of a document, in the schema of one that they are in. */
function particlesOf(
  document: Document,
  fields: readonly Field[],
  draft: Draft,
  workshop: Workshop,
): readonly XmlElement[] {
  return fields.filter((field) => !field.attribute).map((field) => particle(field, document, draft, workshop));
}

/** Operations may have the same header block. */
function declareBlock({ field, document }: HeaderBlock, workshop: Workshop): void {
  const draft = workshop.drafts.get(field.namespace ?? workshop.options.documents.namespaceOf(document)) as Draft;
  if (draft.elements.has(field.xmlName)) return;
  const { name, attributes, children } = fieldElement(field, contextOf(field, document, draft, workshop));
  const { minOccurs: _, ...own } = attributes;
  draft.elements.add(element(name, own, children));
}

/** The types of the fields of a message: a part refers to a type by its name, so that every type has one. */
function declareParts(document: Document, workshop: Workshop): (readonly [Field, string])[] {
  const draft = workshop.drafts.get(workshop.options.namespace) as Draft;
  return document.fields.map((field) => {
    const { attributes, children } = fieldElement(field, contextOf(field, document, draft, workshop, 'unqualified'));
    if (attributes.type !== undefined) return [field, attributes.type];
    const anonymous = children.find(
      (child) => typeof child !== 'string' && child.name !== 'xs:annotation',
    ) as XmlElement;
    const name = workshop.giveName(`${ncName(documentName(document))}_${ncName(field.xmlName)}`);
    draft.types.push(element(anonymous.name, { name }, anonymous.children));
    return [field, refer(draft, draft.namespace, name, workshop)];
  });
}

/** What the declaration of a field needs, in one of the schemas. */
function contextOf(
  field: Field,
  document: Document,
  from: Draft,
  workshop: Workshop,
  form?: 'unqualified',
): SchemaContext {
  return {
    form,
    nillable: document.patch?.clear === undefined && document.patch?.clearable.includes(field) === true,
    attachments: workshop.options.soap,
    referenceName: () => refer(from, REFERENCES, 'swaRef', workshop),
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
    namedType: () => {
      const type = namedValueType(field, document, workshop);
      return type && refer(from, type.namespace, type.name, workshop);
    },
  };
}

/** An element in place, a group in the schema of the field's namespace, or the elements of a document that is inline. */
function particle(field: Field, document: Document, draft: Draft, workshop: Workshop): XmlElement {
  // The branch that a choice has is always there.
  const shown = document.choice === undefined ? field : { ...field, required: true };
  const inner = inlineDocument(field);
  if (inner !== undefined) {
    const content = particlesOf(inner, inner.fields, draft, workshop);
    const notes = annotation(joined(' ', field.description, inner.description));
    return element(groupOf(inner), occurrence(shown), [notes, ...content]);
  }
  const namespace = field.namespace ?? workshop.options.documents.namespaceOf(document);
  const context = (from: Draft, form?: 'unqualified'): SchemaContext =>
    contextOf(field, document, from, workshop, form);
  if (field.any !== undefined && (namespace === draft.namespace || !dependsOnTarget(field.any)))
    return anyElement(shown);
  if (namespace === draft.namespace) return fieldElement(shown, context(draft));
  // A type without a namespace in a schema that has one: what is not in that namespace is not in none either.
  if (namespace === '' && field.any !== undefined) return anyElement(shown);
  if (namespace === '') return fieldElement(shown, context(draft, 'unqualified'));
  const home = workshop.drafts.get(namespace) as Draft;
  const name = `${workshop.typeNames(document)}.${ncName(field.name)}`;
  const isDeclared = home.groups.some((each) => each.name === 'xs:group' && each.attributes.name === name);
  const reference = element('xs:group', { ref: refer(draft, namespace, name, workshop) });
  // A document that is inline in several others has one group for all of them.
  if (isDeclared) return reference;
  const content = field.any === undefined ? fieldElement(shown, context(home)) : anyElement(shown);
  home.groups.push(element('xs:group', { name }, [element('xs:sequence', {}, [content])]));
  return reference;
}

/** Whether the namespaces of a wildcard depend on the namespace of its schema. */
function dependsOnTarget(any: string): boolean {
  return any === '##other' || any.includes('##targetNamespace');
}

/** Attributes have no namespace unless the field declares one. */
function attribute(field: Field, document: Document, draft: Draft, workshop: Workshop): XmlElement {
  const context = (from: Draft): SchemaContext => contextOf(field, document, from, workshop);
  if (field.namespace === undefined || field.namespace === '') return fieldAttribute(field, undefined, context(draft));
  const home = workshop.drafts.get(field.namespace) as Draft;
  const name = `${workshop.typeNames(document)}.${ncName(field.name)}`;
  home.groups.push(element('xs:attributeGroup', { name }, [fieldAttribute(field, 'qualified', context(home))]));
  return element('xs:attributeGroup', { ref: refer(draft, field.namespace, name, workshop) });
}
