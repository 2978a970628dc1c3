import { Refused } from '../model/security.ts';
import { isNamed, WSU } from '../wire/soap/wsse-names.ts';
import type { XmlElement } from '../wire/xml/tree.ts';
import { contentOf, elementsOf } from './elements.ts';

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
