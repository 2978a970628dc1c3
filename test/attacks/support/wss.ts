import { createHash, randomBytes, randomUUID, sign, X509Certificate } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { SERVICES, SOAP_11 } from '../../serve/soap-client.ts';
import type { Reply, TestGateway } from '../../support/gateway.ts';
import { gatewayText } from '../../support/project.ts';
import { AUTHORITY, EXPIRED, PARTNER, type Signer, WEAK } from './signers.ts';

/** A sender of secured messages that shares nothing with what reads them: xml-crypto signs, over its own parser. */

const WSS = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
const WSSE = `${WSS}-wssecurity-secext-1.0.xsd`;
const WSU = `${WSS}-wssecurity-utility-1.0.xsd`;
export const DS = 'http://www.w3.org/2000/09/xmldsig#';
export const EXC = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const ECDSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
export const X509 = `${WSS}-x509-token-profile-1.0#X509v3`;
const BASE64 = `${WSS}-soap-message-security-1.0#Base64Binary`;
export const SECRET = 'shared by two';

const fingerprint = ({ certificate }: Signer): string =>
  `sha256:${createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex')}`;

/** Passwords are the names; hashes of the least cost that there is. */
const DEMO_HASH = '$scrypt$ln=1,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AuMcxQgRFHdYh6Wtyp4w7rjK3eAMTnKXPSzeLdLqyjQ';

/** A project whose operations are called with what stands in messages. */
export const PROJECT: Readonly<Record<string, string>> = {
  'definitions/gateway.yaml': gatewayText('limits: { body: 1 MiB }'),
  'ca.pem': AUTHORITY,
  'definitions/users.yaml': `permission-list: EVERYTHING
---
role: ALL
permission-lists: [EVERYTHING]
---
user: demo
password: ${DEMO_HASH}
shared-secret: \${secret:DEMO_SECRET}
roles: [ALL]
---
user: partner
certificates: ['${fingerprint(PARTNER)}', '${fingerprint(WEAK)}']
roles: [ALL]
---
user: elliptic
certificates: ['CN=elliptic,O=Example', '${fingerprint(EXPIRED)}']
roles: [ALL]
`,
  'definitions/schemes.yaml': `scheme: TOKEN
username-token: { max-age: 5 m }
---
scheme: DIGEST
username-token: { passwords: [digest], max-age: 1 m }
---
scheme: SIGNED
signature:
  algorithms: [rsa-sha256, rsa-pss-sha256, ecdsa-sha256]
  digests: [sha256, sha512]
  ca: ca.pem
`,
  'definitions/service.yaml': `document: SAID
fields: { S: string, MORE: list of string }
---
service: Safe.v1
permission: EVERYTHING
operations:
  TOKEN: { soap: true, requires: TOKEN, request: SAID, response: SAID, handler: echo }
  DIGEST: { soap: true, requires: DIGEST, request: SAID, response: SAID, handler: echo }
  SIGNED: { soap: true, requires: SIGNED, request: SAID, response: SAID, handler: echo }
  EITHER: { soap: true, requires: [basic, DIGEST, SIGNED], request: SAID, response: SAID, handler: echo }
  OPEN: { soap: true, public: true, request: SAID, response: SAID, handler: echo }
`,
  'src/handlers/echo.ts': `export default {
  onRequest: ({ S }, context) => {
    context.log('info', 'handled', { said: S });
    return { S: [context.caller?.user ?? 'nobody', S].join(' ') };
  },
};
`,
};

export const ENV = { DEMO_SECRET: SECRET };

/** The element of an operation's request. */
export const call = (operation: string, said = 'hello'): string =>
  `<${operation} xmlns="urn:test:Safe.v1"><S>${said}</S></${operation}>`;

/** A time in the form of messages; `ms` from now. */
export const at = (ms = 0): string => new Date(Date.now() + ms).toISOString();

/** An envelope with blocks in its Header; the Body bears an id. */
export function message(header: string, body: string, more = ''): string {
  return `<s:Envelope xmlns:s="${SOAP_11}" xmlns:wsse="${WSSE}" xmlns:wsu="${WSU}" ${more}><s:Header>${header}</s:Header><s:Body wsu:Id="body">${body}</s:Body></s:Envelope>`;
}

export const security = (inside: string, attributes = ''): string =>
  `<wsse:Security s:mustUnderstand="1"${attributes}>${inside}</wsse:Security>`;

export const timestamp = (created = at(), expires = at(60_000)): string =>
  `<wsu:Timestamp wsu:Id="time"><wsu:Created>${created}</wsu:Created><wsu:Expires>${expires}</wsu:Expires></wsu:Timestamp>`;

export const token = ({ certificate }: Signer): string =>
  `<wsse:BinarySecurityToken wsu:Id="token" ValueType="${X509}" EncodingType="${BASE64}">${new X509Certificate(certificate).raw.toString('base64')}</wsse:BinarySecurityToken>`;

export const TOKEN_REFERENCE = `<wsse:SecurityTokenReference><wsse:Reference URI="#token" ValueType="${X509}"/></wsse:SecurityTokenReference>`;

export interface Signing {
  readonly signer?: Signer;
  readonly algorithm?: string;
  readonly digest?: string;
  readonly canonicalization?: string;
  /** Transforms of each reference. */
  readonly transforms?: readonly string[];
  /** XPaths of what is signed. */
  readonly covers?: readonly string[];
  readonly inclusive?: readonly string[];
  /** What stands in KeyInfo. */
  readonly keyInfo?: string;
}

export const BODY = "/*/*[local-name(.)='Body']";
export const TIME = "//*[local-name(.)='Timestamp']";

/** Signs an envelope; the Signature is put last into its Security header. */
export function signed(xml: string, signing: Signing = {}): string {
  const { signer = PARTNER, algorithm = RSA_SHA256, digest = SHA256, canonicalization = EXC } = signing;
  const { transforms = [EXC], covers = [BODY, TIME], inclusive = [], keyInfo = TOKEN_REFERENCE } = signing;
  const signature = new SignedXml({
    privateKey: signer.key,
    publicCert: signer.certificate,
    signatureAlgorithm: algorithm,
    canonicalizationAlgorithm: canonicalization as typeof EXC,
    idMode: 'wssecurity',
    getKeyInfoContent: () => keyInfo,
  });
  signature.SignatureAlgorithms[ECDSA_SHA256] = Ecdsa as never;
  for (const xpath of covers)
    signature.addReference({
      xpath,
      transforms: [...transforms],
      digestAlgorithm: digest,
      inclusiveNamespacesPrefixList: [...inclusive],
    });
  signature.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: "//*[local-name(.)='Security']", action: 'append' },
    existingPrefixes: { wsse: WSSE, wsu: WSU },
  });
  return signature.getSignedXml();
}

class Ecdsa {
  getAlgorithmName = (): string => ECDSA_SHA256;
  getSignature = (info: string, key: string): string =>
    sign('sha256', Buffer.from(info), { key, dsaEncoding: 'ieee-p1363' }).toString('base64');
  verifySignature = (): boolean => false;
}

/** A message that is signed as it should be. @param tokens the certificate in it */
export function signedCall(
  operation = 'SIGNED',
  said = 'hello',
  signing: Signing = {},
  time = timestamp(),
  tokens = token(signing.signer ?? PARTNER),
): string {
  return signed(message(security(tokens + time), call(operation, said)), signing);
}

export interface TokenParts {
  readonly user?: string;
  readonly secret?: string;
  readonly nonce?: Buffer;
  readonly created?: string;
  readonly more?: string;
}

/** A UsernameToken with a digest of the password. */
export function digestToken({
  user = 'demo',
  secret = SECRET,
  nonce = randomBytes(16),
  created = at(),
  more = '',
}: TokenParts = {}): string {
  const digest = createHash('sha1').update(nonce).update(created).update(secret).digest('base64');
  return `<wsse:UsernameToken wsu:Id="u${randomUUID()}"><wsse:Username>${user}</wsse:Username><wsse:Password Type="${WSS}-username-token-profile-1.0#PasswordDigest">${digest}</wsse:Password><wsse:Nonce EncodingType="${BASE64}">${nonce.toString('base64')}</wsse:Nonce><wsu:Created>${created}</wsu:Created>${more}</wsse:UsernameToken>`;
}

/** A UsernameToken with the password itself. */
export const textToken = (user = 'demo', password = 'demo'): string =>
  `<wsse:UsernameToken><wsse:Username>${user}</wsse:Username><wsse:Password Type="${WSS}-username-token-profile-1.0#PasswordText">${password}</wsse:Password></wsse:UsernameToken>`;

/** Posts an envelope without any credentials beside it. */
export function post(
  gateway: TestGateway,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const all = { 'content-type': 'text/xml; charset=utf-8', ...headers };
  return gateway.call(SERVICES, { method: 'POST', headers: all, body, anonymous: true });
}

/** Why the last caller was refused, as the log alone has it. */
export function reasonOf(gateway: TestGateway): string | undefined {
  const last = gateway.log().findLast((line) => typeof line.reason === 'string');
  return last?.reason as string | undefined;
}

/** Bodies that a handler has got. */
export function handled(gateway: TestGateway): unknown[] {
  return gateway
    .log()
    .filter(({ msg }) => msg === 'handled')
    .map(({ said }) => said);
}
