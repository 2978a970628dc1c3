// Namespaces and URIs of Web Services Security: SOAP Message Security 1.1.1 (section 2), Username Token Profile 1.1.1
// and X.509 Certificate Token Profile 1.1.1.
import type { XmlElement } from '../xml/tree.ts';

const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';

/** Namespace of `Security` and of tokens. */
export const WSSE = `${WSS}-wssecurity-secext-1.0.xsd`;
/** Namespace of `Timestamp`, of times and of `Id`. */
export const WSU = `${WSS}-wssecurity-utility-1.0.xsd`;
/** Namespace of what version 1.1 has added. */
export const WSSE_11 = 'http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd';
/** Namespace of XML signatures. */
export const DS = 'http://www.w3.org/2000/09/xmldsig#';
/** Exclusive XML Canonicalization 1.0 without comments: both the algorithm and the namespace of its parameters. */
export const EXC_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export const BASE64_BINARY = `${WSS}-soap-message-security-1.0#Base64Binary`;
export const X509_V3 = `${WSS}-x509-token-profile-1.0#X509v3`;
/** The value types of key identifiers: the extension of a certificate, and the SHA-1 of the whole of it (SOAP Message Security 1.1.1). */
export const X509_KEY_IDENTIFIER = `${WSS}-x509-token-profile-1.0#X509SubjectKeyIdentifier`;
export const THUMBPRINT = 'http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1';
export const PASSWORD_TEXT = `${WSS}-username-token-profile-1.0#PasswordText`;
export const PASSWORD_DIGEST = `${WSS}-username-token-profile-1.0#PasswordDigest`;

/** Whether an element has this local name and namespace. */
export function isNamed({ local, namespace }: XmlElement, name: string, of: string): boolean {
  return local === name && namespace === of;
}
