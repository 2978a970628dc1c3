import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { Refused, SIGNATURE_ALGORITHMS } from '../../src/model/security.ts';
import { namesOfCertificate } from '../../src/security/scheme/client-certificate.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { faultOfKey } from '../../src/wsse/algorithms.ts';
import { checkValidity, isIssuedBy, signerOf } from '../../src/wsse/certificate.ts';
import { Ids } from '../../src/wsse/ids.ts';
import { AUTHORITY, SERVER } from '../support/certificates.ts';

const authorities = [new X509Certificate(AUTHORITY)];

/** All that is asked of a certificate before it is known whose it is. @throws Refused */
function lookAt(der: Buffer): void {
  const data = `<ds:X509Data><ds:X509Certificate>${der.toString('base64')}</ds:X509Certificate></ds:X509Data>`;
  const keyInfo = readXml(`<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${data}</ds:KeyInfo>`);
  const { certificate, key } = signerOf(keyInfo, keyInfo, new Ids(keyInfo));
  for (const algorithm of Object.values(SIGNATURE_ALGORITHMS)) faultOfKey(key, algorithm);
  checkValidity(certificate, Date.now());
  const verified = isIssuedBy(certificate, authorities, Date.now());
  expect(verified, 'an authority vouches for other bytes than its own').toBe(false);
  namesOfCertificate({ der: certificate.raw, verified: true });
}

it('a certificate of which one byte is another is taken for what it is, or refused', () => {
  const good = new X509Certificate(SERVER.certificate).raw;
  const refused = new Map<string, number>();
  for (let at = 0; at < good.length; at++)
    for (const changed of [0, 0x7f, 0xff, good[at]! ^ 1, good[at]! ^ 0x20, good[at]! ^ 0x80]) {
      if (changed === good[at]) continue;
      const der = Buffer.from(good);
      der[at] = changed;
      try {
        lookAt(der);
      } catch (error) {
        if (!(error instanceof Refused)) throw new Error(`byte ${at} as ${changed}: ${(error as Error).stack}`);
        refused.set(error.message, (refused.get(error.message) ?? 0) + 1);
      }
    }
  expect([...refused.keys()].sort()).toEqual([
    "the certificate can't be read",
    'the certificate has expired',
    'the certificate is not valid yet',
  ]);
});
