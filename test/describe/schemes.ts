import type { ConfigText } from '../../src/model/definition.ts';
import type {
  ApiKeyScheme,
  BearerScheme,
  ClientCertificateScheme,
  SignatureScheme,
  UsernameTokenScheme,
} from '../../src/model/security.ts';

/** A scheme of each kind that is defined. */

const text = (literal: string): ConfigText => ({ source: literal, parts: [{ kind: 'literal', text: literal }] });

export const KEY: ApiKeyScheme = { id: 'key', kind: 'api-key', header: 'X-Api-Key' };
export const TOKEN: BearerScheme = {
  id: 'token',
  kind: 'bearer',
  description: 'Tokens of the company.',
  issuer: text('https://issuer.example'),
  audience: [{ source: `\${env:AUDIENCE}`, parts: [{ kind: 'env', name: 'AUDIENCE' }] }],
  jwks: { source: `\${secret:JWKS}`, parts: [{ kind: 'secret', name: 'JWKS' }] },
  algorithms: ['RS256'],
  scopes: ['locations.read', 'locations.write'],
  tolerance: 30_000,
  user: 'sub',
  users: 'any',
  claim: 'scope',
  roles: new Map(),
};
export const CERTIFICATE: ClientCertificateScheme = { id: 'certificate', kind: 'client-certificate' };
export const USERNAME: UsernameTokenScheme = {
  id: 'username',
  kind: 'username-token',
  passwords: ['text', 'digest'],
  maxAge: 300_000,
};
/** The form of the password that takes a shared secret. */
export const DIGEST: UsernameTokenScheme = { ...USERNAME, id: 'digest', passwords: ['digest'] };
export const SIGNED: SignatureScheme = {
  id: 'signed',
  kind: 'signature',
  algorithms: [],
  digests: [],
  maxAge: 300_000,
};
