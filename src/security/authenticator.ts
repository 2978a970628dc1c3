import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { ConfigText } from '../model/definition.ts';
import { Fault } from '../model/fault.ts';
import {
  isMessageScheme,
  isRequestScheme,
  type MessageScheme,
  Refused,
  type RequestScheme,
  type SecurityScheme,
  type TransportScheme,
  type User,
} from '../model/security.ts';
import type { Nonces } from '../store/index.ts';
import { attempt } from '../wire/waiting.ts';
import type { Directory } from './directory/directory-port.ts';
import { compileApiKey } from './scheme/api-key.ts';
import { compileBasic } from './scheme/basic.ts';
import { compileBearer } from './scheme/bearer.ts';
import { compileClientCertificate } from './scheme/client-certificate.ts';
import { compileHmac } from './scheme/hmac.ts';
import { compileWebhook } from './scheme/webhook.ts';
import {
  type Authenticator,
  type Caller,
  type Finder,
  type Gate,
  type LookAtFile,
  type MessageAuthenticator,
  NO_CREDENTIALS,
  REALM,
  type Shown,
  type ShownBefore,
  type Verifier,
} from './security-port.ts';

export interface AuthenticatorOptions extends Partial<Remembering> {
  readonly schemes: Iterable<SecurityScheme>;
  readonly directory: Directory;
  /** A user whose password takes as long to verify as most do: unknown users then take as long too. */
  readonly alike?: User | undefined;
  /** Resolves a text of the definitions. */
  readonly resolve: (text: ConfigText) => string;
  readonly lookAt: LookAtFile;
  /** Records webhooks, which are accepted once. */
  readonly nonces: Nonces;
  /** Verifies credentials inside messages; without it, schemes for messages accept no one. */
  readonly authenticateMessage?: MessageAuthenticator;
}

/** Compiles the schemes of a registry. @throws Error for a key set that can't be read */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { schemes, directory } = options;
  // A key object: with raw bytes, each HMAC would import the key again, at eight times the cost.
  const key = createSecretKey(randomBytes(32));
  const gates = new Map<string, Gate>();
  for (const scheme of schemes) {
    // Credentials inside messages have an authenticator of their own.
    if (isMessageScheme(scheme)) continue;
    if (isRequestScheme(scheme)) {
      const gate = scheme.kind === 'hmac' ? compileHmac(scheme, options) : compileWebhook(scheme, options);
      gates.set(scheme.id, gate);
      continue;
    }
    gates.set(scheme.id, createGate(compile(scheme, options), directory, key, options));
  }

  /** @param left allowed schemes that may still decide @param earlier thrown if none of them does */
  function enter(
    shown: Shown,
    allowed: readonly SecurityScheme[],
    left: readonly SecurityScheme[],
    earlier?: Fault,
  ): Caller | Promise<Caller> {
    const found = findNext(gates, shown, left);
    if (found === undefined) throw earlier ?? unauthenticated(gates, allowed, NO_CREDENTIALS);
    const { gate, credentials, next } = found;
    const { verifier } = gate;
    const refuse = (error: unknown): Caller | Promise<Caller> => {
      if (!(error instanceof Refused)) throw error;
      const fault = unauthenticated(gates, allowed, error.message, verifier);
      if (verifier.isAmbient !== true) throw fault;
      return enter(shown, allowed, left.slice(next), fault);
    };
    try {
      const caller = gate.admit(credentials, shown);
      return caller instanceof Promise ? caller.catch(refuse) : caller;
    } catch (error) {
      return refuse(error);
    }
  }

  /** @param left schemes with credentials that may still accept the caller @param first thrown if none of them does */
  function enterByAny(
    shown: Shown,
    schemes: readonly SecurityScheme[],
    [scheme, ...left]: readonly SecurityScheme[],
    first?: unknown,
  ): Caller | Promise<Caller> {
    if (scheme === undefined) throw first ?? unauthenticated(gates, schemes, NO_CREDENTIALS);
    return attempt(
      () => enter(shown, schemes, [scheme]),
      (error) => enterByAny(shown, schemes, left, first ?? error),
    );
  }

  return {
    authenticate: (shown, allowed) => enter(shown, allowed, allowed),
    authenticateByAny: (shown, schemes) => enterByAny(shown, schemes, shownOf(gates, shown, schemes)),
    shows: (shown, schemes) => shows(gates, shown, schemes),
    async authenticateMessage(message, shown, allowed) {
      if (options.authenticateMessage === undefined)
        throw unauthenticated(gates, allowed, 'credentials in messages are not accepted');
      try {
        return await options.authenticateMessage(message, shown, allowed);
      } catch (error) {
        throw error instanceof Refused ? unauthenticated(gates, allowed, error.message) : error;
      }
    },
  };
}

/** Without `undefined` in its return type, so that the compiler demands a line for each kind of scheme. */
function compile(scheme: Exclude<TransportScheme, RequestScheme>, options: AuthenticatorOptions): Verifier {
  const { directory, alike } = options;
  switch (scheme.kind) {
    case 'basic':
      return compileBasic(scheme, directory, alike);
    case 'api-key':
      return compileApiKey(scheme, directory);
    case 'bearer':
      return compileBearer(scheme, directory, options);
    case 'client-certificate':
      return compileClientCertificate(scheme, directory);
  }
}

/** By scheme id; schemes for messages have no gate. */
type Gates = ReadonlyMap<string, Gate>;

/** Credentials with the gate that verifies them. */
interface Found {
  readonly gate: Gate;
  readonly credentials: string;
  /** Index of the first scheme that may decide if these credentials count as absent. */
  readonly next: number;
}

/**
 * Finds the scheme that decides next. Of several schemes that find the same credentials, it is the one that these are meant
 * for, else the first, which rejects them.
 */
function findNext(gates: Gates, shown: Shown, schemes: readonly SecurityScheme[]): Found | undefined {
  for (let index = 0; index < schemes.length; index++) {
    const scheme = schemes[index] as SecurityScheme;
    const first = gates.get(scheme.id);
    const credentials = first?.verifier.find(shown);
    if (first === undefined || credentials === undefined) continue;
    const next = index + 1;
    const isAlone = first.verifier.isMeant === undefined || next === schemes.length;
    return { gate: isAlone ? first : meantOf(gates, first, schemes.slice(next), credentials), credentials, next };
  }
  return undefined;
}

/** The gate that credentials are meant for, of those whose schemes are of the same kind and find the same credentials. */
function meantOf(gates: Gates, first: Gate, others: readonly SecurityScheme[], credentials: string): Gate {
  const rivals = others.filter(({ kind }) => kind === first.verifier.scheme.kind);
  if (rivals.length === 0) return first;
  const all = [first, ...rivals.flatMap(({ id }) => gates.get(id) ?? [])];
  return all.find(({ verifier }) => verifier.isMeant?.(credentials)) ?? first;
}

/** Whether credentials outside the message are present for one of the schemes. */
function shows(gates: Gates, shown: Shown, allowed: readonly SecurityScheme[]): boolean {
  return allowed.some(({ id }) => gates.get(id)?.verifier.find(shown) !== undefined);
}

/** The schemes whose credentials are present; of those that find the same ones, those that they are meant for. */
function shownOf(gates: Gates, shown: Shown, schemes: readonly SecurityScheme[]): readonly SecurityScheme[] {
  const all = schemes.length < 2 ? schemes : schemes.filter((scheme) => shows(gates, shown, [scheme]));
  if (all.length < 2) return all;
  const meant = all.filter(({ id }) => {
    const { verifier } = gates.get(id) as Gate;
    return verifier.isMeant?.(verifier.find(shown) as string) ?? true;
  });
  return meant.length > 0 ? meant : all.slice(0, 1);
}

/** The 401 reply: always the same. Only the log gets the reason. */
function unauthenticated(gates: Gates, allowed: readonly SecurityScheme[], reason: string, refused?: Finder): Fault {
  const outside = allowed.flatMap(({ id }) => {
    const verifier = gates.get(id)?.verifier;
    return verifier === undefined ? [] : verifier.challenge(verifier.scheme.kind === refused?.scheme.kind);
  });
  // A 401 must have a challenge (RFC 9110 section 15.5.2).
  const challenges = outside.length > 0 ? outside : allowed.filter(isMessageScheme).map(challengeOfMessages);
  const headers = challenges.length === 0 ? {} : { 'WWW-Authenticate': [...new Set(challenges)].join(', ') };
  const scheme = refused?.scheme.id ?? '';
  return Fault.of('UNAUTHENTICATED', { scheme }, { headers, reason, ...(scheme === '' ? {} : { scheme }) });
}

/** Clients know WSSE as the name for credentials of WS-Security, which here are inside the message. */
const challengeOfMessages = ({ kind }: MessageScheme): string =>
  `WSSE ${REALM}, profile="${kind === 'username-token' ? 'UsernameToken' : 'X509Token'}"`;

/** How long and how much is remembered. */
interface Remembering {
  /** Milliseconds that verified credentials are remembered; a minute. */
  readonly rememberFor: number;
  /** Credentials of one scheme that may wait to be verified at once; 200. */
  readonly mostWaiting: number;
  /** Milliseconds; a clock that only goes forward. */
  readonly now: () => number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Called when known keys of an issuer are used because it can't be reached. */
  readonly onError: (error: Error) => void;
}

/** A password takes a core for some 30 ms, so a longer queue only serves an attack. */
const MOST_WAITING = 200;
const REMEMBER_FOR = 60_000;

interface Remembered {
  readonly gate: Gate;
  readonly caller: Caller;
  readonly until: number;
  /** Of the directory, before the credentials were looked at. */
  readonly version: number;
}

/** Verified credentials remembered at once; the oldest go first. */
const MOST_REMEMBERED = 10_000;

/** @param key of this process alone: a dump of what is remembered gives no credentials away */
export function createGate(
  verifier: Verifier,
  directory: Directory,
  key: KeyObject,
  options: Partial<Remembering> = {},
): Gate {
  const { rememberFor = REMEMBER_FOR, mostWaiting = MOST_WAITING } = options;
  const { now = performance.now.bind(performance), clock = Date.now } = options;
  const verified = new Map<string, Remembered>();
  const trying = new Map<string, Promise<Caller>>();

  const isGood = (found: Remembered, version: number): boolean => found.until > now() && found.version === version;
  const fingerprint = (credentials: string): string => createHmac('sha256', key).update(credentials).digest('base64');

  async function attempt(print: string, credentials: string, version: number): Promise<Caller> {
    const { user, until } = await verifier.verify(credentials);
    const caller = { user, scheme: verifier.scheme };
    const left = until === undefined ? rememberFor : Math.min(rememberFor, until - clock());
    if (left <= 0) return caller;
    if (verified.size >= MOST_REMEMBERED) verified.delete(verified.keys().next().value as string);
    verified.set(print, { gate, caller, until: now() + left, version });
    return caller;
  }

  function enter(credentials: string, version: number, before?: ShownBefore): Caller | Promise<Caller> {
    if (before !== undefined && before.credentials === credentials) {
      const known = before.found as Remembered;
      if (known.gate === gate && isGood(known, version)) return known.caller;
    }
    const print = fingerprint(credentials);
    const found = verified.get(print);
    if (found !== undefined) {
      if (isGood(found, version)) {
        if (before !== undefined) Object.assign(before, { credentials, found });
        return found.caller;
      }
      verified.delete(print);
    }
    // What was begun before a user changed is for those who asked then.
    const attempted = `${version} ${print}`;
    const running = trying.get(attempted);
    if (running !== undefined) return running;
    if (trying.size >= mostWaiting)
      throw Fault.of('UNAVAILABLE', { reason: 'too many sign-ins at once' }, { headers: { 'Retry-After': '5' } });
    const started = attempt(print, credentials, version).finally(() => trying.delete(attempted));
    trying.set(attempted, started);
    return started;
  }

  const gate: Gate = {
    verifier,
    admit(credentials, shown) {
      const before = shown?.shownBefore;
      if (credentials.length > verifier.longest) throw new Refused('credentials are too long');
      const version = directory.version();
      if (typeof version === 'number') return enter(credentials, version, before);
      return version.then((read) => enter(credentials, read, before));
    },
  };
  return gate;
}
