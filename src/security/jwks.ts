// JSON Web Key Sets, RFC 7517.
import { type CryptoKey, createLocalJWKSet, errors, type JSONWebKeySet, type JWTHeaderParameters } from 'jose';
import { Fault } from '../model/fault.ts';
import { duration } from '../wire/duration.ts';
import { isLoopbackName } from '../wire/network-address.ts';
import type { LookAtFile } from './security-port.ts';

/** The public keys of an issuer. */
export interface KeySet {
  /** @throws JOSEError when no key matches; Fault UNAVAILABLE when the keys can't be read */
  find(header: JWTHeaderParameters): Promise<CryptoKey>;
  /**
   * Fetches the set again for a token whose signature is by none of its keys: an issuer may change a key without its name. It is
   * not fetched if that was done a moment ago.
   * @returns whether it was fetched
   */
  renew(): Promise<boolean>;
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
  readonly onError?: ((error: Error) => void) | undefined;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: (() => number) | undefined;
}

const TIMES: KeyTimes = { cooldown: 30_000, maxAge: 600_000, kept: 86_400_000, timeout: 5_000 };
/** Pause after a failed fetch, in milliseconds: an issuer in trouble should not get even more requests. */
const PAUSE_MS = 5_000;
/** For so many milliseconds after a failed fetch the issuer is taken to be down: known keys are used without waiting for the next. */
const DOWN_MS = 60_000;
/** Bytes of a key set, and of any other reply. */
const LARGEST = 512 * 1024;

/**
 * @param source an https URL, an http URL of this machine, or a file relative to the project
 * @throws Error for any other URL
 */
export function openKeys(source: string, lookAt: LookAtFile, options: Partial<KeyOptions> = {}): KeySet {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(source)) return keysOfFile(source, lookAt);
  const url = new URL(source);
  const isNear = url.protocol === 'http:' && isLoopbackName(url.hostname);
  if (url.protocol !== 'https:' && !isNear) throw new Error(`the key set ${source} is not at an https URL`);
  return keysOfUrl(url, { ...TIMES, ...options });
}

type FindKey = ReturnType<typeof createLocalJWKSet>;

/** What the last fetch of a key set ended with. */
interface Fetched {
  readonly at: number;
  readonly find: FindKey;
}

/**
 * A set that is fetched when it is needed, once for all callers that wait for it. Keys change seldom, and an issuer may be down for
 * hours: known keys are used meanwhile, and no caller with one of them waits for more than the first failed fetch.
 */
function keysOfUrl(url: URL, options: KeyOptions): KeySet {
  const { cooldown, maxAge, kept, timeout, onError, now = () => performance.now() } = options;
  let known: Fetched | undefined;
  let failed: { readonly at: number; readonly error: unknown } | undefined;
  let isReported = false;
  let fetching: Promise<Fetched> | undefined;

  function fetchSet(): Promise<Fetched> {
    if (failed !== undefined && now() - failed.at < PAUSE_MS) return Promise.reject(failed.error);
    fetching ??= request(url, timeout)
      .then(
        (find) => {
          failed = undefined;
          isReported = false;
          known = { at: now(), find };
          return known;
        },
        (error: unknown) => {
          failed = { at: now(), error };
          throw error;
        },
      )
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  }

  /** The keys that were fetched last, unless they are too old. @throws Fault UNAVAILABLE */
  function older(error: unknown): Fetched {
    if (known === undefined || now() - known.at >= kept) throw keysUnavailable(url.href, error);
    if (!isReported) {
      const why = error instanceof Error ? `: ${error.message}` : '';
      const words = `the key set ${url.href} can't be fetched${why}; its known keys are used for up to ${duration(kept)}`;
      onError?.(new Error(words, { cause: error }));
    }
    isReported = true;
    return known;
  }

  async function current(): Promise<Fetched> {
    if (known !== undefined && now() - known.at < maxAge) return known;
    const next = fetchSet();
    const isDown = failed !== undefined && now() - failed.at < DOWN_MS;
    if (!isDown || known === undefined || now() - known.at >= kept) return next.catch(older);
    next.catch(() => undefined);
    return older(failed?.error);
  }

  const wasFetchedJustNow = (set: Fetched): boolean => failed === undefined && now() - set.at < cooldown;

  return {
    async find(header) {
      const set = await current();
      try {
        return await set.find(header);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || wasFetchedJustNow(set)) throw error;
        // The issuer may have published it meanwhile.
        const next = await fetchSet().catch((failure: unknown) => {
          throw keysUnavailable(url.href, failure);
        });
        return next.find(header);
      }
    },
    async renew() {
      if (known === undefined || wasFetchedJustNow(known)) return false;
      return fetchSet().then(
        () => true,
        () => false,
      );
    },
  };
}

/** @throws Error for a reply that is not a key set; one without keys is, and revokes those that were known */
async function request(url: URL, timeout: number): Promise<FindKey> {
  const headers = { accept: 'application/json, application/jwk-set+json', 'user-agent': 'signalbox' };
  const signal = AbortSignal.timeout(timeout);
  const reply = await keysIn(await fetch(url, { headers, signal, redirect: 'error' }));
  return createLocalJWKSet(JSON.parse(await reply.text()) as JSONWebKeySet);
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
    if (size > LARGEST) throw new Error(`the reply is larger than ${LARGEST} bytes (a fixed limit)`);
    chunks.push(chunk);
  }
  return new Response(chunks.length === 0 ? null : Buffer.concat(chunks), { status, headers });
}

/** Reads the file again when it has changed. An invalid one is reported with each token until it is fixed. */
function keysOfFile(file: string, lookAt: LookAtFile): KeySet {
  let known: { readonly seen: string; readonly find: FindKey } | undefined;
  return {
    async find(header) {
      try {
        const { seen, read } = await lookAt(file);
        if (known?.seen !== seen) known = { seen, find: createLocalJWKSet(JSON.parse(await read()) as JSONWebKeySet) };
      } catch (error) {
        throw keysUnavailable(file, error);
      }
      return known.find(header);
    },
    // It is read again whenever it changes.
    renew: async () => false,
  };
}

function keysUnavailable(source: string, cause: unknown): Fault {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return Fault.of(
    'UNAVAILABLE',
    { reason: 'the keys that verify tokens are not available' },
    { headers: { 'Retry-After': '5' }, cause, reason: `key set ${source}${why}` },
  );
}
