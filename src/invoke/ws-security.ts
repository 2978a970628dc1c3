import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import type { Environment } from '../load/value/config.ts';
import type { ConfigText, ResolveReference } from '../model/definition.ts';
import type { MessageSigner, Node, NodeCredential } from '../model/node.ts';
import { MASK } from '../model/redactor.ts';
import { DIGEST_ALGORITHMS, SIGNATURE_ALGORITHMS } from '../model/security.ts';
import { pemCertificates } from '../wire/certificate.ts';
import { messageOf } from '../wire/error.ts';
import {
  type KeyReference,
  type MessageSigning,
  passwordDigest,
  type SecurityContent,
  type SignatureMethods,
  securityBlock,
  shownSignature,
  signedEnvelope,
  withBlock,
} from '../wire/soap/wsse-write.ts';
import { faultOfKey, signerBy } from '../wsse/algorithms.ts';
import { keyReference, shownKeyReference } from '../wsse/key-reference.ts';
import { Configuration, resolveText, shownText } from './configuration.ts';
import { type Called, InvokeError } from './error.ts';
import type { Outgoing } from './outgoing.ts';
import { readFile, replyTrustOf, type SecuritySource, unusable } from './reply-trust.ts';

export type WsSecurityCredential = Extract<NodeCredential, { readonly kind: 'ws-security' }>;

interface Signer {
  readonly key: KeyReference;
  /** The end of its validity, in milliseconds since 1970. */
  readonly until: number;
  /** The certificate in messages. */
  readonly named: string;
  readonly signing: MessageSigning;
}

/** Writes the Security header of each attempt at a request. */
export class MessageSecurity {
  /** The secrets in it. */
  readonly secrets: readonly string[];
  readonly #credential: WsSecurityCredential;
  readonly #user:
    | { readonly user: string; readonly password: string | undefined; readonly digest: boolean }
    | undefined;
  readonly #signer: Signer | undefined;
  readonly #source: SecuritySource;

  /** @throws InvokeError CONFIGURATION for a certificate or a key that can't be used */
  constructor(credential: WsSecurityCredential, source: SecuritySource) {
    const { usernameToken, signature } = credential;
    const { resolve } = source;
    this.#credential = credential;
    this.#source = source;
    this.#user = usernameToken && {
      user: resolveText(usernameToken.user, resolve),
      password: usernameToken.password && resolveText(usernameToken.password, resolve),
      digest: usernameToken.digest,
    };
    this.#signer = signature && signerOf(signature, source);
    // What is wrong with certificates for replies is reported before anything is sent.
    if (credential.replySignature !== undefined) replyTrustOf(credential.replySignature, source);
    this.secrets = this.#user?.password === undefined ? [] : [this.#user.password];
  }

  get signs(): boolean {
    return this.#signer !== undefined;
  }

  /**
   * A copy of a request with a new header: Nonce and times are those of this attempt.
   * @param outgoing with its body in memory, if it is signed
   * @throws InvokeError BAD_INPUT for a message that can't have the header, or can't be signed
   */
  on(outgoing: Outgoing, called: Called): Outgoing {
    const { soap, text, whole } = outgoing;
    if (soap === undefined) throw notSoap(this.#source.node, called);
    if (soap.isSecured || !writes(this.#credential)) return outgoing;
    const content = this.#content(called);
    if (this.#signer === undefined && soap.withBlock !== undefined)
      return soap.withBlock(securityBlock(soap.version, content), shownBlock(this.#credential, soap.version, content));
    const envelope = text ?? (whole === undefined ? undefined : Buffer.from(whole).toString());
    if (envelope === undefined) throw new TypeError('the message is not in memory');
    try {
      const { text: secured, signature } =
        this.#signer === undefined
          ? { text: withBlock(envelope, securityBlock(soap.version, content)), signature: undefined }
          : signedEnvelope(envelope, soap.version, { ...content, key: this.#signer.key }, this.#signer.signing);
      const { shown } = outgoing;
      const credential = this.#credential;
      return {
        ...outgoing,
        soap: { ...soap, signature },
        text: secured,
        whole: undefined,
        length: Buffer.byteLength(secured),
        async *bytes() {
          yield Buffer.from(secured);
        },
        shown: {
          uri: shown.uri,
          headers: shown.headers,
          get body() {
            return withShownBlock(shown.body, shownBlock(credential, soap.version, content));
          },
        },
      };
    } catch (error) {
      throw new InvokeError('BAD_INPUT', called, `the message can't be signed: ${messageOf(error)}`, { cause: error });
    }
  }

  #content(called: Called): SecurityContent {
    const now = this.#source.now();
    if (this.#signer !== undefined && now > this.#signer.until)
      throw unusable(
        unsigned(this.#source),
        { ...this.#source, called },
        `${this.#signer.named} expired on ${new Date(this.#signer.until).toISOString()}`,
      );
    return contentOf(this.#credential, now, this.#token(timeText(now)), this.#signer?.key);
  }

  #token(created: string): SecurityContent['usernameToken'] {
    if (this.#user === undefined) return undefined;
    const { user, password, digest } = this.#user;
    if (password === undefined) return { user };
    const nonce = randomBytes(16);
    const text = digest ? passwordDigest(nonce, created, password) : password;
    return { user, password: { text, digest, nonce: nonce.toString('base64'), created } };
  }
}

/** Whether it puts anything into requests: it may be about replies alone. */
function writes({ usernameToken, timestamp, signature }: WsSecurityCredential): boolean {
  return usernameToken !== undefined || timestamp !== undefined || signature !== undefined;
}

function contentOf(
  { timestamp }: WsSecurityCredential,
  now: number,
  usernameToken?: SecurityContent['usernameToken'],
  key?: KeyReference,
): SecurityContent {
  return {
    ...(usernameToken && { usernameToken }),
    ...(timestamp === undefined ? {} : { timestamp: { created: timeText(now), expires: timeText(now + timestamp) } }),
    ...(key && { key }),
  };
}

const timeText = (time: number): string => new Date(time).toISOString();

/** The header of a request with its secrets masked: passwords, and what they or keys were used for. */
function shownBlock(
  { signature }: WsSecurityCredential,
  version: Parameters<typeof securityBlock>[0],
  content: SecurityContent,
): string {
  const { usernameToken: token } = content;
  const key = signature && shownKeyReference(signature, MASK);
  const masked = {
    ...content,
    ...(token?.password && { usernameToken: { ...token, password: { ...token.password, text: MASK, nonce: MASK } } }),
    ...(key && { key }),
  };
  return securityBlock(version, masked, key && shownSignature(methodsOf(signature, 'rsa'), key, MASK));
}

/** The algorithms of a signature: what is not declared depends on the kind of the key. */
function methodsOf({ algorithm, digest }: MessageSigner, kind: keyof typeof USUAL): SignatureMethods {
  return {
    algorithm: algorithm ?? (SIGNATURE_ALGORITHMS[USUAL[kind]] as string),
    digest: digest ?? (DIGEST_ALGORITHMS.sha256 as string),
  };
}

const USUAL = { rsa: 'rsa-sha256', ec: 'ecdsa-sha256' } as const;

/** A body that is not shown as a text stays so. */
function withShownBlock(body: string | undefined, block: string): string | undefined {
  if (body === undefined || !body.startsWith('<')) return body;
  try {
    return withBlock(body, block);
  } catch {
    return body;
  }
}

/** A request that is only shown, with its header. */
export function shownSecured(
  outgoing: Outgoing,
  credential: WsSecurityCredential,
  resolve: ResolveReference,
  now = Date.now(),
): Outgoing {
  const { soap, shown } = outgoing;
  if (soap === undefined || soap.isSecured || !writes(credential)) return outgoing;
  const { usernameToken: declared } = credential;
  const values = { text: '', nonce: '', created: timeText(now) };
  const token = declared && {
    user: shownText(declared.user, resolve),
    ...(declared.password && { password: { ...values, digest: declared.digest } }),
  };
  const content = contentOf(credential, now, token);
  const block = shownBlock(credential, soap.version, content);
  if (soap.withBlock !== undefined) return soap.withBlock(block, block);
  return { ...outgoing, shown: { ...shown, body: withShownBlock(shown.body, block) } };
}

/** Why the certificates of a node can't sign, or verify replies, with what to do; `undefined` when it can, or when its settings are not set. */
export function signerFault(
  { id, credential }: Node,
  { env, folder }: { readonly env: Environment; readonly folder: string },
): { readonly reason: string; readonly hint: string } | undefined {
  if (credential?.kind !== 'ws-security') return undefined;
  const { signature, replySignature } = credential;
  const called = { operation: `node ${id}`, requestId: '' };
  const texts = filesOf(credential);
  try {
    const resolve = new Configuration(env).resolve(texts, called);
    const source = { node: id, folder, resolve, called, now: Date.now };
    if (signature !== undefined) signerOf(signature, source);
    if (replySignature !== undefined) replyTrustOf(replySignature, source);
  } catch (error) {
    if (!(error instanceof InvokeError)) throw error;
    if (error.missing.length === 0) return { reason: error.message, hint: error.hint ?? '' };
  }
  return undefined;
}

/** What the files of a credential are named and opened with. */
function filesOf({ signature, replySignature }: WsSecurityCredential): readonly ConfigText[] {
  const texts = [signature?.file, signature?.keyFile, signature?.passphrase];
  return [...texts, replySignature?.certificateFile, replySignature?.caFile].filter((each) => each !== undefined);
}

function notSoap(node: string, called: Called): InvokeError {
  const hint = 'Use another credential, or another node for such calls.';
  const reason = `the credential of node ${node} is a header of SOAP envelopes, and this request is not one`;
  return new InvokeError('CONFIGURATION', called, reason, { hint });
}

/** @throws InvokeError BAD_INPUT for a message with attachments, which no signature would cover */
export function assertSignable({ headers }: Outgoing, called: Called): void {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (!/^multipart\//i.test(type)) return;
  const reason = "the node signs its messages, and attachments (MTOM, segments) can't be signed";
  throw new InvokeError('BAD_INPUT', called, reason, { hint: 'Send the content as Base64 in the Body.' });
}

/** @throws InvokeError CONFIGURATION */
function signerOf(signature: MessageSigner, source: SecuritySource): Signer {
  const { file, keyFile, passphrase } = signature;
  const { resolve } = source;
  const named = `the certificate ${shownText(file, resolve)}`;
  const [pem] = pemCertificates(readFile(file, named, unsigned(source), source));
  if (pem === undefined) throw unusable(unsigned(source), source, `${named} does not contain a certificate in PEM`);
  const certificate = attempt(() => new X509Certificate(pem), source, `${named} is invalid`);
  const keyName = `the key ${shownText(keyFile, resolve)}`;
  const text = readFile(keyFile, keyName, unsigned(source), source);
  const secret = passphrase === undefined ? {} : { passphrase: resolveText(passphrase, resolve) };
  const key = attempt(() => createPrivateKey({ key: text, ...secret }), source, `${keyName} can't be read`);
  if (!certificate.checkPrivateKey(key))
    throw unusable(unsigned(source), source, `${keyName} does not belong to ${named}`);
  const { asymmetricKeyType: kind, asymmetricKeyDetails: { modulusLength = 0 } = {} } = key;
  if (kind !== 'ec' && !(kind === 'rsa' && modulusLength >= LEAST_BITS))
    throw unusable(
      unsigned(source),
      source,
      `${keyName} is neither RSA with at least ${LEAST_BITS} bits nor on an elliptic curve`,
    );
  const { algorithm, digest } = methodsOf(signature, kind);
  const unfit = faultOfKey(key, algorithm);
  if (unfit !== undefined)
    throw unusable(unsigned(source), source, `${keyName} can't sign with ${algorithm}: ${unfit}`);
  const signing = signerBy(key, algorithm, digest);
  const as = `${named} can't be referred to by ${signature.reference}: it does not have one`;
  return {
    key: attempt(() => keyReference(certificate, signature), source, as),
    until: certificate.validToDate.getTime(),
    named,
    signing,
  };
}

const LEAST_BITS = 2048;

function attempt<T>(make: () => T, source: SecuritySource, what: string): T {
  try {
    return make();
  } catch (error) {
    throw unusable(unsigned(source), source, what, error);
  }
}

const unsigned = ({ node }: SecuritySource): string => `messages to node ${node} can't be signed`;
