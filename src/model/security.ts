import type { HmacAlgorithm, SecretEncoding } from '../wire/hmac.ts';
import type { ConfigText, Position } from './definition.ts';

/** Ids of lists, roles and users, also of users in the database. */
export const ID_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_.@-]*$';

/**
 * A list of grants. Operations, queries, processes and related content name it (`permission:`); it can itself add operations,
 * queries, processes and components, by id or wildcard.
 */
export interface PermissionList {
  readonly id: string;
  readonly description?: string;
  /** `SERVICE.*`, `SERVICE.v1.*` or an operation's id, as written. The `permissions` of operations have them resolved. */
  readonly operations: readonly string[];
  /** Ids or wildcards (`EMP_*`), as written, as for operations. */
  readonly queries: readonly string[];
  readonly processes: readonly string[];
  readonly components: readonly string[];
  /** `all`: users may see and change the process requests of others, for processes that they may run. */
  readonly processRequests?: 'all';
  /** The grants of the console, each with the place of its entry. Any grant includes `read`. */
  readonly console?: ReadonlyMap<ConsoleGrant, Position>;
  readonly at: Position;
}

/**
 * The grants of the operator's console. `read`: everything but payloads. `payload`: payloads too. `act`: change what runs (resubmit,
 * hold, pause, retry). `users`: manage users, keys and sessions.
 */
export const CONSOLE_GRANTS = ['read', 'payload', 'act', 'users'] as const;

export type ConsoleGrant = (typeof CONSOLE_GRANTS)[number];

export interface Role {
  readonly id: string;
  readonly description?: string;
  readonly permissionLists: readonly PermissionList[];
  /** Where each list is granted; absent for definitions that are in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly at: Position;
}

/** A person or system that calls. */
export interface User {
  readonly id: string;
  readonly description?: string;
  /**
   * `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`, salt and hash in base64 without padding (PHC string format). A user without one
   * can't sign in with a password.
   */
  readonly password?: string;
  readonly roles: readonly Role[];
  /** Where each role is named; absent for a user that is in no file. */
  readonly grantedAt?: ReadonlyMap<Role, Position>;
  /** All lists of all roles. */
  readonly permissionLists: ReadonlySet<PermissionList>;
  /** Hashes of its API keys: `sha256:<64 hex digits>`. */
  readonly apiKeys: readonly string[];
  /** Its certificates: `sha256:<64 hex digits>` of the DER form, or a subject (RFC 4514) that a trusted authority has certified. */
  readonly certificates: readonly string[];
  /** The secret of UsernameToken digests, which both sides must know in clear. */
  readonly sharedSecret?: ConfigText;
  /** A user of the sample: never accepted on an address that other machines can reach. */
  readonly sample: boolean;
  /**
   * `definitions`: declared in YAML. `database`: managed by `signalbox user`. `token`: an undeclared caller that a token
   * names; its id begins with the scheme's id and a colon, which no other id contains.
   */
  readonly origin: 'definitions' | 'database' | 'token';
  readonly at: Position;
}

interface SchemeBase {
  /** `basic`, or the id of the `scheme:` definition. */
  readonly id: string;
  readonly description?: string;
}

/** HTTP Basic, RFC 7617. */
export interface BasicScheme extends SchemeBase {
  readonly kind: 'basic';
}

/** A key in a header of its own. */
export interface ApiKeyScheme extends SchemeBase {
  readonly kind: 'api-key';
  /** `X-Api-Key`. */
  readonly header: string;
}

/** A JSON Web Token as bearer token (RFC 6750, RFC 7519, RFC 9068). */
export interface BearerScheme extends SchemeBase {
  readonly kind: 'bearer';
  readonly issuer: ConfigText;
  /** `aud` must contain one of these. */
  readonly audience: readonly ConfigText[];
  /** JSON Web Key Set (RFC 7517): an https URL, or a file relative to the project. */
  readonly jwks: ConfigText;
  /** Accepted signature algorithms, all asymmetric: `RS256`. */
  readonly algorithms: readonly string[];
  /** Scopes that every token must have (`scope` or `scp`). */
  readonly scopes: readonly string[];
  /** Milliseconds by which clocks may differ. */
  readonly tolerance: number;
  /** The claim that names the user: `sub`. */
  readonly user: string;
  /** `known`: the user must be declared or in the database, and has those roles too. `any`: any user that the issuer names. */
  readonly users: 'known' | 'any';
  /** The claim whose values give roles, a path with dots: `scope`, `realm_access.roles`. */
  readonly claim: string;
  /** Roles by value of the claim. */
  readonly roles: ReadonlyMap<string, readonly Role[]>;
  /** Where each role is named, by value; absent for a scheme that is in no file. */
  readonly grantedAt?: ReadonlyMap<string, ReadonlyMap<Role, Position>>;
}

/** A client certificate: of the TLS connection, or passed on by a trusted proxy. */
export interface ClientCertificateScheme extends SchemeBase {
  readonly kind: 'client-certificate';
  /** Header of the proxies of gateway.yaml that holds it: `Client-Cert` (RFC 9440), or one with PEM, percent-encoded. */
  readonly header?: string;
}

/** WS-Security UsernameToken Profile 1.1.1. */
export interface UsernameTokenScheme extends SchemeBase {
  readonly kind: 'username-token';
  /** Accepted forms of the password; `text` only over TLS or from this machine. */
  readonly passwords: readonly ('text' | 'digest')[];
  /** Milliseconds after its Created for which a digest is valid, and its nonce can't be used again. */
  readonly maxAge: number;
}

/** An XML signature over Body and Timestamp with an X.509 certificate (WS-Security X.509 Token Profile 1.1.1). */
export interface SignatureScheme extends SchemeBase {
  readonly kind: 'signature';
  /** URIs of accepted signature algorithms. */
  readonly algorithms: readonly string[];
  /** URIs of accepted digest algorithms. */
  readonly digests: readonly string[];
  /** Milliseconds after its Timestamp's Created for which a message is valid. */
  readonly maxAge: number;
  /** File with certificates (PEM) of authorities. Without it, certificates are only recognised by their fingerprints. */
  readonly caFile?: ConfigText;
  /** File with certificates (PEM) of callers, which messages may name without containing them. */
  readonly certificatesFile?: ConfigText;
}

/** Signatures of webhooks over REST, as Standard Webhooks has them. */
export interface WebhookScheme extends SchemeBase {
  readonly kind: 'webhook';
  /** `whsec_…` or `whpk_…`; a signature of any of them is enough. */
  readonly secrets: readonly ConfigText[];
  /** Id of the user who sends them. */
  readonly user: string;
  /** Milliseconds by which the time of a webhook may differ from that of the gateway. */
  readonly tolerance: number;
}

/** A signature by a shared secret (HMAC, RFC 2104) of a whole request, in the form that its receiver or sender has chosen. */
export interface HmacSignature {
  /** To verify, a signature of any of them is enough; requests that are sent have one of each. */
  readonly secrets: readonly ConfigText[];
  readonly encoding: SecretEncoding;
  /** The header with the signature: `X-Hub-Signature-256`. */
  readonly header: string;
  readonly algorithm: HmacAlgorithm;
  /** What the header contains: `{hex}`, `sha256={hex}`, `{base64}`, `t={timestamp},v1={hex}`. */
  readonly form: string;
  /** What is signed: `{body}`, `{timestamp}.{body}`. */
  readonly signed: string;
  /** Headers with the time and the id of a webhook, if they are signed. */
  readonly timestamp?: string;
  readonly webhookId?: string;
}

/** Signatures of the webhooks of one sender. */
export interface HmacScheme extends SchemeBase, HmacSignature {
  readonly kind: 'hmac';
  /** Id of the user who sends them. */
  readonly user: string;
  /** Milliseconds by which the time of a webhook may differ from that of the gateway; only with a time that is signed. */
  readonly tolerance: number;
}

/** Schemes whose credentials are a signature of a whole request over REST. */
export type RequestScheme = WebhookScheme | HmacScheme;

export function isRequestScheme(scheme: SecurityScheme): scheme is RequestScheme {
  return scheme.kind === 'webhook' || scheme.kind === 'hmac';
}

/** How callers authenticate. */
export type SecurityScheme =
  | BasicScheme
  | ApiKeyScheme
  | BearerScheme
  | ClientCertificateScheme
  | UsernameTokenScheme
  | SignatureScheme
  | RequestScheme;

/** Schemes whose credentials are inside a SOAP message. */
export type MessageScheme = UsernameTokenScheme | SignatureScheme;

/** Schemes whose credentials are in a header or in the connection. */
export type TransportScheme = Exclude<SecurityScheme, MessageScheme>;

/**
 * Rejected credentials, or a signature that is not accepted. Of requests the reason goes to the log only: callers always get the
 * same reply.
 */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The scheme `basic`, which needs no definition. */
export const BASIC: BasicScheme = { id: 'basic', kind: 'basic' };

export function isMessageScheme(scheme: SecurityScheme): scheme is MessageScheme {
  return scheme.kind === 'username-token' || scheme.kind === 'signature';
}

const XMLDSIG = 'http://www.w3.org/2000/09/xmldsig#';
const XMLDSIG_MORE_2001 = 'http://www.w3.org/2001/04/xmldsig-more#';
const XMLDSIG_MORE_2007 = 'http://www.w3.org/2007/05/xmldsig-more#';

/**
 * URIs of signature algorithms (RFC 9231) by their names in definitions. Only asymmetric ones: whoever can verify a MAC can
 * also create it. Those of {@link WEAK_ALGORITHMS} are used and accepted only where definitions name them.
 */
export const SIGNATURE_ALGORITHMS: Readonly<Record<string, string>> = {
  'rsa-sha256': `${XMLDSIG_MORE_2001}rsa-sha256`,
  'rsa-sha384': `${XMLDSIG_MORE_2001}rsa-sha384`,
  'rsa-sha512': `${XMLDSIG_MORE_2001}rsa-sha512`,
  'rsa-pss-sha256': `${XMLDSIG_MORE_2007}sha256-rsa-MGF1`,
  'rsa-pss-sha384': `${XMLDSIG_MORE_2007}sha384-rsa-MGF1`,
  'rsa-pss-sha512': `${XMLDSIG_MORE_2007}sha512-rsa-MGF1`,
  'ecdsa-sha256': `${XMLDSIG_MORE_2001}ecdsa-sha256`,
  'ecdsa-sha384': `${XMLDSIG_MORE_2001}ecdsa-sha384`,
  'ecdsa-sha512': `${XMLDSIG_MORE_2001}ecdsa-sha512`,
  'rsa-sha1': `${XMLDSIG}rsa-sha1`,
};

/** URIs of digest algorithms (RFC 9231, XML Encryption 1.1 section 5.8) by their names in definitions. */
export const DIGEST_ALGORITHMS: Readonly<Record<string, string>> = {
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: `${XMLDSIG_MORE_2001}sha384`,
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
  sha1: `${XMLDSIG}sha1`,
};

/**
 * How the signature of a message refers to the certificate of its key (WSS: X.509 Certificate Token Profile 1.1.1, section 3.2):
 * `token` is in the message as a BinarySecurityToken; the others name a certificate that the receiver has.
 */
export const KEY_REFERENCES = ['token', 'issuer-serial', 'key-identifier', 'thumbprint'] as const;

export type KeyReferenceKind = (typeof KEY_REFERENCES)[number];

/** Whether a message contains the certificate that its signature refers to, and whether the signature covers it as well. */
export const TOKEN_FORMS = ['included', 'signed'] as const;

export type TokenForm = (typeof TOKEN_FORMS)[number];

/** Names of algorithms over SHA-1, whose collisions can be computed. Suites of WS-SecurityPolicy 1.3 (section 6.1) demand them. */
export const WEAK_ALGORITHMS: ReadonlySet<string> = new Set(['rsa-sha1', 'sha1']);
