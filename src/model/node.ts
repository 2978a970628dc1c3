import type { ConfigText, Position } from './definition.ts';

/** A system: a remote one, with its address. The local one is the gateway. */
export interface Node {
  readonly id: string;
  readonly description?: string;
  /** In order of fail-over; no variables of a call. A scheme alone where URI templates begin with the host. */
  readonly base: readonly ConfigText[];
  /** What calls to it show. */
  readonly credential?: NodeCredential;
  /** File with certificates (PEM) of the authorities to trust in place of the usual ones; none where it resolves to nothing. */
  readonly caFile?: ConfigText;
  /** What it shows of itself in TLS. */
  readonly certificate?: ClientCertificate;
  /**
   * By host name, in small letters: the address that connections to it go to, `192.0.2.1`, `[2001:db8::1]:8443`, while Host
   * and TLS keep the name. One that resolves to nothing leaves it to DNS.
   */
  readonly resolve: ReadonlyMap<string, ConfigText>;
  /** In milliseconds; those left out are the client's. */
  readonly timeouts: Partial<NodeTimeouts>;
  readonly retry?: Retry;
  /** After so many calls in a row that came to nothing the node is left alone for `reset` milliseconds; 0 failures: never. */
  readonly circuit: { readonly failures: number; readonly reset: number };
  /** Redirects that a call follows; none unless said. */
  readonly redirects: number;
  readonly at: Position;
}

/** What a node is where its definition says nothing. */
export const NODE_DEFAULTS: Pick<Node, 'resolve' | 'timeouts' | 'circuit' | 'redirects'> = {
  resolve: new Map(),
  timeouts: {},
  circuit: { failures: 5, reset: 30_000 },
  redirects: 0,
};

/** How long each phase of a call may take, in milliseconds. */
export interface NodeTimeouts {
  /** Until there is a connection, with name resolution and TLS. */
  readonly connect: number;
  /** From the last piece of the request that was taken until the head of the reply; also of a target that takes none. */
  readonly head: number;
  /** Between two pieces of the reply. */
  readonly idle: number;
  /** From the head of a reply to its end, where all of it is read before there is a value. */
  readonly reply: number;
  /** All of it, repetitions with it, until the reply's value is there. */
  readonly call: number;
}

/** A certificate and its key, each in a file (PEM). */
export interface ClientCertificate {
  readonly file: ConfigText;
  readonly keyFile: ConfigText;
  readonly passphrase?: ConfigText;
}

export type NodeCredential =
  /** HTTP Basic (RFC 7617). */
  | { readonly kind: 'basic'; readonly user: ConfigText; readonly password: ConfigText }
  /** `Authorization: Bearer` (RFC 6750). */
  | { readonly kind: 'bearer'; readonly token: ConfigText }
  /** A header of that name. */
  | { readonly kind: 'api-key'; readonly header: string; readonly value: ConfigText }
  /** A bearer token of an OAuth 2.0 client-credentials grant (RFC 6749 section 4.4). */
  | {
      readonly kind: 'client-credentials';
      readonly tokenUrl: ConfigText;
      readonly clientId: ConfigText;
      readonly clientSecret: ConfigText;
      readonly scope?: ConfigText;
      /** Further fields of the token request (`resource`, `audience`). */
      readonly parameters: ReadonlyMap<string, ConfigText>;
      /** How the client shows itself: HTTP Basic, or in the body (RFC 6749 section 2.3.1). */
      readonly authentication: 'basic' | 'body';
    };

/** When a call is made again. */
export interface Retry {
  /** Times that a call is made in all, at least 1. */
  readonly attempts: number;
  /** HTTP statuses after which the same call may succeed later. */
  readonly on: ReadonlySet<number>;
  /**
   * Said by the definitions, and so of every method. Otherwise only what may be repeated without harm is: calls of methods
   * that RFC 9110 section 9.2.2 calls idempotent, those of which nothing was sent, and those after whose reply the target
   * says when to come again (Retry-After).
   */
  readonly declared: boolean;
}

/** What is done where neither an operation nor its node says something. */
export const RETRY_DEFAULTS: Retry = { attempts: 3, on: new Set([408, 429, 502, 503, 504]), declared: false };
