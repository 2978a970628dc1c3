import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** A key that signs tokens, and its public part. */
export interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK & { readonly kid: string; readonly alg: string };
}

/** Generates a key; by default an elliptic one, which takes only a millisecond. */
export async function makeKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export interface Signing {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: SigningKey;
}

/** An issuer of tokens, which publishes its keys over HTTP. */
export interface Issuer {
  readonly url: string;
  readonly jwks: string;
  /** The first of its keys signs. */
  keys: SigningKey[];
  /** A status and body to answer instead of the keys. */
  instead: { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> } | undefined;
  /** Whether it takes requests and answers none. */
  silent: boolean;
  /** Requested paths. */
  readonly asked: string[];
  /** A valid token of `sub: partner` for the audience `signalbox`, with these claims changed; `undefined` removes one. */
  token(claims?: JWTPayload, signing?: Signing): Promise<string>;
  close(): Promise<void>;
}

export async function startIssuer(): Promise<Issuer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url as string);
    if (issuer.silent) return;
    const { status, body, headers = {} } = issuer.instead ?? { status: 200 };
    const keys = JSON.stringify({ keys: issuer.keys.map(({ jwk }) => jwk) });
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body ?? keys);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: Issuer = {
    url,
    jwks: `${url}/jwks`,
    keys: [await makeKey('first')],
    instead: undefined,
    silent: false,
    asked,
    async token(claims = {}, { header = {}, key = issuer.keys[0] as SigningKey } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: url, aud: 'signalbox', sub: 'partner', iat: now, exp: now + 300, ...claims };
      const { kid, alg } = key.jwk;
      return new SignJWT(JSON.parse(JSON.stringify(payload)) as JWTPayload)
        .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
        .sign(key.privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return issuer;
}

/** Definitions of a service whose operations require tokens of an issuer, and the users and roles of its permissions. */
export function tokenProject(issuer: Pick<Issuer, 'url' | 'jwks'>, scheme = ''): Record<string, string> {
  return {
    'definitions/tokens.yaml': `scheme: tokens
bearer:
  issuer: ${issuer.url}
  audience: signalbox
  jwks: ${issuer.jwks}
  algorithms: [ES256, RS256]
  scopes: [call]
  roles: { read: [READER] }
${scheme}---
scheme: staff
bearer:
  issuer: ${issuer.url}
  audience: signalbox
  jwks: ${issuer.jwks}
  algorithms: [ES256, RS256]
  users: known
  user: upn
  claim: realm_access.roles
  roles: { read: [READER] }
---
permission-list: READING
---
role: READER
permission-lists: [READING]
---
service: Token.v1
permission: READING
operations:
  WHO: { get: who, request: { fields: {} }, response: { fields: { ID: string } }, handler: who, requires: tokens }
  STAFF: { get: staff, request: { fields: {} }, response: { fields: { ID: string } }, handler: who, requires: [staff] }
  EITHER: { get: either, request: { fields: {} }, response: { fields: { ID: string } }, handler: who, requires: [tokens, basic] }
`,
    'src/handlers/who.ts': `export default { onRequest: (input, context) => ({ ID: context.user?.id ?? '' }) };`,
  };
}
