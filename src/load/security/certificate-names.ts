import { NameError, normaliseName } from '../../wire/distinguished-name.ts';
import type { Linking } from '../linking.ts';

const FINGERPRINT = /^sha256:([0-9a-f]{64}|[0-9a-f]{2}(?::[0-9a-f]{2}){31})$/i;

/** Certificates that stand for a user, each in the one spelling that they are found by; what names none is reported. */
export function linkCertificates({ report, places }: Linking, said: readonly string[]): string[] {
  return said.flatMap((name, index) => {
    const spelled = certificateName(name);
    if (typeof spelled === 'string') return spelled;
    // A reference has been reported as one that stands in the wrong place.
    if (!name.startsWith('${'))
      report.raise('certificate-name', { name, reason: spelled.message }, places.value(said, index));
    return [];
  });
}

/** The one spelling of a name: letter case and colons of a fingerprint, and blanks between parts of a subject, say nothing. */
export function certificateName(text: string): string | NameError {
  const digits = FINGERPRINT.exec(text)?.[1];
  if (digits !== undefined) return `sha256:${digits.replaceAll(':', '').toLowerCase()}`;
  try {
    return normaliseName(text);
  } catch (error) {
    if (error instanceof NameError) return error;
    throw error;
  }
}
