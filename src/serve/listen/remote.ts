import { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { ShownBefore, ShownCertificate } from '../../security/security-port.ts';
import { parseSocketAddress } from '../../wire/network-address.ts';

// Identifies the caller at the other end, possibly behind proxies: RFC 7239 (Forwarded) and the older X-Forwarded-* fields.

/** The caller's end of a request. */
export interface Peer {
  /** The caller's address; `undefined` for a call inside this process. */
  readonly address: string | undefined;
  /** The caller runs on this machine, without a proxy in between. */
  readonly local: boolean;
  /** The connection can't be read by others: TLS, here or at a trusted proxy, or the same machine. */
  readonly secure: boolean;
  /** A trusted proxy forwarded the request. */
  readonly proxied: boolean;
}

/** What a connection keeps from one request to the next. */
export interface Connection {
  /** The reply to its latest request. */
  latest: ServerResponse | undefined;
  /** It closes after a pending reply. The parser may have read on, but later requests are ignored. */
  ending: boolean;
  /** Bytes that had been read from it when its latest request was complete. */
  readBy: number | undefined;
  /** The caller's end, if that is the same for all requests. */
  peer: Peer | undefined;
  readonly shownBefore: ShownBefore;
}

const connections = new WeakMap<Duplex, Connection>();

export function connectionOf(socket: Duplex): Connection {
  let connection = connections.get(socket);
  if (connection === undefined) {
    connection = { latest: undefined, ending: false, readBy: undefined, peer: undefined, shownBefore: {} };
    connections.set(socket, connection);
  }
  return connection;
}

/** Addresses of proxies whose fields are trusted. */
export interface Proxies {
  trust(address: string): boolean;
}

/** The caller's address as proxies report it, and whether the caller used TLS, if they report that. */
interface Told {
  readonly address: string;
  readonly secure: boolean | undefined;
}

/** @param list addresses and networks (`10.0.0.0/8`), already checked by the loader */
export function compileProxies(list: readonly string[]): Proxies | undefined {
  if (list.length === 0) return undefined;
  const known = new BlockList();
  for (const entry of list) {
    const [address = '', bits] = entry.split('/');
    if (bits === undefined) known.addAddress(address, familyOf(address));
    else known.addSubnet(address, Number(bits), familyOf(address));
  }
  return { trust: (address) => isIP(address) !== 0 && known.check(address, familyOf(address)) };
}

/** Identifies the caller. Without a trusted proxy at the other end, only the connection counts. */
export function peerOf(incoming: IncomingMessage | undefined, proxies: Proxies | undefined): Peer {
  if (incoming === undefined) return { address: undefined, local: true, secure: true, proxied: false };
  const { headers, socket } = incoming;
  const connection = connectionOf(socket);
  if (connection.peer !== undefined && !(connection.peer.local && isForwarded(headers))) return connection.peer;
  const { remoteAddress: address } = socket;
  const encrypted = (socket as TLSSocket).encrypted === true;
  const proxied = proxies !== undefined && address !== undefined && proxies.trust(address);
  // A caller behind a proxy on this machine is not on this machine itself, whether or not the proxy is configured.
  const local = !proxied && isLoopback(address) && !isForwarded(headers);
  if (!proxied) {
    const peer = { address, local, secure: encrypted || local, proxied };
    // What a proxy reports, and whether there is one on this machine, is said by each request.
    if (local || !isLoopback(address)) connection.peer = peer;
    return peer;
  }
  const told = tell(headers, address, proxies);
  return { address: told.address, local, secure: told.secure ?? encrypted, proxied };
}

const isForwarded = (headers: IncomingHttpHeaders): boolean =>
  headers['x-forwarded-for'] !== undefined ||
  headers.forwarded !== undefined ||
  headers['x-forwarded-proto'] !== undefined ||
  headers['x-forwarded-host'] !== undefined ||
  headers.via !== undefined ||
  headers['x-real-ip'] !== undefined;

/**
 * A proxy writes one of the two kinds of field, and may pass on the other as the caller wrote it. If they differ, neither
 * is trusted.
 */
function tell(headers: IncomingHttpHeaders, proxy: string, proxies: Proxies): Told {
  const forwarded = headers.forwarded === undefined ? undefined : readForwarded(headers.forwarded, proxy, proxies);
  const older = readOlder(headers, proxy, proxies);
  const only = forwarded ?? older;
  if (only === undefined) return { address: proxy, secure: undefined };
  // A proxy that reports a caller must report its scheme too: that the proxy itself used TLS proves nothing about the caller.
  if (forwarded === undefined || older === undefined) return { address: only.address, secure: only.secure ?? false };
  if (forwarded.address !== older.address) return { address: proxy, secure: false };
  return { address: older.address, secure: (forwarded.secure ?? true) && (older.secure ?? forwarded.secure ?? false) };
}

function readOlder(headers: IncomingHttpHeaders, proxy: string, proxies: Proxies): Told | undefined {
  const hops = textOf(headers['x-forwarded-for']);
  const schemes = textOf(headers['x-forwarded-proto']);
  if (hops === undefined && schemes === undefined) return undefined;
  const { address } = rightmost(hops?.split(',') ?? [], proxy, proxies);
  // Several proxies may each have added a value, and the values can't be assigned to them.
  const secure = schemes?.split(',').every((scheme) => scheme.trim().toLowerCase() === 'https');
  return { address, secure };
}

function readForwarded(field: string, proxy: string, proxies: Proxies): Told {
  const elements = splitOutsideQuotes(field, ',').map(parameters);
  const { address, index } = rightmost(
    elements.map((element) => element.get('for') ?? ''),
    proxy,
    proxies,
  );
  const proto = elements[index]?.get('proto')?.toLowerCase();
  return { address, secure: proto === undefined ? undefined : proto === 'https' };
}

/** The caller is the nearest hop that is not a trusted proxy, or else the farthest trusted one in the list. */
function rightmost(
  hops: readonly string[],
  proxy: string,
  proxies: Proxies,
): { readonly address: string; readonly index: number } {
  let nearest = { address: proxy, index: hops.length };
  for (let index = hops.length - 1; index >= 0; index--) {
    const address = addressOf((hops[index] as string).trim());
    if (address === undefined) break;
    nearest = { address, index };
    if (!proxies.trust(address)) break;
  }
  return nearest;
}

/** `192.0.2.1`, `192.0.2.1:4711`, `2001:db8::1`, `[2001:db8::1]:4711`; `undefined` for `unknown` and `_hidden`. */
function addressOf(hop: string): string | undefined {
  const address = isIP(hop) === 0 ? parseSocketAddress(hop)?.address : hop;
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** The parameters of `for="[2001:db8::1]";proto=https`, by lower-case name (RFC 7239 section 4). */
function parameters(element: string): ReadonlyMap<string, string> {
  const pairs = splitOutsideQuotes(element, ';').map((pair): [string, string] => {
    const equals = pair.indexOf('=');
    const value = pair.slice(equals + 1).trim();
    const quoted = /^"(.*)"$/.exec(value)?.[1]?.replaceAll(/\\(.)/g, '$1');
    return [pair.slice(0, Math.max(equals, 0)).trim().toLowerCase(), quoted ?? value];
  });
  return new Map(pairs);
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted && character === '\\') index++;
    else if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(',') : value;

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** The certificate of a connection is read once, as connections serve many requests. */
const shown = new WeakMap<TLSSocket, ShownCertificate | null>();

/** The certificate that a caller presented when it connected. */
export function certificateOfConnection(socket: Socket): ShownCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  let found = shown.get(socket);
  if (found === undefined) {
    const certificate = socket.getPeerX509Certificate();
    found = certificate === undefined ? null : { der: certificate.raw, verified: socket.authorized };
    shown.set(socket, found);
  }
  return found ?? undefined;
}

/** Maximum length of a header with a certificate, in characters. */
const LONGEST = 32 * 1024;

/**
 * The certificate in the header that a trusted proxy sets: `:<base64 of DER>:` (RFC 9440, a Byte Sequence), or PEM,
 * percent-encoded. Any other value, such as `(null)`, counts as no certificate.
 */
export function certificateOfHeader(field: string): ShownCertificate | undefined {
  if (field.length > LONGEST) return undefined;
  const bytes = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(field.trim())?.[1];
  try {
    const text = bytes === undefined ? decodeURIComponent(field.trim()) : undefined;
    if (text !== undefined && !text.startsWith('-----BEGIN CERTIFICATE-----')) return undefined;
    const { raw } = new X509Certificate(text ?? Buffer.from(bytes as string, 'base64'));
    return { der: raw, verified: true };
  } catch {
    return undefined;
  }
}

/** Whether only this machine can reach an address: 127.0.0.0/8 or ::1 (RFC 1122 3.2.1.3, RFC 4291 2.5.3). */
export function isLoopback(address: string | undefined): boolean {
  // A call without a socket comes from inside this process.
  if (address === undefined) return true;
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return plain === '::1' || plain === 'localhost' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}
