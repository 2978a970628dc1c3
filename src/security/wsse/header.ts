// WSS: SOAP Message Security 1.1.1 section 5: the header block `Security`.
import { SOAP_NAMESPACES } from '../../wire/soap/version.ts';
import { DS, isNamed, WSSE, WSU } from '../../wire/soap/wsse-names.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { Refused } from '../refused.ts';
import { elementsOf, onesOf } from './strict.ts';

/** What stands in a Security header. */
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

/** Reads a Security header: at most one of each thing that is known here, and nothing else. @throws Refused */
export function readSecurityHeader(element: XmlElement): SecurityHeader {
  const { UsernameToken, Signature, Timestamp } = onesOf(element, {
    BinarySecurityToken: WSSE,
    UsernameToken: WSSE,
    Signature: DS,
    Timestamp: WSU,
  });
  return { element, usernameToken: UsernameToken, signature: Signature, timestamp: Timestamp };
}

/** An envelope that was found to be one: its Header's blocks, and its Body. */
export interface EnvelopeParts {
  readonly headers: readonly XmlElement[];
  readonly body: XmlElement;
}

/** The blocks and the Body of an envelope: those right inside it, and no others of the name. @throws Refused */
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
  if (!isWhole) throw new Refused('it is no envelope of a Header and a Body');
  return { headers: elementsOf(header), body };
}
