import { isIPv6 } from 'node:net';
import { isDate, isTime, readDate, readDatetime, readTime, toDatetime } from './calendar.ts';

/** The text form of a type whose values are texts of one form. */
export interface LexicalForm {
  /** What a text is that has the form, with its article. */
  readonly noun: string;
  /** Reads a text as JSON, code and definitions write it. @returns the text as it is kept, `undefined` for another text */
  read(text: string): string | undefined;
  /** Reads what XML and URLs may write: every lexical form of the type in XML Schema. */
  readAny(text: string): string | undefined;
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
} as const satisfies Readonly<Record<string, LexicalForm>>;

export type LexicalName = keyof typeof LEXICAL;

/** A UUID in the text form of RFC 9562, section 4: any letter case is read, and lower case is written. */
function readUuid(text: string): string | undefined {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined;
}

/** The parts of a URI (RFC 3986, section 3 and appendix B): authority, path, query and fragment behind the scheme. */
const URI = /^[a-z][a-z0-9+.-]*:(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is;

/** The parts of an authority (section 3.2): userinfo, an address in brackets or a name, and the port. */
const AUTHORITY = /^(?:([^@]*)@)?(?:\[([^[\]]*)\]|([^:[\]]*))(?::\d*)?$/;

/** Characters that no part may hold, and a percent sign without two digits (sections 2.1 to 2.3). */
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
