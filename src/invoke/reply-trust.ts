import { X509Certificate } from 'node:crypto';
import { resolve as pathFrom } from 'node:path';
import { readText } from '../load/read/files.ts';
import type { ConfigText, ResolveReference } from '../model/definition.ts';
import type { Node, ReplySignature } from '../model/node.ts';
import { pemCertificates } from '../wire/certificate.ts';
import { type Configuration, resolveText, shownText } from './configuration.ts';
import { credentialTexts } from './credential.ts';
import { type Called, InvokeError } from './error.ts';

/** What a credential of WS-Security is resolved with. */
export interface SecuritySource {
  readonly node: string;
  /** The folder that paths of files are relative to. */
  readonly folder: string;
  readonly resolve: ResolveReference;
  readonly called: Called;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How replies must be signed. */
export interface ReplyTrust
  extends Pick<ReplySignature, 'algorithms' | 'digests' | 'maxAge' | 'subject' | 'confirmation'> {
  /** The certificates of the partner; empty with authorities. */
  readonly certificates: readonly X509Certificate[];
  readonly authorities: readonly X509Certificate[];
}

/** Reads the certificates by which replies are verified. @throws InvokeError CONFIGURATION */
export function replyTrustOf(declared: ReplySignature, source: SecuritySource): ReplyTrust {
  const { certificateFile, caFile, algorithms, digests, maxAge, subject, confirmation } = declared;
  const certificates = certificatesOf(certificateFile, source);
  const authorities = certificatesOf(caFile, source);
  const other = authorities.find(({ ca }) => !ca);
  if (other !== undefined)
    throw unusable(unverified(source), source, `ca holds a certificate that may issue no others: ${other.subject}`);
  const needs = {
    ...(subject === undefined ? {} : { subject }),
    ...(confirmation === undefined ? {} : { confirmation }),
  };
  return { algorithms, digests, maxAge, ...needs, certificates, authorities };
}

/**
 * How replies of nodes must be signed, whatever the calls themselves are sent with. The certificates of a node are read once.
 * @returns a function that throws InvokeError CONFIGURATION
 */
export function replyTrusts(configuration: Configuration, folder: string) {
  const trusts = new WeakMap<Node, ReplyTrust>();
  return (node: Node, called: Called): ReplyTrust | undefined => {
    const declared = node.credential?.kind === 'ws-security' ? node.credential.replySignature : undefined;
    if (declared === undefined) return undefined;
    const known = trusts.get(node);
    if (known !== undefined) return known;
    const resolve = configuration.resolve(credentialTexts(node), called);
    const trust = replyTrustOf(declared, { node: node.id, folder, resolve, called, now: Date.now });
    trusts.set(node, trust);
    return trust;
  };
}

const unverified = ({ node }: SecuritySource): string => `replies of node ${node} can't be verified`;

function certificatesOf(text: ConfigText | undefined, source: SecuritySource): readonly X509Certificate[] {
  if (text === undefined) return [];
  const what = unverified(source);
  const named = `the certificate ${shownText(text, source.resolve)}`;
  const found = pemCertificates(readFile(text, named, what, source));
  if (found.length === 0) throw unusable(what, source, `${named} does not contain a certificate in PEM`);
  try {
    return found.map((each) => new X509Certificate(each));
  } catch (error) {
    throw unusable(what, source, `${named} is invalid`, error);
  }
}

/** The text of a file of a credential. @param what can't be done without it @throws InvokeError CONFIGURATION */
export function readFile(text: ConfigText, name: string, what: string, source: SecuritySource): string {
  const read = readText(pathFrom(source.folder, resolveText(text, source.resolve)));
  if (read.kind === 'unreadable') throw unusable(what, source, `${name} can't be read: ${read.reason}`);
  return read.text;
}

/** @param what can't be done */
export function unusable(
  what: string,
  { node, called }: Pick<SecuritySource, 'node' | 'called'>,
  reason: string,
  cause?: unknown,
): InvokeError {
  const hint = `Check credential: of node ${node}; paths are relative to the project's folder.`;
  return new InvokeError('CONFIGURATION', called, `${what}: ${reason}`, { hint, cause });
}
