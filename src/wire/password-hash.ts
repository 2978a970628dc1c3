// Password hashes in the PHC string format, with scrypt (RFC 7914): $scrypt$ln=14,r=8,p=1$<salt>$<hash>, base64 unpadded.

/** A parsed hash: everything needed to verify a password against it. */
export interface PasswordHash {
  /** CPU and memory cost as a power of two. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Limit for every definition: each verification takes 128 * 2^ln * r bytes. */
export const MOST_MEMORY = 256 * 1024 * 1024;

/** Parses a hash. @returns the reason if it can't be verified */
export function readPasswordHash(text: string): PasswordHash | string {
  const found = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text);
  if (found === null) return 'its parts are not those of the form';
  const [ln, r, p] = found.slice(1, 4).map(Number) as [number, number, number];
  // RFC 7914 section 6: the cost is less than 2^(128 * r / 8).
  const bounded = ln >= 1 && r >= 1 && p >= 1 && ln < 16 * r && 128 * 2 ** ln * r <= MOST_MEMORY;
  if (!bounded) return 'its cost is out of bounds';
  const [salt, hash] = found.slice(4).map((base64) => Buffer.from(base64, 'base64')) as [Buffer, Buffer];
  if (salt.length < 8) return 'its salt is shorter than 8 bytes';
  if (hash.length < 16) return 'its hash is shorter than 16 bytes';
  return { ln, r, p, salt, hash };
}
