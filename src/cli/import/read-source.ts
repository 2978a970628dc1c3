import { type LookupAddress, lookup } from 'node:dns';
import { readFile, stat } from 'node:fs/promises';
import { get as getHttp, type IncomingMessage, type RequestOptions } from 'node:http';
import { get as getHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Found, type ReadSource, SOURCE_LIMITS } from '../../import/index.ts';
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
}

/** Reads files and addresses, each once. */
export function sourceReader(options: SourceOptions): ReadSource {
  const known = new Map<string, Promise<Found>>();
  return (location) => {
    const found = known.get(location) ?? readOne(location, options);
    known.set(location, found);
    return found;
  };
}

async function readOne(location: string, options: SourceOptions): Promise<Found> {
  if (location === STDIN) return { bytes: await buffer(process.stdin) };
  if (!/^https?:/i.test(location)) return await readLocal(location);
  const isGiven = options.given.has(location);
  if (!isGiven && !options.fetch) return { missing: 'is on the network (--fetch reads it)' };
  try {
    return { bytes: await fetchBytes(location, isGiven || options.private) };
  } catch (error) {
    return { missing: `can't be fetched: ${messageOf(error)}` };
  }
}

async function readLocal(path: string): Promise<Found> {
  try {
    const { size } = await stat(path);
    if (size > SOURCE_LIMITS.file) return { missing: `is larger than ${SOURCE_LIMITS.file / 1024 ** 2} MiB` };
    return { bytes: await readFile(path) };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { missing: 'does not exist' };
    if (code === 'EISDIR') return { missing: `is a folder: ${basename(path)}` };
    return { missing: `can't be read: ${messageOf(error)}` };
  }
}

const MOST_REDIRECTS = 5;
const TIMEOUT = 30_000;

/** @throws Error with a clause that says why there is no content */
async function fetchBytes(address: string, mayBePrivate: boolean): Promise<Uint8Array> {
  let url = new URL(address);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await request(url, mayBePrivate);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      url = new URL(headers.location, url);
      if (!/^https?:$/.test(url.protocol)) throw new Error(`it redirects to ${url.protocol}`);
      continue;
    }
    if (statusCode !== 200) {
      response.destroy();
      throw new Error(`the answer has status ${statusCode}`);
    }
    return await bounded(response);
  }
  throw new Error(`it redirects more than ${MOST_REDIRECTS} times`);
}

function request(url: URL, mayBePrivate: boolean): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!mayBePrivate && isIP(host) !== 0 && isPrivate(host)) throw new Error(PRIVATE);
  return new Promise((resolve, reject) => {
    const options: RequestOptions = {
      headers: { Accept: 'application/xml, text/xml, application/json, application/yaml, */*;q=0.5' },
      signal: AbortSignal.timeout(TIMEOUT),
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
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  RESERVED.addSubnet(network, prefix, 'ipv6');
}

function isPrivate(address: string): boolean {
  return RESERVED.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The content of an answer, within the limit of one file. */
async function bounded(response: IncomingMessage): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > SOURCE_LIMITS.file) throw new Error(`it is larger than ${SOURCE_LIMITS.file / 1024 ** 2} MiB`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
