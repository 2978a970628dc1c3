import type { Document } from '../model/document.ts';
import type { Field } from '../model/field.ts';
import type { Registry } from '../model/registry.ts';
import type { Message, Operation, Service } from '../model/service.ts';
import { entryType } from './entry.ts';

/** What a contract covers: a service, or those of its operations that answer under one path name. */
export interface Scope {
  readonly service: Service;
  /** Active ones only: an inactive operation answers 404. */
  readonly operations: readonly Operation[];
  /** First segment of the paths, and name of the contract's files: `Locations.v1`, `ExecuteQuery.v1`. */
  readonly name: string;
  /** XML namespace of the service: `<gateway.namespace>:<Service>.<version>`. */
  readonly namespace: string;
  readonly documents: DocumentSet;
}

/** The documents of a scope, each once, before those that it holds. */
export interface DocumentSet {
  readonly all: readonly Document[];
  /** Those that are a message of their own, not only part of one. */
  readonly roots: ReadonlySet<Document>;
  /** XML namespace of a document's elements; empty for none. */
  namespaceOf(document: Document): string;
}

/**
 * Narrows a service down to what a contract covers.
 * @throws RangeError where `pathName` is no path name of the service
 */
export function scopeOf(registry: Registry, service: Service, pathName?: string): Scope {
  if (pathName !== undefined && !service.operations.some((operation) => operation.pathName === pathName)) {
    throw new RangeError(`${service.id} has no operation under the path name ${pathName}`);
  }
  const operations = service.operations.filter(
    (operation) => operation.active && (pathName === undefined || operation.pathName === pathName),
  );
  const namespace = `${registry.gateway.namespace}:${service.id}`;
  return {
    service,
    operations,
    name: pathName === undefined ? service.id : `${pathName}.${service.version}`,
    namespace,
    documents: documentsOf(operations, namespace),
  };
}

function documentsOf(operations: readonly Operation[], serviceNamespace: string): DocumentSet {
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
  for (const document of operations.flatMap(rootsOf)) {
    roots.add(document);
    visit(document, serviceNamespace);
  }
  return {
    all: [...namespaces.keys()],
    roots,
    namespaceOf: (document) => namespaces.get(document) ?? document.namespace ?? serviceNamespace,
  };
}

/** The documents that travel as messages of an operation: its request's, its replies', its faults'. */
export function rootsOf(operation: Operation): Document[] {
  const messages: Message[] = [operation.request, ...operation.responses.map((response) => response.message)];
  const documents = messages.flatMap((message) => (message.kind === 'document' ? [message.document] : []));
  return operation.fault === undefined ? documents : [...documents, operation.fault];
}

/** The document that a field holds, one or a list of them. */
function documentOf(field: Field): Document | undefined {
  const type = entryType(field);
  return type.kind === 'document' ? type.document : undefined;
}
