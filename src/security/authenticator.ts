import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import type { User } from '../model/security.ts';
import { type PasswordHash, readPasswordHash } from '../wire/password-hash.ts';
import { BASIC_CHALLENGE, parseBasic } from './basic.ts';
import { unmatchableHash, verifyPassword } from './password.ts';

/** Tells who a caller is. */
export interface Authenticator {
  /**
   * The user that an Authorization header shows: at once where the same header was verified within the last minute,
   * else after the password was tried.
   * @throws Fault UNAUTHENTICATED, UNAVAILABLE
   */
  authenticate(authorization: string | undefined): User | Promise<User>;
}

export interface AuthenticatorOptions {
  readonly users: ReadonlyMap<string, User>;
  /** Users of the sample may call. False refuses them as if they did not exist. */
  readonly sampleUsers: boolean;
  /** Milliseconds that a verified header is remembered. */
  readonly rememberFor?: number;
  /** Passwords that may wait to be tried at once. */
  readonly mostWaiting?: number;
  /** Milliseconds; a clock that only goes forward. */
  readonly now?: () => number;
}

const REMEMBER_FOR = 60_000;
/** Verified headers remembered at once; the oldest goes first. */
const MOST_REMEMBERED = 10_000;
/** Passwords waiting to be tried. Each try takes a core for some 30 ms, so a longer queue only serves an attack. */
const MOST_WAITING = 200;
const LONGEST_HEADER = 8192;

/** HTTP Basic against the users of the registry. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { users, sampleUsers, rememberFor = REMEMBER_FOR, mostWaiting = MOST_WAITING } = options;
  const now = options.now ?? performance.now.bind(performance);
  // As a key object: given raw bytes, each HMAC would import them anew, at eight times the cost.
  const key = createSecretKey(randomBytes(32));
  const verified = new Map<string, { readonly user: User; readonly until: number }>();
  const trying = new Map<string, Promise<User>>();
  const [anybody] = users.values();
  const nobody = unmatchableHash(hashOf(anybody));

  // A header is remembered by its HMAC under a key of this process: a dump of the map gives no password away.
  const fingerprint = (header: string): string => createHmac('sha256', key).update(header).digest('base64');

  async function tryPassword(header: string): Promise<User> {
    const shown = parseBasic(header);
    if (shown === undefined) throw unauthenticated();
    const known = users.get(shown.user);
    const user = known?.sample && !sampleUsers ? undefined : known;
    const fits = await verifyPassword(shown.password, hashOf(user) ?? nobody);
    if (!fits || user === undefined) throw unauthenticated();
    return user;
  }

  function remember(print: string, user: User): User {
    if (verified.size >= MOST_REMEMBERED) verified.delete(verified.keys().next().value as string);
    verified.set(print, { user, until: now() + rememberFor });
    return user;
  }

  return {
    authenticate(authorization) {
      if (authorization === undefined || authorization.length > LONGEST_HEADER) throw unauthenticated();
      const print = fingerprint(authorization);
      const found = verified.get(print);
      if (found !== undefined) {
        if (found.until > now()) return found.user;
        verified.delete(print);
      }
      const running = trying.get(print);
      if (running !== undefined) return running;
      if (trying.size >= mostWaiting) {
        throw Fault.of('UNAVAILABLE', { reason: 'too many sign-ins at once' }, { headers: { 'Retry-After': '5' } });
      }
      const attempt = tryPassword(authorization)
        .then((user) => remember(print, user))
        .finally(() => trying.delete(print));
      trying.set(print, attempt);
      return attempt;
    },
  };
}

/** The 401, the same for a missing header, an unknown user and a wrong password. */
function unauthenticated(): Fault {
  return Fault.of('UNAUTHENTICATED', { scheme: 'Basic' }, { headers: { 'WWW-Authenticate': BASIC_CHALLENGE } });
}

/** A hash that can't be read, which the loader refuses, fits no password. */
function hashOf(user: User | undefined): PasswordHash | undefined {
  const read = user?.password === undefined ? undefined : readPasswordHash(user.password);
  return typeof read === 'string' ? undefined : read;
}
