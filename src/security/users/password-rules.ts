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
