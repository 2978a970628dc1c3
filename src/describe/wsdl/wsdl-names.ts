// The names in a WSDL, which its schemas must leave free: code generators write classes of them.

import { type Document, documentName } from '../../model/document.ts';
import { faultDocuments } from '../../model/soap.ts';
import { ncName } from '../names.ts';
import type { Scope } from '../scope.ts';

/** The names of definitions and service of a WSDL, and what those of its port types, bindings and ports begin with. */
export function wsdlNames({ service, soap }: Pick<Scope, 'service' | 'soap'>) {
  const name = ncName(service.name);
  const isMixed = new Set(soap.map(({ soap: { style } }) => style === 'rpc')).size > 1;
  return { definitions: name, document: name, rpc: isMixed ? `${name}Rpc` : name, service: `${name}Service` };
}

/** The name of a port type. @param name by style, of {@link wsdlNames} */
export function portTypeName(name: string): string {
  return `${name}PortType`;
}

/** The wanted name for the message of a fault document. */
export function faultMessageName(document: Document): string {
  return `${ncName(documentName(document))}Message`;
}

/** Names of the classes that JAX-WS writes besides those of the schemas: port type, service, exceptions (3.0, 2.5). */
export function wsdlClassNames({ service, soap }: Scope): string[] {
  const { document, rpc, service: client } = wsdlNames({ service, soap });
  return [...new Set([document, rpc].map(portTypeName)), client, ...soap.flatMap(faultDocuments).map(faultMessageName)];
}
