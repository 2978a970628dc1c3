// SOAP 1.1 (W3C Note of 8 May 2000) and SOAP 1.2 part 1 (second edition): envelopes and header blocks.
import { readContentType } from '../content-type.ts';
import type { MediaType } from '../media-type.ts';
import { attributeOf, childrenOf, type XmlElement } from '../xml/tree.ts';
import { clarkName, type QName, SOAP_NAMESPACES, type SoapVersion } from './version.ts';

export interface SoapMessage {
  readonly version: SoapVersion;
  /** Header blocks in document order. */
  readonly headers: readonly XmlElement[];
  /** The child element of the Body; `undefined` when the Body is empty. */
  readonly payload: XmlElement | undefined;
}

/** The kinds of envelope errors, under their SOAP 1.1 names (section 4.4.1); 1.2 calls `Client` Sender. */
type SoapErrorCode = 'VersionMismatch' | 'MustUnderstand' | 'Client';

/** A document that is not a SOAP message, or not one for this receiver. `reason` is a clause without a full stop. */
export class SoapError extends Error {
  override readonly name = 'SoapError';
  /** The SOAP version to use for the fault. */
  readonly version: SoapVersion;
  readonly code: SoapErrorCode;
  readonly reason: string;
  /** The header blocks that were not understood, for a `MustUnderstand`. */
  readonly notUnderstood: readonly QName[];
  /** More specific than the code, the most specific one last. */
  readonly subcodes: readonly QName[];
  /** XML of what is wrong in a header block. */
  readonly detail: string | undefined;

  constructor(
    version: SoapVersion,
    code: SoapErrorCode,
    reason: string,
    {
      notUnderstood = [],
      subcodes = [],
      detail,
    }: Partial<Pick<SoapError, 'notUnderstood' | 'subcodes' | 'detail'>> = {},
  ) {
    super(reason);
    this.version = version;
    this.code = code;
    this.reason = reason;
    this.notUnderstood = notUnderstood;
    this.subcodes = subcodes;
    this.detail = detail;
  }
}

/**
 * Reads an envelope: an optional Header, then a Body with at most one element, and nothing else (1.1: section 4; 1.2:
 * section 5; WS-I Basic Profile 1.1, R1011 and R2201). `encodingStyle` is ignored.
 * @throws SoapError `VersionMismatch`, to be sent in 1.1, for an Envelope of neither version; else `Client`
 */
export function readEnvelope(root: XmlElement): SoapMessage {
  const version = versionOf(root.namespace);
  if (root.local !== 'Envelope')
    throw new SoapError(version ?? '1.1', 'Client', `the root is ${shownName(root)}, and no Envelope`);
  if (version === undefined)
    throw new SoapError(
      '1.1',
      'VersionMismatch',
      `the Envelope is of neither SOAP 1.1 nor 1.2, but ${shownName(root)}`,
    );
  const parts = elementsOnly(root, version);
  const isHeader = isSoap(parts[0], 'Header', root.namespace);
  const [header, body, after] = isHeader ? parts : [undefined, ...parts];
  if (!isSoap(body, 'Body', root.namespace)) throw new SoapError(version, 'Client', wrongBody(body));
  if (after !== undefined) throw new SoapError(version, 'Client', `${shownName(after)} stands behind the Body`);
  const [payload, second] = elementsOnly(body, version);
  if (second !== undefined)
    throw new SoapError(version, 'Client', `the Body holds more than one element: ${shownName(second)} is the second`);
  return { version, headers: header === undefined ? [] : elementsOnly(header, version), payload };
}

function versionOf(namespace: string): SoapVersion | undefined {
  if (namespace === SOAP_NAMESPACES['1.1']) return '1.1';
  return namespace === SOAP_NAMESPACES['1.2'] ? '1.2' : undefined;
}

function isSoap(element: XmlElement | undefined, local: string, namespace: string): element is XmlElement {
  return element !== undefined && element.local === local && element.namespace === namespace;
}

function wrongBody(found: XmlElement | undefined): string {
  return found === undefined
    ? 'the Envelope has no Body'
    : `the Envelope has ${shownName(found)} where its Body belongs`;
}

/** The child elements of an element that may contain only elements and white space. */
function elementsOnly(element: XmlElement, version: SoapVersion): XmlElement[] {
  if (element.content.some((each) => typeof each === 'string' && /[^ \t\r\n]/.test(each)))
    throw new SoapError(version, 'Client', `there is text right inside the ${element.local}`);
  return childrenOf(element);
}

/** Long names are truncated. */
function shownName(given: QName): string {
  const name = clarkName(given);
  return name.length > 200 ? `${name.slice(0, 200).toWellFormed()}...` : name;
}

/**
 * Checks the mandatory header blocks: those with `mustUnderstand` that are addressed to this receiver, which is the
 * ultimate one and acts in no other role (1.1: sections 4.2.2 and 4.2.3; 1.2: sections 2.4, 5.2.2 and 5.2.3).
 * @throws SoapError `MustUnderstand` with all blocks that are not understood; `Client` for a `mustUnderstand` that is
 *   not a boolean
 */
export function checkUnderstood({ version, headers }: SoapMessage, understood: (header: XmlElement) => boolean): void {
  const left = headers.filter(
    (header) => isMandatory(header, version) && isForUs(header, version) && !understood(header),
  );
  if (left.length === 0) return;
  const names = left.map(({ local, namespace }) => ({ local, namespace }));
  const shown = names.slice(0, 5).map(shownName).join(', ');
  throw new SoapError(version, 'MustUnderstand', `header blocks are not understood: ${shown}`, {
    notUnderstood: names,
  });
}

/** The values of `mustUnderstand`: a digit in 1.1, an xs:boolean in 1.2. */
const BOOLEANS: Readonly<Record<SoapVersion, ReadonlyMap<string, boolean>>> = {
  '1.1': new Map([
    ['0', false],
    ['1', true],
  ]),
  '1.2': new Map([
    ['0', false],
    ['1', true],
    ['false', false],
    ['true', true],
  ]),
};

function isMandatory(header: XmlElement, version: SoapVersion): boolean {
  const given = attributeOf(header, 'mustUnderstand', SOAP_NAMESPACES[version]);
  if (given === undefined) return false;
  const mandatory = BOOLEANS[version].get(given.trim());
  if (mandatory !== undefined) return mandatory;
  const allowed = [...BOOLEANS[version].keys()].join(', ');
  throw new SoapError(version, 'Client', `mustUnderstand of ${shownName(header)} is none of ${allowed}`);
}

/** Roles in which the ultimate receiver always acts. */
const OUR_ROLES: Readonly<Record<SoapVersion, ReadonlySet<string>>> = {
  '1.1': new Set(['', 'http://schemas.xmlsoap.org/soap/actor/next']),
  '1.2': new Set([
    '',
    'http://www.w3.org/2003/05/soap-envelope/role/next',
    'http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver',
  ]),
};

/** Whether a header block is addressed to the ultimate receiver of a message (1.1 section 4.2.2; 1.2 section 2.2). */
export function isForUs(header: XmlElement, version: SoapVersion): boolean {
  const role = attributeOf(header, version === '1.1' ? 'actor' : 'role', SOAP_NAMESPACES[version]) ?? '';
  return OUR_ROLES[version].has(role.trim());
}

/**
 * The action of a request; `undefined` when only its body identifies the operation. In 1.1 it is in the header
 * SOAPAction (section 6.1.1), in 1.2 in the parameter `action` of application/soap+xml (RFC 3902): that of the content
 * type itself, or with attachments of the type quoted in `start-info` or in the `type` of the root part. Senders of 1.2
 * that use SOAPAction only are supported too; quotes are optional.
 * @param contentType of the message, or of the root part
 */
export function soapAction(
  version: SoapVersion,
  soapActionHeader: string | undefined,
  contentType: MediaType | undefined,
): string | undefined {
  const fromType = version === '1.2' && contentType !== undefined ? actionOf(contentType) : '';
  const action = fromType === '' ? unquoted(soapActionHeader ?? '') : fromType;
  return action === '' ? undefined : action;
}

function actionOf({ parameters }: MediaType): string {
  const own = parameters.get('action');
  if (own !== undefined) return own.trim();
  for (const name of ['start-info', 'type']) {
    const quoted = readContentType(parameters.get(name) ?? '')?.parameters.get('action');
    if (quoted !== undefined) return quoted.trim();
  }
  return '';
}

function unquoted(header: string): string {
  const text = header.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).trim() : text;
}
