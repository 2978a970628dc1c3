import type { User } from '../../src/model/security.ts';
import { definedUsers } from '../../src/security/directory/directory.ts';
import type { Directory } from '../../src/security/directory/directory-port.ts';

/** A directory of the users in the definitions only, which never change while the gateway runs. */
export function createDirectory(users: ReadonlyMap<string, User>, sampleUsers: boolean): Directory {
  const defined = definedUsers(users, sampleUsers);
  return {
    find: (id) => defined.find(id),
    findByApiKey: (hash) => defined.findByApiKey(hash),
    findByCertificate: (names) => defined.findByCertificate(names),
    findOwner: (id) => defined.find(id),
    version: () => 0,
    // Without a database there is no state to keep.
    keep: async () => undefined,
  };
}
