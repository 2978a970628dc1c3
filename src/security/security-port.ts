import type { MessageScheme, SecurityScheme, TransportScheme, User } from '../model/security.ts';
import type { XmlElement } from '../wire/xml/tree.ts';

/** A certificate whose private key the caller has proved to have. */
export interface ShownCertificate {
  readonly der: Uint8Array;
  /** It was issued by an authority that this gateway or its proxy trusts; otherwise only its fingerprint counts. */
  readonly verified: boolean;
}

/** The credentials of a caller outside the message. */
export interface Shown {
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
  /** The certificate of the TLS connection, or of the header that a trusted proxy sets. */
  certificate(header: string | undefined): ShownCertificate | undefined;
  /** The connection can't be read by others: TLS, here or at a trusted proxy, or this machine. */
  readonly secure: boolean;
  /** What the connection keeps of the credentials that were shown on it last; `undefined` without one. */
  readonly shownBefore?: ShownBefore | undefined;
  /**
   * Reads the whole body, which is kept for later readers; `undefined` where signatures of bodies are not accepted.
   * @throws Fault BODY_TOO_LARGE, REQUEST_TIMEOUT, UNSUPPORTED_MEDIA_TYPE
   */
  readonly content?: (() => Promise<Uint8Array>) | undefined;
}

/** The credentials that were shown last on a connection, for as long as it is open, and what an authenticator knows of them. */
export interface ShownBefore {
  credentials?: string;
  found?: unknown;
}

/** The credentials of a caller inside a SOAP message. */
export interface ShownMessage {
  /** The `wsse:Security` headers for this receiver; at least one. */
  readonly security: readonly XmlElement[];
  /** Their envelope, from the strict reader. */
  readonly envelope: XmlElement;
  /** The message has attachments. */
  readonly attachments: boolean;
}

/** The reason in the log for a call without credentials. It is not a failed attempt: clients request the challenge this way. */
export const NO_CREDENTIALS = 'no credentials';

/** An authenticated caller. */
export interface Caller {
  readonly user: User;
  readonly scheme: SecurityScheme;
}

/** The authenticated sender of a message. */
export interface MessageCaller extends Caller {
  readonly scheme: MessageScheme;
  /** The Body of a signed message, read from the signed bytes. No other part of the message may be used. */
  readonly body?: XmlElement;
}

/** Finds the authenticated sender of a message. @throws Refused; Fault UNAVAILABLE */
export type MessageAuthenticator = (
  message: ShownMessage,
  shown: Shown,
  schemes: readonly SecurityScheme[],
) => Promise<MessageCaller>;

/**
 * Authenticates callers. The first scheme whose credentials are present decides; no other is tried after it. A bearer token
 * is present for the scheme whose issuer it names. An unknown certificate counts as absent, because browsers send whichever
 * they have.
 */
export interface Authenticator {
  /**
   * Authenticates by credentials outside the message; without waiting if the same were verified within the last minute.
   * @throws Fault UNAUTHENTICATED, always the same; UNAVAILABLE
   */
  authenticate(shown: Shown, schemes: readonly SecurityScheme[]): Caller | Promise<Caller>;
  /**
   * Authenticates by credentials of any of the schemes, before the operation is known.
   * @throws Fault of the first scheme with credentials; UNAUTHENTICATED
   */
  authenticateByAny(shown: Shown, schemes: readonly SecurityScheme[]): Caller | Promise<Caller>;
  /** Whether credentials outside the message are present for one of the schemes. */
  shows(shown: Shown, schemes: readonly SecurityScheme[]): boolean;
  /**
   * Authenticates by credentials inside the message.
   * @param schemes all allowed schemes, of which those for messages are used
   * @throws Fault UNAUTHENTICATED, always the same; UNAVAILABLE
   */
  authenticateMessage(message: ShownMessage, shown: Shown, schemes: readonly SecurityScheme[]): Promise<MessageCaller>;
}

/** Reads a file of the project by its name. `seen` changes when the file changes. Rejects for a missing file. */
export type LookAtFile = (name: string) => Promise<{ readonly seen: string; read(): Promise<string> }>;

/** The user of verified credentials. */
interface Verified {
  readonly user: User;
  /** When the credentials expire, in milliseconds since 1970; absent if they do not. */
  readonly until?: number;
}

/** Finds the credentials of one scheme. */
export interface Finder {
  readonly scheme: TransportScheme;
  /** Characters of credentials; longer ones are refused unread. */
  readonly longest: number;
  /** The credentials as a text, by which they are remembered; `undefined` if there are none of this scheme. */
  find(shown: Shown): string | undefined;
  /** Whether credentials that several schemes find are meant for this one, by their own unverified content. */
  isMeant?(credentials: string): boolean;
  /** Credentials belong to the connection, and may not be meant for the gateway: rejected ones count as absent. */
  readonly isAmbient?: boolean;
  /**
   * The challenge of the scheme in the WWW-Authenticate header of a 401 (RFC 9110 section 11.6.1).
   * @param refused credentials of this scheme were rejected
   */
  challenge(refused: boolean): string;
}

/** Finds and verifies the credentials of one scheme. */
export interface Verifier extends Finder {
  /** @throws Refused for invalid credentials; Fault FORBIDDEN, UNAVAILABLE */
  verify(credentials: string): Promise<Verified>;
}

/** One scheme's entrance: verifies credentials, and remembers those that are good. */
export interface Gate {
  readonly verifier: Finder;
  /**
   * At once where the same were verified a moment ago; a connection that shows them again saves their fingerprint, which would be
   * a twentieth of a small request.
   * @throws Refused; Fault FORBIDDEN, UNAVAILABLE
   */
  admit(credentials: string, shown?: Shown): Caller | Promise<Caller>;
}

/** The realm of all challenges. */
export const REALM = 'realm="signalbox"';
