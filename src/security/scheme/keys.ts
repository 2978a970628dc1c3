// JSON Web Key Sets, RFC 7517.
import {
  type CryptoKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWTHeaderParameters,
} from 'jose';
import { Fault } from '../../model/fault.ts';
import { isLoopbackName } from '../../wire/network-address.ts';
import type { LookAtFile } from '../port.ts';

/** The keys with which an issuer signs. */
export interface KeySet {
  /** @throws JOSEError where no key fits; Fault UNAVAILABLE where the keys can't be had */
  find(header: JWTHeaderParameters): Promise<CryptoKey>;
}

/** Times of a key set that is fetched, in milliseconds. */
export interface KeyTimes {
  /** A token of an unknown key has the set fetched anew, but not sooner than so long after the last time. */
  readonly cooldown: number;
  /** How long a set holds. */
  readonly maxAge: number;
  readonly timeout: number;
}

const TIMES: KeyTimes = { cooldown: 30_000, maxAge: 600_000, timeout: 5_000 };
/** After a failure nobody asks the issuer for this long, so that its trouble is not made worse. */
const PAUSE_MS = 5_000;
/** Bytes of a key set. */
const LARGEST = 512 * 1024;

/**
 * @param source an https URL, an http URL of this machine, or a file relative to the project
 * @throws Error for another URL
 */
export function openKeys(source: string, lookAt: LookAtFile, times: Partial<KeyTimes> = {}): KeySet {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return keysOfFile(source, lookAt);
  const url = new URL(source);
  const isNear = url.protocol === 'http:' && isLoopbackName(url.hostname);
  if (url.protocol !== 'https:' && !isNear) throw new Error(`the key set ${source} is not at an https URL`);
  return keysOfUrl(url, { ...TIMES, ...times });
}

function keysOfUrl(url: URL, { cooldown, maxAge, timeout }: KeyTimes): KeySet {
  let failedAt = Number.NEGATIVE_INFINITY;
  const isPausing = (): boolean => performance.now() - failedAt < PAUSE_MS;
  const remote = createRemoteJWKSet(url, {
    timeoutDuration: timeout,
    cooldownDuration: cooldown,
    cacheMaxAge: maxAge,
    [customFetch]: async (address, options) => {
      if (isPausing()) throw new Error('it could not be had a moment ago');
      return bounded(await fetch(address, { ...options, redirect: 'error' }));
    },
  });
  return {
    async find(header) {
      try {
        return await remote(header);
      } catch (error) {
        if (isOfToken(error)) throw error;
        if (!isPausing()) failedAt = performance.now();
        throw unavailable(url.href, error);
      }
    },
  };
}

/** Reads a reply no further than a key set can be long. */
async function bounded(reply: Response): Promise<Response> {
  if (reply.status !== 200 || reply.body === null) {
    await reply.body?.cancel();
    throw new Error(`it is answered with ${reply.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body) {
    size += chunk.length;
    if (size > LARGEST) throw new Error(`the key set is larger than ${LARGEST} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks));
}

/** Read again when the file has changed; what is no key set then is told until it is mended. */
function keysOfFile(file: string, lookAt: LookAtFile): KeySet {
  let known: { readonly seen: string; readonly find: ReturnType<typeof createLocalJWKSet> } | undefined;
  return {
    async find(header) {
      try {
        const { seen, read } = await lookAt(file);
        if (known?.seen !== seen) known = { seen, find: createLocalJWKSet(JSON.parse(await read()) as JSONWebKeySet) };
        return await known.find(header);
      } catch (error) {
        throw isOfToken(error) ? error : unavailable(file, error);
      }
    },
  };
}

/** What is wrong is the token rather than the key set. */
function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function unavailable(source: string, cause: unknown): Fault {
  const said = cause instanceof Error ? `: ${cause.message}` : '';
  return Fault.of(
    'UNAVAILABLE',
    { reason: 'the keys that tokens are verified with can not be had' },
    { headers: { 'Retry-After': '5' }, cause, reason: `key set ${source}${said}` },
  );
}
