import type { User } from '../../model/security.ts';
import { JobNotBegun } from '../../store/index.ts';

/** Whose an API key is. */
export interface KeyHolder {
  readonly user: User;
  /** When the key expires, in milliseconds since 1970; never where undefined. */
  readonly until?: number;
}

/** In whose names work runs that nobody waits for. */
export type Owners = Pick<Directory, 'findOwner' | 'keep'>;

/** The users that may call, wherever they are kept. A disabled one, and one of a sample that is switched off, is none. */
export interface Directory {
  find(id: string): User | undefined | Promise<User | undefined>;
  /** By a key that is neither revoked nor expired. @param hash `sha256:` and 64 hex digits */
  findByApiKey(hash: string): KeyHolder | undefined | Promise<KeyHolder | undefined>;
  /** @param names fingerprint (`sha256:` and 64 hex digits) and, where an authority vouches for it, subject */
  findByCertificate(names: readonly string[]): User | undefined | Promise<User | undefined>;
  /**
   * In whose name work runs that nobody waits for: as `find`, and callers that were kept too. Never for somebody who calls:
   * a token's caller is known by its token alone.
   */
  findOwner(id: string): User | undefined | Promise<User | undefined>;
  /**
   * A number that grows with every change of a user: what was remembered under another one holds no longer. It is to be
   * taken before the user is looked up.
   */
  version(): number | Promise<number>;
  /**
   * Keeps whom a token vouched for, with its roles, so that work which ends later runs under the same grants; nothing of any
   * other user. To be called before the transaction that enters the work. @throws Fault UNAVAILABLE
   */
  keep(user: User): Promise<void>;
}

/**
 * The user whom a job runs for; `undefined` for one who is unknown or disabled by now.
 * @throws JobNotBegun while the directory does not answer: that costs the job no attempt
 */
export async function ownerOf(directory: Owners, id: string): Promise<User | undefined> {
  try {
    return await directory.findOwner(id);
  } catch (cause) {
    throw new JobNotBegun((cause as Error).message, { cause });
  }
}
