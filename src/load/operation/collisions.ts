import type { Position } from '../../model/definition.ts';
import { classNameOf, type Document, type ElementName, foldedName, namespaceOf } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { type ElementContent, isSameElement } from '../../model/same-element.ts';
import {
  type Message,
  type Operation,
  type OperationUri,
  type Service,
  serviceNamespace,
} from '../../model/service.ts';
import { bareMessages, bodyMessage, faultDocuments, headerFields, soapElements } from '../../model/soap.ts';
import { segmentsMayMeet, templatesOverlap } from '../../wire/uri-template/overlap.ts';
import { pathSegments, type Segment } from '../../wire/uri-template/segments.ts';
import type { UriTemplate } from '../../wire/uri-template/uri-template.ts';
import { once } from '../../wire/waiting.ts';
import { placeOf } from '../diagnostic/diagnostic.ts';
import { documentOf } from '../document/documents.ts';
import type { Linking } from '../linking.ts';

interface Entry {
  readonly operation: Operation;
  readonly uri: OperationUri;
  /** The first segment of the path, where it is seen without reading the template: most templates differ in it. */
  readonly first: string | undefined;
  readonly segments: () => readonly Segment[];
}

/** Refuses two templates of one method and service segment that could match the same request. */
export function checkOverlaps({ report }: Linking, services: Iterable<Service>): void {
  for (const entries of entriesBySegment(services)) {
    for (let i = 1; i < entries.length; i++) {
      const { operation, uri, first, segments } = entries[i] as Entry;
      for (let j = 0; j < i; j++) {
        const other = entries[j] as Entry;
        if (first !== undefined && other.first !== undefined && first !== other.first) continue;
        if (!segmentsMayMeet(segments(), other.segments()) || !overlap(uri, other.uri)) continue;
        const where = other.operation === operation ? 'the same operation' : other.operation.id;
        report.raise(
          'overlap',
          { template: uri.template.text, other: other.uri.template.text, where },
          placeOf(uri.at),
        );
      }
    }
  }
}

function overlap(a: OperationUri, b: OperationUri): boolean {
  const lists = new Set(
    [...a.variables, ...b.variables].filter(({ field }) => field.type.kind === 'list').map(({ field }) => field.name),
  );
  return templatesOverlap(a.template, b.template, ({ name }) => (lists.has(name) ? 'list' : 'string'));
}

/**
 * URIs with the same method and service segment: with the version, and without it when the default versions of several services
 * share a path name (several services may use the same alias).
 */
function entriesBySegment(services: Iterable<Service>): Entry[][] {
  const versioned = new Map<string, Entry[]>();
  const unversioned = new Map<string, { readonly versions: Set<string>; readonly entries: Entry[] }>();
  for (const service of services) {
    for (const operation of service.operations) {
      if (!operation.active) continue;
      const { method, pathName } = operation;
      if (method === undefined) continue;
      const entries = operation.uris.map((uri) => {
        const segments = once(() => pathSegments(uri.template));
        return { operation, uri, first: firstSegment(uri.template), segments };
      });
      const key = `${method} ${pathName}.${service.version}`;
      const same = versioned.get(key);
      if (same === undefined) versioned.set(key, entries);
      else same.push(...entries);
      if (!service.default) continue;
      const found = unversioned.get(`${method} ${pathName}`) ?? { versions: new Set(), entries: [] };
      found.versions.add(service.version);
      found.entries.push(...entries);
      unversioned.set(`${method} ${pathName}`, found);
    }
  }
  const mixed = [...unversioned.values()].filter(({ versions }) => versions.size > 1);
  return [...versioned.values(), ...mixed.map(({ entries }) => entries)];
}

/** The text before the first slash of a template; `undefined` where it has to be read to know it. */
function firstSegment({ parts: [part] }: UriTemplate): string | undefined {
  if (part?.kind !== 'literal') return undefined;
  const slash = part.text.indexOf('/');
  const first = slash < 0 ? '' : part.text.slice(0, slash);
  return /^[\w.-]+$/.test(first) ? first : undefined;
}

/** The element of a message, a header block or a document of a service, and its owner in words. */
interface Owner {
  /** `undefined` for content that is no document: that of a wrapper without fields, or with one value. */
  readonly content: ElementContent | undefined;
  readonly words: string;
  /** The element of a request has the name of its operation, so that it calls one operation alone. */
  readonly isCall: boolean;
}

/**
 * Refuses two elements of the same name in the namespace of a service, unless they are the same. SOAP names the elements of
 * request and reply after the operation; header blocks, documents that are messages over REST and faults have elements too. XML
 * Schema allows one declaration of each.
 * @param namespace of the gateway
 */
export function checkElementNames(linking: Linking, services: Iterable<Service>, namespace: string): void {
  for (const service of services) {
    const owners = new Elements(linking, serviceNamespace(service, namespace));
    const operations = service.operations.filter(({ active }) => active);
    for (const operation of operations) claimMessages(owners, operation, namespace);
    for (const operation of operations) claimBlocks(owners, operation);
    for (const operation of operations) checkDocuments(owners, operation);
  }
}

/** The global elements of a service. */
class Elements {
  /** The namespace of the service. */
  readonly namespace: string;
  readonly #linking: Linking;
  readonly #owners = new Map<string, Owner>();

  constructor(linking: Linking, namespace: string) {
    this.#linking = linking;
    this.namespace = namespace;
  }

  contentOf(document: Document | undefined): ElementContent | undefined {
    return document && { document, namespace: document.namespace ?? this.namespace };
  }

  claim(element: ElementName, owner: Owner, at: Position): void {
    const key = `{${element.namespace}}${element.name}`;
    const other = this.#owners.get(key);
    if (other === undefined) this.#owners.set(key, owner);
    else if ((owner.isCall && other.isCall) || !this.#isSame(owner, other))
      this.#linking.report.raise(
        'element-name',
        { name: element.name, first: other.words, second: owner.words },
        placeOf(at),
      );
    else if (owner.isCall) this.#owners.set(key, owner);
  }

  /** Refuses an element that another one has already, and is not the same. */
  check(element: ElementName, owner: Owner, at: Position): void {
    if (this.#owners.has(`{${element.namespace}}${element.name}`)) this.claim(element, owner, at);
  }

  #isSame({ content: one }: Owner, { content: other }: Owner): boolean {
    return one !== undefined && other !== undefined && isSameElement(one, other, this.namespace);
  }
}

function claimMessages(owners: Elements, operation: Operation, gatewayNamespace: string): void {
  const { id, soap, at } = operation;
  // The elements of rpc/literal are in no schema.
  if (soap === undefined || soap.style === 'rpc') return;
  const { request, reply } = soapElements({ ...operation, soap }, gatewayNamespace);
  const claim = (element: ElementName | undefined, message: Message, what: string): void => {
    const content = documentOf(bodyMessage(message));
    const isBare = bareMessages(soap).includes(message) && message.kind !== 'raw';
    // Without header blocks it is the element of the document, for which others may have it too.
    if (element === undefined || (isBare && content === documentOf(message))) return;
    const isCall = what === 'request' && !isBare;
    owners.claim(element, { content: owners.contentOf(content), words: `the ${what} of ${id}`, isCall }, at);
  };
  claim(request, soap.request, 'request');
  claim(reply, soap.response, 'reply');
}

/** Operations may share a header block, whose element has one type. */
function claimBlocks(owners: Elements, { id, soap }: Operation): void {
  for (const message of soap === undefined ? [] : [soap.request, soap.response]) {
    for (const field of headerFields(message)) {
      const { xmlName: name, namespace = documentOf(message)?.namespace ?? owners.namespace, at } = field;
      const words = `the header block ${field.name} of ${id}`;
      owners.claim(
        { name, namespace },
        { content: contentOfBlock(owners, field, namespace), words, isCall: false },
        at,
      );
    }
  }
}

/** The content of the element of a header block: its document, or a document with the value alone. */
function contentOfBlock(owners: Elements, field: Field, namespace: string): ElementContent | undefined {
  const { type, nullable } = field;
  if (type.kind === 'document' && !nullable && !field.inline) {
    const { document } = type;
    return { document, namespace: namespaceOf(document, namespace, owners.namespace) };
  }
  // That a block may be left out is not said by its element.
  return { document: valueDocument({ ...field, required: true }), namespace };
}

/** A document with one field, which has no other form than that field. */
function valueDocument(field: Field): Document {
  const { xmlName, at } = field;
  return { id: xmlName, xmlName, root: false, open: false, inPlace: true, bare: true, fields: [field], at };
}

function checkDocuments(owners: Elements, operation: Operation): void {
  const { id, at } = operation;
  for (const document of messagesOf(operation)) {
    const { xmlName: name, namespace = owners.namespace } = document;
    const words = `the document ${document.id} of ${id}`;
    owners.check({ name, namespace }, { content: owners.contentOf(document), words, isCall: false }, at);
  }
}

/** JAXB's name for the undeclared fields of an open document. */
const UNDECLARED = 'any';

/**
 * Warns of XML names that generated code can't distinguish: of fields of one document, and of the global elements of a service.
 * Derived names of contracts avoid this; the names here are those in messages, which can't change.
 * @param namespace of the gateway
 */
export function checkCodeNames(linking: Linking, services: Iterable<Service>, namespace: string): void {
  const seen = new Set<Document>();
  for (const service of services) {
    const elements = names(linking, classNameOf);
    const own = serviceNamespace(service, namespace);
    for (const operation of service.operations) {
      const { soap, at } = operation;
      for (const element of soap === undefined ? [] : Object.values(soapElements({ ...operation, soap }, namespace)))
        if (element !== undefined) elements(element.namespace, element.name, at);
      for (const document of messagesOf(operation)) {
        elements(namespaceOf(document, own, own), document.xmlName, at);
        checkFields(linking, document, seen);
      }
      for (const document of soapMessagesOf(operation)) checkFields(linking, document, seen);
    }
  }
}

/** Takes names in turn and warns of one that equals another of its scope in code. */
function names(
  { report }: Linking,
  form: (name: string) => string,
): (scope: string, name: string, at: Position, words?: string) => void {
  const taken = new Map<string, string>();
  return (scope, name, at, words = name) => {
    const key = `${form(name)} ${scope}`;
    const other = taken.get(key);
    if (other === undefined) taken.set(key, words);
    else if (other !== words) report.raise('code-name', { name: words, other }, placeOf(at));
  };
}

function checkFields(linking: Linking, document: Document, seen: Set<Document>): void {
  if (seen.has(document)) return;
  seen.add(document);
  const fields = names(linking, foldedName);
  if (document.open) fields('', UNDECLARED, document.at, 'the undeclared fields');
  for (const field of document.fields) {
    // A field with the name of the element that empties fields is an error of its own (`clear-name`).
    if (field === document.patch?.clear) continue;
    if (field.any === undefined) fields('', field.xmlName, field.at, wordsOf(field));
    else if (!field.attribute) fields('', UNDECLARED, field.at, 'the elements of any name');
    const type = singleType(field.type);
    if (type.kind === 'document') checkFields(linking, type.document, seen);
  }
}

function wordsOf({ xmlName, attribute, namespace }: Field): string {
  if (attribute) return `the attribute ${xmlName}`;
  return namespace === undefined || namespace === '' ? xmlName : `${xmlName} of the namespace ${namespace}`;
}

/** The documents with elements of their own. */
function messagesOf(operation: Operation): Document[] {
  const { method, request, responses, soap } = operation;
  const overRest = method === undefined ? [] : [request, ...responses.map(({ message }) => message)];
  const bare = soap === undefined ? [] : bareMessages(soap).map(bodyMessage);
  return [...[...overRest, ...bare].map(documentOf), ...faultDocuments(operation)].filter(
    (document) => document !== undefined,
  );
}

/** The documents whose fields are in a wrapper element. */
function soapMessagesOf({ soap }: Operation): Document[] {
  return [soap?.request, soap?.response].map(documentOf).filter((document) => document !== undefined);
}
