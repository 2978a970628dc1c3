import type { Generated } from 'kysely';

/** The tables of users and their credentials. */
export interface UserTables {
  signalbox_user: UserTable;
  signalbox_api_key: ApiKeyTable;
  signalbox_user_certificate: UserCertificateTable;
  signalbox_user_audit: UserAuditTable;
  signalbox_user_version: UserVersionTable;
  signalbox_caller: CallerTable;
  signalbox_nonce: NonceTable;
  signalbox_session: SessionTable;
  signalbox_sign_in: SignInTable;
  signalbox_guess: GuessTable;
}

/** A user of the database. */
export interface UserTable {
  id: string;
  /** PHC string; null when the user has no password. */
  password: string | null;
  description: string | null;
  /** JSON: ids of roles. */
  roles: string;
  /** 1: is not permitted to call. */
  disabled: number;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  created: string;
  changed: string;
}

/** An API key of a user. The key itself is not stored. */
export interface ApiKeyTable {
  /** The part of the key that may be shown. */
  id: string;
  /** `sha256:` and 64 hexadecimal digits. */
  hash: string;
  user_id: string;
  description: string | null;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  created: string;
  expires: string | null;
  revoked: string | null;
}

/** A certificate of a user. */
export interface UserCertificateTable {
  /** `sha256:` and 64 hexadecimal digits. */
  fingerprint: string;
  user_id: string;
  description: string | null;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  created: string;
}

/** A change to a user, and who made it. */
export interface UserAuditTable {
  /** The version of the users that it led to. */
  sequence: number;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  at: string;
  /** Who made the change, as stated by the caller. */
  actor: string;
  /** A word: `add`, `passwd`, `key-revoke`. */
  action: string;
  user_id: string;
  /** JSON: the details of the action, never a secret. */
  detail: string;
}

/** The row that counts changes of users. Every change locks it. */
export interface UserVersionTable {
  id: number;
  /** The last line of the audit trail. */
  version: number;
  /** Lines of the audit trail that changed no user: those of sign-ins. What is known of users is good until other lines come. */
  notes: Generated<number>;
}

/** A caller that a token identified, kept for work that ends later. */
export interface CallerTable {
  /** `SCHEME:subject`. */
  id: string;
  /** JSON: ids of roles. */
  roles: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  seen: string;
}

/** A nonce that was used, and is rejected from then on. */
export interface NonceTable {
  hash: string;
  /** When it may be removed. UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  until: string;
}

/** A session of the console. Times are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface SessionTable {
  /** The name under which it is shown and ended. */
  id: string;
  /** SHA-256 of its token in hexadecimal digits. The token itself is not stored. */
  hash: string;
  user_id: string;
  /** `password`, or the id of the scheme of an OpenID provider. */
  signed_in: string;
  /** JSON: ids of the roles that the ID token gave. */
  roles: string;
  created: string;
  /** When it was used last, to a minute. */
  seen: string;
  expires: string;
  ended: string | null;
  /** Why it was ended; null for one that was not. */
  reason: string | null;
  /** Of the browser at the sign-in. */
  address: string;
  agent: string;
  /**
   * HMAC-SHA-256 of the stored hash of the password that opened it, with the token as key: it shows that the password is still the
   * same. Null for a session that no password opened.
   */
  credential: string | null;
}

/** Refused sign-ins of an address or a user name. Times are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface GuessTable {
  /** SHA-256 of what is counted, in hexadecimal digits. */
  hash: string;
  count: number;
  /** When the next attempt may be made. */
  open: string;
  /** When it is forgotten. */
  until: string;
}

/** A sign-in that has begun, and waits for the reply of an OpenID provider. */
export interface SignInTable {
  /** SHA-256 of its state in hexadecimal digits. */
  hash: string;
  scheme: string;
  /** A path of the console. */
  return_to: string;
  redirect_uri: string;
  /** Of the browser, as sign-ins are counted by it. */
  address: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  until: string;
}
