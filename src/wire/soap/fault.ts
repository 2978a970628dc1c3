// SOAP 1.1 (W3C Note of 8 May 2000) section 4.4 and SOAP 1.2 part 1 (second edition) section 5.4: faults.

import { XML_NAMESPACE } from '../xml/namespaces.ts';
import { escapeAttribute, escapeText } from '../xml/text.ts';
import { attributeOf, childrenOf, textOf, type XmlElement } from '../xml/tree.ts';
import type { SoapMessage } from './message.ts';
import { clarkName, envelope, type QName, SOAP_NAMESPACES, SOAP_PREFIXES, type SoapVersion } from './version.ts';

/** A fault to be written. */
export interface SoapFaultContent {
  /** In the names of 1.1; 1.2 has Sender for `Client` and Receiver for `Server`. */
  readonly code: 'Client' | 'Server' | 'MustUnderstand' | 'VersionMismatch';
  /** More specific than the code, the most specific one last; only 1.2 has a place for them (section 5.4.1.2). */
  readonly subcodes?: readonly QName[];
  /** The code in 1.1, for a fault whose standard has a more specific one there. */
  readonly faultcode?: QName | undefined;
  /** In English. Characters that XML can't represent are replaced. */
  readonly reason: string;
  /** XML: elements that declare their own namespaces. */
  readonly detail?: string;
  /** The header blocks that were not understood, for a `MustUnderstand`; 1.2 lists them. */
  readonly notUnderstood?: readonly QName[];
}

/** A fault that was read. */
export interface SoapFaultReport {
  /**
   * A standard code under its 1.1 name (`Client`, `Server`), `{namespace}local` for other codes; empty if there is
   * none.
   */
  readonly code: string;
  /**
   * Outermost first: for 1.2 in the same form as the code, for 1.1 the names after the dots (`Client.Authentication`).
   */
  readonly subcodes: readonly string[];
  readonly reason: string;
  /** The child elements of the detail. */
  readonly detail: readonly XmlElement[];
}

/** The codes as each version names them. */
const SENT_AS: Readonly<Record<SoapVersion, Readonly<Record<SoapFaultContent['code'], string>>>> = {
  '1.1': { Client: 'Client', Server: 'Server', MustUnderstand: 'MustUnderstand', VersionMismatch: 'VersionMismatch' },
  '1.2': { Client: 'Sender', Server: 'Receiver', MustUnderstand: 'MustUnderstand', VersionMismatch: 'VersionMismatch' },
};

/**
 * Writes a fault as a complete envelope. A `VersionMismatch` lists the supported envelopes (1.2 section 5.4.7;
 * according to appendix A the header block belongs in replies of 1.1 too), a `MustUnderstand` of 1.2 the header blocks
 * (section 5.4.8).
 * @param headers XML of other header blocks
 */
export function writeFault(version: SoapVersion, fault: SoapFaultContent, headers = ''): string {
  const soap = SOAP_PREFIXES[version];
  const { start, end } = envelope(version, headers + headerBlocks(version, fault));
  const body = version === '1.1' ? fault11(soap, fault) : fault12(soap, fault);
  return `${start}<${soap}:Fault>${body}</${soap}:Fault>${end}`;
}

function fault11(soap: string, { code, faultcode, reason, detail }: SoapFaultContent): string {
  const told = detail === undefined ? '' : `<detail>${detail}</detail>`;
  const name =
    faultcode === undefined
      ? `<faultcode>${soap}:${SENT_AS['1.1'][code]}</faultcode>`
      : `<faultcode xmlns:q="${escapeAttribute(faultcode.namespace)}">q:${faultcode.local}</faultcode>`;
  return `${name}<faultstring>${escapeText(reason)}</faultstring>${told}`;
}

function fault12(soap: string, { code, subcodes = [], reason, detail }: SoapFaultContent): string {
  const more = subcodes.reduceRight(
    (inner, { namespace, local }) =>
      `<${soap}:Subcode><${soap}:Value xmlns:q="${escapeAttribute(namespace)}">q:${local}</${soap}:Value>${inner}</${soap}:Subcode>`,
    '',
  );
  const value = `<${soap}:Code><${soap}:Value>${soap}:${SENT_AS['1.2'][code]}</${soap}:Value>${more}</${soap}:Code>`;
  const text = `<${soap}:Reason><${soap}:Text xml:lang="en">${escapeText(reason)}</${soap}:Text></${soap}:Reason>`;
  return value + text + (detail === undefined ? '' : `<${soap}:Detail>${detail}</${soap}:Detail>`);
}

function headerBlocks(version: SoapVersion, { code, notUnderstood = [] }: SoapFaultContent): string {
  if (code === 'VersionMismatch') return UPGRADE;
  if (code !== 'MustUnderstand' || version === '1.1') return '';
  const soap = SOAP_PREFIXES[version];
  return notUnderstood
    .map(({ local, namespace }) =>
      namespace === ''
        ? `<${soap}:NotUnderstood qname="${local}"/>`
        : `<${soap}:NotUnderstood qname="q:${local}" xmlns:q="${escapeAttribute(namespace)}"/>`,
    )
    .join('');
}

/** The supported envelopes, the preferred one first. */
const UPGRADE = `<u:Upgrade xmlns:u="${SOAP_NAMESPACES['1.2']}">${(['1.2', '1.1'] as const)
  .map((version) => `<u:SupportedEnvelope qname="q:Envelope" xmlns:q="${SOAP_NAMESPACES[version]}"/>`)
  .join('')}</u:Upgrade>`;

/** The fault in a message; `undefined` for any other message. Missing parts are returned empty. */
export function readFault({ version, payload }: SoapMessage): SoapFaultReport | undefined {
  if (payload?.local !== 'Fault' || payload.namespace !== SOAP_NAMESPACES[version]) return undefined;
  return version === '1.1' ? report11(payload) : report12(payload);
}

function report11(fault: XmlElement): SoapFaultReport {
  const code = child(fault, 'faultcode');
  const [outermost = '', ...subcodes] = code === undefined ? [] : readCode11(code);
  const reason = child(fault, 'faultstring');
  const detail = child(fault, 'detail');
  return {
    code: outermost,
    subcodes,
    reason: reason === undefined ? '' : textOf(reason),
    detail: detail === undefined ? [] : childrenOf(detail),
  };
}

function report12(fault: XmlElement): SoapFaultReport {
  const codes: string[] = [];
  for (let code = child(fault, 'Code'); code !== undefined; code = child(code, 'Subcode')) {
    const value = child(code, 'Value');
    codes.push(value === undefined ? '' : readCode(value, '1.2'));
  }
  const [outermost = '', ...subcodes] = codes;
  const detail = child(fault, 'Detail');
  return {
    code: outermost,
    subcodes,
    reason: reason12(child(fault, 'Reason')),
    detail: detail === undefined ? [] : childrenOf(detail),
  };
}

/** Children of a Fault have no namespace in 1.1 and that of the envelope in 1.2, but not every sender complies. */
function child(element: XmlElement, local: string): XmlElement | undefined {
  return childrenOf(element).find((each) => each.local === local);
}

/** The English text if there are several (1.2 section 5.4.2), else the first. */
function reason12(reason: XmlElement | undefined): string {
  const texts = reason === undefined ? [] : childrenOf(reason);
  const english = texts.find((each) => /^en\b/i.test(attributeOf(each, 'lang', XML_NAMESPACE) ?? ''));
  const chosen = english ?? texts[0];
  return chosen === undefined ? '' : textOf(chosen);
}

/** The standard codes of both versions by their 1.1 names. */
const STANDARD: Readonly<Record<SoapVersion, ReadonlyMap<string, string>>> = {
  '1.1': new Map(['VersionMismatch', 'MustUnderstand', 'Client', 'Server'].map((each) => [each, each])),
  '1.2': new Map([
    ['VersionMismatch', 'VersionMismatch'],
    ['MustUnderstand', 'MustUnderstand'],
    ['DataEncodingUnknown', 'DataEncodingUnknown'],
    ['Sender', 'Client'],
    ['Receiver', 'Server'],
  ]),
};

/** A dot separates a standard code from its refinements (1.1 section 4.4.1). */
function readCode11(element: XmlElement): readonly string[] {
  const code = readCode(element, '1.1');
  const [first = '', ...rest] = code.split('.');
  return STANDARD['1.1'].has(first) ? [first, ...rest] : [code];
}

/** Reads a QName. A standard code without a prefix, or with an unbound prefix, is accepted as the standard code. */
function readCode(element: XmlElement, version: SoapVersion): string {
  const text = textOf(element).trim();
  const colon = text.indexOf(':');
  const prefix = text.slice(0, Math.max(colon, 0));
  const local = text.slice(colon + 1);
  const namespace = element.namespaceOf(prefix);
  const [first = ''] = version === '1.1' ? local.split('.') : [local];
  const standard = STANDARD[version].get(first);
  const isTheirs = namespace === SOAP_NAMESPACES[version] || prefix === '' || namespace === undefined;
  if (standard !== undefined && isTheirs) return standard + local.slice(first.length);
  return namespace === undefined ? text : clarkName({ local, namespace });
}
