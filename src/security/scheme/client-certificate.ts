import { createHash, X509Certificate } from 'node:crypto';
import type { ClientCertificateScheme, User } from '../../model/security.ts';
import { subjectOfCertificate } from '../../wire/certificate.ts';
import type { Directory } from '../directory/port.ts';
import { REALM, Refused, type ShownCertificate, type Verifier } from '../port.ts';

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

/**
 * The names that a certificate is found by: its fingerprint (`sha256:` and 64 hex digits in lower case) and, where it is
 * vouched for, its subject. Users' certificates are spelled the same way from the loader on.
 */
export function namesOfCertificate({ der, verified }: ShownCertificate): string[] {
  const names = [`sha256:${createHash('sha256').update(der).digest('hex')}`];
  if (!verified) return names;
  try {
    names.push(subjectOfCertificate(der));
  } catch {
    // Without a subject it has its fingerprint.
  }
  return names;
}

/** Whose a certificate is. @throws Refused for nobody's; Fault UNAVAILABLE */
export async function userOfCertificate(directory: Directory, shown: ShownCertificate): Promise<User> {
  const user = await directory.findByCertificate(namesOfCertificate(shown));
  if (user === undefined) throw new Refused('certificate of nobody, or of a disabled user');
  return user;
}

/** @param now milliseconds since 1970 @throws Refused outside its time */
export function checkValidity({ validFromDate, validToDate }: X509Certificate, now: number): void {
  // Negated, so that a date that can't be read is none that is fine.
  if (!(now >= validFromDate.getTime())) throw new Refused('the certificate is not valid yet');
  if (!(now <= validToDate.getTime())) throw new Refused('the certificate has expired');
}
