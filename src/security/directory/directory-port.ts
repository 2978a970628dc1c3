import type { User } from '../../model/security.ts';
import { JobNotBegun, JobUnknown } from '../../store/index.ts';

/** The user that an API key belongs to. */
export interface KeyHolder {
  readonly user: User;
  /** When the key expires, in milliseconds since 1970; absent if it does not. */
  readonly until?: number;
}

/** The users that background work runs for. */
export type Owners = Pick<Directory, 'findOwner' | 'keep'>;

/** The users that may call. Disabled users are not found, nor are those of a sample that is switched off. */
export interface Directory {
  find(id: string): User | undefined | Promise<User | undefined>;
  /** By a key that is neither revoked nor expired. @param hash `sha256:` and 64 hex digits */
  findByApiKey(hash: string): KeyHolder | undefined | Promise<KeyHolder | undefined>;
  /** @param names fingerprint (`sha256:` and 64 hex digits) and, if a trusted authority has issued it, subject */
  findByCertificate(names: readonly string[]): User | undefined | Promise<User | undefined>;
  /**
   * Finds the user that background work runs for: as `find`, and also stored callers. Not for authentication: a token's
   * caller is authenticated by the token only.
   */
  findOwner(id: string): User | undefined | Promise<User | undefined>;
  /**
   * A number that changes with every change of a user, which makes remembered results invalid. Read it before you look a user
   * up.
   */
  version(): number | Promise<number>;
  /**
   * Stores the caller that a token named, with its roles, for background work; does nothing for other users. Call it before
   * the transaction that enters the work.
   * @throws Fault UNAVAILABLE
   */
  keep(user: User): Promise<void>;
}

/**
 * The user that a job runs for; `undefined` if the user is unknown or was disabled.
 * @param isDeclared the definitions of the gateway that entered the job declare the user
 * @throws JobNotBegun while the directory does not answer: that costs the job no attempt; JobUnknown for a declared user whom
 * the definitions of this gateway lack
 */
export async function ownerOf(directory: Owners, id: string, isDeclared = false): Promise<User | undefined> {
  const user = await findOwner(directory, id);
  if (user === undefined && isDeclared) throw new JobUnknown(`there is no user ${id} here`, { allOfKind: false });
  return user;
}

async function findOwner(directory: Owners, id: string): Promise<User | undefined> {
  try {
    return await directory.findOwner(id);
  } catch (cause) {
    throw new JobNotBegun((cause as Error).message, { cause });
  }
}
