import type { Position } from '../../model/definition.ts';
import { classNameOf, type Document, foldedName, namespaceOf } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import {
  type Message,
  type Operation,
  type OperationUri,
  type Service,
  serviceNamespace,
} from '../../model/service.ts';
import { pathSegments, type Segment, segmentsMayMeet, templatesOverlap } from '../../wire/uri-template/specificity.ts';
import { placeOf } from '../diagnostic/diagnostic.ts';
import { documentOf } from '../document/documents.ts';
import type { Linking } from '../linking.ts';

interface Entry {
  readonly operation: Operation;
  readonly uri: OperationUri;
  readonly segments: readonly Segment[];
}

/** Refuses two templates of one method, below the same service segment, between which a request could not decide. */
export function checkOverlaps({ report }: Linking, services: Iterable<Service>): void {
  for (const entries of entriesBySegment(services)) {
    for (let i = 1; i < entries.length; i++) {
      const { operation, uri, segments } = entries[i] as Entry;
      for (let j = 0; j < i; j++) {
        const other = entries[j] as Entry;
        if (!segmentsMayMeet(segments, other.segments) || !overlap(uri, other.uri)) continue;
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
 * URIs that share a method and a service segment: with its version, and without where versions of several services are
 * defaults of one path name (an alias may be used by more than one service).
 */
function entriesBySegment(services: Iterable<Service>): Entry[][] {
  const versioned = new Map<string, Entry[]>();
  const unversioned = new Map<string, { readonly versions: Set<string>; readonly entries: Entry[] }>();
  for (const service of services) {
    for (const operation of service.operations) {
      if (!operation.active) continue;
      const { method, pathName } = operation;
      if (method === undefined) continue;
      const entries = operation.uris.map((uri) => ({ operation, uri, segments: pathSegments(uri.template) }));
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

/** What an element of a service's namespace holds, and whose it is. */
interface Owner {
  readonly content: Document | undefined;
  readonly words: string;
}

/**
 * Refuses two elements of one name in a service's namespace: SOAP names the elements of request and reply after the
 * operation, and documents that travel by themselves, over REST or in the detail of a fault, have elements too. XML Schema
 * knows an element of a namespace once.
 * @param namespace of the gateway
 */
export function checkElementNames(linking: Linking, services: Iterable<Service>, namespace: string): void {
  for (const service of services) {
    const owners = new Map<string, Owner>();
    for (const operation of service.operations) claimSoapNames(linking, operation, owners);
    for (const operation of service.operations)
      checkDocuments(linking, operation, owners, serviceNamespace(service, namespace));
  }
}

function claimSoapNames({ report }: Linking, { id, soap, at }: Operation, owners: Map<string, Owner>): void {
  if (soap === undefined) return;
  const claim = (name: string, message: Message, what: string): void => {
    const words = `the ${what} of ${id}`;
    const other = owners.get(name);
    if (other === undefined) owners.set(name, { content: documentOf(message), words });
    else report.raise('element-name', { name, first: other.words, second: words }, placeOf(at));
  };
  claim(soap.name, soap.request, 'request');
  if (soap.response.kind !== 'none') claim(`${soap.name}Response`, soap.response, 'reply');
}

function checkDocuments(
  { report }: Linking,
  { id, method, request, responses, fault, at }: Operation,
  owners: ReadonlyMap<string, Owner>,
  serviceNamespace: string,
): void {
  const overRest = method === undefined ? [] : [request, ...responses.map(({ message }) => message)];
  for (const document of [...overRest.map(documentOf), fault]) {
    if (document === undefined || (document.namespace ?? serviceNamespace) !== serviceNamespace) continue;
    const owner = owners.get(document.xmlName);
    if (owner === undefined || owner.content === document) continue;
    const second = `the document ${document.id} of ${id}`;
    report.raise('element-name', { name: document.xmlName, first: owner.words, second }, placeOf(at));
  }
}

/** JAXB's name for what an open document holds beside its fields. */
const UNDECLARED = 'any';

/**
 * Warns of names in XML that generated code can't tell apart: of fields of one document, and of the global elements of a
 * service. Names that contracts make up are chosen so that this can't happen; these are the wire's, and stay as they are.
 * @param namespace of the gateway
 */
export function checkCodeNames(linking: Linking, services: Iterable<Service>, namespace: string): void {
  const seen = new Set<Document>();
  for (const service of services) {
    const elements = names(linking, classNameOf);
    const own = serviceNamespace(service, namespace);
    for (const operation of service.operations) {
      const { soap, at } = operation;
      if (soap !== undefined) elements(own, soap.name, at);
      if (soap !== undefined && soap.response.kind !== 'none') elements(own, `${soap.name}Response`, at);
      for (const document of messagesOf(operation)) elements(namespaceOf(document, own, own), document.xmlName, at);
      for (const document of [...messagesOf(operation), ...soapMessagesOf(operation)])
        checkFields(linking, document, seen);
    }
  }
}

/** Takes names one after the other, and warns of one that is the same in code as another of its scope. */
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
  if (document.open) fields('', UNDECLARED, document.at, 'what is not declared');
  for (const field of document.fields) {
    // What is called like the element that empties fields is an error of its own (`clear-name`).
    if (field === document.patch?.clear) continue;
    fields('', field.xmlName, field.at, wordsOf(field));
    const type = singleType(field.type);
    if (type.kind === 'document') checkFields(linking, type.document, seen);
  }
}

function wordsOf({ xmlName, attribute, namespace }: Field): string {
  if (attribute) return `the attribute ${xmlName}`;
  return namespace === undefined ? xmlName : `${xmlName} of the namespace ${namespace}`;
}

/** The documents that have elements of their own. */
function messagesOf({ method, request, responses, fault }: Operation): Document[] {
  const overRest = method === undefined ? [] : [request, ...responses.map(({ message }) => message)];
  return [...overRest.map(documentOf), fault].filter((document) => document !== undefined);
}

/** Those whose fields are inside a wrapper. */
function soapMessagesOf({ soap }: Operation): Document[] {
  return [soap?.request, soap?.response].map(documentOf).filter((document) => document !== undefined);
}
