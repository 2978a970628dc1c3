import { type KeyObject, X509Certificate } from 'node:crypto';
import { Refused } from '../model/security.ts';
import { issuerOfCertificate, NameError, normaliseName } from '../wire/distinguished-name.ts';
import { BASE64_BINARY, DS, isNamed, WSSE, X509_V3 } from '../wire/soap/wsse-names.ts';
import { attributeOf, type XmlElement } from '../wire/xml/tree.ts';
import { bytesOf, contentOf, elementsOf, sequenceOf } from './elements.ts';
import type { Ids } from './ids.ts';
import { IDENTIFIERS } from './key-reference.ts';

// WSS: X.509 Certificate Token Profile 1.1.1 section 3: the certificate that a signature's KeyInfo refers to.

/** Characters of a certificate in base64. */
const LONGEST = 16 * 1024;

/** A certificate from a message, with its public key. */
interface Signer {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/**
 * The certificate of a signature: in a BinarySecurityToken of the same header, inside KeyInfo, or one of `known` that is named by
 * its issuer and serial number, thumbprint or key identifier. Other certificates that are only named can't be looked up.
 * @throws Refused
 */
export function signerOf(
  keyInfo: XmlElement,
  security: XmlElement,
  ids: Ids,
  known: readonly X509Certificate[] = [],
): Signer {
  const [means, another] = elementsOf(keyInfo);
  if (means === undefined || another !== undefined) throw new Refused('KeyInfo does not contain exactly one element');
  if (isNamed(means, 'X509Data', DS)) return ofData(means, known);
  if (!isNamed(means, 'SecurityTokenReference', WSSE)) throw new Refused('KeyInfo does not contain a certificate');
  const [reference, second] = elementsOf(means);
  if (reference === undefined || second !== undefined)
    throw new Refused('SecurityTokenReference does not contain exactly one element');
  if (isNamed(reference, 'X509Data', DS)) return ofData(reference, known);
  if (isNamed(reference, 'KeyIdentifier', WSSE)) return ofIdentifier(reference, known);
  if (isNamed(reference, 'Embedded', WSSE)) return ofEmbedded(reference);
  if (!isNamed(reference, 'Reference', WSSE)) throw new Refused(ELSEWHERE);
  return ofToken(reference, security, ids);
}

const ELSEWHERE = 'the certificate is not in the message';

/** The one known certificate with a property: whoever has its key is trusted already, so that its name alone is enough. */
function knownOne(known: readonly X509Certificate[], certificate: X509Certificate | undefined): Signer {
  if (certificate === undefined)
    throw new Refused(known.length === 0 ? ELSEWHERE : `${ELSEWHERE}, and is not one of the expected ones`);
  return { certificate, key: certificate.publicKey };
}

/** Characters of an identifier. */
const LONGEST_NAME = 512;

/** Key identifiers of section 3.2, by the end of their ValueType: the beginnings differ between versions of the profile. */
function ofIdentifier(identifier: XmlElement, known: readonly X509Certificate[]): Signer {
  const type = attributeOf(identifier, 'ValueType') ?? '';
  // The certificate itself, as WSS4J names it by X509KeyIdentifier.
  if (type === X509_V3) return read(identifier);
  const kind = Object.values(IDENTIFIERS).find(({ valueType }) => nameOf(valueType) === nameOf(type));
  if (known.length === 0 || kind === undefined) throw new Refused(ELSEWHERE);
  const value = bytesOf(identifier, LONGEST_NAME);
  return knownOne(
    known,
    known.find((each) => kind.of(each)?.equals(value)),
  );
}

const nameOf = (valueType: string): string => valueType.slice(valueType.lastIndexOf('#'));

/** SOAP Message Security 1.1.1, section 7.4. */
function ofEmbedded(embedded: XmlElement): Signer {
  const [token, another] = elementsOf(embedded);
  if (token === undefined || another !== undefined || !isNamed(token, 'BinarySecurityToken', WSSE))
    throw new Refused('Embedded does not contain exactly one BinarySecurityToken');
  return ofBinary(token, X509_V3);
}

function ofToken(reference: XmlElement, security: XmlElement, ids: Ids): Signer {
  const { element } = ids.resolve(attributeOf(reference, 'URI'));
  if (!isNamed(element, 'BinarySecurityToken', WSSE) || !security.content.includes(element))
    throw new Refused('SecurityTokenReference does not refer to a token of its header');
  return ofBinary(element, attributeOf(reference, 'ValueType') ?? X509_V3);
}

/** @param named the type that what refers to the token states */
function ofBinary(token: XmlElement, named: string): Signer {
  if ([attributeOf(token, 'ValueType'), named].some((each) => each !== X509_V3))
    throw new Refused('the token is not an X.509 v3 certificate');
  if ((attributeOf(token, 'EncodingType') ?? BASE64_BINARY) !== BASE64_BINARY)
    throw new Refused('the token is not in base64');
  return read(token);
}

/** Other elements that identify a certificate which is there are ignored: the certificate itself must be trusted. */
function ofData(data: XmlElement, known: readonly X509Certificate[]): Signer {
  const children = elementsOf(data);
  const [certificate, another] = children.filter((each) => isNamed(each, 'X509Certificate', DS));
  if (another !== undefined) throw new Refused('X509Data contains more than one certificate');
  if (certificate !== undefined) return read(certificate);
  const [serial, second] = children.filter((each) => isNamed(each, 'X509IssuerSerial', DS));
  if (serial === undefined || second !== undefined || known.length === 0) throw new Refused(ELSEWHERE);
  const [issuer, number] = sequenceOf(serial, ['X509IssuerName', 'X509SerialNumber']);
  const digits = contentOf(number!, LONGEST_NAME).trim();
  if (!/^\d{1,64}$/.test(digits)) throw new Refused('X509SerialNumber is not a number');
  const found = known.filter(({ serialNumber }) => BigInt(`0x${serialNumber}`) === BigInt(digits));
  if (found.length < 2) return knownOne(known, found[0]);
  // Spellings of names differ between systems: the name matters only where the number does not say which certificate it is.
  const name = contentOf(issuer!, LONGEST_NAME);
  return knownOne(
    known,
    found.find(({ raw }) => isSameName(name, raw)),
  );
}

function isSameName(issuer: string, der: Buffer): boolean {
  try {
    return normaliseName(issuer) === issuerOfCertificate(der);
  } catch (error) {
    if (error instanceof NameError) return false;
    throw error;
  }
}

function read(element: XmlElement): Signer {
  const der = bytesOf(element, LONGEST);
  try {
    const certificate = new X509Certificate(der);
    // No fingerprint would cover bytes after the certificate. Reading the key may fail too.
    if (certificate.raw.equals(der)) return { certificate, key: certificate.publicKey };
  } catch {
    // Refused below.
  }
  throw new Refused("the certificate can't be read");
}

/** @param now milliseconds since 1970 @throws Refused outside the validity period */
export function checkValidity({ validFromDate, validToDate }: X509Certificate, now: number): void {
  // Negated comparisons also refuse dates that can't be read.
  if (!(now >= validFromDate.getTime())) throw new Refused('the certificate is not valid yet');
  if (!(now <= validToDate.getTime())) throw new Refused('the certificate has expired');
}

/** Whether a certificate was issued by one of the authorities, which must be valid at `now`. */
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
