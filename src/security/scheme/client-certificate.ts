import { createHash, X509Certificate } from 'node:crypto';
import { type ClientCertificateScheme, Refused, type User } from '../../model/security.ts';
import { subjectOfCertificate } from '../../wire/distinguished-name.ts';
import { checkValidity } from '../../wsse/certificate.ts';
import type { Directory } from '../directory/directory-port.ts';
import { REALM, type ShownCertificate, type Verifier } from '../security-port.ts';

/** Characters in base64: more than any real certificate has. */
const LONGEST = 48 * 1024;

/** Client certificates. A user is found by the fingerprint, or by the subject if a trusted authority issued the certificate. */
export function compileClientCertificate(scheme: ClientCertificateScheme, directory: Directory): Verifier {
  // The certificate of a connection is the same object for each request.
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
        // A verified certificate also counts by its subject: the two must not share a remembered result.
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
    // TLS asks for certificates when a connection is made; as for API keys, the challenge only states what is missing.
    challenge: () => `ClientCertificate ${REALM}`,
  };
}

function readCertificate(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch {
    throw new Refused("the certificate can't be read");
  }
}

/**
 * The names that a certificate is found by: its fingerprint (`sha256:` and 64 hex digits in lower case) and, if it is
 * verified, its subject. The loader spells the certificates of users the same way.
 */
export function namesOfCertificate({ der, verified }: ShownCertificate): string[] {
  const names = [`sha256:${createHash('sha256').update(der).digest('hex')}`];
  if (!verified) return names;
  try {
    names.push(subjectOfCertificate(der));
  } catch {
    // A certificate without a readable subject still has its fingerprint.
  }
  return names;
}

/** The user that a certificate belongs to. @throws Refused for an unknown certificate; Fault UNAVAILABLE */
export async function userOfCertificate(directory: Directory, shown: ShownCertificate): Promise<User> {
  const user = await directory.findByCertificate(namesOfCertificate(shown));
  if (user === undefined) throw new Refused('unknown certificate, or a disabled user');
  return user;
}
