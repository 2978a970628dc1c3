import { type Document, namespaceOf } from '../model/document.ts';
import { singleType } from '../model/field.ts';
import type { Message, Operation, SoapForm } from '../model/service.ts';

/** The documents of operations, each once, before those that it holds. */
export interface DocumentSet {
  readonly all: readonly Document[];
  /** Those that are a message of their own, not only part of one or the type of a SOAP wrapper. */
  readonly roots: ReadonlySet<Document>;
  /** XML namespace of a document's elements; empty for none. */
  namespaceOf(document: Document): string;
}

/** Operations by the ways in which they are called; one may be among both. */
interface Called {
  readonly rest: readonly Operation[];
  readonly soap: readonly (Operation & { readonly soap: SoapForm })[];
}

/** The documents of operations, of those over REST and those over SOAP. */
export function documentsOf({ rest, soap }: Called, serviceNamespace: string): DocumentSet {
  const namespaces = new Map<Document, string>();
  const roots = new Set<Document>();
  const visit = (document: Document, around: string): void => {
    if (namespaces.has(document)) return;
    const namespace = namespaceOf(document, around, serviceNamespace);
    namespaces.set(document, namespace);
    for (const field of document.fields) {
      const type = singleType(field.type);
      if (type.kind === 'document') visit(type.document, namespace);
    }
  };
  for (const document of [...rest.flatMap(rootsOf), ...soap.flatMap(({ fault }) => fault ?? [])]) {
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
