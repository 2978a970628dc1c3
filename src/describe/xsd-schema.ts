// XML Schema 1.0 (W3C Recommendation, 28 October 2004): one schema a namespace.
import type { Document } from '../model/document.ts';
import type { Field } from '../model/field.ts';
import { element, type XmlElement } from '../wire/xml-build.ts';
import type { DocumentSet } from './documents.ts';
import { namesOf, ncName } from './names.ts';
import { annotation, fieldAttribute, fieldElement } from './xsd-fields.ts';

const XS = 'http://www.w3.org/2001/XMLSchema';

/** What a set of schemas is made of. */
export interface SchemaOptions {
  readonly documents: DocumentSet;
  /** The service's namespace; its schema is the main one. */
  readonly namespace: string;
  /** Text for people at the head of each schema. */
  readonly title: string;
  /** Elements beside those of the documents, declared in the schema without a namespace. */
  readonly extra: readonly XmlElement[];
}

/** The schemas of a set of documents. */
export interface SchemaSet {
  /** Namespaces that have a schema, the main one first; `''` is the schema without a target namespace. */
  readonly namespaces: readonly string[];
  /** Prefix of a namespace, the same in every schema; undefined for `''`. */
  prefixOf(namespace: string): string | undefined;
  /**
   * The schema of a namespace, which imports those that it refers to. With `locations`, the files that all of them stand
   * in, the main one imports every other, so that it is an entrance to all.
   */
  schemaOf(namespace: string, locations?: ReadonlyMap<string, string>): XmlElement;
}

/** What becomes one `xs:schema`. */
interface Draft {
  readonly namespace: string;
  /** Namespaces that are referred to. */
  readonly imports: Set<string>;
  readonly elements: XmlElement[];
  readonly types: XmlElement[];
  readonly groups: XmlElement[];
}

/** What the declarations of documents share. */
interface Workshop {
  readonly documents: DocumentSet;
  readonly drafts: ReadonlyMap<string, Draft>;
  readonly typeNames: (document: Document) => string;
  readonly prefixOf: (namespace: string) => string | undefined;
}

/**
 * Builds the schemas: a named complexType for each document, and a global element for each that is a message or has a
 * name of its own. A field in another namespace than its document's is declared in a group of that namespace's schema.
 */
export function buildSchemas(options: SchemaOptions): SchemaSet {
  const { documents, extra } = options;
  const namespaces = namespacesOf(options);
  const prefixes = new Map(
    namespaces.filter((each) => each !== '').map((each, index) => [each, index === 0 ? 'tns' : `ns${index}`]),
  );
  const prefixOf = (namespace: string): string | undefined => prefixes.get(namespace);
  const drafts = new Map(
    namespaces.map((namespace): [string, Draft] => {
      const elements = namespace === '' ? [...extra] : [];
      return [namespace, { namespace, imports: new Set(), elements, types: [], groups: [] }];
    }),
  );
  const typeNames = namesOf(documents.all, (document) => ncName(document.id));
  const workshop: Workshop = { documents, drafts, typeNames, prefixOf };
  for (const document of documents.all) declareType(document, workshop);
  // A message has its element first: where two documents share a name, the one that travels keeps it.
  const byImportance = [
    ...documents.roots,
    ...documents.all.filter((each) => !documents.roots.has(each) && !each.inPlace),
  ];
  for (const document of byImportance) declareElement(document, workshop);
  return {
    namespaces,
    prefixOf,
    schemaOf: (namespace, locations) => {
      const draft = drafts.get(namespace);
      if (draft === undefined) throw new RangeError(`no schema has the namespace "${namespace}"`);
      return schemaElement(draft, options.title, workshop, locations);
    },
  };
}

function namespacesOf({ documents, namespace, extra }: SchemaOptions): string[] {
  const own = documents.all.map((document) => documents.namespaceOf(document));
  // An element or attribute without a namespace is declared in place, whatever the schema's own.
  const foreign = documents.all.flatMap((document) => document.fields.flatMap((field) => field.namespace || []));
  const main = own.includes(namespace) ? [namespace] : [];
  return [...new Set([...main, ...own, ...(extra.length > 0 ? [''] : []), ...foreign])];
}

function schemaElement(
  draft: Draft,
  title: string,
  { drafts, prefixOf }: Workshop,
  locations: ReadonlyMap<string, string> | undefined,
): XmlElement {
  const others = [...drafts.keys()].filter((each) => each !== draft.namespace);
  const isEntrance = locations !== undefined && draft === drafts.values().next().value;
  const imported = isEntrance ? others : others.filter((each) => draft.imports.has(each));
  const named = [draft.namespace, ...imported].filter((each) => each !== '');
  const attributes: Record<string, string> = { 'xmlns:xs': XS };
  // Names without a namespace are written without a prefix, which holds only where no default namespace is in force.
  if (named.length <= imported.length) attributes.xmlns = '';
  for (const namespace of named) attributes[`xmlns:${prefixOf(namespace)}`] = namespace;
  if (draft.namespace !== '') attributes.targetNamespace = draft.namespace;
  attributes.elementFormDefault = 'qualified';
  const imports = imported.map((namespace) =>
    element('xs:import', { namespace: namespace || undefined, schemaLocation: locations?.get(namespace) }),
  );
  return element('xs:schema', attributes, [
    ...imports,
    annotation(title),
    ...draft.elements,
    ...draft.types,
    ...draft.groups,
  ]);
}

/** QName of a component of one schema as another one writes it. */
function refer(from: Draft, namespace: string, name: string, workshop: Workshop): string {
  if (namespace !== from.namespace) from.imports.add(namespace);
  const prefix = workshop.prefixOf(namespace);
  return prefix === undefined ? name : `${prefix}:${name}`;
}

function draftOf(document: Document, workshop: Workshop): Draft {
  return workshop.drafts.get(workshop.documents.namespaceOf(document)) as Draft;
}

function declareElement(document: Document, workshop: Workshop): void {
  const draft = draftOf(document, workshop);
  if (draft.elements.some((each) => each.attributes.name === document.xmlName)) return;
  const type = refer(draft, draft.namespace, workshop.typeNames(document), workshop);
  draft.elements.push(element('xs:element', { name: document.xmlName, type }, [annotation(document.description)]));
}

function declareType(document: Document, workshop: Workshop): void {
  const draft = draftOf(document, workshop);
  const elements = document.fields.filter((field) => !field.attribute);
  const particles = elements.map((field) => particle(field, document, draft, workshop));
  const attributes = document.fields.filter((field) => field.attribute);
  const content = document.open ? openContent(elements, particles, draft) : { particles, notes: [] };
  draft.types.push(
    element('xs:complexType', { name: workshop.typeNames(document) }, [
      annotation(document.description, content.notes),
      content.particles.length === 0 ? undefined : element('xs:sequence', {}, content.particles),
      ...attributes.map((field) => attribute(field, document, draft, workshop)),
    ]),
  );
}

/** An element in place, or a group in the schema of the namespace that the field names. */
function particle(field: Field, document: Document, draft: Draft, workshop: Workshop): XmlElement {
  const { namespace } = field;
  const context = (from: Draft, form?: 'unqualified') => ({
    form,
    typeName: (inner: Document) =>
      refer(from, workshop.documents.namespaceOf(inner), workshop.typeNames(inner), workshop),
  });
  if (namespace === undefined || namespace === draft.namespace) return fieldElement(field, context(draft));
  if (namespace === '') return fieldElement(field, context(draft, 'unqualified'));
  const home = workshop.drafts.get(namespace) as Draft;
  const name = `${workshop.typeNames(document)}.${ncName(field.name)}`;
  const content = fieldElement(field, context(home));
  home.groups.push(element('xs:group', { name }, [element('xs:sequence', {}, [content])]));
  return element('xs:group', { ref: refer(draft, namespace, name, workshop) });
}

/** Attributes have no namespace unless the field names one. */
function attribute(field: Field, document: Document, draft: Draft, workshop: Workshop): XmlElement {
  if (field.namespace === undefined || field.namespace === '') return fieldAttribute(field, undefined);
  const home = workshop.drafts.get(field.namespace) as Draft;
  const name = `${workshop.typeNames(document)}.${ncName(field.name)}`;
  home.groups.push(element('xs:attributeGroup', { name }, [fieldAttribute(field, 'qualified')]));
  return element('xs:attributeGroup', { ref: refer(draft, field.namespace, name, workshop) });
}

/**
 * The content of an open document: undeclared elements, which have no namespace, after the declared ones. Where a
 * declared element could be taken for an undeclared one (Unique Particle Attribution, XML Schema Part 1, 3.8.6), it and
 * what follows it are left to the wildcard and named in the documentation.
 */
function openContent(
  fields: readonly Field[],
  particles: readonly XmlElement[],
  draft: Draft,
): { readonly particles: readonly XmlElement[]; readonly notes: readonly string[] } {
  const any = (namespace: string): XmlElement =>
    element('xs:any', { namespace, processContents: 'lax', minOccurs: '0', maxOccurs: 'unbounded' });
  const once = (index: number): boolean => {
    const { minOccurs, maxOccurs } = particles[index]?.attributes ?? {};
    return fields[index]?.required === true && minOccurs === undefined && maxOccurs === undefined;
  };
  const clashes = fields.some((field, index) => (field.namespace ?? draft.namespace) === '' && !once(index));
  if (!clashes) return { particles: [...particles, any('##local')], notes: [] };
  const cut = fields.findIndex((_, index) => !once(index));
  const names = fields.slice(cut).map((field) => field.xmlName);
  return {
    particles: [...particles.slice(0, cut), any('##any')],
    notes: [`Declared among the elements that may follow: ${names.join(', ')}.`],
  };
}
