import { X509Certificate } from 'node:crypto';
import type { ClientCertificateScheme } from '../../model/security.ts';
import { checkValidity, userOfCertificate } from '../certificate.ts';
import type { Directory } from '../directory/port.ts';
import type { ShownCertificate } from '../port.ts';
import { Refused } from '../refused.ts';
import { REALM, type Verifier } from './verifier.ts';

/** Characters in Base64: larger than any certificate of a person or system. */
const LONGEST = 48 * 1024;

/** Certificates of callers, known by their fingerprints, or by their subjects where an authority vouches for these. */
export function compileClientCertificate(scheme: ClientCertificateScheme, directory: Directory): Verifier {
  // That of a connection is the same object at each request.
  const texts = new WeakMap<ShownCertificate, string>();
  return {
    scheme,
    longest: LONGEST,
    isAmbient: true,
    find(shown) {
      const certificate = shown.certificate(scheme.header);
      if (certificate === undefined) return undefined;
      let text = texts.get(certificate);
      if (text === undefined) {
        // The same bytes count for more where an authority vouches for them.
        text = `${certificate.verified ? 'verified' : 'unverified'} ${Buffer.from(certificate.der).toString('base64')}`;
        texts.set(certificate, text);
      }
      return text;
    },
    async verify(credentials) {
      const [vouched, encoded = ''] = credentials.split(' ');
      const der = Buffer.from(encoded, 'base64');
      const certificate = readCertificate(der);
      checkValidity(certificate, Date.now());
      const user = await userOfCertificate(directory, { der, verified: vouched === 'verified' });
      return { user, until: certificate.validToDate.getTime() };
    },
    // It is asked for when a connection is made; as with keys, the challenge says what is missing.
    challenge: () => `ClientCertificate ${REALM}`,
  };
}

function readCertificate(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch {
    throw new Refused('the certificate can not be read');
  }
}
