import type { Document } from './document.ts';

/** A version of SOAP, by the key that names what a WSDL has of it. */
export type SoapVersion = 'soap11' | 'soap12';

/** Declared names of a WSDL: code generators name classes, packages and members after them. */
export interface WsdlNames {
  /** The target namespace; that of the service if absent. */
  readonly namespace?: string;
  readonly service?: string;
  readonly portType?: string;
  /** The ports, in their order; absent for one of each version of SOAP. */
  readonly ports?: readonly { readonly version: SoapVersion; readonly port?: string; readonly binding?: string }[];
  /** The names of messages of faults; that of a document follows from its own if absent. */
  readonly faults?: ReadonlyMap<Document, string>;
}

const LABELS: Readonly<Record<SoapVersion, string>> = { soap11: 'Soap11', soap12: 'Soap12' };

/** What a WSDL has by the name of its service, where nothing else is declared. @param name a name of XML without a colon */
export function usualWsdlNames(name: string) {
  return {
    service: `${name}Service`,
    portType: `${name}PortType`,
    port: (version: SoapVersion) => `${name}${LABELS[version]}Port`,
    binding: (version: SoapVersion) => `${name}${LABELS[version]}Binding`,
  };
}

/** The usual name for the message of a fault. @param document the name of its document */
export function usualFaultMessage(document: string): string {
  return `${document}Message`;
}
