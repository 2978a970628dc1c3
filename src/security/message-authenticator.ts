import { createHash, createSecretKey, randomBytes, X509Certificate } from 'node:crypto';
import { Fault } from '../model/fault.ts';
import {
  BASIC,
  isMessageScheme,
  type MessageScheme,
  Refused,
  type SecurityScheme,
  type SignatureScheme,
  type User,
} from '../model/security.ts';
import type { Nonces } from '../store/index.ts';
import { pemCertificates } from '../wire/certificate.ts';
import type { XmlElement } from '../wire/xml/tree.ts';
import { isIssuedBy } from '../wsse/certificate.ts';
import { AHEAD, checkTimestamp, readSecurityHeader, type SecurityHeader } from '../wsse/header.ts';
import { readSigned } from '../wsse/signed-message.ts';
import { createGate } from './authenticator.ts';
import { reading } from './database.ts';
import type { Directory } from './directory/directory-port.ts';
import { compileBasic } from './scheme/basic.ts';
import { userOfCertificate } from './scheme/client-certificate.ts';
import { type TakeOnce, type UsernameTokenPorts, verifyUsernameToken } from './scheme/username-token.ts';
import type { MessageAuthenticator, ShownMessage } from './security-port.ts';

export interface MessageAuthenticatorOptions {
  /** All schemes of the registry. */
  readonly schemes: Iterable<SecurityScheme>;
  readonly directory: Directory;
  /** A user whose password takes as long to verify as most do: unknown users then take as long too. */
  readonly alike?: User | undefined;
  readonly nonces: Nonces;
  /** The shared secret of a user, if there is one. */
  readonly secretOf: (user: User) => string | undefined;
  /** The files (PEM) of a scheme; `undefined` where it declares none. */
  readonly certificates: (scheme: SignatureScheme) => {
    /** Without them only fingerprints count. */
    readonly authorities: string | undefined;
    /** Callers that messages may name. */
    readonly callers: string | undefined;
  };
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Compiles the schemes whose credentials are inside messages. @throws Error for invalid certificates */
export function createMessageAuthenticator(options: MessageAuthenticatorOptions): MessageAuthenticator {
  const { directory, secretOf, clock = Date.now } = options;
  const schemes = [...options.schemes].filter(isMessageScheme);
  const certificates = new Map(schemes.filter((each) => each.kind === 'signature').map(readCertificates(options)));
  // A message that is too old for one scheme may be valid for another, and for a gateway whose clock is behind.
  const longest = Math.max(0, ...schemes.map(({ maxAge }) => maxAge));

  const takeOnce: TakeOnce = async (marks, created) => {
    if (!(await reading(() => options.nonces.take(marks.map(printOf), created + longest + AHEAD))))
      throw new Refused('it was seen before: a replay');
  };
  const tokens = { directory, tryPassword: passwordTrier(options), secretOf, takeOnce, clock };
  const certificatesOf: SignaturePorts['certificatesOf'] = ({ id }) => certificates.get(id) ?? NO_CERTIFICATES;
  const signatures = { directory, certificatesOf, takeOnce, clock };

  return async (message, shown, allowed) => {
    const [element, another] = message.security;
    if (element === undefined) throw new Refused('no credentials');
    if (another !== undefined) throw new Refused('more than one Security header is for this receiver');
    const header = readSecurityHeader(element);
    const scheme = allowed.filter(isMessageScheme).find((each) => isShown(each, header));
    if (scheme === undefined) throw new Refused('its Security header has no credentials of an accepted scheme');
    if (scheme.kind === 'username-token') {
      // It is not signed, but a sender that states an end means it.
      if (header.timestamp !== undefined) checkTimestamp(header.timestamp, scheme.maxAge, clock());
      const user = await verifyUsernameToken(header.usernameToken!, scheme, shown, tokens);
      return { user, scheme };
    }
    return { scheme, ...(await verifySignedMessage(message, header, scheme, signatures)) };
  };
}

function isShown({ kind }: MessageScheme, { usernameToken, signature }: SecurityHeader): boolean {
  return (kind === 'username-token' ? usernameToken : signature) !== undefined;
}

/** Verifies and remembers passwords as HTTP Basic does. */
function passwordTrier({ directory, alike }: MessageAuthenticatorOptions): UsernameTokenPorts['tryPassword'] {
  const key = createSecretKey(randomBytes(32));
  const gate = createGate(compileBasic(BASIC, directory, alike), directory, key);
  return async (user, password) => {
    if (user === '' || user.includes(':')) throw new Refused('its Username is not a valid user id');
    const credentials = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    return (await gate.admit(credentials)).user;
  };
}

/** The certificates that a scheme declares. */
interface SchemeCertificates {
  /** Empty when only fingerprints count. */
  readonly authorities: readonly X509Certificate[];
  /** Callers that messages may name without containing their certificates. */
  readonly callers: readonly X509Certificate[];
}

const NO_CERTIFICATES: SchemeCertificates = { authorities: [], callers: [] };

function readCertificates({ certificates }: MessageAuthenticatorOptions) {
  return (scheme: SignatureScheme): readonly [string, SchemeCertificates] => {
    const pem = certificates(scheme);
    const authorities = readPem(pem.authorities, `ca of the scheme ${scheme.id}`);
    const other = authorities.find(({ ca }) => !ca);
    if (other !== undefined)
      throw new Error(`ca of the scheme ${scheme.id} holds a certificate that may issue no others: ${other.subject}`);
    return [scheme.id, { authorities, callers: readPem(pem.callers, `certificates of the scheme ${scheme.id}`) }];
  };
}

function readPem(pem: string | undefined, what: string): readonly X509Certificate[] {
  if (pem === undefined) return [];
  const found = pemCertificates(pem).map((each) => new X509Certificate(each));
  if (found.length === 0) throw new Error(`${what} holds no certificate in PEM`);
  return found;
}

/** The SHA-256 of parts, each with its length in front: different parts never give the same input. */
function printOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex');
}

// WS-Security X.509 Certificate Token Profile 1.1.1: messages whose Body and Timestamp are signed.

/** What signatures are verified with. */
interface SignaturePorts {
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
async function verifySignedMessage(
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
