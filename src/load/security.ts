import type { PermissionList, Role, User } from '../model/security.ts';
import { readPasswordHash } from '../wire/password-hash.ts';
import type { PermissionListDeclared, RoleDeclared, UserDeclared } from './declared.ts';
import { given } from './given.ts';
import { byId, declarationsOf, type Linking, positionOf, resolveIds } from './linking.ts';

/** Links every permission list. Which operations they add is resolved when there are operations. */
export function linkPermissionLists(linking: Linking): Map<string, PermissionList> {
  return byId(
    declarationsOf<PermissionListDeclared>(linking, 'permission-list').map(({ id, value, at }) => ({
      id,
      operations: value.operations ?? [],
      queries: [],
      processes: [],
      components: [],
      ...given({ description: value.description }),
      at: positionOf(at),
    })),
  );
}

/** Links every role. */
export function linkRoles(linking: Linking, lists: ReadonlyMap<string, PermissionList>): Map<string, Role> {
  return byId(
    declarationsOf<RoleDeclared>(linking, 'role').map(({ id, value, at }) => ({
      id,
      permissionLists: resolveIds(linking, 'permission-list', lists, value, 'permission-lists'),
      ...given({ description: value.description }),
      at: positionOf(at),
    })),
  );
}

/** Links every user. */
export function linkUsers(linking: Linking, roles: ReadonlyMap<string, Role>): Map<string, User> {
  return byId(
    declarationsOf<UserDeclared>(linking, 'user').map(({ id, value, at }) => {
      checkPassword(linking, value);
      const held = resolveIds(linking, 'role', roles, value, 'roles');
      return {
        id,
        password: value.password,
        roles: held,
        permissionLists: new Set(held.flatMap((role) => role.permissionLists)),
        apiKeys: [],
        certificates: [],
        origin: 'definitions' as const,
        sample: value.sample ?? false,
        ...given({ description: value.description }),
        at: positionOf(at),
      };
    }),
  );
}

function checkPassword({ report, places }: Linking, value: UserDeclared): void {
  const { password } = value;
  // A reference has been reported as one that stands in the wrong place.
  if (password.startsWith('${')) return;
  const at = places.value(value, 'password');
  if (!password.startsWith('$scrypt$')) {
    const instead = 'Store its hash: $scrypt$ln=14,r=8,p=1$<salt>$<hash>, both in base64 without padding.';
    report.raise('secret-in-clear', { what: 'A password', instead }, at);
    return;
  }
  const reason = readPasswordHash(password);
  if (typeof reason === 'string') report.raise('password-hash', { reason }, at);
}

/** Which lists add an operation by its id or by a wildcard, by the operation's id. Entries that match nothing are reported. */
export function grantsByList(
  linking: Linking,
  lists: ReadonlyMap<string, PermissionList>,
  services: Iterable<{ readonly id: string; readonly name: string; readonly operations: readonly string[] }>,
  lost: ReadonlySet<string>,
): Map<string, PermissionList[]> {
  const known = new Map<string, string[]>();
  const add = (key: string, operations: readonly string[]): void => {
    known.set(key, [...(known.get(key) ?? []), ...operations]);
  };
  for (const { id, name, operations } of services) {
    add(`${id}.*`, operations);
    add(`${name}.*`, operations);
    for (const operation of operations) add(operation, [operation]);
  }
  const grants = new Map<string, PermissionList[]>();
  for (const declaration of declarationsOf<PermissionListDeclared>(linking, 'permission-list')) {
    const list = lists.get(declaration.id);
    const entries = declaration.value.operations ?? [];
    for (const [index, entry] of entries.entries()) {
      const operations = known.get(entry);
      if (operations === undefined && (lost.has(entry) || linking.declared.anySetAside('service'))) continue;
      if (operations === undefined) raiseUnknown(linking, entries, index, [...known.keys()]);
      else if (list !== undefined) for (const each of operations) grants.set(each, [...(grants.get(each) ?? []), list]);
    }
  }
  return grants;
}

function raiseUnknown({ report, places }: Linking, entries: readonly string[], index: number, known: string[]): void {
  const id = entries[index] as string;
  const what = id.endsWith('.*') ? 'service for' : 'operation';
  report.raise('unknown-reference', { what, id, known }, places.value(entries, index));
}
