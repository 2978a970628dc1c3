import type { NewApiKey } from '../scheme/api-key.ts';

/** A user as the database keeps it; nothing of it is secret. Times are UTC, `yyyy-MM-ddTHH:mm:ss.fffZ`. */
export interface KeptUser {
  readonly id: string;
  readonly description?: string;
  /** Ids; one may be declared no longer. */
  readonly roles: readonly string[];
  readonly disabled: boolean;
  readonly hasPassword: boolean;
  readonly created: string;
  readonly changed: string;
}

/** A key as it may be shown. */
export interface KeptKey {
  readonly id: string;
  readonly description?: string;
  readonly created: string;
  readonly expires?: string;
  readonly revoked?: string;
}

/** A certificate as it may be shown. */
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

/** What is done to users. */
export type UserAction =
  | 'add'
  | 'passwd'
  | 'disable'
  | 'enable'
  | 'role'
  | 'key-add'
  | 'key-revoke'
  | 'certificate-add'
  | 'certificate-remove';

/** A user to add. */
export interface NewUser {
  readonly id: string;
  /** PHC string; without one no password fits. */
  readonly password?: string;
  readonly description?: string;
  readonly roles: readonly string[];
}

/** What can be seen of the users of the database. Everything rejects with UserError for a user that there is not. */
export interface UserReader {
  /** In the order of their ids. */
  list(): Promise<readonly KeptUser[]>;
  get(id: string): Promise<KeptUser>;
  /** The oldest first. */
  keys(id: string): Promise<readonly KeptKey[]>;
  /** The oldest first. */
  certificates(id: string): Promise<readonly KeptCertificate[]>;
  /** What was done, the oldest first; to one user alone where one is named. */
  trail(id?: string): Promise<readonly TrailLine[]>;
}

/**
 * The users of the database. Each change is one transaction with its line of the trail, and counts the version up by which
 * gateways notice it. What changes nothing leaves no line, and returns false. Everything rejects with UserError for a user
 * or a key that there is not.
 */
export interface Users extends UserReader {
  /** @throws UserError where there is one */
  add(user: NewUser): Promise<void>;
  /** @param password PHC string; undefined takes the password away */
  setPassword(id: string, password: string | undefined): Promise<void>;
  setDisabled(id: string, disabled: boolean): Promise<boolean>;
  changeRoles(
    id: string,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<boolean>;
  addKey(id: string, options: { readonly expires?: Date; readonly description?: string }): Promise<NewApiKey>;
  /** @param key the part of it that is shown */
  revokeKey(id: string, key: string): Promise<boolean>;
  /**
   * @param fingerprint `sha256:` and 64 hex digits in lower case
   * @returns false where it is this user's already @throws UserError where it is another's
   */
  addCertificate(id: string, fingerprint: string, description?: string): Promise<boolean>;
  /** @throws UserError where it is not this user's */
  removeCertificate(id: string, fingerprint: string): Promise<void>;
}

/** Something that can't be done to a user; the message says why, the hint what can be done instead. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}
