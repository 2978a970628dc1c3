const XMLDSIG_MORE_2001 = 'http://www.w3.org/2001/04/xmldsig-more#';
const XMLDSIG_MORE_2007 = 'http://www.w3.org/2007/05/xmldsig-more#';

/**
 * Signature algorithms that messages may bear, by the words of definitions: their URIs (RFC 9231). Asymmetric ones alone,
 * over digests that are sound: whoever can check a MAC could write it.
 */
export const SIGNATURE_ALGORITHMS: Readonly<Record<string, string>> = {
  'rsa-sha256': `${XMLDSIG_MORE_2001}rsa-sha256`,
  'rsa-sha384': `${XMLDSIG_MORE_2001}rsa-sha384`,
  'rsa-sha512': `${XMLDSIG_MORE_2001}rsa-sha512`,
  'rsa-pss-sha256': `${XMLDSIG_MORE_2007}sha256-rsa-MGF1`,
  'rsa-pss-sha384': `${XMLDSIG_MORE_2007}sha384-rsa-MGF1`,
  'rsa-pss-sha512': `${XMLDSIG_MORE_2007}sha512-rsa-MGF1`,
  'ecdsa-sha256': `${XMLDSIG_MORE_2001}ecdsa-sha256`,
  'ecdsa-sha384': `${XMLDSIG_MORE_2001}ecdsa-sha384`,
  'ecdsa-sha512': `${XMLDSIG_MORE_2001}ecdsa-sha512`,
};

/** Digest algorithms of what is signed, by the words of definitions: their URIs (RFC 9231, XML Encryption 1.1 section 5.8). */
export const DIGEST_ALGORITHMS: Readonly<Record<string, string>> = {
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: `${XMLDSIG_MORE_2001}sha384`,
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
};
