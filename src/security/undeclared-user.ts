import type { PermissionList, Role, User } from '../model/security.ts';

/** A user that no definition declares: one of the database, or one whom a token vouches for. */
export function undeclaredUser(id: string, origin: 'database' | 'token', roles: readonly Role[]): User {
  return {
    id,
    roles,
    permissionLists: listsOf(roles),
    apiKeys: [],
    certificates: [],
    sample: false,
    origin,
    at: { file: origin, line: 1, column: 1 },
  };
}

/** Every list of every role. */
export function listsOf(roles: readonly Role[]): ReadonlySet<PermissionList> {
  return new Set(roles.flatMap(({ permissionLists }) => permissionLists));
}
