import { X509Certificate } from 'node:crypto';
import { resolve as pathFrom } from 'node:path';
import { readText } from '../../load/read/files.ts';
import { endpointFault, SCHEME_ONLY } from '../../load/value/address.ts';
import { ConfigError, type Environment, resolveAll } from '../../load/value/config.ts';
import type { ConfigText } from '../../model/definition.ts';
import type { Node, NodeCredential } from '../../model/node.ts';
import { pemCertificates } from '../../wire/certificate.ts';
import { messageOf } from '../../wire/error.ts';
import { credentialTexts } from '../credential.ts';
import { TIMEOUTS, type Timeouts } from '../limits.ts';
import { standInAddress, standInVariable } from '../stand-in.ts';

/** What operators see of a node's configuration: addresses, names and times, but no secret. */
export interface NodeFacts {
  /** In the order of fail-over. */
  readonly addresses: readonly NodeAddress[];
  /** The environment variable whose address replaces those of the node, while it is set. */
  readonly standIn?: string;
  readonly credential?: CredentialFacts;
  /** The client certificate for TLS. */
  readonly certificate?: CertificateFile;
  /** The authorities that replace the usual ones. */
  readonly authorities?: CertificateFile;
  /** Host names that are not looked up, with what is written in place of their addresses. */
  readonly resolve: readonly (readonly [name: string, reference: string])[];
  /** Those of the node, and defaults for the others; in milliseconds. */
  readonly timeouts: Timeouts;
}

export interface NodeAddress {
  /** As the definitions have it, without user information and query: `${env:ERP_URL}`. */
  readonly reference: string;
  /** Scheme, host and port; absent when the text refers to a secret, or can't be used. */
  readonly origin?: string;
  /** Why it can't be used. */
  readonly fault?: string;
}

export interface CredentialFacts {
  readonly kind: NodeCredential['kind'];
  /** The names of the secrets. */
  readonly secrets: readonly string[];
  /** The names of other variables. */
  readonly variables: readonly string[];
  /** The header of an API key. */
  readonly header?: string;
  /** Where tokens are fetched. */
  readonly tokenUrl?: NodeAddress;
  /** Names that are not set. */
  readonly missing: readonly string[];
}

/** A file with certificates, as the definitions name it. */
export interface CertificateFile {
  readonly reference: string;
  readonly certificates: readonly CertificateFacts[];
  /** Why it can't be used. */
  readonly fault?: string;
}

/** A certificate (RFC 5280). Times are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface CertificateFacts {
  readonly subject: string;
  readonly issuer: string;
  readonly from: string;
  readonly until: string;
}

export interface NodePlaces {
  readonly env: Environment;
  /** The project's folder, which paths of files are relative to. */
  readonly folder: string;
}

/** Certificates of a file that are described. */
const MOST_CERTIFICATES = 20;

/** Reads what is configured for a node, and its certificate files. Nothing is connected to. */
export function nodeFacts(node: Node, places: NodePlaces): NodeFacts {
  const { base, credential, certificate, caFile, resolve } = node;
  const { env } = places;
  return {
    addresses: base.map((text) => nodeAddress(text, env)),
    ...(standInAddress(node, env) === undefined ? {} : { standIn: standInVariable(node.id) }),
    ...(credential === undefined ? {} : { credential: credentialFacts(node, credential, env) }),
    ...(certificate === undefined ? {} : { certificate: certificateFile(certificate.file, places) }),
    ...(caFile === undefined || resolved(caFile, env).value === ''
      ? {}
      : { authorities: certificateFile(caFile, places) }),
    resolve: [...resolve].map(([name, text]) => [name, text.source] as const),
    timeouts: { ...TIMEOUTS, ...node.timeouts },
  };
}

/** The value of a text, which may be a secret: for use here, never to be shown. */
function resolved(
  text: ConfigText,
  env: Environment,
): { readonly value?: string; readonly missing: readonly string[]; readonly fault?: string } {
  try {
    const [value = ''] = resolveAll([text], env);
    return { value, missing: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { missing: error.missing, fault: error.message };
  }
}

/** An address without what may be secret in it: user information, path and query of its value are left out. */
export function nodeAddress(text: ConfigText, env: Environment): NodeAddress {
  const reference = text.source.replace(/\/\/[^/?#]*@/, '//***@').replace(/\?.*$/s, '?***');
  const { value = '', fault } = resolved(text, env);
  if (fault !== undefined) return { reference, fault };
  const address = value.trim();
  const secret = text.parts.findIndex(({ kind }) => kind === 'secret');
  if (secret !== -1) {
    // A secret in the path leaves the host to be shown.
    const before = resolved({ ...text, parts: text.parts.slice(0, secret) }, env).value ?? '';
    const origin = /^https?:\/\/[^/?#@]+(?=\/)/i.exec(before.trim())?.[0];
    return origin === undefined || !URL.canParse(origin)
      ? { reference }
      : { reference, origin: new URL(origin).origin };
  }
  if (SCHEME_ONLY.test(address)) return { reference, origin: address };
  const unfit = endpointFault(address);
  return unfit === undefined ? { reference, origin: new URL(address).origin } : { reference, fault: unfit };
}

function credentialFacts(node: Node, credential: NodeCredential, env: Environment): CredentialFacts {
  const texts = credentialTexts(node);
  const names = (kind: 'secret' | 'env') => [
    ...new Set(texts.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === kind ? part.name : [])))),
  ];
  return {
    kind: credential.kind,
    ...{ secrets: names('secret'), variables: names('env') },
    ...('header' in credential ? { header: credential.header } : {}),
    ...(credential.kind === 'client-credentials' ? { tokenUrl: nodeAddress(credential.tokenUrl, env) } : {}),
    missing: [...new Set(texts.flatMap((text) => resolved(text, env).missing))],
  };
}

function certificateFile(text: ConfigText, { env, folder }: NodePlaces): CertificateFile {
  const { value, fault } = resolved(text, env);
  const reference = text.source;
  if (value === undefined) return { reference, certificates: [], ...(fault === undefined ? {} : { fault }) };
  const read = readText(pathFrom(folder, value));
  if (read.kind === 'unreadable') return { reference, certificates: [], fault: `it can't be read: ${read.reason}` };
  const found = pemCertificates(read.text);
  if (found.length === 0) return { reference, certificates: [], fault: 'it does not contain a certificate in PEM' };
  try {
    const certificates = found.slice(0, MOST_CERTIFICATES).map((each) => certificateFacts(new X509Certificate(each)));
    return { reference, certificates };
  } catch (error) {
    return { reference, certificates: [], fault: `a certificate in it is invalid: ${messageOf(error)}` };
  }
}

export function certificateFacts({ subject, issuer, validFrom, validTo }: X509Certificate): CertificateFacts {
  return {
    subject: nameOf(subject),
    issuer: nameOf(issuer),
    from: new Date(validFrom).toISOString(),
    until: new Date(validTo).toISOString(),
  };
}

/** A distinguished name in one line: `CN=erp.example, O=Example`. It is absent where only alternative names are given. */
const nameOf = (name: string | undefined): string => (name ?? '').split('\n').reverse().join(', ').slice(0, 300) || '–';
