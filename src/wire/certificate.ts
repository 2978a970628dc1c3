import { NameError, normaliseName } from './distinguished-name.ts';

// Textual encodings of certificates (RFC 7468 section 5), with the older labels that OpenSSL still accepts.

const FINGERPRINT = /^sha256:([0-9a-f]{64}|[0-9a-f]{2}(?::[0-9a-f]{2}){31})$/i;

/**
 * The canonical form of a name. Letter case and colons of a fingerprint do not count, nor spaces between the parts of a
 * subject.
 */
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

const CERTIFICATES =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** The certificates of a text, each with its first and last line. */
export function pemCertificates(text: string): string[] {
  return text.match(CERTIFICATES) ?? [];
}
