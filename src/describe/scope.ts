import { type Document, namespaceOf } from '../model/document.ts';
import { type Field, singleType } from '../model/field.ts';
import type { Gateway } from '../model/gateway.ts';
import type { Registry } from '../model/registry.ts';
import {
  type Message,
  type Method,
  type Operation,
  type OperationUri,
  type Service,
  type SoapForm,
  serviceNamespace,
} from '../model/service.ts';
import { attachmentFields, bareMessages, bodyMessage, faultDocuments, headerFields, isVoid } from '../model/soap.ts';
import { uriNames } from './names.ts';

/** An operation that is called over REST. */
export type RestOperation = Operation & { readonly method: Method };

/** An operation that is called over SOAP. Its form is that of the Body; header blocks and attachments are apart. */
export interface SoapOperation extends Operation {
  readonly soap: SoapForm;
  readonly attachments: { readonly request: readonly Field[]; readonly reply: readonly Field[] };
  readonly blocks: { readonly request: readonly HeaderBlock[]; readonly reply: readonly HeaderBlock[] };
}

/** A field that is a header block, with the document that declares it. */
export interface HeaderBlock {
  readonly field: Field;
  readonly document: Document;
}

/** A kind of contract. */
export type ContractForm = 'wadl' | 'openapi' | 'wsdl' | 'xsd';

export const CONTRACT_EXTENSIONS: Readonly<Record<ContractForm, string>> = {
  wadl: '.wadl',
  openapi: '.openapi.json',
  wsdl: '.wsdl',
  xsd: '.xsd',
};

/** The subject of a contract: a service, or its operations with one path name. */
export interface Subject {
  readonly service: Service;
  readonly pathName?: string | undefined;
}

/** What contracts of every form are written from. */
export interface Scope {
  readonly gateway: Gateway;
  readonly service: Service;
  readonly rest: readonly RestOperation[];
  /** An operation may be in both lists. Empty in a contract for REST only. */
  readonly soap: readonly SoapOperation[];
  /** See {@link segmentOf}. */
  readonly name: string;
  /** XML namespace of the service: `<gateway.namespace>:<Service>.<version>`. */
  readonly namespace: string;
  readonly documents: DocumentSet;
  /** The identifier of an operation at one of its URIs: `LOCATIONS_GET`, `LOCATIONS_GET_2`. */
  readonly nameOf: (uri: OperationUri) => string;
}

/** The active operations of a subject. Inactive ones answer 404. */
export function activeOperations({ service, pathName }: Subject): readonly Operation[] {
  return service.operations.filter((each) => each.active && (pathName === undefined || each.pathName === pathName));
}

/** The forms of contract that a subject has; forms that would be empty are left out. */
export function contractForms(service: Service, pathName?: string): readonly ContractForm[] {
  const operations = activeOperations({ service, pathName });
  const some = (test: (operation: Operation) => boolean, ...forms: ContractForm[]): ContractForm[] =>
    operations.some(test) ? forms : [];
  return [...some(isRest, 'wadl', 'openapi'), ...some(isSoap, 'wsdl'), ...some(() => true, 'xsd')];
}

/** @throws RangeError when no operation of the service has the path name */
export function scopeOf({ gateway }: Registry, subject: Subject): Scope {
  const operations = activeOperations(subject);
  return buildScope(gateway, subject, { rest: operations.filter(isRest), soap: operations.flatMap(soapOperations) });
}

/** {@link scopeOf} without operations over SOAP, for the contracts of REST. */
export function restScopeOf({ gateway }: Registry, subject: Subject): Scope {
  return buildScope(gateway, subject, { rest: activeOperations(subject).filter(isRest), soap: [] });
}

function buildScope(gateway: Gateway, subject: Subject, parts: Pick<Scope, 'rest' | 'soap'>): Scope {
  const { service, pathName } = subject;
  if (pathName !== undefined && !service.operations.some((each) => each.pathName === pathName))
    throw new RangeError(`${service.id} has no operation under the path name ${pathName}`);
  const namespace = serviceNamespace(service, gateway.namespace);
  return {
    ...parts,
    gateway,
    service,
    name: segmentOf(subject),
    namespace,
    documents: documentsOf(parts, namespace),
    // Allocated for the whole service, so that an operation has the same name in all contracts.
    nameOf: uriNames(service.operations),
  };
}

/** The first segment of the paths of a subject or operation, and the name of its contracts: `Locations.v1`. */
export function segmentOf({ service, pathName }: Subject): string {
  return pathName === undefined ? service.id : `${pathName}.${service.version}`;
}

function isRest(operation: Operation): operation is RestOperation {
  return operation.method !== undefined;
}

function isSoap({ soap }: Operation): boolean {
  return soap !== undefined;
}

/** The operation as it is called over SOAP; none if it is not. */
export function soapOperations(operation: Operation): SoapOperation[] {
  const { soap } = operation;
  if (soap === undefined) return [];
  const { request, response } = soap;
  return [
    {
      ...operation,
      soap: { ...soap, request: bodyMessage(request), response: bodyMessage(response) },
      blocks: { request: blocksOf(request), reply: blocksOf(response) },
      attachments: { request: attachmentFields(request), reply: attachmentFields(response) },
    },
  ];
}

function blocksOf(message: Message): HeaderBlock[] {
  return message.kind === 'document'
    ? headerFields(message).map((field) => ({ field, document: message.document }))
    : [];
}

/** The documents of operations, each once and before the documents in its fields. */
export interface DocumentSet {
  readonly all: readonly Document[];
  /** Documents that are messages themselves, not only part of one or the type of a SOAP wrapper. */
  readonly roots: ReadonlySet<Document>;
  /** Documents that have an element of their own somewhere; others are always inline. */
  readonly typed: ReadonlySet<Document>;
  /** XML namespace of a document's elements; empty for none. */
  namespaceOf(document: Document): string;
}

/** Operations over REST and over SOAP; one may be in both lists. */
interface Called {
  readonly rest: readonly Operation[];
  readonly soap: readonly SoapOperation[];
}

export function documentsOf({ rest, soap }: Called, serviceNamespace: string): DocumentSet {
  const namespaces = new Map<Document, string>();
  const roots = new Set<Document>();
  const typed = new Set<Document>();
  const expected = new Set<Document>();
  const include = (document: Document, around: string): void => {
    if (namespaces.has(document)) return;
    const namespace = namespaceOf(document, around, serviceNamespace);
    namespaces.set(document, namespace);
    visitFields(document, namespace);
  };
  /** A document with its base. What else derives from its base is not expected here. */
  const includeType = (document: Document, around: string): void => {
    if (typed.has(document)) return;
    typed.add(document);
    include(document, around);
    const base = document.derivation?.base;
    if (base !== undefined) includeType(base, namespaces.get(document) ?? around);
  };
  const visit = (document: Document, around: string): void => {
    if (expected.has(document)) return;
    expected.add(document);
    for (const each of [document, ...(document.kinds?.derived ?? [])]) includeType(each, around);
  };
  const visitFields = ({ fields }: Pick<Document, 'fields'>, namespace: string): void => {
    for (const field of fields) {
      const type = singleType(field.type);
      if (type.kind !== 'document') continue;
      if (field.inline) include(type.document, namespace);
      else visit(type.document, namespace);
    }
  };
  const inBody = inMessages(soap.flatMap(({ soap: form }) => bareMessages(form))).filter((each) => !isVoid(each));
  for (const document of [...rest.flatMap(rootsOf), ...inBody, ...soap.flatMap(faultDocuments)]) {
    roots.add(document);
    visit(document, serviceNamespace);
  }
  for (const { soap: form } of soap) {
    const all = inMessages([form.request, form.response]);
    const documents = form.style === 'bare' ? all.filter((each) => !isVoid(each)) : all;
    for (const document of documents)
      if (form.style === 'rpc') visitFields(document, namespaceOf(document, serviceNamespace, serviceNamespace));
      else visit(document, serviceNamespace);
  }
  for (const { blocks } of soap) {
    for (const { field, document } of [...blocks.request, ...blocks.reply])
      visitFields({ fields: [field] }, namespaceOf(document, serviceNamespace, serviceNamespace));
  }
  return {
    all: [...namespaces.keys()],
    roots,
    typed,
    namespaceOf: (document) => namespaces.get(document) ?? document.namespace ?? serviceNamespace,
  };
}

/** The documents of an operation's request, replies and faults. */
export function rootsOf({ request, responses, fault, answer }: Operation): Document[] {
  const forms =
    answer.kind === 'queue' && answer.replyTo !== undefined ? [...responses, answer.replyTo.form] : responses;
  const documents = inMessages([request, ...forms.map(({ message }) => message)]);
  return fault === undefined ? documents : [...documents, fault];
}

function inMessages(messages: readonly Message[]): Document[] {
  return messages.flatMap((message) => (message.kind === 'document' ? [message.document] : []));
}
