import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Operation } from '../../model/service.ts';
import type { ReplyHeaders } from './respond.ts';

/** Headers that every reply of an operation carries. */
export function operationHeaders(operation: Operation): ReplyHeaders {
  const headers: ReplyHeaders = { 'X-Content-Type-Options': 'nosniff' };
  // What needs a grant is for its caller alone (RFC 9111 section 5.2.2.5).
  if (!operation.public) headers['Cache-Control'] = 'no-store';
  if (operation.responses.length > 1 || operation.wrapper !== undefined) headers.Vary = 'Accept';
  const { deprecated } = operation.service;
  if (deprecated !== undefined) {
    // RFC 9745 section 2.1: a date as an Item of Structured Fields, @ and seconds; without a date it holds since always.
    headers.Deprecation = `@${deprecated.since === undefined ? 0 : Date.parse(`${deprecated.since}T00:00:00Z`) / 1000}`;
    // RFC 8594 section 3: an HTTP date.
    if (deprecated.sunset !== undefined) headers.Sunset = new Date(`${deprecated.sunset}T00:00:00Z`).toUTCString();
  }
  return headers;
}

/** Headers that code may give and the gateway reads, by their names in lower case: they are known in one spelling. */
const READ: ReadonlyMap<string, string> = new Map(
  ['Cache-Control', 'Content-Encoding', 'ETag', 'Last-Modified', 'Vary'].map((name) => [name.toLowerCase(), name]),
);

/** Headers with those that code gives: in place of one of the same name, however it is spelt, but beside what is in Vary. */
export function withHeaders(headers: ReplyHeaders, given: Readonly<Record<string, string>> | undefined): ReplyHeaders {
  const merged = { ...headers };
  if (given === undefined) return merged;
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    const known = Object.keys(merged).find((each) => each.toLowerCase() === lower);
    merged[known ?? READ.get(lower) ?? name] = known === 'Vary' ? `${merged.Vary}, ${value}` : value;
  }
  return merged;
}

/** Headers that say how a reply is cut from the connection, or that the gateway knows better. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'transfer-encoding',
  'x-request-id',
]);

/** Checks headers that code gives to a reply or a fault. @throws TypeError for one that can't be sent, or is not code's to set */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (OWN_HEADERS.has(name.toLowerCase())) throw new TypeError(`the gateway sets the header ${name} itself`);
  }
}
