import type { User } from '../model/security.ts';

/** A user that no definition declares: one of the database, or one whom a token vouches for. */
export function undeclaredUser(
  id: string,
  origin: 'database' | 'token',
  held: Pick<User, 'roles' | 'permissionLists'>,
): User {
  return {
    id,
    ...held,
    apiKeys: [],
    certificates: [],
    sample: false,
    origin,
    at: { file: origin, line: 1, column: 1 },
  };
}
