import type { PermissionList } from '../../model/security.ts';
import { type Linking, resolveIds } from '../linking.ts';
import type { OperationSpot } from './operation-spot.ts';

/** Where grants come from. */
export interface GrantSources {
  readonly lists: ReadonlyMap<string, PermissionList>;
  /** Lists that add an operation by wildcard, by its id. */
  readonly grants: ReadonlyMap<string, readonly PermissionList[]>;
}

/** Who may call an operation. */
interface Grants {
  readonly permissions: readonly PermissionList[];
  readonly isPublic: boolean;
}

/** Who may call: what `permission:` names and what lists add; the operation's own word stands above its service's. */
export function linkGrants(
  linking: Linking,
  { lists, grants }: GrantSources,
  spot: OperationSpot,
  delivered: boolean,
): Grants {
  const { declared, service, id, at } = spot;
  for (const container of [declared, service]) {
    if (container.permission === undefined || container.public !== true) continue;
    const reason = 'what is public needs no grant';
    const key = linking.places.key(container, 'public');
    linking.report.raise('conflicting-options', { first: 'permission', second: 'public', reason }, key);
  }
  const speaks = declared.permission !== undefined || declared.public !== undefined ? declared : service;
  const isPublic = speaks.public === true;
  const holder = declared.permission !== undefined ? declared : service;
  const named = isPublic ? [] : resolveIds(linking, 'permission-list', lists, holder, 'permission');
  const added = isPublic ? [] : (grants.get(id) ?? []);
  const lacks = holder.permission === undefined && added.length === 0;
  if (!isPublic && lacks && !spot.lacks('permission', 'public') && !delivered)
    linking.report.raise('not-granted', { what: id, kind: 'operation' }, at);
  return { permissions: [...new Set([...named, ...added])], isPublic };
}
