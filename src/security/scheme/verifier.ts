import type { TransportScheme, User } from '../../model/security.ts';
import type { Shown } from '../port.ts';

/** Whose the credentials are, and until when that holds. */
export interface Verified {
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
