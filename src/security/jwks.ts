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
import { Fault } from '../model/fault.ts';
import { isLoopbackName } from '../wire/network-address.ts';
import { duration } from '../wire/words.ts';
import type { LookAtFile } from './security-port.ts';

/** The public keys of an issuer. */
export interface KeySet {
  /** @throws JOSEError when no key matches; Fault UNAVAILABLE when the keys can't be read */
  find(header: JWTHeaderParameters): Promise<CryptoKey>;
}

/** Times of a key set at a URL, in milliseconds. */
interface KeyTimes {
  /** Shortest time between two fetches: a token with an unknown key triggers one. */
  readonly cooldown: number;
  /** How long a fetched set is used. */
  readonly maxAge: number;
  /** For how long a fetched set is used while no other can be fetched. */
  readonly kept: number;
  readonly timeout: number;
}

interface KeyOptions extends KeyTimes {
  readonly onError?: (error: Error) => void;
}

const TIMES: KeyTimes = { cooldown: 30_000, maxAge: 600_000, kept: 86_400_000, timeout: 5_000 };
/** Pause after a failed fetch, in milliseconds: an issuer in trouble should not get even more requests. */
const PAUSE_MS = 5_000;
/** Bytes of a key set, and of any other reply. */
const LARGEST = 512 * 1024;

/**
 * @param source an https URL, an http URL of this machine, or a file relative to the project
 * @throws Error for any other URL
 */
export function openKeys(source: string, lookAt: LookAtFile, times: Partial<KeyOptions> = {}): KeySet {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return keysOfFile(source, lookAt);
  const url = new URL(source);
  const isNear = url.protocol === 'http:' && isLoopbackName(url.hostname);
  if (url.protocol !== 'https:' && !isNear) throw new Error(`the key set ${source} is not at an https URL`);
  return keysOfUrl(url, { ...TIMES, ...times });
}

function keysOfUrl(url: URL, { cooldown, maxAge, kept, timeout, onError }: KeyOptions): KeySet {
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let known: { readonly from: number; readonly find: ReturnType<typeof createLocalJWKSet> } | undefined;
  let isReported = false;
  let failedAt = Number.NEGATIVE_INFINITY;
  const isPausing = (): boolean => performance.now() - failedAt < PAUSE_MS;
  const remote = createRemoteJWKSet(url, {
    timeoutDuration: timeout,
    cooldownDuration: cooldown,
    cacheMaxAge: maxAge,
    [customFetch]: async (address, options) => {
      if (isPausing()) throw new Error('the last fetch failed a moment ago');
      const reply = await keysIn(await fetch(address, { ...options, redirect: 'error' }));
      const text = await reply.text();
      // Throws for what is not a key set, as the caller of this does.
      createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
      fetchedAt = performance.now();
      isReported = false;
      return new Response(text, { status: 200 });
    },
  });
  /** The keys that were fetched last, unless they are too old; keys change seldom, and an issuer may be down for hours. */
  function older(error: unknown): ReturnType<typeof createLocalJWKSet> | undefined {
    const set = remote.jwks();
    if (set === undefined || performance.now() - fetchedAt >= kept) return undefined;
    if (!isReported) {
      const why = error instanceof Error ? `: ${error.message}` : '';
      const words = `the key set ${url.href} can't be fetched${why}; its known keys are used for up to ${duration(kept)}`;
      onError?.(new Error(words, { cause: error }));
    }
    isReported = true;
    if (known?.from !== fetchedAt) known = { from: fetchedAt, find: createLocalJWKSet(set) };
    return known.find;
  }
  return {
    async find(header) {
      try {
        return await remote(header);
      } catch (error) {
        if (isOfToken(error)) throw error;
        if (!isPausing()) failedAt = performance.now();
        const found = older(error);
        if (found === undefined) throw keysUnavailable(url.href, error);
        return await found(header).catch((failure: unknown) => {
          // The issuer may have published it meanwhile.
          throw failure instanceof errors.JWKSNoMatchingKey ? keysUnavailable(url.href, error) : failure;
        });
      }
    },
  };
}

async function keysIn(reply: Response): Promise<Response> {
  if (reply.status === 200) return bounded(reply);
  await reply.body?.cancel();
  throw new Error(`the issuer answered with the status ${reply.status}`);
}

/** Reads at most {@link LARGEST} bytes of a reply of an issuer. */
export async function bounded({ body, status, headers }: Response): Promise<Response> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > LARGEST) throw new Error(`the reply is larger than ${LARGEST} bytes`);
    chunks.push(chunk);
  }
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), { status, headers });
}

/** Reads the file again when it has changed. An invalid one is reported with each token until it is fixed. */
function keysOfFile(file: string, lookAt: LookAtFile): KeySet {
  let known: { readonly seen: string; readonly find: ReturnType<typeof createLocalJWKSet> } | undefined;
  return {
    async find(header) {
      try {
        const { seen, read } = await lookAt(file);
        if (known?.seen !== seen) known = { seen, find: createLocalJWKSet(JSON.parse(await read()) as JSONWebKeySet) };
        return await known.find(header);
      } catch (error) {
        throw isOfToken(error) ? error : keysUnavailable(file, error);
      }
    },
  };
}

/** Whether the token is at fault rather than the key set. */
function isOfToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function keysUnavailable(source: string, cause: unknown): Fault {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return Fault.of(
    'UNAVAILABLE',
    { reason: 'the keys that verify tokens are not available' },
    { headers: { 'Retry-After': '5' }, cause, reason: `key set ${source}${why}` },
  );
}
