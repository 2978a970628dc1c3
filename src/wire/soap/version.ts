import { parseMediaType } from '../media-type.ts';
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

// The version of SOAP and the action that the headers of a call declare. SOAP 1.1 section 6.1.1; SOAP 1.2 part 2
// section 7.1.4, with RFC 3902.

interface SoapIntent {
  readonly version: SoapVersion;
  /** Without its quotes; may be empty. `undefined` when no header names an action. */
  readonly action: string | undefined;
}

/** Why a header makes a call impossible to send. */
interface IntentFault {
  readonly header: 'Content-Type' | 'SOAPAction';
  /** Follows the header's name in the message. */
  readonly reason: string;
}

/**
 * A call of SOAP 1.1 has its action in SOAPAction, one of SOAP 1.2 in its media type; a definition may use either for
 * both.
 */
export function readIntent(contentType: string | undefined, soapAction: string | undefined): SoapIntent | IntentFault {
  const type = parseMediaType(contentType ?? SOAP_MEDIA_TYPES['1.1']);
  const version = SOAP_VERSIONS.find((each) => SOAP_MEDIA_TYPES[each] === type?.essence);
  if (type === undefined || version === undefined)
    return typeFault('must be text/xml (SOAP 1.1) or application/soap+xml (SOAP 1.2)');
  const inType = type.parameters.get('action');
  if (inType !== undefined && version === '1.1')
    return typeFault('has an action, which text/xml does not have: write it as SOAPAction');
  if ((contentType?.match(/;\s*action\s*=/gi)?.length ?? 0) > 1) return typeFault('has more than one action');
  if (inType !== undefined && !isSendable(inType)) return typeFault(`has an action that ${UNSENDABLE}`);
  const unsent = [...type.parameters.keys()].find((name) => name !== 'charset' && name !== 'action');
  if (unsent !== undefined) return typeFault(`has the parameter ${unsent}, which is not sent: leave it out`);
  const inHeader = soapAction === undefined ? undefined : (/^"(.*)"$/s.exec(soapAction)?.[1] ?? soapAction);
  if (inHeader !== undefined && !isSendable(inHeader)) return { header: 'SOAPAction', reason: UNSENDABLE };
  if (inType !== undefined && inHeader !== undefined && inType !== inHeader)
    return {
      header: 'SOAPAction',
      reason: `is ${inHeader}, and the action of Content-Type is ${inType}: leave one out`,
    };
  return { version, action: inHeader ?? inType };
}

/** The action is sent in quotes, and receivers disagree about escapes inside them. */
const isSendable = (action: string): boolean => /^[ !#-[\]-~]*$/.test(action);

const UNSENDABLE = "holds a quote, a backslash, or a character that is not visible ASCII, and can't be sent";

function typeFault(reason: string): IntentFault {
  return { header: 'Content-Type', reason };
}
