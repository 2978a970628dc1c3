import type { XmlElement } from '../xml/tree.ts';

// SOAP 1.1 (W3C Note of 8 May 2000) and SOAP 1.2 part 1 (second edition): their differences.

export type SoapVersion = '1.1' | '1.2';

export const SOAP_VERSIONS: readonly SoapVersion[] = ['1.1', '1.2'];

/** The namespace of the envelope and its own elements, which identifies the version (1.1: section 4.1.2; 1.2: 2.8). */
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

/** A name in a namespace; the namespace is empty if there is none. */
export type QName = Pick<XmlElement, 'local' | 'namespace'>;

/** A name as `{namespace}local`, or only `local` without a namespace. */
export function clarkName({ local, namespace }: QName): string {
  return namespace === '' ? local : `{${namespace}}${local}`;
}

/** The XML before and after the payload. @param blocks XML of header blocks; without them there is no Header */
export function envelope(version: SoapVersion, blocks = ''): { readonly start: string; readonly end: string } {
  const plain = ENVELOPES[version];
  if (blocks === '') return plain;
  const soap = SOAP_PREFIXES[version];
  const body = `<${soap}:Body>`;
  return { ...plain, start: plain.start.replace(body, () => `<${soap}:Header>${blocks}</${soap}:Header>${body}`) };
}

const ENVELOPES = { '1.1': around('1.1'), '1.2': around('1.2') } as const;

function around(version: SoapVersion): { readonly start: string; readonly end: string } {
  const soap = SOAP_PREFIXES[version];
  return {
    start: `<${soap}:Envelope xmlns:${soap}="${SOAP_NAMESPACES[version]}"><${soap}:Body>`,
    end: `</${soap}:Body></${soap}:Envelope>`,
  };
}
