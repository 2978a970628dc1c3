import { type Document, documentName } from '../../model/document.ts';
import { ncName } from '../names.ts';
import type { Scope } from '../scope.ts';

/** Names of the parts of a WSDL that there is one of. */
export function wsdlNames({ service }: Pick<Scope, 'service'>) {
  const name = ncName(service.name);
  return { definitions: name, portType: `${name}PortType`, service: `${name}Service` };
}

/** Wanted name of the message of a fault document. */
export function faultMessageName(document: Document): string {
  return `${ncName(documentName(document))}Message`;
}

/** Names of the classes that JAX-WS writes next to those of the schemas: port type, service, and exceptions (3.0, 2.5). */
export function wsdlClassNames({ service, soap }: Scope): string[] {
  const { portType, service: client } = wsdlNames({ service });
  return [portType, client, ...soap.flatMap(({ fault }) => (fault === undefined ? [] : faultMessageName(fault)))];
}
