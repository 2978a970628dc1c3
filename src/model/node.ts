import type { ConfigText, Position } from './definition.ts';
import type { Retry } from './retry.ts';
import type { HmacSignature, KeyReferenceKind, TokenForm } from './security.ts';

/** A remote system with its address. */
export interface Node {
  readonly id: string;
  readonly description?: string;
  /** In order of fail-over, without variables of a call. Only a scheme if URI templates begin with the host. */
  readonly base: readonly ConfigText[];
  /** Sent with each call. */
  readonly credential?: NodeCredential;
  /** File with certificates (PEM) of authorities that replace the usual ones; ignored if it resolves to an empty text. */
  readonly caFile?: ConfigText;
  /** The client certificate for TLS. */
  readonly certificate?: ClientCertificate;
  /**
   * By host name in lower case: the address to connect to, `192.0.2.1` or `[2001:db8::1]:8443`, while Host and TLS keep the
   * name. An entry that resolves to an empty text is left to DNS.
   */
  readonly resolve: ReadonlyMap<string, ConfigText>;
  /** In milliseconds; the client has defaults. */
  readonly timeouts: Partial<NodeTimeouts>;
  readonly retry?: Retry;
  /** After `failures` failed calls in a row, calls are suspended for `reset` milliseconds; never if `failures` is 0. */
  readonly circuit: { readonly failures: number; readonly reset: number };
  /** Deliveries of messages that one gateway begins within `per` milliseconds, evenly spaced. */
  readonly rate?: { readonly requests: number; readonly per: number };
  /** Deliveries of messages that one gateway makes at the same time. */
  readonly concurrency?: number;
  /** Largest number of redirects that a call follows. */
  readonly redirects: number;
  /** A POST follows the statuses 301 and 302 too, as a POST with its body. */
  readonly redirectsPost?: true;
  /** The default of `lenient` of the operations that call it. */
  readonly lenient?: boolean;
  readonly at: Position;
}

/** The defaults of a node. */
export const NODE_DEFAULTS: Pick<Node, 'resolve' | 'timeouts' | 'circuit' | 'redirects'> = {
  resolve: new Map(),
  timeouts: {},
  circuit: { failures: 5, reset: 30_000 },
  redirects: 0,
};

/** In the error of a call that a circuit breaker did not let through: it does not say why others have failed. */
export const SUSPENDED = 'calls to it are suspended';

/** How long each phase of a call may take, in milliseconds. */
export interface NodeTimeouts {
  /** Until the connection is made, including name resolution and TLS. */
  readonly connect: number;
  /** From the last piece of the request that was accepted to the head of the reply. */
  readonly head: number;
  /** Between two pieces of the reply. */
  readonly idle: number;
  /** From the head to the end of a reply that is read completely before its value is returned. */
  readonly reply: number;
  /** The whole call with its retries, until the reply's value is read. */
  readonly call: number;
}

/** A certificate and its key, each in a file (PEM). */
export interface ClientCertificate {
  readonly file: ConfigText;
  readonly keyFile: ConfigText;
  readonly passphrase?: ConfigText;
}

/** The certificate that signs messages, and the algorithms. */
export interface MessageSigner extends ClientCertificate {
  /** URI of the signature algorithm. Without it the key decides: RSA-SHA256 or ECDSA-SHA256. */
  readonly algorithm?: string;
  /** URI of the digest algorithm; SHA-256 without it. */
  readonly digest?: string;
  /** The certificate in the message without it. */
  readonly reference?: Exclude<KeyReferenceKind, 'token'>;
  /** Without it the message contains the certificate if `reference` is absent, unsigned. */
  readonly token?: TokenForm;
}

/** The signature over Body and Timestamp that each reply must have, also a fault. One of `certificateFile` and `caFile` is there. */
export interface ReplySignature {
  /** File with the certificates (PEM) of the partner. */
  readonly certificateFile?: ConfigText;
  /** File with certificates (PEM) of authorities; `subject` is that of the partner (RFC 4514, normalised). */
  readonly caFile?: ConfigText;
  readonly subject?: string;
  /** URIs of accepted signature algorithms. */
  readonly algorithms: readonly string[];
  /** URIs of accepted digest algorithms. */
  readonly digests: readonly string[];
  /** Milliseconds after its Timestamp's Created for which a reply is valid. */
  readonly maxAge: number;
  /** A reply must contain a SignatureConfirmation (WSS: SOAP Message Security 1.1.1, section 8.5). */
  readonly confirmation?: boolean;
}

/** A user name, as a rule with a password, inside messages (WSS UsernameToken Profile 1.1.1). */
export interface UsernameToken {
  readonly user: ConfigText;
  /** The token has the user name alone without it. */
  readonly password?: ConfigText;
  /** The hash of the password is sent (`PasswordDigest`) rather than the password (`PasswordText`). */
  readonly digest: boolean;
}

export type NodeCredential =
  /** HTTP Basic (RFC 7617). */
  | { readonly kind: 'basic'; readonly user: ConfigText; readonly password: ConfigText }
  /** `Authorization: Bearer` (RFC 6750). */
  | { readonly kind: 'bearer'; readonly token: ConfigText }
  /** A header of that name. */
  | { readonly kind: 'api-key'; readonly header: string; readonly value: ConfigText }
  /** Signatures of webhooks as Standard Webhooks has them, one by each secret: `whsec_…` or `whsk_…`. */
  | { readonly kind: 'webhook'; readonly secrets: readonly ConfigText[] }
  /** Signatures of whole requests in the form that the partner demands. */
  | ({ readonly kind: 'hmac' } & HmacSignature)
  /** The header `wsse:Security` of SOAP messages (WS-Security 1.1.1). At least one of its parts is there. */
  | {
      readonly kind: 'ws-security';
      readonly usernameToken?: UsernameToken;
      /** Milliseconds from Created to Expires of the Timestamp; there is none without it. */
      readonly timestamp?: number;
      /** Signs Body, Timestamp, UsernameToken and the other header blocks for the receiver. */
      readonly signature?: MessageSigner;
      /** How replies must be signed. */
      readonly replySignature?: ReplySignature;
    }
  /** A bearer token of an OAuth 2.0 client-credentials grant (RFC 6749 section 4.4). */
  | {
      readonly kind: 'client-credentials';
      readonly tokenUrl: ConfigText;
      readonly clientId: ConfigText;
      readonly clientSecret: ConfigText;
      readonly scope?: ConfigText;
      /** Further fields of the token request (`resource`, `audience`). */
      readonly parameters: ReadonlyMap<string, ConfigText>;
      /** How the client authenticates: by HTTP Basic, or in the body (RFC 6749 section 2.3.1). */
      readonly authentication: 'basic' | 'body';
    };

/** Credentials that are a signature of a whole request. */
export type SigningCredential = Extract<NodeCredential, { readonly kind: 'webhook' | 'hmac' }>;

export function isSigning(credential: NodeCredential | undefined): credential is SigningCredential {
  return credential?.kind === 'webhook' || credential?.kind === 'hmac';
}
