import type { NewApiKey } from '../scheme/api-key.ts';

/** A user of the database, without secrets. Times are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface KeptUser {
  readonly id: string;
  readonly description?: string;
  /** Ids of roles, possibly of some that the definitions no longer declare. */
  readonly roles: readonly string[];
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  readonly created: string;
  readonly changed: string;
}

/** An API key, without its secret. */
export interface KeptKey {
  readonly id: string;
  readonly description?: string;
  readonly created: string;
  readonly expires?: string;
  readonly revoked?: string;
}

/** A certificate of a user. */
export interface KeptCertificate {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly fingerprint: string;
  readonly description?: string;
  readonly created: string;
}

/** A line of the audit trail. */
export interface TrailLine {
  /** From 1, without a gap. */
  readonly sequence: number;
  readonly at: string;
  readonly actor: string;
  readonly action: UserAction;
  readonly user: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What the audit trail records: changes of users, and the use of the console. */
export type UserAction =
  | 'add'
  | 'passwd'
  | 'disable'
  | 'enable'
  | 'role'
  | 'key-add'
  | 'key-revoke'
  | 'certificate-add'
  | 'certificate-remove'
  | 'sign-in'
  | 'sign-out'
  | 'session-end';

/** A user to add. */
export interface NewUser {
  readonly id: string;
  /** PHC string. Without one the user can't sign in with a password. */
  readonly password?: string;
  readonly description?: string;
  readonly roles: readonly string[];
}

/** Users that are asked for, in the order of their ids. */
export interface UserSearch {
  /** Part of the id or of the description, in whatever case. */
  readonly text?: string;
  /** The id of a role. */
  readonly role?: string;
  readonly disabled?: boolean;
  /** Those behind this id. */
  readonly after?: string;
  readonly limit: number;
}

/** Reads the users of the database. All functions reject with UserError for an unknown user. */
export interface UserReader {
  /** Sorted by id. */
  list(): Promise<readonly KeptUser[]>;
  /** The same, of which some are asked for. */
  search(which: UserSearch): Promise<readonly KeptUser[]>;
  get(id: string): Promise<KeptUser>;
  /** The oldest first. */
  keys(id: string): Promise<readonly KeptKey[]>;
  /** The oldest first. */
  certificates(id: string): Promise<readonly KeptCertificate[]>;
  /** The audit trail of all users or of one, the oldest line first. */
  trail(id?: string): Promise<readonly TrailLine[]>;
}

/**
 * Reads and changes the users of the database. Each change is one transaction, with a line of the audit trail and a new
 * version, by which gateways notice it. A call that changes nothing adds no line and returns false. All functions reject with
 * UserError for an unknown user, key or certificate.
 */
export interface Users extends UserReader {
  /** @throws UserError for an id that exists already */
  add(user: NewUser): Promise<void>;
  /** @param password PHC string; `undefined` removes the password */
  setPassword(id: string, password: string | undefined): Promise<void>;
  setDisabled(id: string, disabled: boolean): Promise<boolean>;
  changeRoles(
    id: string,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<boolean>;
  addKey(id: string, options: { readonly expires?: Date; readonly description?: string }): Promise<NewApiKey>;
  /** @param key the public id of the key */
  revokeKey(id: string, key: string): Promise<boolean>;
  /**
   * @param fingerprint `sha256:` and 64 hex digits in lower case
   * @returns false if the user has it already @throws UserError when it belongs to another user
   */
  addCertificate(id: string, fingerprint: string, description?: string): Promise<boolean>;
  removeCertificate(id: string, fingerprint: string): Promise<void>;
}

/** A change that is not possible. The hint says what to do instead. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
