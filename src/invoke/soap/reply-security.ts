import { isForUs, type SoapMessage } from '../../wire/soap/message.ts';
import { DS, isNamed, WSSE, WSSE_11, WSU } from '../../wire/soap/wsse-names.ts';
import { childrenOf, textOf, type XmlElement } from '../../wire/xml/tree.ts';

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

/** Why the Timestamp of a reply is refused, as what follows "the reply"; `undefined` when it is valid or absent. */
export function timestampFault({ headers, version }: SoapMessage, now: number): string | undefined {
  for (const header of headers) {
    if (!isNamed(header, 'Security', WSSE) || !isForUs(header, version)) continue;
    for (const time of childrenOf(header).filter((each) => isNamed(each, 'Timestamp', WSU))) {
      const expires = childrenOf(time).find((each) => isNamed(each, 'Expires', WSU));
      if (expires === undefined) continue;
      const text = textOf(expires).trim();
      const at = FORM.test(text) ? Date.parse(text) : Number.NaN;
      if (Number.isNaN(at)) return 'has a Timestamp whose Expires is not a time with a zone';
      if (at <= now) return `has a Timestamp that expired at ${new Date(at).toISOString()}`;
    }
  }
  return undefined;
}

/** An xs:dateTime with a time zone (SOAP Message Security 1.1.1, section 10). */
const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
