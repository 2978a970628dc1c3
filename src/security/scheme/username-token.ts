// WS-Security UsernameToken Profile 1.1.1.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Refused, type User, type UsernameTokenScheme } from '../../model/security.ts';
import { BASE64_BINARY, PASSWORD_DIGEST, PASSWORD_TEXT, WSSE, WSU } from '../../wire/soap/wsse-names.ts';
import { attributeOf, type XmlElement } from '../../wire/xml/tree.ts';
import { bytesOf, contentOf, onesOf } from '../../wsse/elements.ts';
import { checkAge, exactTimeOf } from '../../wsse/times.ts';
import type { Directory } from '../directory/directory-port.ts';
import type { Shown } from '../security-port.ts';

/**
 * Records the marks of a message, by which a replay is recognised.
 * @param marks each a list of parts; a message is new if none of its marks was recorded before
 * @param created milliseconds since 1970
 * @throws Refused for a replay
 */
export type TakeOnce = (marks: readonly (readonly (string | Uint8Array)[])[], created: number) => Promise<void>;

/** What UsernameTokens are verified with. */
export interface UsernameTokenPorts {
  readonly directory: Directory;
  /** Verifies a password; recent results are remembered. @throws Refused; Fault UNAVAILABLE */
  readonly tryPassword: (user: string, password: string) => Promise<User>;
  /** The shared secret of a user, if there is one. */
  readonly secretOf: (user: User) => string | undefined;
  readonly takeOnce: TakeOnce;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** A token as it is in a message. */
interface UsernameToken {
  readonly user: string;
  readonly password: string;
  readonly form: 'text' | 'digest';
  readonly nonce: XmlElement | undefined;
  readonly created: XmlElement | undefined;
}

const LONGEST = { user: 256, password: 1024, nonce: 256 } as const;
const SHORTEST_NONCE = 8;

/** Verifies a token. @throws Refused; Fault UNAVAILABLE */
export async function verifyUsernameToken(
  element: XmlElement,
  { passwords, maxAge }: UsernameTokenScheme,
  shown: Shown,
  ports: UsernameTokenPorts,
): Promise<User> {
  const token = readToken(element);
  if (!passwords.includes(token.form)) throw new Refused(`a password as ${token.form} is not accepted`);
  if (token.form === 'digest') return verifyDigest(token, maxAge, ports);
  if (!shown.secure) throw new Refused('a password as text arrived over an unencrypted connection');
  return ports.tryPassword(token.user, token.password);
}

function readToken(element: XmlElement): UsernameToken {
  const {
    Username: user,
    Password: password,
    Nonce: nonce,
    Created: created,
  } = onesOf(element, { Username: WSSE, Password: WSSE, Nonce: WSSE, Created: WSU });
  if (user === undefined || password === undefined) throw new Refused('UsernameToken has no Username or no Password');
  const type = attributeOf(password, 'Type') ?? PASSWORD_TEXT;
  if (type !== PASSWORD_TEXT && type !== PASSWORD_DIGEST) throw new Refused('its Password is of an unknown type');
  return {
    user: contentOf(user, LONGEST.user),
    password: contentOf(password, LONGEST.password),
    form: type === PASSWORD_TEXT ? 'text' : 'digest',
    nonce,
    created,
  };
}

/** Takes the place of a missing secret: no client can know it. */
const NO_SECRET = randomBytes(32).toString('base64');

/** Section 3.1: Base64(SHA-1(nonce + created + password)). The profile requires SHA-1; collisions do not help an attacker. */
async function verifyDigest(
  { user: id, password, nonce, created }: UsernameToken,
  maxAge: number,
  { directory, secretOf, takeOnce, clock }: UsernameTokenPorts,
): Promise<User> {
  if (nonce === undefined || created === undefined) throw new Refused('a digest has no Nonce or no Created');
  if ((attributeOf(nonce, 'EncodingType') ?? BASE64_BINARY) !== BASE64_BINARY)
    throw new Refused('its Nonce is not in base64');
  const bytes = bytesOf(nonce, LONGEST.nonce);
  if (bytes.length < SHORTEST_NONCE) throw new Refused(`its Nonce has fewer than ${SHORTEST_NONCE} bytes`);
  const { time, text } = exactTimeOf(created);
  checkAge(time, maxAge, clock());
  const user = await directory.find(id);
  const secret = user === undefined ? undefined : secretOf(user);
  const digest = createHash('sha1').update(bytes).update(text);
  const expected = digest.update(secret ?? NO_SECRET).digest();
  const given = Buffer.from(password.trim(), 'base64');
  const fits = given.length === expected.length && timingSafeEqual(given, expected);
  if (user === undefined) throw new Refused('unknown or disabled user');
  if (secret === undefined) throw new Refused('user without a shared secret');
  if (!fits) throw new Refused('wrong digest');
  // The verified digest identifies the message, however its parts were encoded. The nonce is recorded too: a client that
  // uses one twice is refused (section 3.1, recommendation 3).
  await takeOnce(
    [
      ['digest', user.id, expected],
      ['nonce', user.id, bytes],
    ],
    time,
  );
  return user;
}
