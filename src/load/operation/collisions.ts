import type { Position } from '../../model/definition.ts';
import { classNameOf, type Document, type ElementName, foldedName, namespaceOf } from '../../model/document.ts';
import { type Field, singleType, typeWords } from '../../model/field.ts';
import {
  type Message,
  type Operation,
  type OperationUri,
  type Service,
  serviceNamespace,
} from '../../model/service.ts';
import { bareMessages, bodyMessage, faultDocuments, headerFields, soapElements } from '../../model/soap.ts';
import { pathSegments, type Segment, segmentsMayMeet, templatesOverlap } from '../../wire/uri-template/specificity.ts';
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

/** The content of an element of a service's namespace, and its owner in words. */
interface Owner {
  readonly content: Document | undefined;
  readonly words: string;
}

/**
 * Refuses two elements of the same name in the namespace of a service. SOAP names the elements of request and reply after the
 * operation; documents that are messages over REST or faults have elements too. XML Schema allows one declaration of each.
 * @param namespace of the gateway
 */
export function checkElementNames(linking: Linking, services: Iterable<Service>, namespace: string): void {
  for (const service of services) {
    const owners = new Map<string, Owner>();
    for (const operation of service.operations) claimSoapNames(linking, operation, owners, namespace);
    const blocks = new Map<string, Field>();
    for (const operation of service.operations)
      checkBlocks(linking, operation, owners, blocks, serviceNamespace(service, namespace));
    for (const operation of service.operations)
      checkDocuments(linking, operation, owners, serviceNamespace(service, namespace));
  }
}

function claimSoapNames(
  { report }: Linking,
  operation: Operation,
  owners: Map<string, Owner>,
  gatewayNamespace: string,
): void {
  const { id, soap, at } = operation;
  // The elements of rpc/literal are in no schema.
  if (soap === undefined || soap.style === 'rpc') return;
  const { request, reply } = soapElements({ ...operation, soap }, gatewayNamespace);
  const claim = (element: ElementName | undefined, message: Message, what: string): void => {
    const content = documentOf(bodyMessage(message));
    const isBare = bareMessages(soap).includes(message) && message.kind !== 'raw';
    // Without header blocks it is the element of the document, for which others may have it too.
    if (element === undefined || (isBare && content === documentOf(message))) return;
    const key = keyOf(element);
    const words = `the ${what} of ${id}`;
    const other = owners.get(key);
    if (other === undefined) owners.set(key, { content, words });
    else if ((what === 'request' && !isBare) || !isSameContent(other.content, content))
      report.raise('element-name', { name: element.name, first: other.words, second: words }, placeOf(at));
  };
  claim(request, soap.request, 'request');
  claim(reply, soap.response, 'reply');
}

/** Whether one type describes both: messages that differ in what is beside the Body are documents of their own. */
function isSameContent(one: Document | undefined, other: Document | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one === other || (one.derivation === undefined && formOf(one) === formOf(other));
}

/** The form of a document; those inside it have the same form only if they are the same. */
function formOf({ choice, open, derivation, fields }: Document): string {
  return JSON.stringify(
    { choice: choice?.named, isChoice: choice !== undefined, open, derived: derivation?.base.id, fields },
    (key, value) => {
      if (key === 'at' || key === 'description') return undefined;
      return key === 'document' ? (value as Document).id : value;
    },
  );
}

const keyOf = ({ name, namespace }: ElementName): string => `{${namespace}}${name}`;

/** Operations may share a header block, whose element has one type. */
function checkBlocks(
  { report }: Linking,
  { id, soap }: Operation,
  owners: ReadonlyMap<string, Owner>,
  blocks: Map<string, Field>,
  serviceNamespace: string,
): void {
  for (const message of soap === undefined ? [] : [soap.request, soap.response]) {
    for (const field of headerFields(message)) {
      const { xmlName: name, namespace = documentOf(message)?.namespace ?? serviceNamespace, at } = field;
      const second = `the header block ${field.name} of ${id}`;
      const key = keyOf({ name, namespace });
      const other = blocks.get(key) ?? field;
      blocks.set(key, other);
      const owner = owners.get(key);
      const first = owner?.words ?? `a header block of the type ${typeWords(other.type)}`;
      if (owner !== undefined || typeWords(other.type) !== typeWords(field.type))
        report.raise('element-name', { name, first, second }, placeOf(at));
    }
  }
}

function checkDocuments(
  { report }: Linking,
  operation: Operation,
  owners: ReadonlyMap<string, Owner>,
  serviceNamespace: string,
): void {
  const { id, at } = operation;
  for (const document of messagesOf(operation)) {
    const { xmlName: name, namespace = serviceNamespace } = document;
    const owner = owners.get(keyOf({ name, namespace }));
    if (owner === undefined || isSameContent(owner.content, document)) continue;
    const second = `the document ${document.id} of ${id}`;
    report.raise('element-name', { name, first: owner.words, second }, placeOf(at));
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
