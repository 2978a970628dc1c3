import type { Position } from '../../model/position.ts';
import type { PermissionList } from '../../model/security.ts';
import { positionOf } from '../diagnostic/place.ts';
import { type Linking, mayHaveMeant, refuseBoth, resolveIds } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { Added } from './grants-by-list.ts';

/** Where grants come from: the lists, and what those add by themselves. */
export interface GrantSources {
  readonly lists: ReadonlyMap<string, PermissionList>;
  readonly added: Added;
}

/** Who may use a thing. */
export interface Grants {
  readonly permissions: readonly PermissionList[];
  /** Where each of them is named. */
  readonly grantedAt: ReadonlyMap<PermissionList, Position>;
}

/** What says something of grants. */
interface Granting {
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
}

const NONE: Grants = { permissions: [], grantedAt: new Map() };

/** The lists that `permission:` of a holder names, and those that add the thing by themselves. */
export function grantsOf(linking: Linking, { lists, added }: GrantSources, id: string, holder: Granting): Grants {
  const named = namedBy(linking, lists, holder);
  const more = added.get(id);
  if (more === undefined) return named;
  const grantedAt = new Map(named.grantedAt);
  for (const [list, at] of more) if (!grantedAt.has(list)) grantedAt.set(list, at);
  return { permissions: [...grantedAt.keys()], grantedAt };
}

/** What a service names holds for all its operations, which share it. */
const byHolder = new WeakMap<Granting, Grants>();

function namedBy(linking: Linking, lists: GrantSources['lists'], holder: Granting): Grants {
  if (holder.permission === undefined) return NONE;
  let grants = byHolder.get(holder);
  if (grants === undefined) {
    const permissions = resolveIds(linking, 'permission-list', lists, holder, 'permission');
    const grantedAt = placesOf(linking, holder, 'permission', permissions);
    grants = { permissions: [...grantedAt.keys()], grantedAt };
    byHolder.set(holder, grants);
  }
  return grants;
}

/** Where each of the things that `key` of `container` names, one or a list, stands there. */
export function placesOf<T extends { readonly id: string }>(
  { places }: Linking,
  container: object,
  key: string,
  named: readonly T[],
): Map<T, Position> {
  const ids = (container as Readonly<Record<string, string | readonly string[]>>)[key];
  const placeOf = (id: string): Position =>
    positionOf(typeof ids === 'object' ? places.value(ids, ids.indexOf(id)) : places.value(container, key));
  return new Map(named.map((each) => [each, placeOf(each.id)]));
}

/** Who may use a definition that stands by itself. Held to one word on that: it is granted, or everybody may. */
export function linkThingGrants(
  linking: Linking,
  sources: GrantSources,
  { id, value, at }: Declaration<Granting>,
  kind: string,
): Grants & { readonly public: boolean } {
  const { report } = linking;
  refuseGrantOfPublic(linking, value);
  if (value.public === true) return { ...NONE, public: true };
  const grants = grantsOf(linking, sources, id, value);
  const isMeant = value.permission !== undefined || sources.added.has(id);
  if (!isMeant && !mayHaveMeant(linking, value, ['permission', 'public']))
    report.raise('not-granted', { what: id, kind }, at);
  return { ...grants, public: false };
}

/** What is public is not granted as well. */
export function refuseGrantOfPublic(linking: Linking, holder: Granting): void {
  if (holder.public === true) refuseBoth(linking, holder, 'permission', 'public', 'what is public needs no grant');
}
