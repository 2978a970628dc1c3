import { createHash } from 'node:crypto';
import { subjectOfCertificate } from '../wire/distinguished-name.ts';
import type { ShownCertificate } from './port.ts';

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
