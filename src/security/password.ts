// Password hashes in the PHC string format, with scrypt (RFC 7914): $scrypt$ln=14,r=8,p=1$<salt>$<hash>, base64 unpadded.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

/** A parsed hash: what is needed to try a password against it. */
export interface PasswordHash {
  /** CPU and memory cost as a power of two. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** 16 MiB and some 30 ms a try. */
const COST = { ln: 14, r: 8, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** No definition may ask for more than this: 128 * 2^ln * r bytes are taken for each try. */
const MOST_MEMORY = 256 * 1024 * 1024;

/** Reads a hash. @returns undefined where the text is not one that this gateway can try */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const found = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,})\$([A-Za-z0-9+/]{22,})$/.exec(
    text,
  );
  if (found === null) return undefined;
  const [, ln, r, p, salt, hash] = found as unknown as [string, string, string, string, string, string];
  const parsed = { ln: +ln, r: +r, p: +p, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
  if (parsed.ln < 1 || parsed.r < 1 || parsed.p < 1 || 128 * 2 ** parsed.ln * parsed.r > MOST_MEMORY) return undefined;
  return parsed;
}

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

/** A hash that no password fits: tried for unknown users, so that they take as long as known ones. */
export function unmatchableHash(): PasswordHash {
  return { ...COST, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) };
}

function derive(
  password: string,
  salt: Buffer,
  length: number,
  cost: { ln: number; r: number; p: number },
): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** cost.ln, r: cost.r, p: cost.p, maxmem: 2 * MOST_MEMORY };
  // RFC 8265 would normalise to NFC first, so that one password typed on two systems is one.
  const text = password.normalize('NFC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, length, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}
