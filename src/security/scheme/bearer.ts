// JSON Web Tokens (RFC 7519) as bearer tokens (RFC 6750), access tokens of OAuth 2.0 (RFC 9068) first of all.
import { decodeJwt, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { ConfigText } from '../../model/config.ts';
import { Fault } from '../../model/fault.ts';
import type { BearerScheme } from '../../model/security.ts';
import type { Directory } from '../directory/port.ts';
import type { LookAtFile } from '../port.ts';
import { Refused } from '../refused.ts';
import { compileClaim, compileTokenUser } from './bearer-user.ts';
import { openKeys } from './keys.ts';
import { REALM, type Verifier } from './verifier.ts';

/** Where the texts of a scheme get their values, and its files come from. */
export interface BearerPlace {
  readonly resolve: (text: ConfigText) => string;
  readonly lookAt: LookAtFile;
}

/** Of a token; larger ones are refused before anything of them is read. */
const LONGEST_TOKEN = 16 * 1024;
const PREFIX = 'bearer ';
/** RFC 6750 section 2.1. */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;
/** Explicit types of tokens that are made to be shown here; those of others (`logout+jwt`, `dpop+jwt`) are no credentials. */
const TYPES: ReadonlySet<string> = new Set(['jwt', 'at+jwt', 'application/jwt', 'application/at+jwt']);

/** @throws Error where the key set is neither a file nor a URL that keys may come from */
export function compileBearer(scheme: BearerScheme, directory: Directory, place: BearerPlace): Verifier {
  const keys = openKeys(place.resolve(scheme.jwks), place.lookAt);
  const issuer = place.resolve(scheme.issuer);
  const options: JWTVerifyOptions = {
    issuer,
    audience: scheme.audience.map(place.resolve),
    algorithms: [...scheme.algorithms],
    clockTolerance: scheme.tolerance / 1000,
    requiredClaims: ['exp', 'iss', 'aud'],
  };
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

  async function payloadOf(token: string): Promise<JWTPayload> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, (header) => keys.find(header), options);
      const { typ } = protectedHeader;
      if (typ !== undefined && !TYPES.has(String(typ).toLowerCase())) throw new Refused('token of another type');
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError) throw new Refused(reasonOf(error));
      throw error;
    }
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

/** Whom a token names as its issuer, which nobody has verified; undefined for what is none, or too long to be looked at. */
function issuerOf(header: string): string | undefined {
  if (header.length > PREFIX.length + LONGEST_TOKEN) return undefined;
  try {
    return decodeJwt(header.slice(PREFIX.length).trim()).iss;
  } catch {
    return undefined;
  }
}

/** What is wrong with a token, without anything of its content. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'token expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `token with a wrong or missing ${claimOf(error)}`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'token with a wrong signature';
  if (error instanceof errors.JWKSNoMatchingKey) return 'token signed with a key that the issuer does not publish';
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return 'token that does not say which of several keys signed it';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'token signed with an algorithm that is not allowed';
  return 'malformed token';
}

const claimOf = ({ claim }: errors.JWTClaimValidationFailed): string => (/^[a-z]{1,20}$/.test(claim) ? claim : 'claim');
