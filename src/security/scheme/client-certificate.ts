import { X509Certificate } from 'node:crypto';
import type { ClientCertificateScheme } from '../../model/security.ts';
import { namesOfCertificate } from '../certificate-name.ts';
import type { Directory, Shown, ShownCertificate } from '../port.ts';
import { REALM, Refused, type Verifier } from './verifier.ts';

/** Characters in Base64: larger than any certificate of a person or system. */
const LONGEST = 48 * 1024;

/** Certificates of callers, known by their fingerprints, or by their subjects where an authority vouches for these. */
export function compileClientCertificate(scheme: ClientCertificateScheme, directory: Directory): Verifier {
  // That of a connection is the same object at each request.
  const texts = new WeakMap<ShownCertificate, string>();
  const certificateOf = (shown: Shown): ShownCertificate | undefined => shown.certificate(scheme.header);
  return {
    scheme,
    longest: LONGEST,
    isAmbient: true,
    find(shown) {
      const certificate = certificateOf(shown);
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
      const until = checkDates(der);
      const user = await directory.findByCertificate(namesOfCertificate({ der, verified: vouched === 'verified' }));
      if (user === undefined) throw new Refused('certificate of nobody, or of a disabled user');
      return { user, until };
    },
    // It is asked for when a connection is made; as with keys, the challenge says what is missing.
    challenge: () => `ClientCertificate ${REALM}`,
  };
}

/** @returns when its validity ends, in milliseconds since 1970. @throws Refused outside of it */
function checkDates(der: Buffer): number {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(der);
  } catch {
    throw new Refused('a certificate that can not be read');
  }
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  const now = Date.now();
  // Negated, so that a date that can't be read is none that is fine.
  if (!(from <= now)) throw new Refused('certificate not valid yet');
  if (!(now <= to)) throw new Refused('certificate expired');
  return to;
}
