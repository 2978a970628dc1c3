// WSS: SOAP Message Security 1.1.1 section 10: times of messages.

import { isNamed, WSU } from '../../wire/soap/wsse-names.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import { Refused } from '../refused.ts';
import { contentOf, elementsOf } from './strict.ts';

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
