import { Fault } from '../model/fault.ts';
import type { PermissionList, User } from '../model/security.ts';

/** A thing that is granted: an operation, a query, a path of the gateway's own. */
export interface Grantable {
  readonly id: string;
  readonly public: boolean;
  readonly permissions: readonly PermissionList[];
}

/** Whether a caller may use a thing. Deny by default: it is public, or one of the caller's lists grants it. */
export function may(user: User | undefined, thing: Grantable): boolean {
  if (thing.public) return true;
  if (user === undefined) return false;
  for (const list of thing.permissions) if (user.permissionLists.has(list)) return true;
  return false;
}

/** @throws Fault FORBIDDEN */
export function authorise(user: User | undefined, thing: Grantable, kind: 'operation' | 'query' | 'path'): void {
  if (!may(user, thing)) {
    throw Fault.of('FORBIDDEN', {
      user: user === undefined ? 'An anonymous caller' : `User ${user.id}`,
      what: `${kind} ${thing.id}`,
    });
  }
}
