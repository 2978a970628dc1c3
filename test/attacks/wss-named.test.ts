import { createHash, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { IDENTIFIERS } from '../../src/wsse/key-reference.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ELLIPTIC, EXPIRED, FORGED, PARTNER, type Signer, TWIN, WEAK } from './support/signers.ts';
import { DS, ECDSA_SHA256, ENV, PROJECT, post, reasonOf, type Signing, signedCall } from './support/wss.ts';

// Certificates that messages name and do not contain: those of `certificates` of the scheme, by the key of one of them only.

const print = ({ certificate }: Signer): string =>
  createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex');

let gateway: TestGateway;
beforeAll(async () => {
  const files = {
    ...PROJECT,
    // What replaced a certificate of the same key stands behind it.
    'callers.pem': [EXPIRED, PARTNER, ELLIPTIC, TWIN, WEAK].map(({ certificate }) => certificate).join(''),
    'definitions/named.yaml': `scheme: NAMED
signature: { algorithms: [rsa-sha256, ecdsa-sha256], certificates: callers.pem }
---
user: known
certificates: ['sha256:${print(ELLIPTIC)}', 'sha256:${print(TWIN)}']
roles: [ALL]
---
service: Named.v1
namespace: urn:test:Safe.v1
permission: EVERYTHING
operations:
  NAMED: { soap: true, requires: NAMED, request: SAID, response: SAID, handler: echo }
`,
  };
  gateway = await startTestGateway({ files, env: ENV });
});
afterAll(() => gateway.stop());

const referring = (inside: string): string => `<wsse:SecurityTokenReference>${inside}</wsse:SecurityTokenReference>`;
const serial = (issuer: string, number: string): string =>
  referring(
    `<ds:X509Data xmlns:ds="${DS}"><ds:X509IssuerSerial><ds:X509IssuerName>${issuer}</ds:X509IssuerName><ds:X509SerialNumber>${number}</ds:X509SerialNumber></ds:X509IssuerSerial></ds:X509Data>`,
  );
const identifier = (type: string, value: Buffer): string =>
  referring(`<wsse:KeyIdentifier ValueType="urn:any#${type}">${value.toString('base64')}</wsse:KeyIdentifier>`);
const thumbprint = ({ certificate }: Signer): string =>
  identifier('ThumbprintSHA1', createHash('sha1').update(new X509Certificate(certificate).raw).digest());
const keyIdentifier = ({ certificate }: Signer): string =>
  identifier('X509SubjectKeyIdentifier', IDENTIFIERS['key-identifier'].of(new X509Certificate(certificate)) as Buffer);
const numberOf = ({ certificate }: Signer): string =>
  BigInt(`0x${new X509Certificate(certificate).serialNumber}`).toString();

/** A message without a token, by the signer. */
function write(signer: Signer, keyInfo: string, operation = 'NAMED'): string {
  const algorithm = signer === PARTNER || signer === WEAK ? {} : { algorithm: ECDSA_SHA256 };
  const signing: Signing = { signer, keyInfo, ...algorithm };
  return signedCall(operation, 'hello', signing, undefined, '');
}

it.each([
  ['a thumbprint', PARTNER, thumbprint(PARTNER), 'partner'],
  ['issuer and serial number', PARTNER, serial('CN=partner', numberOf(PARTNER)), 'partner'],
  [
    'a serial number alone that is only one',
    PARTNER,
    serial('CN=written in another way', numberOf(PARTNER)),
    'partner',
  ],
  ['the key identifier of a renewed certificate', ELLIPTIC, keyIdentifier(ELLIPTIC), 'known'],
  ['one of two issuers of a number', ELLIPTIC, serial('CN=Partner authority', '7'), 'known'],
  ['the other of them', TWIN, serial(' cn = two , O=Twins', '7'), 'known'],
])('%s finds the certificate of the caller', async (_, signer, keyInfo, user) => {
  expect((await post(gateway, write(signer, keyInfo))).text).toContain(`<S>${user} hello</S>`);
});

it.each<[string, string, RegExp]>([
  ['the name of another caller', write(FORGED, thumbprint(ELLIPTIC)), /signature/i],
  ['the number of another issuer', write(TWIN, serial('CN=Partner authority', '7')), /signature/i],
  ['a number of two, by an unknown issuer', write(TWIN, serial('CN=somebody', '7')), /not one of the expected ones/],
  ['a number of two, by no name', write(TWIN, serial('=', '7')), /not one of the expected ones/],
  ['a certificate that is not in the file', write(FORGED, thumbprint(FORGED)), /not one of the expected ones/],
  ['an empty identifier', write(ELLIPTIC, identifier('X509SubjectKeyIdentifier', Buffer.alloc(0))), /not base64/],
  [
    'an identifier that begins like one',
    write(ELLIPTIC, identifier('X509SubjectKeyIdentifier', Buffer.from([0x44]))),
    /not one of the expected ones/,
  ],
  [
    'an identifier of an unknown kind',
    write(ELLIPTIC, identifier('Name', Buffer.from('elliptic'))),
    /not in the message/,
  ],
  ['a number that is not one', write(PARTNER, serial('CN=partner', '0x1')), /not a number/],
  ['a key of 1024 bits', write(WEAK, thumbprint(WEAK)), /1024 bits/],
  ['a certificate that has expired', write(EXPIRED, thumbprint(EXPIRED)), /expired/],
  ['a name at a scheme without such certificates', write(PARTNER, thumbprint(PARTNER), 'SIGNED'), /not in the message/],
])('%s is refused', async (_, message, reason) => {
  const reply = await post(gateway, message);
  expect([reply.status, reasonOf(gateway)]).toEqual([401, expect.stringMatching(reason)]);
});
