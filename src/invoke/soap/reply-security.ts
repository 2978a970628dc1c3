import type { OpenedMessage } from '../../binding/soap/message.ts';
import { Refused } from '../../model/security.ts';
import { subjectOfCertificate } from '../../wire/distinguished-name.ts';
import { readFault } from '../../wire/soap/fault.ts';
import { isForUs, type SoapMessage } from '../../wire/soap/message.ts';
import { DS, isNamed, WSSE, WSSE_11, WSU } from '../../wire/soap/wsse-names.ts';
import { attributeOf, childrenOf, type XmlElement } from '../../wire/xml/tree.ts';
import type { InvokeError } from '../error.ts';
import type { RawReply, Sent } from '../http/raw-reply.ts';
import { badReply, shownText } from '../reply.ts';
import type { ReplyTrust } from '../reply-trust.ts';

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

/**
 * Verifies the signature of a reply.
 * @returns the envelope with the Body that was signed, and of the header blocks those that were
 * @throws Refused for a reply that is not signed as `trust` has it
 */
async function verifiedReply(
  {
    envelope,
    message,
    trust,
    sent,
  }: {
    readonly envelope: XmlElement;
    readonly message: SoapMessage;
    readonly trust: ReplyTrust;
    readonly sent: Sent;
  },
  now: number,
): Promise<XmlElement> {
  const [security, another] = message.headers.filter(
    (each) => isNamed(each, 'Security', WSSE) && isForUs(each, message.version),
  );
  if (security === undefined) throw new Refused('it has no Security header');
  if (another !== undefined) throw new Refused('it has more than one Security header');
  // Loaded when the first reply is verified: no one else needs XML signatures.
  const [{ readReplySecurity, partsOf }, { isIssuedBy }, { readSigned }] = await Promise.all([
    import('../../wsse/header.ts'),
    import('../../wsse/certificate.ts'),
    import('../../wsse/signed-message.ts'),
  ]);
  const header = readReplySecurity(security);
  const { certificates, authorities, subject } = trust;
  const read = readSigned(envelope, header, trust, { now, known: certificates, needsTimestamp: false });
  const { raw } = read.certificate;
  const isKnown = certificates.some((each) => each.raw.equals(raw));
  const isIssued = isIssuedBy(read.certificate, authorities, now) && subjectOfCertificate(raw) === subject;
  if (!isKnown && !isIssued) throw new Refused('its certificate is not one that reply-signature of the node trusts');
  const { body, covered } = read.verify();
  checkConfirmation(header.confirmation, trust, covered, sent);
  const parts = partsOf(envelope);
  const content = envelope.content.map((each) => {
    if (each === parts.body) return body;
    if (typeof each === 'string') return each;
    const isTrusted = (block: XmlElement | string): boolean =>
      typeof block === 'string' || block === security || covered.has(block);
    return { ...each, content: each.content.filter(isTrusted) };
  });
  return { ...envelope, content };
}

/** @throws Refused */
function checkConfirmation(
  confirmation: XmlElement | undefined,
  trust: ReplyTrust,
  covered: ReadonlySet<XmlElement>,
  sent: Sent,
): void {
  if (confirmation === undefined) {
    if (trust.confirmation === true) throw new Refused('it has no SignatureConfirmation');
    return;
  }
  if (!covered.has(confirmation)) throw new Refused('the signature does not cover SignatureConfirmation');
  if (sent !== 'earlier' && attributeOf(confirmation, 'Value') !== sent.signature)
    throw new Refused('SignatureConfirmation is about another request');
}

/** The envelope of a reply with what its signature covers. @throws InvokeError BAD_REPLY */
export async function verified(
  raw: RawReply,
  message: Pick<OpenedMessage, 'root' | 'resolve'>,
  received: SoapMessage,
  trust: ReplyTrust,
): Promise<XmlElement> {
  const refused = (why: string): InvokeError => {
    const fault = readFault(received);
    const said = fault === undefined ? undefined : shownText(raw, `${fault.code}: ${fault.reason}`);
    const shown = said === undefined ? '' : `. It is a fault that can't be trusted: ${said}`;
    return badReply(raw, `is not signed as reply-signature of the node asks: ${why}${shown}`);
  };
  if (message.resolve !== undefined) throw refused('it has attachments (MTOM), which no signature covers');
  try {
    return await verifiedReply({ envelope: message.root, message: received, trust, sent: raw.sent }, Date.now());
  } catch (error) {
    throw error instanceof Refused ? refused(error.message) : error;
  }
}

/** Whether a reply has a signature, which is ignored without `reply-signature`. */
export function hasSignature({ headers, version }: SoapMessage): boolean {
  return headers.some(
    (each) =>
      isNamed(each, 'Security', WSSE) &&
      isForUs(each, version) &&
      childrenOf(each).some((part) => isNamed(part, 'Signature', DS)),
  );
}
