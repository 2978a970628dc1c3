// The names in a WSDL, which its schemas must leave free: code generators write classes of them.

import { type Document, documentName } from '../../model/document.ts';
import type { Service } from '../../model/service.ts';
import { faultDocuments } from '../../model/soap.ts';
import { type SoapVersion, usualFaultMessage, usualWsdlNames, type WsdlNames } from '../../model/wsdl.ts';
import { ncName } from '../names.ts';
import type { Scope } from '../scope.ts';

type Style = 'document' | 'rpc';

/** The names of what is in a WSDL once, and of what it has for each style. */
interface DescribedNames {
  readonly definitions: string;
  readonly service: string;
  readonly portType: (style: Style) => string;
  readonly ports: (style: Style) => readonly DescribedPort[];
}

/** A port with its binding. */
interface DescribedPort {
  readonly version: SoapVersion;
  readonly port: string;
  readonly binding: string;
}

/** SOAP 1.1 comes first: clients use the first port by default. */
const PORTS: NonNullable<WsdlNames['ports']> = [{ version: 'soap11' }, { version: 'soap12' }];

/** The names of a WSDL: those that its service declares, else those that follow from the name of the service. */
export function wsdlNames({ service, soap }: Pick<Scope, 'service' | 'soap'>): DescribedNames {
  const { wsdl = {} } = service;
  const name = ncName(service.name);
  const isMixed = new Set(soap.map(({ soap: { style } }) => style === 'rpc')).size > 1;
  // A port type has operations of one style; that of document/literal has the declared names.
  const own = (style: Style): string => (isMixed && style === 'rpc' ? 'Rpc' : '');
  const usual = (style: Style) => usualWsdlNames(name + own(style));
  const given = (declared: string | undefined, style: Style): string | undefined => declared && declared + own(style);
  return {
    definitions: name,
    service: wsdl.service ?? usual('document').service,
    portType: (style) => given(wsdl.portType, style) ?? usual(style).portType,
    ports: (style) =>
      (wsdl.ports ?? PORTS).map(({ version, port, binding }) => ({
        version,
        port: given(port, style) ?? usual(style).port(version),
        binding: given(binding, style) ?? usual(style).binding(version),
      })),
  };
}

/** The wanted name for the message of a fault document. */
export function faultMessageName(document: Document, { wsdl }: Pick<Service, 'wsdl'>): string {
  return wsdl?.faults?.get(document) ?? usualFaultMessage(ncName(documentName(document)));
}

/** Names of the classes that JAX-WS writes besides those of the schemas: port type, service, exceptions (3.0, 2.5). */
export function wsdlClassNames({ service, soap }: Scope): string[] {
  const { portType, service: client } = wsdlNames({ service, soap });
  const portTypes = new Set((['document', 'rpc'] as const).map(portType));
  return [...portTypes, client, ...soap.flatMap(faultDocuments).map((each) => faultMessageName(each, service))];
}
