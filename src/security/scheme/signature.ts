// WS-Security X.509 Certificate Token Profile 1.1.1: messages whose Body and Timestamp are signed.
import type { X509Certificate } from 'node:crypto';
import { Fault } from '../../model/fault.ts';
import type { SignatureScheme, User } from '../../model/security.ts';
import type { XmlElement } from '../../wire/xml/tree.ts';
import type { Directory } from '../directory/port.ts';
import { Refused, type ShownMessage } from '../port.ts';
import { faultOfKey } from '../wsse/algorithms.ts';
import { Ids, isIssuedBy, signerOf } from '../wsse/certificate.ts';
import { checkTimestamp, type EnvelopeParts, partsOf, type SecurityHeader } from '../wsse/header.ts';
import { type Covered, readSignature, type SignatureReference, verifySignature } from '../wsse/verify.ts';
import { checkValidity, userOfCertificate } from './client-certificate.ts';
import type { TakeOnce } from './username-token.ts';

/** What signatures are verified with. */
export interface SignaturePorts {
  readonly directory: Directory;
  /** Authorities of a scheme; empty when only fingerprints count. */
  readonly authoritiesOf: (scheme: SignatureScheme) => readonly X509Certificate[];
  readonly takeOnce: TakeOnce;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** The sender of a signed message, with the Body that the signature covers. */
export interface SignedMessage {
  readonly user: User;
  readonly body: XmlElement;
}

/** Verifies the signature of a message. @throws Refused; Fault UNSUPPORTED_MEDIA_TYPE, UNAVAILABLE */
export async function verifySignedMessage(
  { envelope, attachments }: ShownMessage,
  { element: security, signature, timestamp }: SecurityHeader,
  scheme: SignatureScheme,
  ports: SignaturePorts,
): Promise<SignedMessage> {
  if (attachments) {
    const supported = 'for a signed message, XML without attachments, which the signature does not cover';
    throw Fault.of('UNSUPPORTED_MEDIA_TYPE', { given: 'Content-Type multipart/related', supported });
  }
  if (signature === undefined || timestamp === undefined)
    throw new Refused('Security has no Signature or no Timestamp');
  const now = ports.clock();
  const form = readSignature(signature, scheme.algorithms, scheme.digests);
  const ids = new Ids(envelope);
  const parts = partsOf(envelope);
  const covered = coveredBy(form.references, ids, parts, security, signature);
  const body = covered.findIndex(({ element }) => element === parts.body);
  const time = covered.findIndex(({ element }) => element === timestamp);
  if (body < 0 || time < 0) throw new Refused('the signature does not cover Body and Timestamp');
  const { certificate, key } = signerOf(form.keyInfo, security, ids);
  const unfit = faultOfKey(key, form.algorithm);
  if (unfit !== undefined) throw new Refused(unfit);
  checkValidity(certificate, now);
  const verified = isIssuedBy(certificate, ports.authoritiesOf(scheme), now);
  const user = await userOfCertificate(ports.directory, { der: certificate.raw, verified });
  const { signed, print } = verifySignature(signature, form, covered, key);
  const created = checkTimestamp(signed[time]!, scheme.maxAge, now);
  await ports.takeOnce([['signature', user.id, print]], created);
  return { user, body: signed[body]! };
}

/**
 * The elements that the references name: the Body, other header blocks, and children of the Security header; never one that
 * contains another of these, or the signature itself.
 */
function coveredBy(
  references: readonly SignatureReference[],
  ids: Ids,
  { headers, body }: EnvelopeParts,
  security: XmlElement,
  signature: XmlElement,
): readonly Covered[] {
  const covered = references.map(({ uri }) => ids.resolve(uri));
  for (const { element } of covered) {
    const isInSecurity = security.content.includes(element) && element !== signature;
    const isHeader = headers.includes(element) && element !== security;
    if (element !== body && !isInSecurity && !isHeader)
      throw new Refused('a reference names something other than the Body or a header');
  }
  if (new Set(covered.map(({ element }) => element)).size !== covered.length)
    throw new Refused('two references name the same element');
  return covered;
}
