import type { Document } from '../model/document.ts';
import type { Field } from '../model/field.ts';
import { serviceNamespace } from '../model/namespace.ts';
import type { CallLimits } from '../model/rate.ts';
import type { Registry } from '../model/registry.ts';
import type { Message, Method, Operation, Service, SoapForm } from '../model/service.ts';
import { entryType } from './entry.ts';

/** An operation that is called over REST. */
export type RestOperation = Operation & { readonly method: Method };

/** An operation that is called over SOAP. */
export type SoapOperation = Operation & { readonly soap: SoapForm };

/** What a contract covers: a service, or those of its operations that answer under one path name. */
export interface Scope {
  readonly service: Service;
  /** Over REST. Active ones only: an inactive operation answers 404. */
  readonly operations: readonly RestOperation[];
  /** Over SOAP, active ones only; the same operation may be among both. None in a contract of REST alone. */
  readonly soap: readonly SoapOperation[];
  /** First segment of the paths, and name of the contract's files: `Locations.v1`, `ExecuteQuery.v1`. */
  readonly name: string;
  /** XML namespace of the service: `<gateway.namespace>:<Service>.<version>`. */
  readonly namespace: string;
  readonly documents: DocumentSet;
  /** Those of the gateway, which operations without their own have. */
  readonly limits: CallLimits;
}

/** The documents of a scope, each once, before those that it holds. */
export interface DocumentSet {
  readonly all: readonly Document[];
  /** Those that are a message of their own, not only part of one or the type of a SOAP wrapper. */
  readonly roots: ReadonlySet<Document>;
  /** XML namespace of a document's elements; empty for none. */
  namespaceOf(document: Document): string;
}

/**
 * Narrows a service down to what a contract covers.
 * @throws RangeError where `pathName` is no path name of the service
 */
export function scopeOf(registry: Registry, service: Service, pathName?: string): Scope {
  const all = operationsUnder(service, pathName);
  return buildScope(registry, service, pathName, { operations: all.filter(isRest), soap: all.filter(isSoap) });
}

/** {@link scopeOf} without what a service does over SOAP: for the contracts of REST. */
export function restScopeOf(registry: Registry, service: Service, pathName?: string): Scope {
  const operations = operationsUnder(service, pathName).filter(isRest);
  return buildScope(registry, service, pathName, { operations, soap: [] });
}

export function isRest(operation: Operation): operation is RestOperation {
  return operation.method !== undefined;
}

export function isSoap(operation: Operation): operation is SoapOperation {
  return operation.soap !== undefined;
}

function operationsUnder(service: Service, pathName: string | undefined): readonly Operation[] {
  if (pathName !== undefined && !service.operations.some((operation) => operation.pathName === pathName)) {
    throw new RangeError(`${service.id} has no operation under the path name ${pathName}`);
  }
  return service.operations.filter(
    (operation) => operation.active && (pathName === undefined || operation.pathName === pathName),
  );
}

function buildScope(
  registry: Registry,
  service: Service,
  pathName: string | undefined,
  parts: Pick<Scope, 'operations' | 'soap'>,
): Scope {
  const namespace = namespaceOfService(registry, service);
  return {
    ...parts,
    service,
    name: pathName === undefined ? service.id : `${pathName}.${service.version}`,
    namespace,
    documents: documentsOf(parts, namespace),
    limits: registry.gateway.limits,
  };
}

/** The namespace of a service's documents, and of its elements and WSDL over SOAP. */
export function namespaceOfService({ gateway }: Registry, service: Service): string {
  return serviceNamespace(service, gateway.namespace);
}

/** The documents of operations, of those over REST and those over SOAP. */
export function documentsOf(
  { operations, soap }: Pick<Scope, 'operations' | 'soap'>,
  serviceNamespace: string,
): DocumentSet {
  const namespaces = new Map<Document, string>();
  const roots = new Set<Document>();
  const visit = (document: Document, around: string): void => {
    if (namespaces.has(document)) return;
    const namespace = document.namespace ?? (document.inPlace ? around : serviceNamespace);
    namespaces.set(document, namespace);
    for (const field of document.fields) {
      const inner = documentOf(field);
      if (inner !== undefined) visit(inner, namespace);
    }
  };
  for (const document of [...operations.flatMap(rootsOf), ...soap.flatMap(({ fault }) => fault ?? [])]) {
    roots.add(document);
    visit(document, serviceNamespace);
  }
  for (const { soap: form } of soap) {
    for (const document of inMessages([form.request, form.response])) visit(document, serviceNamespace);
  }
  return {
    all: [...namespaces.keys()],
    roots,
    namespaceOf: (document) => namespaces.get(document) ?? document.namespace ?? serviceNamespace,
  };
}

/** The documents that travel as messages of an operation: its request's, its replies', its faults'. */
export function rootsOf({ request, responses, fault }: Operation): Document[] {
  const documents = inMessages([request, ...responses.map((response) => response.message)]);
  return fault === undefined ? documents : [...documents, fault];
}

function inMessages(messages: readonly Message[]): Document[] {
  return messages.flatMap((message) => (message.kind === 'document' ? [message.document] : []));
}

/** The document that a field holds, one or a list of them. */
function documentOf(field: Field): Document | undefined {
  const type = entryType(field);
  return type.kind === 'document' ? type.document : undefined;
}
