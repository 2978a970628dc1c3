import { type LookupAddress, lookup } from 'node:dns';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { get as getHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Found, type ReadSource, SOURCE_LIMITS } from '../../import/index.ts';
import { duration } from '../../wire/duration.ts';
import { codeOf, messageOf } from '../../wire/error.ts';

/** The location of standard input. */
export const STDIN = '-';

export interface SourceOptions {
  /** Whether references to addresses are followed. An address that the user gives is always read. */
  readonly fetch: boolean;
  /** Whether references may lead to addresses of this machine and of private networks. */
  readonly private: boolean;
  /** The locations that the user gave. */
  readonly given: ReadonlySet<string>;
  /** Headers of requests to one server, and to no other, by its origin: `https://gateway.example.org`. */
  readonly headers?: HeadersByOrigin;
}

type HeadersByOrigin = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** An address without its user and password, so that it may be printed, and the header that has them. */
export interface PlainAddress {
  readonly location: string;
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @param name an address such as https://reader:secret@gateway.example.org. @returns `undefined` for a path */
export function plainAddress(name: string): PlainAddress | undefined {
  if (!/^https?:/i.test(name) || !URL.canParse(name)) return undefined;
  const url = new URL(name);
  const { username, password, origin } = url;
  if (username === '') return { location: name, origin, headers: {} };
  url.username = '';
  url.password = '';
  const pair = `${unescaped(username)}:${unescaped(password)}`;
  const Authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { location: url.href, origin, headers: { Authorization } };
}

/** A part of an address without its percent-encoding, or as it is where that is none. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reads files and addresses, each once. */
export function sourceReader(options: SourceOptions): ReadSource {
  const known = new Map<string, Promise<Found>>();
  const until = performance.now() + TIMEOUT_OF_ALL;
  return (location) => {
    const found = known.get(location) ?? readOne(location, options, until);
    known.set(location, found);
    return found;
  };
}

async function readOne(location: string, options: SourceOptions, until: number): Promise<Found> {
  const isGiven = options.given.has(location);
  try {
    if (location === STDIN) return { bytes: await bounded(process.stdin) };
    if (!/^https?:/i.test(location)) return await readLocal(location, isGiven);
    if (!isGiven && !options.fetch) return { missing: 'is on the network (--fetch reads it)' };
    const timeout = Math.min(TIMEOUT, until - performance.now());
    if (timeout <= 0) return { missing: `is not read: the network took more than ${duration(TIMEOUT_OF_ALL)}` };
    return {
      bytes: await fetchBytes(location, {
        isGiven,
        private: options.private,
        timeout,
        headers: options.headers,
      }),
    };
  } catch (error) {
    const remedy = CERTIFICATE.test(codeOf(error))
      ? ' (NODE_EXTRA_CA_CERTS names a file with the authority to trust)'
      : '';
    return { missing: `can't be ${/^https?:/i.test(location) ? 'fetched' : 'read'}: ${messageOf(error)}${remedy}` };
  }
}

/** Codes of errors for a certificate whose authority is not known. */
const CERTIFICATE = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/;

async function readLocal(path: string, isGiven: boolean): Promise<Found> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return { missing: `is a folder: ${basename(path)}` };
    // Reading a device or a pipe may never end: only the user may name one, as `<(…)` of a shell does. Those in /proc are
    // files without a size.
    if (!isGiven && !found.isFile()) return { missing: 'is not a file' };
    if (!isGiven && found.size === 0) return { missing: 'is empty' };
    return { bytes: await bounded(createReadStream(path)) };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { missing: 'does not exist' };
    return { missing: `can't be read: ${messageOf(error)}` };
  }
}

const MOST_REDIRECTS = 5;
/** Milliseconds for one address with all its redirects and its content, and for all addresses of an import. */
const TIMEOUT = 30_000;
const TIMEOUT_OF_ALL = 120_000;

interface Fetching {
  /** Whether the user gave the address: it may be private, as may be those of the same host that it redirects to. */
  readonly isGiven: boolean;
  readonly private: boolean;
  readonly timeout: number;
  readonly headers: HeadersByOrigin | undefined;
}

/** @throws Error with a clause that says why there is no content */
async function fetchBytes(address: string, fetching: Fetching): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(fetching.timeout);
  try {
    return await fetchWithin(new URL(address), fetching, signal);
  } catch (error) {
    throw signal.aborted
      ? new Error(`it took more than ${duration(1000 * Math.round(fetching.timeout / 1000))}`)
      : error;
  }
}

async function fetchWithin(address: URL, fetching: Fetching, signal: AbortSignal): Promise<Uint8Array> {
  let url = address;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const mayBePrivate = fetching.private || (fetching.isGiven && url.hostname === address.hostname);
    const own = fetching.headers?.get(url.origin) ?? {};
    const response = await request(url, mayBePrivate, own, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      if (!URL.canParse(headers.location, url.href)) throw new Error('it redirects to an invalid address');
      url = new URL(headers.location, url);
      if (!/^https?:$/.test(url.protocol)) throw new Error(`it redirects to ${url.protocol}`);
      continue;
    }
    if (statusCode !== 200) {
      response.destroy();
      const isForbidden = statusCode === 401 || statusCode === 403;
      throw new Error(`the answer has status ${statusCode}${isForbidden ? ' (--header gives credentials)' : ''}`);
    }
    const abort = (): void => {
      response.destroy(new Error('aborted'));
    };
    signal.addEventListener('abort', abort);
    return await bounded(decoded(response)).finally(() => signal.removeEventListener('abort', abort));
  }
  throw new Error(`it redirects more than ${MOST_REDIRECTS} times`);
}

/** The content of a response. No compression is asked for, which some servers use all the same. */
function decoded(response: IncomingMessage): AsyncIterable<unknown> {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'gzip' || encoding === 'x-gzip') return pipeline(response, createGunzip(), () => undefined);
  if (encoding === 'identity' || encoding === '') return response;
  response.destroy();
  throw new Error(`the answer has the content encoding ${encoding}`);
}

function request(
  url: URL,
  mayBePrivate: boolean,
  own: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!mayBePrivate && isIP(host) !== 0 && isPrivate(host)) throw new Error(PRIVATE);
  return new Promise((resolve, reject) => {
    const options: RequestOptions = {
      headers: {
        Accept: 'application/xml, text/xml, application/json, application/yaml, */*;q=0.5',
        ...own,
      },
      signal,
      // A connection that was opened to a private address is not used again where none is permitted.
      agent: false,
      ...(mayBePrivate ? {} : { lookup: publicLookup }),
    };
    (url.protocol === 'https:' ? getHttps : getHttp)(url, options, resolve).on('error', reject);
  });
}

/** Refuses names that mean a private address, at the very lookup that the connection uses. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const found = error === null && addresses.some(({ address }) => isPrivate(address)) ? new Error(PRIVATE) : error;
    if (options.all === true) callback(found, addresses);
    else callback(found, addresses[0]?.address ?? '', addresses[0]?.family);
  });
};

const PRIVATE = 'its address is private (--allow-private permits it)';

/** Addresses that the internet does not route (RFC 6890). */
const RESERVED = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  RESERVED.addSubnet(network, prefix, 'ipv4');
  // The same addresses as IPv6 has them: mapped, and by NAT64 (RFC 6052).
  RESERVED.addSubnet(`::ffff:${network}`, 96 + prefix, 'ipv6');
  RESERVED.addSubnet(`64:ff9b::${network}`, 96 + prefix, 'ipv6');
}
for (const [network, prefix] of [
  // Addresses that contain one of IPv4: compatible ones, 6to4 (RFC 3056), and NAT64 of a local network (RFC 8215).
  ['::', 96],
  ['2002::', 16],
  ['64:ff9b:1::', 48],
  ['fec0::', 10],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  RESERVED.addSubnet(network, prefix, 'ipv6');
}

function isPrivate(address: string): boolean {
  const [plain = ''] = address.split('%');
  return RESERVED.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
}

/** What a stream holds, within the limit of one file. */
async function bounded(stream: AsyncIterable<unknown>): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > SOURCE_LIMITS.file) throw new Error(`it is larger than ${SOURCE_LIMITS.file / 1024 ** 2} MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
