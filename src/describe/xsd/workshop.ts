import { classNameOf, type Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { SimpleType as NamedType } from '../../model/simple-type.ts';
import type { XmlElement } from '../../wire/xml/build.ts';
import type { DocumentSet, HeaderBlock } from '../scope.ts';
import type { SharedType } from './types.ts';
import type { Wrapper } from './wrappers.ts';

/** The contents of a set of schemas. */
export interface SchemaOptions {
  readonly documents: DocumentSet;
  /** The namespace of the service; its schema is the main one. */
  readonly namespace: string;
  /** Whether the service has operations over SOAP. */
  readonly soap: boolean;
  /** Elements of the service's namespace around SOAP messages. */
  readonly wrappers: readonly Wrapper[];
  /** Fields that are header blocks: each has a global element. */
  readonly blocks: readonly HeaderBlock[];
  /** Messages of rpc/literal, whose fields are parts with types. */
  readonly parts: readonly Document[];
  /** Documentation at the head of each schema. */
  readonly title: string;
  /** Elements other than those of the documents, declared in the schema without a namespace. */
  readonly extra: readonly XmlElement[];
  /** Names of the classes for parts outside of the schemas: port types, services and faults. */
  readonly classNames: readonly string[];
  /** Simple types that fields share, in the service's namespace. */
  readonly shared: readonly SharedType[];
  /** Fields outside of documents that refer to types: parameters of a WADL. */
  readonly parameters: readonly Field[];
}

/** The contents of one `xs:schema`. */
export interface Draft {
  readonly namespace: string;
  /** Namespaces that it refers to. */
  readonly imports: Set<string>;
  readonly elements: GlobalElements;
  readonly types: XmlElement[];
  readonly groups: XmlElement[];
}

/** The global elements of one `xs:schema`, of which a large contract has thousands. */
export class GlobalElements {
  readonly #all: XmlElement[] = [];
  readonly #names = new Set<string>();
  readonly #classNames = new Set<string>();

  get all(): readonly XmlElement[] {
    return this.#all;
  }

  add(element: XmlElement): void {
    const { name = '' } = element.attributes;
    this.#all.push(element);
    this.#names.add(name);
    this.#classNames.add(classNameOf(name));
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Whether one has a name that is the same in generated code. */
  hasLike(name: string): boolean {
    return this.#classNames.has(classNameOf(name));
  }
}

/** The context of declarations. */
export interface Workshop {
  readonly options: SchemaOptions;
  readonly drafts: ReadonlyMap<string, Draft>;
  readonly typeNames: (document: Document) => string;
  readonly giveName: (wanted: string) => string;
  /** Names of the simple types that fields share with others. */
  readonly sharedNames: ReadonlyMap<Field, string>;
  readonly prefixOf: (namespace: string) => string | undefined;
  /** Named simple types of fields that others restrict. */
  readonly valueTypes: Map<Field, ValueType>;
  /** The named types of the definitions, as they are declared. */
  readonly namedTypes: ReadonlyMap<NamedType, ValueType>;
}

/** A global simple type. */
export interface ValueType {
  /** The namespace of the schema that declares it. */
  readonly namespace: string;
  readonly name: string;
  /** What it is, as a type in place. */
  readonly content: XmlElement;
}

/** The namespace of the schema with a named type of the definitions. */
export function homeOfType({ namespace: own }: NamedType, { namespace, soap }: SchemaOptions): string {
  return own === undefined || (own === '' && soap) ? namespace : own;
}

/**
 * The namespace of the schema with a document's type, which is usually its own. Every schema in a WSDL must have a namespace
 * (WS-I Basic Profile 1.1, R2105), so in a service with SOAP operations a type without one is in the namespace of the service,
 * with unqualified elements.
 */
export function homeOf(document: Document, { documents, namespace, soap }: SchemaOptions): string {
  const own = documents.namespaceOf(document);
  return own === '' && soap ? namespace : own;
}

/** The QName of a component, as a schema refers to it. */
export function refer(from: Draft, namespace: string, name: string, workshop: Workshop): string {
  if (namespace !== from.namespace) from.imports.add(namespace);
  return qualifiedName(namespace, name, workshop.prefixOf);
}

/** A name with the prefix of its namespace. */
export function qualifiedName(
  namespace: string,
  name: string,
  prefixOf: (namespace: string) => string | undefined,
): string {
  const prefix = prefixOf(namespace);
  return prefix === undefined ? name : `${prefix}:${name}`;
}

/** The QName of a document's type, as a schema refers to it. */
export function referType(from: Draft, document: Document, workshop: Workshop): string {
  return refer(from, homeOf(document, workshop.options), workshop.typeNames(document), workshop);
}
