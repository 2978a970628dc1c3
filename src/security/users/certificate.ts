import { X509Certificate } from 'node:crypto';
import type { Registry } from '../../model/registry.ts';
import { pemCertificates } from '../../wire/certificate.ts';
import { UserError } from './user-port.ts';

/**
 * The fingerprint of the certificate that a file contains: `sha256:` and 64 hex digits in lower case.
 * @param content PEM or DER
 * @throws UserError with a predicate of the file as its message
 */
export function fingerprintIn(content: Buffer): string {
  if (pemCertificates(content.toString('latin1')).length > 1)
    throw new UserError('contains more than one certificate', "Write the user's certificate to a file of its own.");
  try {
    return `sha256:${new X509Certificate(content).fingerprint256.replaceAll(':', '').toLowerCase()}`;
  } catch {
    throw new UserError('is not a certificate');
  }
}

/** @throws UserError for a certificate of a user of the definitions: calls with it would be that user's */
export function refuseDeclaredCertificate({ users }: Pick<Registry, 'users'>, fingerprint: string): void {
  const known = [...users.values()].find(({ certificates }) => certificates.includes(fingerprint));
  if (known !== undefined)
    throw new UserError(`${fingerprint} is the certificate of ${known.id}, a user of the definitions`);
}
