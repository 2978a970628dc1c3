import { createHmac, type KeyObject } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import type { Directory } from './directory/port.ts';
import { type Caller, Refused, type Verifier } from './port.ts';

/** How long and how much is remembered. */
export interface Remembering {
  /** Milliseconds that verified credentials are remembered; a minute. */
  readonly rememberFor: number;
  /** Credentials of one scheme that may wait to be verified at once; 200. */
  readonly mostWaiting: number;
  /** Milliseconds; a clock that only goes forward. */
  readonly now: () => number;
}

/** One scheme's entrance: verifies credentials, and remembers those that are good. */
export interface Gate {
  readonly verifier: Verifier;
  /** At once where the same were verified a moment ago. @throws Refused; Fault FORBIDDEN, UNAVAILABLE */
  admit(credentials: string): Caller | Promise<Caller>;
}

/** A password takes a core for some 30 ms, so a longer queue only serves an attack. */
const MOST_WAITING = 200;
const REMEMBER_FOR = 60_000;

interface Remembered {
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
  const now = options.now ?? performance.now.bind(performance);
  const verified = new Map<string, Remembered>();
  const trying = new Map<string, Promise<Caller>>();

  const fingerprint = (credentials: string): string => createHmac('sha256', key).update(credentials).digest('base64');

  async function attempt(print: string, credentials: string, version: number): Promise<Caller> {
    const { user, until } = await verifier.verify(credentials);
    const caller = { user, scheme: verifier.scheme };
    const left = until === undefined ? rememberFor : Math.min(rememberFor, until - Date.now());
    if (left <= 0) return caller;
    if (verified.size >= MOST_REMEMBERED) verified.delete(verified.keys().next().value as string);
    verified.set(print, { caller, until: now() + left, version });
    return caller;
  }

  function enter(credentials: string, version: number): Caller | Promise<Caller> {
    const print = fingerprint(credentials);
    const found = verified.get(print);
    if (found !== undefined) {
      if (found.until > now() && found.version === version) return found.caller;
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

  return {
    verifier,
    admit(credentials) {
      if (credentials.length > verifier.longest) throw new Refused('credentials are too long');
      const version = directory.version();
      if (typeof version === 'number') return enter(credentials, version);
      return version.then((read) => enter(credentials, read));
    },
  };
}
