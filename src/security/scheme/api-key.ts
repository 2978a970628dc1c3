import { createHash, randomBytes, randomInt } from 'node:crypto';
import { type ApiKeyScheme, Refused } from '../../model/security.ts';
import type { Directory } from '../directory/directory-port.ts';
import { REALM, type Verifier } from '../security-port.ts';

const LONGEST = 512;

/** API keys in a header of their own, or in Authorization. */
export function compileApiKey(scheme: ApiKeyScheme, directory: Directory): Verifier {
  const name = scheme.header.toLowerCase();
  return {
    scheme,
    longest: LONGEST,
    find: name === 'authorization' ? keyInAuthorization : (shown) => shown.header(name),
    async verify(key) {
      const holder = await directory.findByApiKey(apiKeyHash(key.trim()));
      if (holder === undefined) throw new Refused('unknown, expired or revoked API key, or a disabled user');
      return holder;
    },
    // RFC 9110 requires a challenge, and no scheme is registered for keys: this one at least states what is missing.
    challenge: () => `ApiKey ${REALM}, header="${scheme.header}"`,
  };
}

/**
 * A key in the Authorization header, alone or after the name of an authentication scheme (`Token sbk_…`). Basic credentials and
 * bearer tokens are those of other schemes, and a bearer token that is one of our keys is a key.
 */
function keyInAuthorization(shown: Parameters<Verifier['find']>[0]): string | undefined {
  const header = shown.header('authorization')?.trim();
  const scheme = header === undefined ? undefined : /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) +/.exec(header);
  if (header === undefined || scheme === null || scheme === undefined) return header;
  const key = header.slice(scheme[0].length);
  const isOther =
    scheme[1]?.toLowerCase() === 'basic' || (scheme[1]?.toLowerCase() === 'bearer' && !key.startsWith(PREFIX));
  return isOther ? undefined : key;
}

/** What each key begins with. */
const PREFIX = 'sbk_';

/**
 * The stored form of an API key: `sha256:` and 64 hexadecimal digits. A plain hash is enough for 256 random bits, which
 * can't be guessed or found in a dictionary; looking a key up by its hash leaks nothing about it.
 */
export function apiKeyHash(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** A new key, which is shown once. */
export interface NewApiKey {
  /** The public part of the key, eight letters and digits. */
  readonly id: string;
  /** `sbk_<id>_<43 characters>`. Secret scanners recognise the prefix. */
  readonly key: string;
  /** The stored form. */
  readonly hash: string;
}

/** Without characters that look alike. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Makes a key of 256 random bits. */
export function createApiKey(): NewApiKey {
  const id = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const key = `${PREFIX}${id}_${randomBytes(32).toString('base64url')}`;
  return { id, key, hash: apiKeyHash(key) };
}
