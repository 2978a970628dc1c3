import { decodeJwt, errors, type JWTPayload, type JWTVerifyOptions, type JWTVerifyResult, jwtVerify } from 'jose';
import type { ConfigText } from '../../model/definition.ts';
import { Fault } from '../../model/fault.ts';
import { type BearerScheme, Refused, type Role, type User } from '../../model/security.ts';
import { listsOf, undeclaredUser } from '../authorise.ts';
import type { Directory } from '../directory/directory-port.ts';
import { type KeySet, openKeys } from '../jwks.ts';
import { type LookAtFile, REALM, type Verifier } from '../security-port.ts';

// JSON Web Tokens (RFC 7519) as bearer tokens (RFC 6750), in particular access tokens of OAuth 2.0 (RFC 9068).

/** Resolves the texts of a scheme and reads its files. */
export interface BearerPlace {
  readonly resolve: (text: ConfigText) => string;
  readonly lookAt: LookAtFile;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
  /** Called when the keys of an issuer can't be fetched and known ones are used instead, once for each outage. */
  readonly onError?: (error: Error) => void;
}

/** Longer tokens are refused unread. */
const LONGEST_TOKEN = 16 * 1024;
const PREFIX = 'bearer ';
/** RFC 6750 section 2.1. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
/** Accepted values of `typ`. Tokens of other types (`logout+jwt`, `dpop+jwt`) are not credentials. */
const TYPES: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt']);

/** @throws Error for a key set that is neither a file nor at a trustworthy URL */
export function compileBearer(scheme: BearerScheme, directory: Directory, place: BearerPlace): Verifier {
  const issuer = place.resolve(scheme.issuer);
  const payloadOf = compileToken(scheme, place, { audience: scheme.audience.map(place.resolve), types: TYPES });
  const userOf = compileTokenUser(scheme, directory);
  const scopesOf = [compileClaim('scope'), compileClaim('scp')];
  const challenge = `Bearer ${REALM}`;

  function checkScopes(payload: JWTPayload): void {
    if (scheme.scopes.length === 0) return;
    const held = new Set(scopesOf.flatMap((read) => read(payload)));
    const missing = scheme.scopes.filter((scope) => !held.has(scope));
    if (missing.length === 0) return;
    const words = `${missing.length === 1 ? 'scope' : 'scopes'} ${missing.join(', ')}`;
    throw Fault.of(
      'FORBIDDEN',
      { user: `A token without the ${words}`, what: 'what asks for it' },
      {
        headers: {
          'WWW-Authenticate': `${challenge}, error="insufficient_scope", scope="${scheme.scopes.join(' ')}"`,
        },
        reason: `token without the ${words}`,
      },
    );
  }

  return {
    scheme,
    longest: PREFIX.length + LONGEST_TOKEN,
    find: (shown) => {
      const header = shown.header('authorization');
      return header !== undefined && /^bearer(?: |$)/i.test(header) ? header : undefined;
    },
    isMeant: (header) => issuerOf(header) === issuer,
    async verify(header) {
      const token = header.slice(PREFIX.length).trim();
      if (!TOKEN.test(token)) throw new Refused('malformed bearer token');
      const payload = await payloadOf(token);
      checkScopes(payload);
      const user = await userOf(payload);
      return { user, until: (payload.exp as number) * 1000 };
    },
    challenge: (refused) => (refused ? `${challenge}, error="invalid_token"` : challenge),
  };
}

/** What a token is for. */
interface TokenUse {
  readonly audience: readonly string[];
  /** Accepted values of `typ`. */
  readonly types: ReadonlySet<string>;
}

/** Verifies tokens of a scheme, and returns their claims. Throws Refused, and Fault UNAVAILABLE. */
function compileToken(
  scheme: BearerScheme,
  { resolve, lookAt, clock = Date.now, now, onError }: BearerPlace,
  { audience, types }: TokenUse,
): (token: string) => Promise<JWTPayload> {
  const keys = openKeys(resolve(scheme.jwks), lookAt, { onError, now });
  const options: JWTVerifyOptions = {
    issuer: resolve(scheme.issuer),
    audience: [...audience],
    algorithms: [...scheme.algorithms],
    clockTolerance: scheme.tolerance / 1000,
    requiredClaims: ['exp', 'iss', 'aud'],
  };
  return async (token) => {
    try {
      const { payload, protectedHeader } = await verified(token, keys, { ...options, currentDate: new Date(clock()) });
      const { typ } = protectedHeader;
      if (typ !== undefined && !types.has(String(typ).toLowerCase())) throw new Refused('token of another type');
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw new Refused(reasonOf(error));
      if (isOfKey(error)) throw new Refused(`token signed with a key that can't be used: ${error.message}`);
      throw error;
    }
  };
}

/** Keys of one issuer that a token without `kid` is tried with: an issuer that changes its key publishes two. */
const MOST_KEYS = 10;

/**
 * Verifies a token; one whose signature is by no known key is tried again with the keys that the issuer publishes now.
 * @throws JOSEError; what {@link isOfKey} is true for; Fault UNAVAILABLE
 */
async function verified(token: string, keys: KeySet, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await verifiedByKnown(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWSSignatureVerificationFailed) || !(await keys.renew())) throw error;
    return verifiedByKnown(token, keys, options);
  }
}

/** A token that does not name its key (RFC 7515 section 4.1.4) is tried with each key that fits its algorithm. */
async function verifiedByKnown(token: string, keys: KeySet, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, (header) => keys.find(header), options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tried = 0;
    for await (const key of error) {
      if (++tried > MOST_KEYS) throw error;
      try {
        return await jwtVerify(token, key, options);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed || isOfKey(failure))) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Whether jose can't use a published key: one of RSA that is too short, or that is no key of its type. */
const isOfKey = (error: unknown): error is Error => error instanceof TypeError || error instanceof DOMException;

/** An access token is not proof of a sign-in. */
const ID_TOKEN_TYPES: ReadonlySet<string> = new Set(['jwt', 'application/jwt']);

/**
 * Verifies ID tokens (OpenID Connect Core 1.0, section 3.1.3.7) by the keys of a scheme, and finds their users by its rules. The nonce
 * is checked by the caller. Throws Refused, and Fault UNAVAILABLE.
 */
export function compileIdToken(
  scheme: BearerScheme,
  directory: Directory,
  place: BearerPlace & { readonly client: string },
): (token: string) => Promise<User> {
  const payloadOf = compileToken(scheme, place, { audience: [place.client], types: ID_TOKEN_TYPES });
  const userOf = compileTokenUser(scheme, directory);
  return async (token) => {
    if (token.length > LONGEST_TOKEN) throw new Refused('token is too long');
    const payload = await payloadOf(token);
    if (payload.azp !== undefined && payload.azp !== place.client) throw new Refused('token of another client');
    return userOf(payload);
  };
}

/** The unverified issuer of a token; `undefined` for a token that is malformed or too long. */
function issuerOf(header: string): string | undefined {
  if (header.length > PREFIX.length + LONGEST_TOKEN) return undefined;
  try {
    return decodeJwt(header.slice(PREFIX.length).trim()).iss;
  } catch {
    return undefined;
  }
}

/** Why a token is rejected, without any of its content. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'token expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `token with a wrong or missing ${claimOf(error)}`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'token with a wrong signature';
  if (error instanceof errors.JWKSNoMatchingKey) return 'token signed with a key that the issuer does not publish';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'token that matches several keys of the issuer';
  if (error instanceof errors.JWKSInvalid)
    return "token signed with a key that can't be used: it is published as a private one";
  if (error instanceof errors.JOSEAlgNotAllowed) return 'token signed with an algorithm that is not allowed';
  return 'malformed token';
}

const claimOf = ({ claim }: errors.JWTClaimValidationFailed): string => (/^[a-z]{1,20}$/.test(claim) ? claim : 'claim');

/** Characters of the id of a user from a token: it is written to database rows and logs. */
const LONGEST_ID = 200;
/** Values of one claim; the rest is ignored. */
const MOST_VALUES = 1000;

/**
 * Reads the values of a claim: a text is split at its spaces, as scopes are (RFC 6749 section 3.3); an array gives its texts;
 * anything else has no values.
 * @param path the name of the claim, or a path with dots
 */
function compileClaim(path: string): (payload: JWTPayload) => readonly string[] {
  const find = compilePath(path);
  return (payload) => {
    const value = find(payload);
    if (typeof value === 'string') return value.split(' ').filter((each) => each !== '');
    if (!Array.isArray(value)) return [];
    return value.slice(0, MOST_VALUES).filter((each): each is string => typeof each === 'string');
  };
}

/** The whole path may also be the name of a claim: some names are URLs. */
function compilePath(path: string): (payload: JWTPayload) => unknown {
  const names = path.split('.');
  return (payload) => {
    if (Object.hasOwn(payload, path)) return payload[path];
    let found: unknown = payload;
    for (const name of names) {
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
      found = (found as Record<string, unknown>)[name];
    }
    return found;
  };
}

/** Finds the user that a verified token names, with the roles that its claims give. Throws Refused for an unknown user. */
function compileTokenUser(scheme: BearerScheme, directory: Directory): (payload: JWTPayload) => User | Promise<User> {
  const nameOf = compilePath(scheme.user);
  const valuesOf = compileClaim(scheme.claim);
  const rolesOf = (payload: JWTPayload): readonly Role[] => [
    ...new Set(valuesOf(payload).flatMap((value) => scheme.roles.get(value) ?? [])),
  ];
  return (payload) => {
    const name = nameOf(payload);
    if (typeof name !== 'string' || name === '') throw new Refused('token without the name of a user');
    const roles = rolesOf(payload);
    return scheme.users === 'known' ? knownUser(directory, name, roles) : vouchedUser(scheme, name, roles);
  };
}

async function knownUser(directory: Directory, name: string, roles: readonly Role[]): Promise<User> {
  const user = await directory.find(name);
  if (user === undefined) throw new Refused('token of an unknown or disabled user');
  const more = roles.filter((role) => !user.roles.includes(role));
  if (more.length === 0) return user;
  const held = [...user.roles, ...more];
  return { ...user, roles: held, permissionLists: listsOf(held) };
}

function vouchedUser(scheme: BearerScheme, name: string, roles: readonly Role[]): User {
  const id = `${scheme.id}:${escapeName(name)}`;
  if (id.length > LONGEST_ID) throw new Refused('token with a user name that is too long');
  return undeclaredUser(id, 'token', roles);
}

/**
 * Names come from the issuer and may contain any character. All but harmless ones are percent-encoded, including the percent
 * sign: two names never become one id.
 */
function escapeName(name: string): string {
  return [...Buffer.from(name)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._@|+=:/-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
