import type { User } from '../../model/security.ts';
import type { Directory, KeyHolder } from '../port.ts';

/** The users of the definitions, found at once. */
export interface DefinedUsers {
  /** Whether one has this id, even one of a sample that is switched off. */
  has(id: string): boolean;
  find(id: string): User | undefined;
  findByApiKey(hash: string): KeyHolder | undefined;
  findByCertificate(names: readonly string[]): User | undefined;
}

/** @param sampleUsers those of the sample may call; false refuses them as if they did not exist */
export function definedUsers(users: ReadonlyMap<string, User>, sampleUsers: boolean): DefinedUsers {
  const callers = [...users.values()].filter((user) => sampleUsers || !user.sample);
  const byId = new Map(callers.map((user) => [user.id, user]));
  const byKey = new Map(callers.flatMap((user) => user.apiKeys.map((hash) => [hash, { user }])));
  const byCertificate = new Map(callers.flatMap((user) => user.certificates.map((name) => [name, user])));
  return {
    has: (id) => users.has(id),
    find: (id) => byId.get(id),
    findByApiKey: (hash) => byKey.get(hash),
    findByCertificate: (names) => {
      const known = names.find((name) => byCertificate.has(name));
      return known === undefined ? undefined : byCertificate.get(known);
    },
  };
}

/** A directory of the users of the definitions alone, which never change while the gateway runs. */
export function createDirectory(users: ReadonlyMap<string, User>, sampleUsers: boolean): Directory {
  const defined = definedUsers(users, sampleUsers);
  return {
    find: (id) => defined.find(id),
    findByApiKey: (hash) => defined.findByApiKey(hash),
    findByCertificate: (names) => defined.findByCertificate(names),
    findOwner: (id) => defined.find(id),
    version: () => 0,
    // Without a database nothing outlives the call.
    keep: async () => undefined,
  };
}
