import { Refused } from '../model/security.ts';
import { SOAP_NAMESPACES } from '../wire/soap/version.ts';
import { DS, isNamed, WSSE, WSSE_11, WSU } from '../wire/soap/wsse-names.ts';
import type { XmlElement } from '../wire/xml/tree.ts';
import { elementsOf, onesOf } from './elements.ts';

// WSS: SOAP Message Security 1.1.1 section 5: the header block `Security`.

/** The parts of a Security header. */
export interface SecurityHeader {
  readonly element: XmlElement;
  readonly usernameToken: XmlElement | undefined;
  readonly signature: XmlElement | undefined;
  readonly timestamp: XmlElement | undefined;
}

/** Whether a header block is one of WS-Security. */
export function isSecurityHeader(header: XmlElement): boolean {
  return isNamed(header, 'Security', WSSE);
}

const IN_REQUESTS = { BinarySecurityToken: WSSE, UsernameToken: WSSE, Signature: DS, Timestamp: WSU } as const;

/** What is in the Security header of a reply, with the confirmation of the request's signature (section 8.5). */
const IN_REPLIES = { ...IN_REQUESTS, SignatureConfirmation: WSSE_11 } as const;

/** Reads a Security header, which may contain at most one of each known element and nothing else. @throws Refused */
export function readSecurityHeader(element: XmlElement): SecurityHeader {
  const { UsernameToken, Signature, Timestamp } = onesOf(element, IN_REQUESTS);
  return { element, usernameToken: UsernameToken, signature: Signature, timestamp: Timestamp };
}

/** As {@link readSecurityHeader}, of a reply. @throws Refused */
export function readReplySecurity(element: XmlElement): SecurityHeader & {
  readonly confirmation: XmlElement | undefined;
} {
  const { UsernameToken, Signature, Timestamp, SignatureConfirmation } = onesOf(element, IN_REPLIES);
  return {
    ...{ element, usernameToken: UsernameToken, signature: Signature, timestamp: Timestamp },
    confirmation: SignatureConfirmation,
  };
}

/** A verified envelope: its header blocks and its Body. */
export interface EnvelopeParts {
  readonly headers: readonly XmlElement[];
  readonly body: XmlElement;
}

/** The header blocks and the Body that are direct children in an envelope; deeper ones do not count. @throws Refused */
export function partsOf(envelope: XmlElement): EnvelopeParts {
  const { namespace } = envelope;
  const children = elementsOf(envelope);
  const body = children.at(-1);
  const [header] = children;
  const isWhole =
    isNamed(envelope, 'Envelope', namespace) &&
    Object.values(SOAP_NAMESPACES).includes(namespace) &&
    children.length === 2 &&
    header !== undefined &&
    isNamed(header, 'Header', namespace) &&
    body !== undefined &&
    isNamed(body, 'Body', namespace);
  if (!isWhole) throw new Refused('it is not an envelope with a Header and a Body');
  return { headers: elementsOf(header), body };
}
