import { createHash, type X509Certificate } from 'node:crypto';
import type { MessageSigner } from '../model/node.ts';
import type { KeyReferenceKind } from '../model/security.ts';
import { issuerOfCertificate } from '../wire/distinguished-name.ts';
import { BASE64_BINARY, THUMBPRINT, X509_KEY_IDENTIFIER, X509_V3 } from '../wire/soap/wsse-names.ts';
import { type KeyReference, TOKEN_ID } from '../wire/soap/wsse-write.ts';
import { escapeText } from '../wire/xml/text.ts';

// WSS: X.509 Certificate Token Profile 1.1.1, section 3.2: how the signature of a message refers to the certificate of its key.

/** The values of a certificate by which a receiver that has it recognises it; `undefined` when it has no such value. */
export const IDENTIFIERS = {
  'key-identifier': { valueType: X509_KEY_IDENTIFIER, of: keyIdentifierOf },
  thumbprint: { valueType: THUMBPRINT, of: ({ raw }: X509Certificate) => createHash('sha1').update(raw).digest() },
} as const satisfies Partial<Record<KeyReferenceKind, Identifier>>;

interface Identifier {
  readonly valueType: string;
  readonly of: (certificate: X509Certificate) => Buffer | undefined;
}

/** Takes a value of the certificate, in text. */
type Take = (value: (certificate: X509Certificate) => string) => string;

/** What SecurityTokenReference contains. */
const FORMS: Readonly<Record<KeyReferenceKind, (take: Take) => string>> = {
  token: () => `<wsse:Reference URI="#${TOKEN_ID}" ValueType="${X509_V3}"/>`,
  'issuer-serial': (take) =>
    `<ds:X509Data><ds:X509IssuerSerial><ds:X509IssuerName>${escapeText(take(({ raw }) => issuerOfCertificate(raw)))}</ds:X509IssuerName>` +
    `<ds:X509SerialNumber>${take(({ serialNumber }) => String(BigInt(`0x${serialNumber}`)))}</ds:X509SerialNumber></ds:X509IssuerSerial></ds:X509Data>`,
  'key-identifier': (take) => identifierForm(take, IDENTIFIERS['key-identifier']),
  thumbprint: (take) => identifierForm(take, IDENTIFIERS.thumbprint),
};

function identifierForm(take: Take, { valueType, of }: Identifier): string {
  const value = take((certificate) => {
    const found = of(certificate);
    if (found === undefined) throw new TypeError('it has no extension with a key identifier');
    return found.toString('base64');
  });
  return `<wsse:KeyIdentifier EncodingType="${BASE64_BINARY}" ValueType="${valueType}">${value}</wsse:KeyIdentifier>`;
}

type Declared = Pick<MessageSigner, 'reference' | 'token'>;

function referenceBy({ reference, token }: Declared, take: Take): KeyReference {
  const isThere = reference === undefined || token !== undefined;
  return {
    ...(isThere ? { token: take(({ raw }) => raw.toString('base64')), isSigned: token === 'signed' } : {}),
    xml: FORMS[reference ?? 'token'](take),
  };
}

/**
 * How a signature refers to a certificate.
 * @throws TypeError for a certificate without the identifier; NameError
 */
export function keyReference(certificate: X509Certificate, declared: Declared): KeyReference {
  return referenceBy(declared, (value) => value(certificate));
}

/** The same in a message that is only shown. @param hidden in place of values */
export function shownKeyReference(declared: Declared, hidden: string): KeyReference {
  return referenceBy(declared, () => hidden);
}

/** The object identifier of the extension, which is not critical, and the tag of its value, in DER (RFC 5280 section 4.2.1.2). */
const KEY_IDENTIFIER = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x0e, 0x04]);

/** The identifier in the extension, if it has fewer than 126 bytes. */
function keyIdentifierOf({ raw }: X509Certificate): Buffer | undefined {
  const at = raw.indexOf(KEY_IDENTIFIER);
  // Behind it: the length of the value, and in it another OCTET STRING with its tag and its length.
  const start = at + KEY_IDENTIFIER.length + 3;
  return at < 0 ? undefined : raw.subarray(start, start + raw[start - 1]!);
}
