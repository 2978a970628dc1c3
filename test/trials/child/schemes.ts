import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PARTNER } from '../../attacks/support/signers.ts';
import { digestToken, message, security, signed, timestamp, token } from '../../attacks/support/wss.ts';

// Schemes of every kind for the sample, and credentials that they accept. Each run generates new keys.

/** Path of an operation that requires a token or a key. */
export const SECURED_PATH = '/gateway/RESTListeningConnector/Secured.v1/Who/N';

const ISSUER = 'https://issuer.example.org';
const SECRET = randomBytes(16).toString('base64url');
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Value of the header X-Api-Key. */
export const API_KEY = randomBytes(32).toString('base64url');

/** Environment variables that the child's definitions refer to. */
export const SCHEME_ENV: Readonly<Record<string, string>> = { CHILD_SECRET: SECRET };

const DEFINITIONS = `scheme: CHILD_TOKENS
bearer:
  issuer: ${ISSUER}
  audience: signalbox
  jwks: keys.json
  algorithms: [ES256]
  roles: { call: SAMPLE_ALL }
---
scheme: CHILD_KEYS
api-key: { header: X-Api-Key }
---
scheme: CHILD_DIGEST
username-token: { passwords: [digest], max-age: 5 m }
---
scheme: CHILD_SIGNED
signature: { max-age: 5 m }
---
user: child
shared-secret: \${secret:CHILD_SECRET}
api-keys: ['sha256:${createHash('sha256').update(API_KEY).digest('hex')}']
certificates: ['sha256:${createHash('sha256').update(new X509Certificate(PARTNER.certificate).raw).digest('hex')}']
roles: [SAMPLE_ALL]
---
service: Secured.v1
permission: LOCATIONS
cors: [https://app.example.org]
limits: { rate: { requests: 1000000, per: 1 m, by: address }, concurrent: 1000 }
operations:
  SECURED_GET:
    get: Who/{REGION}
    requires: [basic, CHILD_TOKENS, CHILD_KEYS]
    request: LOC_REQUEST
    response: LOC_RESPONSE
    handler: locations-get
  SECURED_CALL:
    soap: true
    requires: [CHILD_DIGEST, CHILD_SIGNED]
    request: LOC_REQUEST
    response: LOC_RESPONSE
    handler: locations-get
`;

/** Writes a project into a folder: the sample with schemes of every kind. */
export function writeProject(sample: string, folder: string): void {
  cpSync(join(sample, 'definitions'), join(folder, 'definitions'), { recursive: true });
  for (const name of ['src', 'generated', 'node_modules', 'package.json'])
    symlinkSync(join(sample, name), join(folder, name));
  const jwk = { ...pair.publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'ES256', use: 'sig' };
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [jwk] }));
  writeFileSync(join(folder, 'definitions/child.yaml'), DEFINITIONS);
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A valid token, unless `claims` or `header` make it invalid. */
export function bearerToken(claims: object = {}, header: object = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { iss: ISSUER, aud: 'signalbox', sub: 'child', scope: 'call', iat: now, exp: now + 3_600, ...claims };
  const text = `${encoded({ alg: 'ES256', kid: 'first', ...header })}.${encoded(payload)}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key: pair.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

const CALL = '<SECURED_CALL xmlns="urn:signalbox:sample:Secured.v1"><REGION>N</REGION></SECURED_CALL>';

/** A call with a UsernameToken, which is accepted once. */
export function tokenCall(nonce: Buffer = randomBytes(16)): string {
  return message(security(digestToken({ user: 'child', secret: SECRET, nonce })), CALL);
}

/** A call with a signature, which is accepted once. */
export function signatureCall(): string {
  return signed(message(security(token(PARTNER) + timestamp()), CALL));
}
