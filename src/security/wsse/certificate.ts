// WSS: X.509 Certificate Token Profile 1.1.1 section 3: the certificate that a signature's KeyInfo leads to.
import { type KeyObject, X509Certificate } from 'node:crypto';
import { BASE64_BINARY, DS, isNamed, WSSE, X509_V3 } from '../../wire/soap/wsse-names.ts';
import { attributeOf, type XmlElement } from '../../wire/xml/tree.ts';
import { Refused } from '../refused.ts';
import type { Ids } from './ids.ts';
import { bytesOf, elementsOf } from './strict.ts';

/** Characters of a certificate in base64. */
const LONGEST = 16 * 1024;

/** A certificate that came with a message, and the key in it. */
export interface Signer {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/**
 * The certificate of a signature: a BinarySecurityToken of the same header, or one that stands in KeyInfo. It must be in
 * the message: what names one by its issuer, serial number or thumbprint alone leads to nothing that is known here.
 * @throws Refused
 */
export function signerOf(keyInfo: XmlElement, security: XmlElement, ids: Ids): Signer {
  const [means, another] = elementsOf(keyInfo);
  if (means === undefined || another !== undefined) throw new Refused('KeyInfo does not hold one element');
  if (isNamed(means, 'X509Data', DS)) return ofData(means);
  if (!isNamed(means, 'SecurityTokenReference', WSSE)) throw new Refused('KeyInfo holds no certificate');
  const [reference, second] = elementsOf(means);
  if (reference === undefined || second !== undefined)
    throw new Refused('SecurityTokenReference does not hold one element');
  if (isNamed(reference, 'X509Data', DS)) return ofData(reference);
  if (!isNamed(reference, 'Reference', WSSE)) throw new Refused('the certificate is not in the message');
  return ofToken(reference, security, ids);
}

function ofToken(reference: XmlElement, security: XmlElement, ids: Ids): Signer {
  const { element } = ids.resolve(attributeOf(reference, 'URI'));
  if (!isNamed(element, 'BinarySecurityToken', WSSE) || !security.content.includes(element))
    throw new Refused('SecurityTokenReference leads to no token of its header');
  const valueTypes = [attributeOf(element, 'ValueType'), attributeOf(reference, 'ValueType') ?? X509_V3];
  if (valueTypes.some((each) => each !== X509_V3)) throw new Refused('the token is no X.509 v3 certificate');
  if ((attributeOf(element, 'EncodingType') ?? BASE64_BINARY) !== BASE64_BINARY)
    throw new Refused('the token is not in base64');
  return read(element);
}

/** What else names the certificate there is not looked at: the certificate itself must be a user's. */
function ofData(data: XmlElement): Signer {
  const [certificate, another] = elementsOf(data).filter((each) => isNamed(each, 'X509Certificate', DS));
  if (certificate === undefined) throw new Refused('the certificate is not in the message');
  if (another !== undefined) throw new Refused('X509Data holds more than one certificate');
  return read(certificate);
}

function read(element: XmlElement): Signer {
  const der = bytesOf(element, LONGEST);
  try {
    const certificate = new X509Certificate(der);
    // What follows a certificate in the same bytes would be part of no fingerprint. Its key is read when asked for, and may be none.
    if (certificate.raw.equals(der)) return { certificate, key: certificate.publicKey };
  } catch {
    // As below.
  }
  throw new Refused('the certificate can not be read');
}

/** Whether one of some authorities has issued a certificate, and may do so now. */
export function isIssuedBy(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  now: number,
): boolean {
  return authorities.some((authority) => {
    const { ca, validFromDate, validToDate } = authority;
    const isCurrent = now >= validFromDate.getTime() && now <= validToDate.getTime();
    return ca && isCurrent && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  });
}
