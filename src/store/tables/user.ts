/** The tables of users, and of what callers bring. */
export interface UserTables {
  signalbox_user: UserTable;
  signalbox_api_key: ApiKeyTable;
  signalbox_user_certificate: UserCertificateTable;
  signalbox_user_audit: UserAuditTable;
  signalbox_user_version: UserVersionTable;
  signalbox_caller: CallerTable;
  signalbox_nonce: NonceTable;
}

/** A user that is kept here. */
export interface UserTable {
  id: string;
  /** PHC string; null where no password fits. */
  password: string | null;
  description: string | null;
  /** JSON: ids of roles. */
  roles: string;
  /** 1: may not call. */
  disabled: number;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  created: string;
  changed: string;
}

/** An API key of a user. The key itself is nowhere. */
export interface ApiKeyTable {
  /** The part of it that may be shown. */
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

/** What was done to a user, by whom. */
export interface UserAuditTable {
  /** The version of the users that it led to. */
  sequence: number;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  at: string;
  /** Who did it, as the one who did it said. */
  actor: string;
  /** A word: `add`, `passwd`, `key-revoke`. */
  action: string;
  user_id: string;
  /** JSON: what belongs to the action; never a secret. */
  detail: string;
}

/** The row that counts changes of users. Whoever changes one has it locked. */
export interface UserVersionTable {
  id: number;
  version: number;
}

/** Somebody whom a token vouched for, as work that ends later needs it. */
export interface CallerTable {
  /** `SCHEME:subject`. */
  id: string;
  /** JSON: ids of roles. */
  roles: string;
  /** UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  seen: string;
}

/** A nonce that was seen, and is refused from then on. */
export interface NonceTable {
  hash: string;
  /** When it may be forgotten. UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
  until: string;
}
