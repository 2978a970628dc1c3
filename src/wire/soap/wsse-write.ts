// WSS: SOAP Message Security 1.1.1 with UsernameToken Profile and X.509 Certificate Token Profile 1.1.1: writing `Security`.
import { createHash } from 'node:crypto';
import { canonicalXml } from '../xml/canonical.ts';
import { readXml } from '../xml/read-xml.ts';
import { escapeText } from '../xml/text.ts';
import { attributeOf, childrenOf, type XmlElement } from '../xml/tree.ts';
import { isForUs, SoapError } from './message.ts';
import { SOAP_NAMESPACES, SOAP_PREFIXES, type SoapVersion } from './version.ts';
import {
  BASE64_BINARY,
  DS,
  EXC_C14N,
  isNamed,
  PASSWORD_DIGEST,
  PASSWORD_TEXT,
  WSSE,
  WSU,
  X509_V3,
} from './wsse-names.ts';

/** What a Security header contains. Binary values are in base64. */
export interface SecurityContent {
  readonly usernameToken?: {
    readonly user: string;
    /** The token has nothing but the user without it. */
    readonly password?: {
      /** The password, or its digest. */
      readonly text: string;
      readonly digest: boolean;
      readonly nonce: string;
      readonly created: string;
    };
  };
  readonly timestamp?: { readonly created: string; readonly expires: string };
  /** The certificate of the signature. */
  readonly key?: KeyReference;
}

/** How a signature refers to the certificate of its key. */
export interface KeyReference {
  /** The certificate in DER, as base64, if the message contains it. */
  readonly token?: string;
  /** The signature covers the certificate. */
  readonly isSigned?: boolean;
  /** What SecurityTokenReference contains. */
  readonly xml: string;
}

/** Ids of what a signature covers. The names of other blocks are numbered. */
const TIME_ID = 'security-time';
const USER_ID = 'security-user';
/** The id of the certificate of a signature. */
export const TOKEN_ID = 'security-token';
const BODY_ID = 'security-body';

/** Base64(SHA-1(nonce + created + password)) (UsernameToken Profile 1.1.1, section 3.1). */
export function passwordDigest(nonce: Uint8Array, created: string, password: string): string {
  return createHash('sha1').update(nonce).update(created).update(password).digest('base64');
}

/**
 * The header block, which must be understood. The Timestamp is the first (WS-SecurityPolicy 1.3, section 6.7, LaxTsFirst), and tokens
 * are in front of what refers to them (Strict).
 * @param signature XML of the signature
 */
export function securityBlock(version: SoapVersion, content: SecurityContent, signature = ''): string {
  const { usernameToken: user, timestamp: time, key } = content;
  const soap = SOAP_PREFIXES[version];
  const parts = [
    time === undefined
      ? ''
      : `<wsu:Timestamp wsu:Id="${TIME_ID}"><wsu:Created>${time.created}</wsu:Created><wsu:Expires>${time.expires}</wsu:Expires></wsu:Timestamp>`,
    key?.token === undefined
      ? ''
      : `<wsse:BinarySecurityToken wsu:Id="${TOKEN_ID}" ValueType="${X509_V3}" EncodingType="${BASE64_BINARY}">${key.token}</wsse:BinarySecurityToken>`,
    user === undefined
      ? ''
      : `<wsse:UsernameToken wsu:Id="${USER_ID}"><wsse:Username>${escapeText(user.user)}</wsse:Username>${passwordXml(user)}</wsse:UsernameToken>`,
    signature,
  ];
  // An envelope of the caller may have other prefixes.
  const names = `xmlns:wsse="${WSSE}" xmlns:wsu="${WSU}" xmlns:${soap}="${SOAP_NAMESPACES[version]}"`;
  return `<wsse:Security ${names} ${soap}:mustUnderstand="1">${parts.join('')}</wsse:Security>`;
}

function passwordXml({ password }: NonNullable<SecurityContent['usernameToken']>): string {
  if (password === undefined) return '';
  const { text, digest, nonce, created } = password;
  return (
    `<wsse:Password Type="${digest ? PASSWORD_DIGEST : PASSWORD_TEXT}">${escapeText(text)}</wsse:Password>` +
    `<wsse:Nonce EncodingType="${BASE64_BINARY}">${nonce}</wsse:Nonce><wsu:Created>${created}</wsu:Created>`
  );
}

/** URIs of the algorithms of a signature. */
export interface SignatureMethods {
  readonly algorithm: string;
  readonly digest: string;
}

/** Creates the values of a signature, each in base64. */
export interface MessageSigning extends SignatureMethods {
  digestOf(text: string): string;
  sign(text: string): string;
}

/** The signature of a message that is only shown. @param hidden in place of its values */
export function shownSignature(methods: SignatureMethods, key: KeyReference, hidden: string): string {
  return signatureXml(signedInfo(methods, [{ id: BODY_ID, digest: hidden }]), key, hidden);
}

/** Whether an envelope has a Security header for the receiver of the message already. */
export function hasSecurity(envelope: XmlElement, version: SoapVersion): boolean {
  return headersOf(envelope).some((each) => isNamed(each, 'Security', WSSE) && isForUs(each, version));
}

/** Puts a header block in front of the others of an envelope, and leaves the rest as it is. @throws XmlError */
export function withBlock(envelope: string, block: string): string {
  const text = normalised(envelope);
  return edited(text, [blockAt(text, readXml(text), block)]);
}

/**
 * Puts a Security header into an envelope, with a signature over its Body, its header blocks for the receiver of the message, and what
 * else is in the Security header.
 * @returns the text, and the value of the signature in base64
 * @throws XmlError, SoapError for a text that is not an envelope; CanonicalError
 */
export function signedEnvelope(
  envelope: string,
  version: SoapVersion,
  content: SecurityContent & { readonly key: KeyReference },
  signing: MessageSigning,
): { readonly text: string; readonly signature: string } {
  const text = normalised(envelope);
  const root = readXml(text);
  const body = bodyOf(root, version);
  const { ids, edits } = identified(text, [body, ...headersOf(root).filter((each) => isForUs(each, version))]);
  const own = [
    ...(content.timestamp === undefined ? [] : [TIME_ID]),
    ...(content.usernameToken === undefined ? [] : [USER_ID]),
    ...(content.key.isSigned === true ? [TOKEN_ID] : []),
  ];
  const whole = (signature: string): string =>
    edited(text, [...edits, blockAt(text, root, securityBlock(version, content, signature))]);
  // Signed is what the receiver will read: the text itself, read again.
  const found = byId(readXml(whole('')));
  const references = [...ids, ...own].map((id) => {
    const element = found.get(id);
    if (element === undefined) throw new TypeError(`no element has the id ${id}`);
    return { id, digest: signing.digestOf(canonicalXml(element)) };
  });
  const info = signedInfo(signing, references);
  const signature = signing.sign(canonicalXml(readXml(info)));
  return { text: whole(signatureXml(info, content.key, signature)), signature };
}

function signedInfo(
  methods: SignatureMethods,
  references: readonly { readonly id: string; readonly digest: string }[],
): string {
  const each = references.map(
    ({ id, digest }) =>
      `<ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="${EXC_C14N}"/></ds:Transforms>` +
      `<ds:DigestMethod Algorithm="${methods.digest}"/><ds:DigestValue>${digest}</ds:DigestValue></ds:Reference>`,
  );
  return (
    `<ds:SignedInfo xmlns:ds="${DS}"><ds:CanonicalizationMethod Algorithm="${EXC_C14N}"/>` +
    `<ds:SignatureMethod Algorithm="${methods.algorithm}"/>${each.join('')}</ds:SignedInfo>`
  );
}

function signatureXml(info: string, key: KeyReference, value: string): string {
  return (
    `<ds:Signature xmlns:ds="${DS}">${info}<ds:SignatureValue>${value}</ds:SignatureValue><ds:KeyInfo>` +
    `<wsse:SecurityTokenReference>${key.xml}</wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature>`
  );
}

/** Line ends as the reader has them, whose positions are used. */
function normalised(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function headersOf(envelope: XmlElement): readonly XmlElement[] {
  const header = childrenOf(envelope).find((each) => isNamed(each, 'Header', envelope.namespace));
  return header === undefined ? [] : childrenOf(header);
}

function bodyOf(envelope: XmlElement, version: SoapVersion): XmlElement {
  const body = childrenOf(envelope).find((each) => isNamed(each, 'Body', SOAP_NAMESPACES[version]));
  if (body === undefined) throw new SoapError(version, 'Client', 'the Envelope has no Body');
  return body;
}

function byId(root: XmlElement): ReadonlyMap<string, XmlElement> {
  const security = headersOf(root).filter((each) => isNamed(each, 'Security', WSSE));
  const all = [...childrenOf(root), ...headersOf(root), ...security.flatMap(childrenOf)];
  return new Map(all.flatMap((each) => [[attributeOf(each, 'Id', WSU) ?? '', each] as const]));
}

/** A text that is put at an offset, in place of the characters up to another one. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function edited(text: string, edits: readonly Edit[]): string {
  let at = 0;
  const pieces: string[] = [];
  for (const edit of edits.toSorted((one, other) => one.from - other.from)) {
    pieces.push(text.slice(at, edit.from), edit.text);
    at = edit.to;
  }
  return pieces.join('') + text.slice(at);
}

/** A prefix that the text does not declare, so that it changes the meaning of no name. */
function freePrefix(text: string): string {
  let prefix = 'wsu';
  for (let number = 1; text.includes(`xmlns:${prefix}`); number++) prefix = `wsu${number}`;
  return prefix;
}

/** The ids of elements, each its own or a new one. */
function identified(text: string, elements: readonly XmlElement[]) {
  const edits: Edit[] = [];
  const prefix = freePrefix(text);
  const ids = elements.map((element, index) => {
    const own = attributeOf(element, 'Id', WSU);
    if (own !== undefined) return own;
    const id = index === 0 ? BODY_ID : `security-header-${index}`;
    const { from } = startTagEnd(text, element);
    edits.push({ from, to: from, text: ` xmlns:${prefix}="${WSU}" ${prefix}:Id="${id}"` });
    return id;
  });
  return { ids, edits };
}

/** The edit that puts a block first into the Header, which is made when there is none. */
function blockAt(text: string, envelope: XmlElement, block: string): Edit {
  const header = childrenOf(envelope).find((each) => isNamed(each, 'Header', envelope.namespace));
  const { from, to, closes } = startTagEnd(text, header ?? envelope);
  const { prefix } = header ?? envelope;
  const name = prefix === '' ? 'Header' : `${prefix}:Header`;
  if (header === undefined) return { from: to, to, text: `<${name}>${block}</${name}>` };
  return closes ? { from, to, text: `>${block}</${name}>` } : { from: to, to, text: block };
}

/** Where the end of a start tag begins (`>` or `/>`) and ends. */
function startTagEnd(text: string, { line, column }: XmlElement) {
  let at = 0;
  for (let number = 1; number < line; number++) at = text.indexOf('\n', at) + 1;
  for (let number = 1; number < column; number++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  const closes = text[at - 1] === '/';
  return { from: closes ? at - 1 : at, to: at + 1, closes };
}
