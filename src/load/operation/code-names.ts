import type { Document } from '../../model/document.ts';
import { type Field, singleType } from '../../model/field.ts';
import { serviceNamespace } from '../../model/namespace.ts';
import type { Position } from '../../model/position.ts';
import type { Operation, Service } from '../../model/service.ts';
import { classNameOf, foldedName, namespaceOf } from '../../model/xml-name.ts';
import { placeOf } from '../diagnostic/place.ts';
import { documentOf } from '../document/message.ts';
import type { Linking } from '../linking.ts';

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
