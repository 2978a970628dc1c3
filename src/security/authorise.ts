import { Fault } from '../model/fault.ts';
import type { ConsoleGrant, PermissionList, Role, User } from '../model/security.ts';

/** Something with grants: an operation, a query, a process, a component, or a path of the gateway. */
export interface Grantable {
  readonly id: string;
  readonly public: boolean;
  readonly permissions: readonly PermissionList[];
}

/**
 * Whether a caller may use a thing: it is public, or one of the caller's lists grants it.
 * @param as the role whose lists replace the caller's (`as:` of an operation)
 */
export function may(user: Pick<User, 'permissionLists'> | undefined, thing: Grantable, as?: Role): boolean {
  if (thing.public) return true;
  if (as !== undefined) return as.permissionLists.some((list) => thing.permissions.includes(list));
  if (user === undefined) return false;
  for (const list of thing.permissions) if (user.permissionLists.has(list)) return true;
  return false;
}

/** @throws Fault FORBIDDEN */
export function authorise(
  user: User | undefined,
  thing: Grantable,
  kind: 'operation' | 'query' | 'component' | 'path',
  as?: Role,
): void {
  if (!may(user, thing, as)) throw Fault.of('FORBIDDEN', { user: nameOf(user, as), what: `${kind} ${thing.id}` });
}

/** What a user may do in the operator's console; nothing for a user without grants of it. */
export function consoleGrants(user: Pick<User, 'permissionLists'>): ReadonlySet<ConsoleGrant> {
  return new Set([...user.permissionLists].flatMap((list) => [...(list.console?.keys() ?? [])]));
}

function nameOf(user: User | undefined, as: Role | undefined): string {
  if (as !== undefined) return `The role ${as.id}`;
  return user === undefined ? 'An anonymous caller' : `User ${user.id}`;
}

/** A user that the definitions do not declare: one of the database, or one that a token names. */
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

/** All lists of all roles. */
export function listsOf(roles: readonly Role[]): ReadonlySet<PermissionList> {
  return new Set(roles.flatMap(({ permissionLists }) => permissionLists));
}
