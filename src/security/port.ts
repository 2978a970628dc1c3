import type { MessageScheme, SecurityScheme, User } from '../model/security.ts';
import type { XmlElement } from '../wire/xml-tree.ts';

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
  /** The header `wsse:Security`. */
  readonly security: XmlElement;
  /** The envelope as it came, which a strict reader has accepted. */
  readonly text: string;
}

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

/** Tells who a caller is. The first of the schemes whose credentials are there decides; none other is tried after it. */
export interface Authenticator {
  /**
   * Whom the credentials outside the message show: at once where the same were verified within the last minute.
   * @throws Fault UNAUTHENTICATED, the same whatever is wrong; UNAVAILABLE
   */
  authenticate(shown: Shown, schemes: readonly SecurityScheme[]): Caller | Promise<Caller>;
  /** Whether credentials outside the message are there for one of the schemes. */
  shows(shown: Shown, schemes: readonly SecurityScheme[]): boolean;
  /** Whom the credentials inside the message show. @throws Fault UNAUTHENTICATED, UNAVAILABLE */
  authenticateMessage(message: ShownMessage, shown: Shown, schemes: readonly MessageScheme[]): Promise<MessageCaller>;
}

/** The users that may call, wherever they are kept. A disabled one, and one of a sample that is switched off, is none. */
export interface Directory {
  find(id: string): User | undefined | Promise<User | undefined>;
  /** @param hash `sha256:` and 64 hex digits */
  findByApiKey(hash: string): User | undefined | Promise<User | undefined>;
  /** @param names fingerprint (`sha256:` and 64 hex digits) and, where an authority vouches for it, subject */
  findByCertificate(names: readonly string[]): User | undefined | Promise<User | undefined>;
  /** A number that grows with every change of a user: what was remembered under another one holds no longer. */
  version(): number | Promise<number>;
  /** Keeps whom a token vouched for, with its roles, so that work which ends later runs under the same grants. */
  keep(user: User): Promise<void>;
}
