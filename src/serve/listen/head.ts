import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { Fault } from '../../model/fault.ts';
import { checkTarget } from './request-target.ts';

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
