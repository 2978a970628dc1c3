import type { ConfigText } from '../../src/model/definition.ts';
import type { Gateway } from '../../src/model/gateway.ts';
import {
  BASIC,
  type BearerScheme,
  DIGEST_ALGORITHMS,
  type Role,
  type SecurityScheme,
  SIGNATURE_ALGORITHMS,
  type User,
} from '../../src/model/security.ts';
import { LIMITS } from '../support/registry.ts';
import { config } from './full-consumers.ts';

/** A scheme of every kind, a gateway that takes them, and users that can show something. */

const at = { file: 'test.yaml', line: 1, column: 1 };

const literal = (text: string): ConfigText => config(text, [{ kind: 'literal', text }]);
const secret = (name: string): ConfigText => config(`\${secret:${name}}`, [{ kind: 'secret', name }]);

const LOGIN: BearerScheme = {
  id: 'LOGIN',
  kind: 'bearer',
  issuer: config('${env:ISSUER}', [{ kind: 'env', name: 'ISSUER' }]),
  audience: [literal('signalbox')],
  jwks: literal('https://login.example.org/jwks.json'),
  algorithms: ['RS256'],
  scopes: ['gateway'],
  tolerance: 30_000,
  user: 'sub',
  users: 'any',
  claim: 'scope',
  roles: new Map(),
};

/** @param order any order */
export function schemes(
  role: Role,
  order: <T>(items: readonly T[]) => readonly T[],
): ReadonlyMap<string, SecurityScheme> {
  const all: readonly SecurityScheme[] = [
    BASIC,
    { id: 'PASSWORD', kind: 'basic', description: 'As basic, by a name of its own' },
    { id: 'KEY', kind: 'api-key', header: 'X-Api-Key' },
    { ...LOGIN, roles: new Map([['orders.read', [role]]]) },
    { id: 'CERTIFICATE', kind: 'client-certificate' },
    { id: 'PROXIED', kind: 'client-certificate', header: 'Client-Cert' },
    { id: 'TOKEN', kind: 'username-token', passwords: ['digest'], maxAge: 300_000 },
    {
      id: 'SIGNED',
      kind: 'signature',
      algorithms: [SIGNATURE_ALGORITHMS['rsa-pss-sha256'] as string],
      digests: [DIGEST_ALGORITHMS.sha256 as string],
      maxAge: 300_000,
      caFile: literal('certificates/partners.pem'),
    },
  ];
  return new Map(order(all).map((scheme) => [scheme.id, scheme]));
}

/** What stands between the gateway and its callers. */
export const NETWORK: Pick<Gateway, 'tls' | 'proxies' | 'audit' | 'cors' | 'limits' | 'console'> = {
  tls: {
    certificate: literal('certificates/gateway.pem'),
    key: config('${env:TLS_KEY_FILE}', [{ kind: 'env', name: 'TLS_KEY_FILE' }]),
    passphrase: secret('TLS_PASSPHRASE'),
    clientCa: literal('certificates/partners.pem'),
    minimum: 'TLSv1.3',
  },
  proxies: ['10.0.0.0/8'],
  audit: literal('.signalbox/audit.log'),
  cors: ['https://app.example.org'],
  console: {
    listen: literal('127.0.0.1:9090'),
    idle: 1_800_000,
    session: 43_200_000,
    signIn: [
      { kind: 'password' },
      {
        kind: 'openid',
        scheme: LOGIN,
        client: literal('console'),
        secret: secret('OIDC_SECRET'),
        label: 'Company account',
        scopes: ['openid'],
      },
    ],
  },
  limits: {
    ...LIMITS,
    queued: 10_000,
    rate: { requests: 1000, per: 60_000, by: 'caller' },
    concurrent: 200,
  },
};

/** A system that shows a key, a certificate or a digest. */
export function partnerUser(roles: readonly Role[]): User {
  return {
    id: 'partner',
    apiKeys: [`sha256:${'0123456789abcdef'.repeat(4)}`],
    certificates: [`sha256:${'ab'.repeat(32)}`, 'CN=partner,O=Example,C=DE'],
    sharedSecret: secret('PARTNER_SECRET'),
    roles,
    permissionLists: new Set(roles.flatMap((role) => role.permissionLists)),
    origin: 'definitions',
    sample: false,
    at,
  };
}
