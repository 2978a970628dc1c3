import { Refused } from '../model/security.ts';
import { SOAP_NAMESPACES } from '../wire/soap/version.ts';
import { DS, isNamed, WSSE, WSSE_11, WSU } from '../wire/soap/wsse-names.ts';
import { attributeOf, childrenOf, textOf, type XmlElement } from '../wire/xml/tree.ts';

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

// WSS: SOAP Message Security 1.1.1 section 10: times of messages.

/** Milliseconds by which a sender's clock may be ahead, and by which the clocks of two gateways may differ. */
export const AHEAD = 60_000;

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Characters of a time. */
const LONGEST = 40;

/** The time in an element, an xs:dateTime with a zone. @returns milliseconds since 1970 @throws Refused */
function timeOf(element: XmlElement): number {
  return parseTime(element, contentOf(element, LONGEST).trim());
}

/**
 * The time in an element, with its exact text. White space around it is refused: a digest covers the concatenation of this
 * text and its neighbour, between which a sender could otherwise move characters under the same hash.
 * @returns `time` in milliseconds since 1970
 * @throws Refused
 */
export function exactTimeOf(element: XmlElement): { readonly time: number; readonly text: string } {
  const text = contentOf(element, LONGEST);
  return { time: parseTime(element, text), text };
}

function parseTime({ local }: XmlElement, text: string): number {
  const time = FORM.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new Refused(`${local} is not a time with a zone`);
  return time;
}

/** @throws Refused for a time that is too old or in the future */
export function checkAge(created: number, maxAge: number, now: number): void {
  if (created > now + AHEAD) throw new Refused('it was created in the future');
  if (created + maxAge <= now) throw new Refused('it is too old');
}

/**
 * Reads a Timestamp and checks that it is valid now.
 * @returns its creation, in milliseconds since 1970 @throws Refused
 */
export function checkTimestamp(timestamp: XmlElement, maxAge: number, now: number): number {
  const [first, second, ...others] = elementsOf(timestamp);
  if (first === undefined || !isNamed(first, 'Created', WSU) || others.length > 0)
    throw new Refused('Timestamp does not contain Created, then at most Expires');
  if (second !== undefined && !isNamed(second, 'Expires', WSU))
    throw new Refused('Timestamp contains something other than Created and Expires');
  const created = timeOf(first);
  checkAge(created, maxAge, now);
  if (second !== undefined) {
    const expires = timeOf(second);
    if (expires <= created || expires <= now) throw new Refused('its Timestamp has expired');
  }
  return created;
}

// Strict readers of elements in a security header: nothing in them is ignored.

/** The child elements of an element without text of its own. @throws Refused */
export function elementsOf(element: XmlElement): readonly XmlElement[] {
  if (element.content.some((each) => typeof each === 'string' && /[^ \t\r\n]/.test(each)))
    throw new Refused(`${element.local} contains text`);
  return childrenOf(element);
}

/**
 * The child elements of an element with a fixed sequence.
 * @param names in the element's own namespace; all of them are required, and nothing else is allowed
 * @throws Refused
 */
export function sequenceOf(element: XmlElement, names: readonly string[]): readonly XmlElement[] {
  const found = elementsOf(element);
  const fits = found.length === names.length && found.every((each, n) => isNamed(each, names[n]!, element.namespace));
  if (!fits) throw new Refused(`${element.local} does not contain exactly ${names.join(', ')}`);
  return found;
}

/**
 * The child elements of an element by their names, in any order.
 * @param known names with their namespaces: at most one of each is allowed, and nothing else
 * @throws Refused
 */
export function onesOf<N extends string>(
  element: XmlElement,
  known: Readonly<Record<N, string>>,
): Partial<Record<N, XmlElement>> {
  const found: Partial<Record<string, XmlElement>> = {};
  for (const child of elementsOf(element)) {
    const { local } = child;
    if (!Object.hasOwn(known, local) || child.namespace !== known[local as N])
      throw new Refused(`${element.local} contains an unknown element`);
    if (found[local] !== undefined) throw new Refused(`${element.local} contains more than one ${local}`);
    found[local] = child;
  }
  return found;
}

/** The text of an element without child elements. @throws Refused for elements in it, and more than `limit` characters */
export function contentOf(element: XmlElement, limit: number): string {
  if (childrenOf(element).length > 0) throw new Refused(`${element.local} contains an element`);
  const text = textOf(element);
  if (text.length > limit) throw new Refused(`${element.local} has more than ${limit} characters`);
  return text;
}

/** The bytes that an element contains in base64, with white space anywhere. @throws Refused */
export function bytesOf(element: XmlElement, limit: number): Buffer {
  const text = contentOf(element, limit).replace(/[ \t\r\n]+/g, '');
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new Refused(`${element.local} is not base64`);
  return Buffer.from(text, 'base64');
}

/** The attribute `Algorithm`. @throws Refused when it is missing */
export function algorithmOf(element: XmlElement): string {
  const found = attributeOf(element, 'Algorithm');
  if (found === undefined) throw new Refused(`${element.local} has no Algorithm`);
  return found;
}
