import type { Document } from '../../model/document.ts';
import { serviceNamespace } from '../../model/namespace.ts';
import type { Message, Operation, Service } from '../../model/service.ts';
import { placeOf } from '../diagnostic/place.ts';
import { documentOf } from '../document/message.ts';
import type { Linking } from '../linking.ts';

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
