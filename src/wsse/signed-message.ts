import type { X509Certificate } from 'node:crypto';
import { Refused } from '../model/security.ts';
import type { XmlElement } from '../wire/xml/tree.ts';
import { faultOfKey } from './algorithms.ts';
import { checkValidity, signerOf } from './certificate.ts';
import { type EnvelopeParts, partsOf, type SecurityHeader } from './header.ts';
import { Ids } from './ids.ts';
import { readSignature, type SignatureReference } from './signature-form.ts';
import { checkTimestamp } from './times.ts';
import { type Covered, verifySignature } from './verify.ts';

// WS-Security X.509 Certificate Token Profile 1.1.1: messages whose Body and Timestamp are signed, in both directions.

/** The signatures that a receiver accepts. */
interface Accepted {
  /** URIs of signature algorithms. */
  readonly algorithms: readonly string[];
  /** URIs of digest algorithms. */
  readonly digests: readonly string[];
  /** Milliseconds after the Timestamp's Created for which a message is valid. */
  readonly maxAge: number;
}

interface SignedOptions {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Certificates that a message may name without containing them. */
  readonly known: readonly X509Certificate[];
  /** A message without a Timestamp is refused. One that is there must be signed in any case. */
  readonly needsTimestamp: boolean;
}

/** A signed message before the expensive verification: whether its certificate is trusted is decided in between. */
export interface SignedMessage {
  readonly certificate: X509Certificate;
  /** @throws Refused */
  verify(): VerifiedMessage;
}

/** Content that a valid signature covers, read from the signed bytes. No other part of the message may be used. */
export interface VerifiedMessage {
  readonly body: XmlElement;
  /** Elements of the message that the signature covers, by which their header blocks are recognised. */
  readonly covered: ReadonlySet<XmlElement>;
  /** When it was created, in milliseconds since 1970; `undefined` without a Timestamp. */
  readonly created: number | undefined;
  /** Identifies what was signed. */
  readonly print: string;
}

/** Reads the signature of a message. @throws Refused for one that is not of an accepted form, or does not cover enough */
export function readSigned(
  envelope: XmlElement,
  { element: security, signature, timestamp }: SecurityHeader,
  accepted: Accepted,
  { now, known, needsTimestamp }: SignedOptions,
): SignedMessage {
  if (signature === undefined) throw new Refused('Security has no Signature');
  if (needsTimestamp && timestamp === undefined) throw new Refused('Security has no Timestamp');
  const form = readSignature(signature, accepted.algorithms, accepted.digests);
  const ids = new Ids(envelope);
  const parts = partsOf(envelope);
  const covered = coveredBy(form.references, ids, parts, security, signature);
  const indexOf = (element: XmlElement | undefined): number => covered.findIndex((each) => each.element === element);
  const body = indexOf(parts.body);
  const time = indexOf(timestamp);
  if (body < 0 || (timestamp !== undefined && time < 0))
    throw new Refused('the signature does not cover Body and Timestamp');
  // Of two with the same key, of which one replaces the other, the valid one is meant.
  const isCurrent = (each: X509Certificate): boolean =>
    now <= each.validToDate.getTime() && now >= each.validFromDate.getTime();
  const inOrder = [...known.filter(isCurrent), ...known.filter((each) => !isCurrent(each))];
  const { certificate, key } = signerOf(form.keyInfo, security, ids, inOrder);
  const unfit = faultOfKey(key, form.algorithm);
  if (unfit !== undefined) throw new Refused(unfit);
  checkValidity(certificate, now);
  return {
    certificate,
    verify() {
      const { signed, print } = verifySignature(signature, form, covered, key);
      const created = timestamp === undefined ? undefined : checkTimestamp(signed[time]!, accepted.maxAge, now);
      return { body: signed[body]!, covered: new Set(covered.map(({ element }) => element)), created, print };
    },
  };
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
