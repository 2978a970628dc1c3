import type { ConfigText, Position } from './definition.ts';

/**
 * A list of what may be used. Operations, queries, processes and related content name it (`permission:`); it may add
 * operations, queries, processes and components itself, by id or wildcard.
 */
export interface PermissionList {
  readonly id: string;
  readonly description?: string;
  /** `SERVICE.*`, `SERVICE.v1.*` or an operation's id, as written. What they resolve to stands at the operations. */
  readonly operations: readonly string[];
  /** Ids or wildcards (`EMP_*`), as written; what they resolve to stands at the things. */
  readonly queries: readonly string[];
  readonly processes: readonly string[];
  readonly components: readonly string[];
  /** `all`: its users may see and change process requests of others, of processes that they may run. */
  readonly requests?: 'all';
  readonly at: Position;
}

export interface Role {
  readonly id: string;
  readonly description?: string;
  readonly permissionLists: readonly PermissionList[];
  /** Where each of them is named; undefined for a role that is in no file. */
  readonly grantedAt?: ReadonlyMap<PermissionList, Position>;
  readonly at: Position;
}

/** Somebody, or some system, that calls. */
export interface User {
  readonly id: string;
  readonly description?: string;
  /** `$scrypt$ln=14,r=8,p=1$<salt>$<hash>`, both in base64 without padding (PHC string format). Without one no password fits. */
  readonly password?: string;
  readonly roles: readonly Role[];
  /** Where each of them is named; undefined for a user who is in no file. */
  readonly grantedAt?: ReadonlyMap<Role, Position>;
  /** Every list of every role. */
  readonly permissionLists: ReadonlySet<PermissionList>;
  /** Hashes of its API keys (`sha256:<64 hex digits>`): a key is 256 random bits, which no dictionary holds. */
  readonly apiKeys: readonly string[];
  /** Certificates that stand for it: `sha256:<64 hex digits>` of the DER form, or a subject (RFC 4514) that a trusted authority vouches for. */
  readonly certificates: readonly string[];
  /** What a UsernameToken digest is made of; that form needs the secret itself, on both sides. */
  readonly sharedSecret?: ConfigText;
  /** Of the sample: never accepted on an address that others can reach. */
  readonly sample: boolean;
  /**
   * Where it is known from: `definitions` are read-only, `database` is what `signalbox user` keeps, `token` a caller whom
   * nobody declared and an issuer vouches for. Its id then begins with the scheme's and a colon, which no other id holds.
   */
  readonly origin: 'definitions' | 'database' | 'token';
  readonly at: Position;
}

interface SchemeBase {
  /** `basic`, or that of its `scheme:` definition. */
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
  /** One of them must stand in `aud`. */
  readonly audience: readonly ConfigText[];
  /** JSON Web Key Set (RFC 7517): an https URL, or a file relative to the project. */
  readonly jwks: ConfigText;
  /** Of signatures, asymmetric ones alone: `RS256`. */
  readonly algorithms: readonly string[];
  /** Scopes that every token must hold (`scope` or `scp`). */
  readonly scopes: readonly string[];
  /** Milliseconds by which clocks may differ. */
  readonly tolerance: number;
  /** The claim that names the user: `sub`. */
  readonly user: string;
  /** `known`: it must name a user that is declared or in the database, whose roles it holds too. `any`: whom the issuer vouches for. */
  readonly users: 'known' | 'any';
  /** The claim whose values give roles, a path with dots: `scope`, `realm_access.roles`. */
  readonly claim: string;
  /** Roles by the claim's values. */
  readonly roles: ReadonlyMap<string, readonly Role[]>;
  /** Where each of them is named, by value; undefined for a scheme that is in no file. */
  readonly grantedAt?: ReadonlyMap<string, ReadonlyMap<Role, Position>>;
}

/** A certificate of the caller's own: of its TLS connection, or as a trusted proxy hands it on. */
export interface ClientCertificateScheme extends SchemeBase {
  readonly kind: 'client-certificate';
  /** Header of the proxies of gateway.yaml that holds it: `Client-Cert` (RFC 9440), or one with PEM, percent-encoded. */
  readonly header?: string;
}

/** WS-Security UsernameToken Profile 1.1.1. */
export interface UsernameTokenScheme extends SchemeBase {
  readonly kind: 'username-token';
  /** Forms of the password that are taken; `text` over TLS or from this machine alone. */
  readonly passwords: readonly ('text' | 'digest')[];
  /** Milliseconds that a digest holds from its Created on; its nonce is refused so long. */
  readonly maxAge: number;
}

/** An XML signature over Body and Timestamp with an X.509 certificate (WS-Security X.509 Token Profile 1.1.1). */
export interface SignatureScheme extends SchemeBase {
  readonly kind: 'signature';
  /** URIs of signature algorithms that are taken. */
  readonly algorithms: readonly string[];
  /** URIs of digest algorithms that are taken. */
  readonly digests: readonly string[];
  /** Milliseconds that a message holds from its Timestamp's Created on. */
  readonly maxAge: number;
  /** File with certificates (PEM) of authorities; without it a user's certificate is known by its fingerprint alone. */
  readonly caFile?: ConfigText;
}

/** What a caller shows. */
export type SecurityScheme =
  | BasicScheme
  | ApiKeyScheme
  | BearerScheme
  | ClientCertificateScheme
  | UsernameTokenScheme
  | SignatureScheme;

/** Schemes whose credentials stand inside a SOAP message. */
export type MessageScheme = UsernameTokenScheme | SignatureScheme;

/** Schemes whose credentials stand outside the message. */
export type TransportScheme = Exclude<SecurityScheme, MessageScheme>;

/** The scheme `basic`, which needs no definition. */
export const BASIC: BasicScheme = { id: 'basic', kind: 'basic' };

/** Whether a scheme's credentials stand inside a SOAP message. */
export function isMessageScheme(scheme: SecurityScheme): scheme is MessageScheme {
  return scheme.kind === 'username-token' || scheme.kind === 'signature';
}

const XMLDSIG_MORE_2001 = 'http://www.w3.org/2001/04/xmldsig-more#';
const XMLDSIG_MORE_2007 = 'http://www.w3.org/2007/05/xmldsig-more#';

/**
 * Signature algorithms that messages may bear, by the words of definitions: their URIs (RFC 9231). Asymmetric ones alone,
 * over digests that are sound: whoever can check a MAC could write it.
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
};

/** Digest algorithms of what is signed, by the words of definitions: their URIs (RFC 9231, XML Encryption 1.1 section 5.8). */
export const DIGEST_ALGORITHMS: Readonly<Record<string, string>> = {
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: `${XMLDSIG_MORE_2001}sha384`,
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
};
