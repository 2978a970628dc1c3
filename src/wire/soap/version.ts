// SOAP 1.1 (W3C Note of 8 May 2000) and SOAP 1.2 part 1 (second edition): what tells the two apart.
import type { XmlElement } from '../xml/tree.ts';

export type SoapVersion = '1.1' | '1.2';

/** Of the envelope and its own elements; the namespace is what tells the versions apart (1.1: section 4.1.2; 1.2: 2.8). */
export const SOAP_NAMESPACES: Readonly<Record<SoapVersion, string>> = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
};

export const SOAP_MEDIA_TYPES: Readonly<Record<SoapVersion, string>> = {
  '1.1': 'text/xml',
  '1.2': 'application/soap+xml',
};

export const SOAP_CONTENT_TYPES: Readonly<Record<SoapVersion, string>> = {
  '1.1': `${SOAP_MEDIA_TYPES['1.1']}; charset=utf-8`,
  '1.2': `${SOAP_MEDIA_TYPES['1.2']}; charset=utf-8`,
};

/** Prefixes that are written. */
export const SOAP_PREFIXES: Readonly<Record<SoapVersion, string>> = { '1.1': 'soap', '1.2': 'env' };

/** A name in a namespace, which is empty for none. */
export type QName = Pick<XmlElement, 'local' | 'namespace'>;

/** A name as `{namespace}local`, or without a namespace alone. */
export function clarkName({ local, namespace }: QName): string {
  return namespace === '' ? local : `{${namespace}}${local}`;
}

/** What stands around the payload's XML. */
export function envelope(version: SoapVersion): { readonly start: string; readonly end: string } {
  return ENVELOPES[version];
}

const ENVELOPES = { '1.1': around('1.1'), '1.2': around('1.2') } as const;

function around(version: SoapVersion): { readonly start: string; readonly end: string } {
  const soap = SOAP_PREFIXES[version];
  return {
    start: `<${soap}:Envelope xmlns:${soap}="${SOAP_NAMESPACES[version]}"><${soap}:Body>`,
    end: `</${soap}:Body></${soap}:Envelope>`,
  };
}
