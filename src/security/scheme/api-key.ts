import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { ApiKeyScheme } from '../../model/security.ts';
import type { Directory } from '../directory/port.ts';
import { REALM, Refused, type Verifier } from '../port.ts';

const LONGEST = 512;

/** Keys in a header of their own. They are 256 random bits: a plain hash keeps them, and finding one by it leaks nothing. */
export function compileApiKey(scheme: ApiKeyScheme, directory: Directory): Verifier {
  const name = scheme.header.toLowerCase();
  return {
    scheme,
    longest: LONGEST,
    find: (shown) => shown.header(name),
    async verify(key) {
      const holder = await directory.findByApiKey(apiKeyHash(key.trim()));
      if (holder === undefined) throw new Refused('unknown, expired or revoked API key, or a disabled user');
      return holder;
    },
    // No scheme is registered for keys; RFC 9110 asks for a challenge, and this one says truly what is missing.
    challenge: () => `ApiKey ${REALM}, header="${scheme.header}"`,
  };
}

/**
 * What is kept of an API key: `sha256:` and 64 hexadecimal digits. A key is 256 random bits, so that a plain hash of it can
 * neither be guessed nor looked up in a list.
 */
export function apiKeyHash(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

/** A key that was made. It is shown once. */
export interface NewApiKey {
  /** Its part that may be shown and kept, eight letters and digits. */
  readonly id: string;
  /** `sbk_<id>_<43 characters>`: a scanner of secrets knows it by its beginning. */
  readonly key: string;
  /** What is kept of it. */
  readonly hash: string;
}

/** Without those that are mistaken for others. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Makes a key of 256 random bits. */
export function createApiKey(): NewApiKey {
  const id = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const key = `sbk_${id}_${randomBytes(32).toString('base64url')}`;
  return { id, key, hash: apiKeyHash(key) };
}
