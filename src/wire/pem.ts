// Textual encodings of certificates (RFC 7468 section 5), with the older labels that OpenSSL still takes.

const CERTIFICATES =
  /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[\s\S]+?-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** The certificates of a text, each with its first and last line. */
export function pemCertificates(text: string): string[] {
  return text.match(CERTIFICATES) ?? [];
}
