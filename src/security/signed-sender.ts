import type { X509Certificate } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import type { SignatureScheme, User } from '../model/security.ts';
import type { XmlElement } from '../wire/xml/tree.ts';
import { isIssuedBy } from '../wsse/certificate.ts';
import type { SecurityHeader } from '../wsse/header.ts';
import { readSigned } from '../wsse/signed-message.ts';
import type { Directory } from './directory/directory-port.ts';
import { userOfCertificate } from './scheme/client-certificate.ts';
import type { TakeOnce } from './scheme/username-token.ts';
import type { ShownMessage } from './security-port.ts';

// WS-Security X.509 Certificate Token Profile 1.1.1: messages whose Body and Timestamp are signed.

/** The certificates that a scheme declares. */
export interface SchemeCertificates {
  /** Empty when only fingerprints count. */
  readonly authorities: readonly X509Certificate[];
  /** Callers that messages may name without containing their certificates. */
  readonly callers: readonly X509Certificate[];
}

/** What signatures are verified with. */
export interface SignaturePorts {
  readonly directory: Directory;
  readonly certificatesOf: (scheme: SignatureScheme) => SchemeCertificates;
  readonly takeOnce: TakeOnce;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** The sender of a signed message, with the Body that the signature covers. */
interface SignedSender {
  readonly user: User;
  readonly body: XmlElement;
}

/** Verifies the signature of a message. @throws Refused; Fault UNSUPPORTED_MEDIA_TYPE, UNAVAILABLE */
export async function verifySignedMessage(
  { envelope, attachments }: ShownMessage,
  header: SecurityHeader,
  scheme: SignatureScheme,
  ports: SignaturePorts,
): Promise<SignedSender> {
  if (attachments) {
    const supported = 'for a signed message, XML without attachments, which the signature does not cover';
    throw Fault.of('UNSUPPORTED_MEDIA_TYPE', { given: 'Content-Type multipart/related', supported });
  }
  const now = ports.clock();
  const { authorities, callers } = ports.certificatesOf(scheme);
  const read = readSigned(envelope, header, scheme, { now, known: callers, needsTimestamp: true });
  const { certificate } = read;
  const verified = isIssuedBy(certificate, authorities, now);
  const user = await userOfCertificate(ports.directory, { der: certificate.raw, verified });
  const { body, created, print } = read.verify();
  await ports.takeOnce([['signature', user.id, print]], created!);
  return { user, body };
}
