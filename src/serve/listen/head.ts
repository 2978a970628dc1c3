import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { Fault } from '../../model/fault.ts';

// Checks the head of a request, as Node's parser delivers it, before anything acts on it (RFC 9112, sections 2 to 6).

/**
 * Checks a head and reduces its target to origin form, so the target that is routed is the one that was checked.
 * @param limit of the target, in bytes
 * @returns the fault for an invalid request. The end of its body is uncertain then, so nothing after it may be read
 */
export function checkHead(incoming: IncomingMessage, limit: number): Fault | undefined {
  const { method, url = '', headers, httpVersion } = incoming;
  try {
    checkVersion(httpVersion);
    checkSingle(incoming);
    checkCoding(headers['transfer-encoding']);
    checkHost(headers.host);
    // RFC 9110, section 10.1.1 defines only this expectation.
    // Clients send it empty to prevent their library from adding one.
    if (headers.expect !== undefined && !headers.expect.split(',').every(isKnownExpectation))
      throw Fault.of('EXPECTATION_FAILED', { expected: headers.expect.slice(0, 40) });
    // `OPTIONS *`, about the whole server, is answered like a request for the page.
    incoming.url = url === '*' && method === 'OPTIONS' ? '/' : checkTarget(url, headers.host, limit);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

const isKnownExpectation = (each: string): boolean => ['', '100-continue'].includes(each.trim().toLowerCase());

/** Whether the sender of a request waits to be asked for its body (RFC 9110, section 10.1.1). HTTP/1.0 has no such thing. */
export function awaitsContinue({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.expect?.toLowerCase().includes('100-continue') === true;
}

/**
 * Whether the connection closes after the reply to this request. HTTP/1.0 has no transfer codings, so an intermediary may
 * have seen a different end of the body (RFC 9112, section 6.1).
 */
export function endsConnection({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' && headers['transfer-encoding'] !== undefined;
}

function checkVersion(version: string): void {
  if (version === '1.1' || version === '1.0') return;
  // The parser treats a line without a version as HTTP/0.9.
  if (version.startsWith('0')) throw Fault.of('BAD_REQUEST', { reason: 'it does not name an HTTP version' });
  throw Fault.of('VERSION_NOT_SUPPORTED', {});
}

/**
 * Exactly one Host header (RFC 9112 section 3.2; optional in HTTP/1.0) and at most one Authorization: Node uses the first
 * of several, but an intermediary may have used another one. Several Content-Type headers are joined, so that their reader
 * sees whether they differ.
 */
function checkSingle({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  let credentials = 0;
  let types = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
    if (name.length === 12 && name.toLowerCase() === 'content-type') types++;
    if (name.length === 13 && name.toLowerCase() === 'authorization') credentials++;
  }
  if (types > 1) headers['content-type'] = allOf(rawHeaders, 'content-type').join(', ');
  if (hosts > 1) throw Fault.of('BAD_REQUEST', { reason: 'it has more than one Host header' });
  if (credentials > 1) throw Fault.of('BAD_REQUEST', { reason: 'it has more than one Authorization header' });
  if (hosts === 0 && httpVersion === '1.1') throw Fault.of('BAD_REQUEST', { reason: 'it has no Host header' });
}

/** All values of a header. */
function allOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/**
 * RFC 9112, sections 6.1 and 6.3: only `chunked` is supported. If it is not the last coding, the end of the body is
 * unknown.
 */
function checkCoding(given: string | undefined): void {
  const coding = given?.toLowerCase();
  if (coding === undefined || coding === 'chunked') return;
  if (/(?:^|[,\s])chunked$/.test(coding)) throw Fault.of('UNKNOWN_CODING', { coding: coding.slice(0, 40) });
  throw Fault.of('BAD_REQUEST', { reason: 'the last coding of its Transfer-Encoding is not chunked' });
}

/** `uri-host [ ":" port ]` of RFC 9112, section 3.2, with the host of RFC 3986, section 3.2.2. */
const HOST =
  /^(?:\[(?<ipv6>[0-9A-Fa-f:.]+)\]|\[v[0-9A-Fa-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;

/** The host of the request before: nearly every request has the same. */
let knownHost: string | undefined;

function checkHost(host: string | undefined): void {
  if (host === knownHost || host === undefined) return;
  if (!isHost(host)) throw Fault.of('BAD_REQUEST', { reason: 'its Host header is not a host' });
  knownHost = host;
}

function isHost(text: string): boolean {
  const found = HOST.exec(text);
  const ipv6 = found?.groups?.ipv6;
  return found !== null && (ipv6 === undefined || isIPv6(ipv6));
}

// The request target, RFC 9112 section 3.2, checked before anything parses it.

/**
 * Checks a raw target and returns its origin form.
 *
 * Rejected: characters other than visible ASCII, a fragment, a backslash, a dot segment in any spelling (`..`, `%2e%2E`,
 * `.;x`), an absolute form for another host, and a target longer than the limit. Nothing is folded or decoded, so the
 * target that was authorised is the one that is routed.
 * @param limit in bytes; the parser delivers every byte as one character
 * @throws Fault BAD_TARGET, TARGET_TOO_LONG
 */
export function checkTarget(target: string, host: string | undefined, limit: number): string {
  if (target.length > limit) throw Fault.of('TARGET_TOO_LONG', { limit });
  const origin = target.startsWith('/') ? target : originForm(target, host);
  const mark = origin.indexOf('?');
  const pathEnd = mark < 0 ? origin.length : mark;
  let segment = 1;
  for (let index = 0; index < origin.length; index++) {
    const code = origin.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f) throw bad('it contains a byte that is not visible ASCII; percent-encode it');
    if (code === 0x23) throw bad('it holds a "#"');
    if (index >= pathEnd) continue;
    if (code === 0x5c) throw bad('its path holds a backslash');
    if (code === 0x2f) {
      if (isDotSegment(origin, segment, index)) throw bad('its path holds a dot segment');
      segment = index + 1;
    }
  }
  if (isDotSegment(origin, segment, pathEnd)) throw bad('its path holds a dot segment');
  return origin;
}

/** Proxies send absolute form; its host must equal the Host header. */
function originForm(target: string, host: string | undefined): string {
  const scheme = /^https?:\/\//i.exec(target)?.[0];
  if (scheme === undefined) throw bad('it neither starts with a slash nor is an absolute http URL');
  const end = target.slice(scheme.length).search(/[/?]/);
  const authority = end < 0 ? target.slice(scheme.length) : target.slice(scheme.length, scheme.length + end);
  if (host === undefined || authority.toLowerCase() !== host.toLowerCase())
    throw bad('it names a different host than the Host header');
  const rest = end < 0 ? '' : target.slice(scheme.length + end);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** `.` or `..`, plain or percent-encoded, optionally followed by a parameter. */
function isDotSegment(text: string, start: number, end: number): boolean {
  let dots = 0;
  let index = start;
  while (index < end && dots < 3) {
    const code = text.charCodeAt(index);
    if (code === 0x2e) index += 1;
    else if (code === 0x25 && text.charCodeAt(index + 1) === 0x32 && (text.charCodeAt(index + 2) | 0x20) === 0x65)
      index += 3;
    else break;
    dots += 1;
  }
  return (dots === 1 || dots === 2) && (index === end || text.charCodeAt(index) === 0x3b);
}

function bad(reason: string): Fault {
  return Fault.of('BAD_TARGET', { reason });
}
