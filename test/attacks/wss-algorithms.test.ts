import { createHmac, createPublicKey, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import type { TestGateway } from '../support/gateway.ts';
import { withSecuredGateway } from './support/secured.ts';
import { ELLIPTIC, EXPIRED, FORGED, PARTNER, type Signer, WEAK } from './support/signers.ts';
import {
  DS,
  ECDSA_SHA256,
  EXC,
  handled,
  post,
  RSA_SHA256,
  reasonOf,
  type Signing,
  signedCall,
  TOKEN_REFERENCE,
  token,
  X509,
} from './support/wss.ts';

let gateway: TestGateway;
withSecuredGateway((started) => {
  gateway = started;
});

const C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
const der = ({ certificate }: Signer): string => new X509Certificate(certificate).raw.toString('base64');
const data = (inside: string): string => `<ds:X509Data xmlns:ds="${DS}">${inside}</ds:X509Data>`;
const inData = (signer: Signer): string => data(`<ds:X509Certificate>${der(signer)}</ds:X509Certificate>`);
const referring = (inside: string): string => `<wsse:SecurityTokenReference>${inside}</wsse:SecurityTokenReference>`;
const embedded = (inside: string): string => `<wsse:Embedded>${inside.replace(' wsu:Id="token"', '')}</wsse:Embedded>`;
const identifier = (value: string): string => `<wsse:KeyIdentifier ValueType="${X509}">${value}</wsse:KeyIdentifier>`;
const write = (signing: Signing = {}): string => signedCall('SIGNED', 'hello', signing);
const elliptic: Signing = { signer: ELLIPTIC, algorithm: ECDSA_SHA256 };

it.each<[string, Signing]>([
  ['RSA with SHA-256', {}],
  ['digests of SHA-512', { digest: 'http://www.w3.org/2001/04/xmlenc#sha512' }],
  ['RSA-PSS with SHA-256', { algorithm: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1' }],
  ['ECDSA with P-256 and an authority', elliptic],
  ['prefixes that are inclusive', { inclusive: ['s', 'wsse', 'wsu', 'nobody'] }],
  ['the certificate in KeyInfo', { keyInfo: inData(PARTNER) }],
  [
    'the certificate in a SecurityTokenReference',
    { keyInfo: `<wsse:SecurityTokenReference>${inData(PARTNER)}</wsse:SecurityTokenReference>` },
  ],
  ['the certificate embedded in a SecurityTokenReference', { keyInfo: referring(embedded(token(PARTNER))) }],
  ['the certificate in a key identifier', { keyInfo: referring(identifier(der(PARTNER))) }],
])('%s is taken', async (_, signing) => {
  expect((await post(gateway, write(signing))).text).toMatch(/<S>(partner|elliptic) hello<\/S>/);
});

/** SignedInfo that a MAC with the certificate's public key stands under, as of a caller who has read it. */
function hmac(): string {
  const xml = write().replace(RSA_SHA256, `${DS}hmac-sha1`);
  const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s
    .exec(xml)![0]
    .replace('<ds:SignedInfo>', `<ds:SignedInfo xmlns:ds="${DS}">`);
  const key = createPublicKey(PARTNER.certificate).export({ type: 'spki', format: 'pem' });
  const value = createHmac('sha1', key).update(info).digest('base64');
  return xml.replace(/(<ds:SignatureValue>)[^<]*/, `$1${value}`);
}

it.each<[string, () => string, RegExp]>([
  ['a MAC with the public key', hmac, /algorithm of SignatureMethod is not accepted/],
  [
    'a MAC cut short',
    () =>
      write().replace(
        `<ds:SignatureMethod Algorithm="${RSA_SHA256}"/>`,
        `<ds:SignatureMethod Algorithm="${RSA_SHA256}"><ds:HMACOutputLength>1</ds:HMACOutputLength></ds:SignatureMethod>`,
      ),
    /SignatureMethod contains an element/,
  ],
  ['RSA with SHA-1', () => write({ algorithm: `${DS}rsa-sha1` }), /algorithm of SignatureMethod is not accepted/],
  [
    'RSA with SHA-512, which the scheme leaves out',
    () => write({ algorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512' }),
    /algorithm of SignatureMethod is not accepted/,
  ],
  ['digests of SHA-1', () => write({ digest: `${DS}sha1` }), /algorithm of DigestMethod is not accepted/],
  [
    'no algorithm',
    () => write().replace(`SignatureMethod Algorithm="${RSA_SHA256}"`, 'SignatureMethod'),
    /SignatureMethod has no Algorithm/,
  ],
  [
    'an algorithm named as what all objects have',
    () => write().replace(RSA_SHA256, 'constructor'),
    /algorithm of SignatureMethod is not accepted/,
  ],
  ['inclusive canonicalisation', () => write({ canonicalization: C14N }), /CanonicalizationMethod is not exclusive/],
  [
    'canonicalisation with comments',
    () => write({ canonicalization: `${EXC}WithComments` }),
    /CanonicalizationMethod is not exclusive/,
  ],
  ['a transform with comments', () => write({ transforms: [`${EXC}WithComments`] }), /Transform is not exclusive/],
  [
    'the enveloped transform',
    () => write({ transforms: [`${DS}enveloped-signature`, EXC] }),
    /Transforms does not contain exactly Transform/,
  ],
  [
    'a transform by XPath',
    () =>
      write().replace(
        `<ds:Transform Algorithm="${EXC}"/>`,
        `<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>//x</ds:XPath></ds:Transform>`,
      ),
    /Transform is not exclusive/,
  ],
  [
    'a transform by XSLT',
    () =>
      write().replace(
        `<ds:Transform Algorithm="${EXC}"/>`,
        `<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"/>`,
      ),
    /Transform is not exclusive/,
  ],
  [
    'no transforms',
    () => write().replace(/<ds:Transforms>.*?<\/ds:Transforms>/s, ''),
    /Reference does not contain exactly Transforms/,
  ],
  [
    'many transforms',
    () => write({ transforms: Array.from({ length: 50 }, () => EXC) }),
    /Transforms does not contain exactly Transform/,
  ],
  ['an RSA key of 1024 bits', () => write({ signer: WEAK }), /RSA key has 1024 bits/],
  ['a key of another kind', () => write(elliptic).replace(ECDSA_SHA256, RSA_SHA256), /key does not match/],
  [
    'a subject that nobody vouches for',
    () => write({ signer: FORGED, algorithm: ECDSA_SHA256 }),
    /unknown certificate/,
  ],
  [
    'a certificate whose time is over',
    () => write({ signer: EXPIRED, algorithm: ECDSA_SHA256 }),
    /certificate has expired/,
  ],
  [
    'a key beside the certificate',
    () => write({ keyInfo: `<ds:KeyValue xmlns:ds="${DS}"><ds:RSAKeyValue/></ds:KeyValue>` }),
    /KeyInfo does not contain a certificate/,
  ],
  [
    'a certificate that is only named',
    () => write({ keyInfo: data('<ds:X509IssuerSerial/>') }),
    /certificate is not in the message/,
  ],
  [
    'a thumbprint alone',
    () =>
      write({
        keyInfo:
          '<wsse:SecurityTokenReference><wsse:KeyIdentifier>AAAA</wsse:KeyIdentifier></wsse:SecurityTokenReference>',
      }),
    /certificate is not in the message/,
  ],
  [
    'two certificates in KeyInfo',
    () =>
      write({
        keyInfo: `<wsse:SecurityTokenReference>${data(inData(FORGED) + inData(PARTNER))}</wsse:SecurityTokenReference>`,
      }),
    /certificate is not in the message/,
  ],
  [
    'another certificate behind the right one',
    () =>
      write({
        keyInfo: data(
          `<ds:X509Certificate>${der(PARTNER)}</ds:X509Certificate><ds:X509Certificate>${der(FORGED)}</ds:X509Certificate>`,
        ),
      }),
    /more than one certificate/,
  ],
  [
    'bytes behind the certificate',
    () =>
      write({
        keyInfo: data(
          `<ds:X509Certificate>${Buffer.concat([new X509Certificate(PARTNER.certificate).raw, Buffer.from([0])]).toString('base64')}</ds:X509Certificate>`,
        ),
      }),
    /certificate can't be read/,
  ],
  [
    'a certificate that is none',
    () => write({ keyInfo: data('<ds:X509Certificate>AAAA</ds:X509Certificate>') }),
    /certificate can't be read/,
  ],
  [
    'a reference to a certificate elsewhere',
    () => write({ keyInfo: TOKEN_REFERENCE.replace('#token', 'http://127.0.0.1:9/cert') }),
    /not to an id/,
  ],
  ['a token that is a chain', () => write().replaceAll('#X509v3', '#X509PKIPathv1'), /not an X.509 v3/],
  [
    'a SignatureValue that is no base64',
    () => write().replace('<ds:SignatureValue>', '<ds:SignatureValue>!'),
    /SignatureValue is not base64/,
  ],
  [
    'a SignatureValue of a megabyte',
    () => write().replace('<ds:SignatureValue>', `<ds:SignatureValue>${'A'.repeat(500_000)}`),
    /SignatureValue has more than/,
  ],
  [
    'an empty SignatureValue',
    () => write().replace(/<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>'),
    /SignatureValue is not base64/,
  ],
  [
    'a signature by a key that is another',
    () => write({ signer: { ...PARTNER, key: WEAK.key } }),
    /signature does not match/,
  ],
])('%s is not', async (_, forge, reason) => {
  const before = handled(gateway).length;
  const { status, text } = await post(gateway, forge());
  expect(status).toBe(401);
  expect(reasonOf(gateway)).toMatch(reason);
  expect(text).not.toMatch(reason);
  expect(handled(gateway).length).toBe(before);
});
