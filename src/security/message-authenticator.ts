import { createHash, createSecretKey, randomBytes, X509Certificate } from 'node:crypto';
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
import { readSecurityHeader, type SecurityHeader } from '../wsse/header.ts';
import { AHEAD, checkTimestamp } from '../wsse/times.ts';
import { createGate } from './authenticator.ts';
import { reading } from './database.ts';
import type { Directory } from './directory/directory-port.ts';
import { compileBasic } from './scheme/basic.ts';
import { type TakeOnce, type UsernameTokenPorts, verifyUsernameToken } from './scheme/username-token.ts';
import type { MessageAuthenticator } from './security-port.ts';
import { type SchemeCertificates, type SignaturePorts, verifySignedMessage } from './signed-sender.ts';

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
