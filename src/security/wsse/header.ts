import { SOAP_NAMESPACES } from '../../wire/soap/version.ts';
import { DS, isNamed, WSSE, WSU } from '../../wire/soap/wsse-names.ts';
import { attributeOf, childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';
import { Refused } from '../port.ts';

// WSS: SOAP Message Security 1.1.1 section 5: the header block `Security`.

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

// WSS: SOAP Message Security 1.1.1 section 10: times of messages.

/** Milliseconds that a sender's clock may be ahead, and those of two gateways may differ. */
export const AHEAD = 60_000;

const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Characters of a time. */
const LONGEST = 40;

/** The time that an element contains: an xs:dateTime with a zone. @returns milliseconds since 1970 @throws Refused */
function timeOf(element: XmlElement): number {
  return parseTime(element, contentOf(element, LONGEST).trim());
}

/**
 * The time that an element contains, and its text to the character. White space around it is refused: where the text is
 * part of what is hashed, a sender could otherwise move characters between it and its neighbour under the same hash.
 * @returns `time` in milliseconds since 1970
 * @throws Refused
 */
export function exactTimeOf(element: XmlElement): { readonly time: number; readonly text: string } {
  const text = contentOf(element, LONGEST);
  return { time: parseTime(element, text), text };
}

function parseTime({ local }: XmlElement, text: string): number {
  const time = FORM.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new Refused(`${local} is no time with a zone`);
  return time;
}

/** @throws Refused for what is too old, or of the future */
export function checkAge(created: number, maxAge: number, now: number): void {
  if (created > now + AHEAD) throw new Refused('it was created in the future');
  if (created + maxAge <= now) throw new Refused('it is too old');
}

/**
 * Reads a Timestamp and looks whether it holds.
 * @returns when it was created, milliseconds since 1970 @throws Refused
 */
export function checkTimestamp(timestamp: XmlElement, maxAge: number, now: number): number {
  const [first, second, ...others] = elementsOf(timestamp);
  if (first === undefined || !isNamed(first, 'Created', WSU) || others.length > 0)
    throw new Refused('Timestamp does not hold Created, then at most Expires');
  if (second !== undefined && !isNamed(second, 'Expires', WSU))
    throw new Refused('Timestamp holds something other than Created and Expires');
  const created = timeOf(first);
  checkAge(created, maxAge, now);
  if (second !== undefined) {
    const expires = timeOf(second);
    if (expires <= created || expires <= now) throw new Refused('its Timestamp has expired');
  }
  return created;
}

// Elements of a security header, read so that nothing in them is passed over.

/** The elements of one that holds elements and white space alone. @throws Refused */
export function elementsOf(element: XmlElement): readonly XmlElement[] {
  if (element.content.some((each) => typeof each === 'string' && /[^ \t\r\n]/.test(each)))
    throw new Refused(`there is text right inside ${element.local}`);
  return childrenOf(element);
}

/**
 * The elements of one in the order in which they must stand.
 * @param names of the element's own namespace; all of them must be there, and nothing else
 * @throws Refused
 */
export function sequenceOf(element: XmlElement, names: readonly string[]): readonly XmlElement[] {
  const found = elementsOf(element);
  const fits = found.length === names.length && found.every((each, n) => isNamed(each, names[n]!, element.namespace));
  if (!fits) throw new Refused(`${element.local} does not hold ${names.join(', ')} and nothing else`);
  return found;
}

/**
 * The elements of one by their names, in any order.
 * @param known names with their namespaces: at most one of each may be there, and nothing else
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
      throw new Refused(`${element.local} holds something that is not known here`);
    if (found[local] !== undefined) throw new Refused(`${element.local} holds more than one ${local}`);
    found[local] = child;
  }
  return found;
}

/** The text of an element that holds nothing else. @throws Refused for elements in it, and more than `limit` characters */
export function contentOf(element: XmlElement, limit: number): string {
  if (childrenOf(element).length > 0) throw new Refused(`${element.local} holds an element`);
  const text = textOf(element);
  if (text.length > limit) throw new Refused(`${element.local} has more than ${limit} characters`);
  return text;
}

/** The bytes that an element holds in base64; white space may stand anywhere in it. @throws Refused */
export function bytesOf(element: XmlElement, limit: number): Buffer {
  const text = contentOf(element, limit).replace(/[ \t\r\n]+/g, '');
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new Refused(`${element.local} is no base64`);
  return Buffer.from(text, 'base64');
}

/** The attribute `Algorithm`. @throws Refused where there is none */
export function algorithmOf(element: XmlElement): string {
  const found = attributeOf(element, 'Algorithm');
  if (found === undefined) throw new Refused(`${element.local} has no Algorithm`);
  return found;
}
