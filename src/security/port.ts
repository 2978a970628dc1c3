import type { MessageScheme, SecurityScheme, TransportScheme, User } from '../model/security.ts';
import type { XmlElement } from '../wire/xml/tree.ts';

/** A certificate that a caller has shown the key of. */
export interface ShownCertificate {
  readonly der: Uint8Array;
  /** An authority that this gateway or its proxy trusts vouches for its subject; else its fingerprint alone counts. */
  readonly verified: boolean;
}

/** What a caller shows outside its message; read where a scheme asks for it. */
export interface Shown {
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
  /** That of its TLS connection, or of the header that a trusted proxy fills. */
  certificate(header: string | undefined): ShownCertificate | undefined;
  /** Nobody reads along: TLS, here or at a trusted proxy, or this machine. */
  readonly secure: boolean;
}

/** What a caller shows inside a SOAP message. */
export interface ShownMessage {
  /** The headers `wsse:Security` that are for this receiver; at least one. */
  readonly security: readonly XmlElement[];
  /** The envelope that they are of, as a strict reader has made it. */
  readonly envelope: XmlElement;
  /** Parts travel beside it. */
  readonly attachments: boolean;
}

/** The reason of a refusal, for the log, where nothing was shown. That is no guess: clients ask so for the challenge. */
export const NO_CREDENTIALS = 'no credentials';

/** Who calls, and how that is known. */
export interface Caller {
  readonly user: User;
  readonly scheme: SecurityScheme;
}

/** Who has sent a message. */
export interface MessageCaller extends Caller {
  readonly scheme: MessageScheme;
  /** Of a signed message: its Body as the signature covers it, read from those very bytes; nothing else may be used. */
  readonly body?: XmlElement;
}

/** Finds the authenticated sender of a message. @throws Refused; Fault UNAVAILABLE */
export type MessageAuthenticator = (
  message: ShownMessage,
  shown: Shown,
  schemes: readonly SecurityScheme[],
) => Promise<MessageCaller>;

/**
 * Tells who a caller is. The first of the schemes whose credentials are there decides; none other is tried after it. Two
 * things are no exception but part of what "there" means: a bearer token is there for the scheme whose issuer it names, and a
 * certificate that is nobody's is not there, as browsers show whichever they have.
 */
export interface Authenticator {
  /**
   * Whom the credentials outside the message show: at once where the same were verified within the last minute.
   * @throws Fault UNAUTHENTICATED, the same whatever is wrong; UNAVAILABLE
   */
  authenticate(shown: Shown, schemes: readonly SecurityScheme[]): Caller | Promise<Caller>;
  /**
   * Whom the credentials outside the message show by any of the schemes, for what is asked before it is known what is called.
   * @throws Fault what the first of them said that was shown something; UNAUTHENTICATED
   */
  authenticateByAny(shown: Shown, schemes: readonly SecurityScheme[]): Promise<Caller>;
  /** Whether credentials outside the message are there for one of the schemes. */
  shows(shown: Shown, schemes: readonly SecurityScheme[]): boolean;
  /**
   * Whom the credentials inside the message show.
   * @param schemes all that are allowed; those of messages alone are looked at
   * @throws Fault UNAUTHENTICATED, the same whatever is wrong; UNAVAILABLE
   */
  authenticateMessage(message: ShownMessage, shown: Shown, schemes: readonly SecurityScheme[]): Promise<MessageCaller>;
}

/** Looks at a file of the project by its name: `seen` is another text once the file is another one. Rejects where there is none. */
export type LookAtFile = (name: string) => Promise<{ readonly seen: string; read(): Promise<string> }>;

/** Whose the credentials are, and until when that holds. */
interface Verified {
  readonly user: User;
  /** Milliseconds since 1970 after which they are no good any more; they have no end of their own where undefined. */
  readonly until?: number;
}

/** Finds and verifies the credentials of one scheme. */
export interface Verifier {
  readonly scheme: TransportScheme;
  /** Characters that credentials may have; longer ones are refused unread. */
  readonly longest: number;
  /** Its credentials as the text that they are remembered by; undefined where the caller shows none of this scheme. */
  find(shown: Shown): string | undefined;
  /** Whether credentials that other schemes find too are meant for this one, by what they say of themselves, unverified. */
  isMeant?(credentials: string): boolean;
  /** They come with the connection, whoever asks for them: what is no good counts as not shown where something else is. */
  readonly isAmbient?: boolean;
  /** @throws Refused for what is no good; Fault FORBIDDEN, UNAVAILABLE */
  verify(credentials: string): Promise<Verified>;
  /**
   * What a 401 says of the scheme in WWW-Authenticate (RFC 9110 section 11.6.1).
   * @param refused credentials of this very scheme were shown, and are no good
   */
  challenge(refused: boolean): string;
}

/** What the challenges of a 401 protect: all of the gateway is one realm. */
export const REALM = 'realm="signalbox"';

/** Credentials that are no good. Callers are told the same whatever the reason is; that is for the log. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
