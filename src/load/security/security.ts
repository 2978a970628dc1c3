import type { PermissionList, Role, User } from '../../model/security.ts';
import { positionOf } from '../diagnostic/place.ts';
import { given } from '../given.ts';
import { byId, declarationsOf, type Linking, resolveIds } from '../linking.ts';
import type { PermissionListDeclared, RoleDeclared, UserDeclared } from '../schema/security.ts';
import { placesOf } from './grants.ts';
import { linkCredentials } from './user-credentials.ts';

/** Links every permission list. What they add is resolved when that is linked. */
export function linkPermissionLists(linking: Linking): Map<string, PermissionList> {
  return byId(
    declarationsOf<PermissionListDeclared>(linking, 'permission-list').map(({ id, value, at }) => ({
      id,
      operations: value.operations ?? [],
      queries: value.queries ?? [],
      processes: value.processes ?? [],
      components: value.components ?? [],
      ...given({ description: value.description, requests: value.requests }),
      at: positionOf(at),
    })),
  );
}

/** Links every role. */
export function linkRoles(linking: Linking, lists: ReadonlyMap<string, PermissionList>): Map<string, Role> {
  return byId(
    declarationsOf<RoleDeclared>(linking, 'role').map(({ id, value, at }) => {
      const held = resolveIds(linking, 'permission-list', lists, value, 'permission-lists');
      return {
        id,
        permissionLists: held,
        grantedAt: placesOf(linking, value, 'permission-lists', held),
        ...given({ description: value.description }),
        at: positionOf(at),
      };
    }),
  );
}

/** Links every user. */
export function linkUsers(linking: Linking, roles: ReadonlyMap<string, Role>): Map<string, User> {
  return byId(
    declarationsOf<UserDeclared>(linking, 'user').map(({ id, value, at }) => {
      const held = resolveIds(linking, 'role', roles, value, 'roles');
      return {
        id,
        roles: held,
        grantedAt: placesOf(linking, value, 'roles', held),
        permissionLists: new Set(held.flatMap((role) => role.permissionLists)),
        ...linkCredentials(linking, value),
        origin: 'definitions' as const,
        sample: value.sample ?? false,
        ...given({ description: value.description }),
        at: positionOf(at),
      };
    }),
  );
}
