import type { User } from '../../model/security.ts';
import type { KeyHolder } from './port.ts';

/**
 * The users of the definitions, found at once.
 * @param sampleUsers those of the sample may call; false refuses them as if they did not exist
 */
export function definedUsers(users: ReadonlyMap<string, User>, sampleUsers: boolean) {
  const callers = [...users.values()].filter((user) => sampleUsers || !user.sample);
  const byId = new Map(callers.map((user) => [user.id, user]));
  const byKey = new Map(callers.flatMap((user) => user.apiKeys.map((hash) => [hash, { user }])));
  const byCertificate = new Map(callers.flatMap((user) => user.certificates.map((name) => [name, user])));
  return {
    /** Whether one has this id, even one of a sample that is switched off. */
    has: (id: string): boolean => users.has(id),
    find: (id: string): User | undefined => byId.get(id),
    findByApiKey: (hash: string): KeyHolder | undefined => byKey.get(hash),
    findByCertificate(names: readonly string[]): User | undefined {
      const known = names.find((name) => byCertificate.has(name));
      return known === undefined ? undefined : byCertificate.get(known);
    },
  };
}
