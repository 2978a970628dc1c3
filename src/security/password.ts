import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { MOST_MEMORY, type PasswordHash } from '../wire/password-hash.ts';

/** What one try costs. */
type Cost = Pick<PasswordHash, 'ln' | 'r' | 'p'>;

/** 16 MiB and some 30 ms a try. */
const COST: Cost = { ln: 14, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Tries a password, off the main thread; the comparison takes the same time whatever differs. */
export async function verifyPassword(password: string, stored: PasswordHash): Promise<boolean> {
  const derived = await derive(password, stored.salt, stored.hash.length, stored);
  return timingSafeEqual(derived, stored.hash);
}

/** Hashes a password with a fresh salt. @returns PHC string */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, COST);
  const unpadded = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '');
  return `$scrypt$ln=${COST.ln},r=${COST.r},p=${COST.p}$${unpadded(salt)}$${unpadded(hash)}`;
}

/** A hash that no password fits: tried for unknown users, so that they take as long as known ones of the same cost. */
export function unmatchableHash({ ln, r, p }: Cost = COST): PasswordHash {
  return { ln, r, p, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
}

function derive(password: string, salt: Buffer, length: number, cost: Cost): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** cost.ln, r: cost.r, p: cost.p, maxmem: 2 * MOST_MEMORY };
  // RFC 8265 would normalise to NFC first, so that one password typed on two systems is one.
  const text = password.normalize('NFC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, length, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

/** Characters that a password has at least (NIST SP 800-63B-3, section 5.1.1.2). What they are made of is not asked. */
const SHORTEST = 8;
/** Bytes that one has at most: a hash is made of each that is tried. */
const LONGEST = 1024;

/** Why a password is none that is taken for a user, as what follows `the password`; undefined where it is. */
export function passwordFault(password: string, user: string | undefined): string | undefined {
  if ([...password].length < SHORTEST) return `has fewer than ${SHORTEST} characters`;
  if (Buffer.byteLength(password) > LONGEST) return `has more than ${LONGEST} bytes`;
  // RFC 7617 section 2: no client can send one.
  if (/\p{Cc}/u.test(password)) return 'has a control character';
  if (password.toLowerCase() === user?.toLowerCase()) return 'is the id of its user';
  return undefined;
}
