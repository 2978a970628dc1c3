import { createHash, type X509Certificate } from 'node:crypto';
import type { User } from '../model/security.ts';
import { subjectOfCertificate } from '../wire/distinguished-name.ts';
import type { Directory } from './directory/port.ts';
import type { ShownCertificate } from './port.ts';
import { Refused } from './refused.ts';

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
