import { isIPv6 } from 'node:net';

// Dates and times in their XML Schema forms: xs:dateTime, xs:time and xs:date of XML Schema 1.1 Part 2, sections 3.3.7 to
// 3.3.9, within the years 0001 to 9999 and without leap seconds, which XML Schema does not have either.

const ZERO = 48;
const COLON = 58;

/** The number in `length` digits from `start`; -1 if one of them is not a digit. */
function digits(text: string, start: number, length: number): number {
  let value = 0;
  for (let i = start; i < start + length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function dateAt(text: string): boolean {
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  if (text[4] !== '-' || text[7] !== '-') return false;
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** The index after `HH:mm:ss` and its fraction; -1 if there is no time at `start`. */
function timeAt(text: string, start: number): number {
  const hour = digits(text, start, 2);
  const minute = digits(text, start + 3, 2);
  const second = digits(text, start + 6, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return -1;
  if (text.charCodeAt(start + 2) !== COLON || text.charCodeAt(start + 5) !== COLON) return -1;
  let end = start + 8;
  if (text[end] !== '.') return end;
  do end++;
  while (digits(text, end, 1) >= 0);
  return end === start + 9 ? -1 : end;
}

/** Whether a text is an existing calendar date, `yyyy-MM-dd`. */
export function isDate(text: string): boolean {
  return text.length === 10 && dateAt(text);
}

/** Whether a text is a time of day, `HH:mm:ss` with an optional fraction of a second. */
export function isTime(text: string): boolean {
  return timeAt(text, 0) === text.length;
}

/**
 * A date and time in the form of xs:dateTime: `yyyy-MM-ddTHH:mm:ss`, with an optional fraction and an optional offset
 * `Z` or `+hh:mm`. An offset `+hhmm` is accepted too, and gets its colon.
 * @returns `undefined` if the text is not a datetime
 */
export function toDatetime(text: string): string | undefined {
  if (text[10] !== 'T' || !dateAt(text)) return undefined;
  const end = timeAt(text, 11);
  if (end < 0) return undefined;
  if (text.length - end === 5 && text[end] !== 'Z') {
    const colon = `${text.slice(0, end + 3)}:${text.slice(end + 3)}`;
    return isOffset(colon, end) ? colon : undefined;
  }
  return isOffset(text, end) ? text : undefined;
}

/** Whether the rest of a text from `start` is an XML Schema offset (`Z` or `+hh:mm` up to 14:00) or empty. */
function isOffset(text: string, start: number): boolean {
  const length = text.length - start;
  if (length === 0) return true;
  if (length === 1) return text[start] === 'Z';
  if (length !== 6 || (text[start] !== '+' && text[start] !== '-') || text[start + 3] !== ':') return false;
  const hours = digits(text, start + 1, 2);
  const minutes = digits(text, start + 4, 2);
  return hours >= 0 && minutes >= 0 && minutes <= 59 && (hours < 14 || (hours === 14 && minutes === 0));
}

/**
 * Reads any lexical form of xs:date and returns the day in the form of {@link isDate}. An offset is dropped:
 * `2026-01-01+01:00` is the first of January wherever it is read.
 * @returns `undefined` for other texts, and for years outside 0001 to 9999
 */
export function readDate(text: string): string | undefined {
  return dateAt(text) && isOffset(text, 10) ? text.slice(0, 10) : undefined;
}

/**
 * Reads any lexical form of xs:time and returns the time in the form of {@link isTime}. An offset is dropped, and the
 * end of the day, `24:00:00`, becomes `00:00:00` (section 3.3.8).
 * @returns `undefined` for other texts
 */
export function readTime(text: string): string | undefined {
  const midnight = withoutMidnight(text, 0);
  const end = timeAt(midnight, 0);
  return end >= 0 && isOffset(midnight, end) ? midnight.slice(0, end) : undefined;
}

/**
 * Reads any lexical form of xs:dateTime and returns it in the form of {@link toDatetime}, with its offset if it has
 * one. The end of a day, `24:00:00`, becomes the beginning of the next day (section 3.3.7).
 * @returns `undefined` for other texts, and for years outside 0001 to 9999
 */
export function readDatetime(text: string): string | undefined {
  const midnight = withoutMidnight(text, 11);
  if (midnight === text) return toDatetime(text);
  const next = toDatetime(midnight) === undefined ? undefined : nextDay(text.slice(0, 10));
  return next === undefined ? undefined : toDatetime(next + midnight.slice(10));
}

const END_OF_DAY = /24:00:00(?:\.0+)?(?![\d.])/y;

/** The text with a time of 24:00:00 at `start` replaced by 00:00:00. */
function withoutMidnight(text: string, start: number): string {
  if (text[start] !== '2' || text[start + 1] !== '4') return text;
  END_OF_DAY.lastIndex = start;
  return END_OF_DAY.test(text) ? `${text.slice(0, start)}00${text.slice(start + 2)}` : text;
}

/** @returns `undefined` after 9999-12-31 */
function nextDay(date: string): string | undefined {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + 1);
  return day.getUTCFullYear() > 9999 ? undefined : day.toISOString().slice(0, 10);
}

/** The text form of a type whose values are all texts of one form. */
export interface LexicalForm {
  /** Describes a valid text, with an article. */
  readonly noun: string;
  /**
   * Reads a text from JSON, code or a definition.
   * @returns the text in its stored form, `undefined` for an invalid text
   */
  read(text: string): string | undefined;
  /** Reads a text from XML or a URL: every lexical form that XML Schema allows for the type. */
  readAny(text: string): string | undefined;
  /** The valid texts as a pattern of JSON Schema, when no `format` describes them. */
  readonly pattern?: string;
}

/** A form of texts that are kept as they are given. */
function matching(noun: string, pattern: string): LexicalForm {
  const form = new RegExp(pattern);
  const read = (text: string): string | undefined => (form.test(text) ? text : undefined);
  return { noun, read, readAny: read, pattern };
}

/** The text forms, by the names under which the table of scalars refers to them. */
export const LEXICAL = {
  date: { noun: 'a date (yyyy-MM-dd)', read: (text) => (isDate(text) ? text : undefined), readAny: readDate },
  time: { noun: 'a time (HH:mm:ss)', read: (text) => (isTime(text) ? text : undefined), readAny: readTime },
  datetime: {
    noun: 'a datetime (yyyy-MM-ddTHH:mm:ss, optionally Z or +hh:mm)',
    read: toDatetime,
    readAny: readDatetime,
  },
  uuid: { noun: 'a UUID (8-4-4-4-12 hexadecimal digits)', read: readUuid, readAny: readUuid },
  uri: { noun: 'a URI with a scheme (RFC 3986)', read: readUri, readAny: readUri },
  // XML Schema Part 2, sections 3.2.6 and 3.2.15. `format: duration` of JSON Schema has no sign and no fraction.
  duration: matching(
    'a duration (P1Y2M3DT4H5M6S, without the parts that it does not have)',
    '^-?P(?!$)([0-9]+Y)?([0-9]+M)?([0-9]+D)?(T(?!$)([0-9]+H)?([0-9]+M)?(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)S)?)?$',
  ),
  hex: matching('hexadecimal digits, two for each byte', '^([0-9A-Fa-f]{2})*$'),
} as const satisfies Readonly<Record<string, LexicalForm>>;

export type LexicalName = keyof typeof LEXICAL;

/** A UUID in the text form of RFC 9562, section 4: read in any letter case, written in lower case. */
function readUuid(text: string): string | undefined {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined;
}

/** The parts of a URI (RFC 3986, section 3 and appendix B): authority, path, query and fragment after the scheme. */
const URI = /^[a-z][a-z0-9+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;

/** The parts of an authority (section 3.2): userinfo, an address in brackets or a name, and the port. */
const AUTHORITY = /^(?:([^@]*)@)?(?:\[([^[\]]*)\]|([^:[\]]*))(?::\d*)?$/;

/** A character that is not allowed in any part, or a percent sign without two digits (sections 2.1 to 2.3). */
const OUTSIDE = /[^a-z0-9\-._~!$&'()*+,;=:@/?%]|%(?![0-9a-f]{2})/i;

/**
 * A URI with a scheme, with or without a fragment (RFC 3986, section 3). Each part is tested on its own, so that the time is
 * linear in the length.
 */
function readUri(text: string): string | undefined {
  const [, authority, ...parts] = URI.exec(text) ?? [];
  const [path] = parts;
  if (path === undefined || parts.some((part) => part !== undefined && OUTSIDE.test(part))) return undefined;
  return authority === undefined || isAuthority(authority) ? text : undefined;
}

function isAuthority(text: string): boolean {
  const found = AUTHORITY.exec(text);
  if (found === null) return false;
  const [, user = '', address, name = ''] = found;
  if (OUTSIDE.test(user) || OUTSIDE.test(name) || name.includes('@')) return false;
  // Section 3.2.2: an IPv6 address without a zone, or IPvFuture.
  return address === undefined || (isIPv6(address) && !address.includes('%')) || IP_FUTURE.test(address);
}

const IP_FUTURE = /^v[0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+$/i;
