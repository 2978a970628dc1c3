// HTTP Basic authentication, RFC 7617, with charset="UTF-8".
import { type BasicScheme, Refused, type User } from '../../model/security.ts';
import { type PasswordHash, readPasswordHash } from '../../wire/password-hash.ts';
import type { Directory } from '../directory/directory-port.ts';
import { unmatchableHash, verifyPassword } from '../password.ts';
import { REALM, type Verifier } from '../security-port.ts';

interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

const LONGEST = 8192;
const utf8 = new TextDecoder('utf-8', { fatal: true });
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** @param alike a user whose password takes as long to verify as most do: unknown users then take as long too */
export function compileBasic(scheme: BasicScheme, directory: Directory, alike: User | undefined): Verifier {
  const nobody = unmatchableHash(hashOf(alike));
  return {
    scheme,
    longest: LONGEST,
    find: (shown) => {
      const header = shown.header('authorization');
      return header !== undefined && /^basic(?: |$)/i.test(header) ? header : undefined;
    },
    async verify(header) {
      const credentials = parseBasic(header);
      if (credentials === undefined) throw new Refused('malformed Basic credentials');
      const user = await directory.find(credentials.user);
      // A password is verified even for unknown users: otherwise the response time would reveal which users exist.
      const hash = hashOf(user);
      const fits = await verifyPassword(credentials.password, hash ?? nobody);
      if (user === undefined) throw new Refused('unknown or disabled user');
      if (!fits) throw new Refused(hash === undefined ? 'user without a password' : 'wrong password');
      return { user };
    },
    challenge: () => `Basic ${REALM}, charset="UTF-8"`,
  };
}

/** Reads an Authorization header; `undefined` when it is malformed. */
function parseBasic(header: string): BasicCredentials | undefined {
  const encoded = header.slice('basic '.length).trim();
  if (!BASE64.test(encoded)) return undefined;
  let text: string;
  try {
    text = utf8.decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
  const colon = text.indexOf(':');
  return colon < 1 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** `undefined` also for a malformed hash, which the loader rejects. */
function hashOf(user: User | undefined): PasswordHash | undefined {
  const read = user?.password === undefined ? undefined : readPasswordHash(user.password);
  return typeof read === 'string' ? undefined : read;
}
