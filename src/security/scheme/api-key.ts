import type { ApiKeyScheme } from '../../model/security.ts';
import { apiKeyHash } from '../api-key.ts';
import type { Directory } from '../directory/port.ts';
import { Refused } from '../refused.ts';
import { REALM, type Verifier } from './verifier.ts';

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
