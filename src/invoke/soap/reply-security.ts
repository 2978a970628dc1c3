import { DS, isNamed, WSSE, WSSE_11, WSU } from '../../wire/soap/wsse-names.ts';
import { childrenOf, type XmlElement } from '../../wire/xml/tree.ts';

/** Elements of a Security header that ask nothing of a receiver that trusts the connection, with their namespaces. */
const SILENT: Readonly<Record<string, string>> = {
  Timestamp: WSU,
  BinarySecurityToken: WSSE,
  SecurityTokenReference: WSSE,
  UsernameToken: WSSE,
  Signature: DS,
  SignatureConfirmation: WSSE_11,
};

/**
 * Whether a header block of a reply is a Security header that leaves its content readable. Signatures in it are not verified.
 * Encrypted content asks for a key, and is not understood.
 */
export function isReadableSecurity(header: XmlElement): boolean {
  const isKnown = ({ local, namespace }: XmlElement): boolean =>
    Object.hasOwn(SILENT, local) && SILENT[local] === namespace;
  return isNamed(header, 'Security', WSSE) && childrenOf(header).every(isKnown);
}
