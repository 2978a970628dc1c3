import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { MOST_MEMORY, type PasswordHash } from '../wire/password-hash.ts';

/** The cost of verifying a password. */
type Cost = Pick<PasswordHash, 'ln' | 'r' | 'p'>;

/** 16 MiB and about 30 ms. */
const COST: Cost = { ln: 14, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Verifies a password, off the main thread and with a constant-time comparison. */
export async function verifyPassword(password: string, stored: PasswordHash): Promise<boolean> {
  const derived = await derive(password, stored.salt, stored.hash.length, stored);
  return timingSafeEqual(derived, stored.hash);
}

/** Costs next to nothing, and protects nothing: for passwords of tests. */
export const CHEAP: Cost = { ln: 1, r: 8, p: 1 };

/** Hashes a password with a fresh salt. @returns PHC string */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, cost);
  const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
  return `$scrypt$ln=${cost.ln},r=${cost.r},p=${cost.p}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** A hash that no password matches. Verifying against it makes unknown users take as long as known ones of the same cost. */
export function unmatchableHash({ ln, r, p }: Cost = COST): PasswordHash {
  return { ln, r, p, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
}

function derive(password: string, salt: Buffer, length: number, cost: Cost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** cost.ln, r: cost.r, p: cost.p, maxmem: 2 * MOST_MEMORY };
  // As RFC 8265 requires: systems encode the same typed password in different ways.
  const text = password.normalize('NFC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, length, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

/** Characters (NIST SP 800-63B-3, section 5.1.1.2); there are no rules about their kinds. */
const SHORTEST = 8;
/** Bytes: each password that is tried is hashed. */
const LONGEST = 1024;

/** Why a password is not accepted for a user, as a predicate of `the password`; `undefined` if it is. */
export function passwordFault(password: string, user: string | undefined): string | undefined {
  if ([...password].length < SHORTEST) return `has fewer than ${SHORTEST} characters`;
  if (Buffer.byteLength(password) > LONGEST) return `has more than ${LONGEST} bytes`;
  // RFC 7617 section 2: clients can't send it.
  if (/\p{Cc}/u.test(password)) return 'has a control character';
  if (password.toLowerCase() === user?.toLowerCase()) return 'is the id of its user';
  return undefined;
}
