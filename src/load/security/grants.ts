import { KINDS, type KindWord } from '../../kinds/kinds.ts';
import type { Position } from '../../model/definition.ts';
import { type OperationIdentity, qualifiedName } from '../../model/operation-names.ts';
import type { PermissionList } from '../../model/security.ts';
import type { Service } from '../../model/service.ts';
import { type Place, positionOf } from '../diagnostic/diagnostic.ts';
import {
  declarationsOf,
  isRejectedOperation,
  type Linking,
  type OperationNames,
  raiseAmbiguous,
  refuseBoth,
  resolveIds,
} from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { PermissionListDeclared } from '../schema/security.ts';

/** The sources of grants: the lists, and the entries in them. */
export interface GrantSources {
  readonly lists: ReadonlyMap<string, PermissionList>;
  readonly added: Added;
}

/** The grants of a thing. */
export interface Grants {
  readonly permissions: readonly PermissionList[];
  /** Where each list is named. */
  readonly grantedAt: ReadonlyMap<PermissionList, Position>;
}

/** The keys of a definition that grant it. */
interface Granting {
  readonly permission?: string | readonly string[];
  readonly public?: boolean;
}

const noGrants = (): Grants => ({ permissions: [], grantedAt: new Map() });

/** The lists in `permission:` of a holder, and those that list the thing. */
export function grantsOf(linking: Linking, { lists, added }: GrantSources, id: string, holder: Granting): Grants {
  const named = namedBy(linking, lists, holder);
  const more = added.get(id);
  if (more === undefined) return named;
  const grantedAt = new Map(named.grantedAt);
  for (const [list, at] of more) if (!grantedAt.has(list)) grantedAt.set(list, at);
  return { permissions: [...grantedAt.keys()], grantedAt };
}

/** The operations of a service share its grants. */
const byHolder = new WeakMap<Granting, Grants>();

function namedBy(linking: Linking, lists: GrantSources['lists'], holder: Granting): Grants {
  if (holder.permission === undefined) return noGrants();
  let grants = byHolder.get(holder);
  if (grants === undefined) {
    const permissions = resolveIds(linking, 'permission-list', lists, holder, 'permission');
    const grantedAt = placesOf(linking, holder, 'permission', permissions);
    grants = { permissions: [...grantedAt.keys()], grantedAt };
    byHolder.set(holder, grants);
  }
  return grants;
}

/** The place of each thing that `key` of `container` refers to, as a single id or a list. */
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

/** The grants of a definition of its own. It must be granted or public. */
export function linkThingGrants(
  linking: Linking,
  sources: GrantSources,
  { id, value, at }: Declaration<Granting>,
  kind: string,
): Grants & { readonly public: boolean } {
  const { report } = linking;
  refuseGrantOfPublic(linking, value);
  if (value.public === true) return { ...noGrants(), public: true };
  const grants = grantsOf(linking, sources, id, value);
  const isMeant = value.permission !== undefined || sources.added.has(id);
  if (!isMeant && !linking.doubt.about(value, 'permission', 'public'))
    report.raise('not-granted', { what: id, kind }, at);
  return { ...grants, public: false };
}

/** Refuses grants of something public. */
export function refuseGrantOfPublic(linking: Linking, holder: Granting): void {
  if (holder.public === true) refuseBoth(linking, holder, 'permission', 'public', 'anything public needs no grant');
}

/** The things of one kind that permission lists contain: by id, the lists with the place of the entry. */
type Added = ReadonlyMap<string, ReadonlyMap<PermissionList, Position>>;

/** A kind whose things permission lists name. */
export type GrantedKind = {
  [K in KindWord]: (typeof KINDS)[K] extends { readonly granted: string } ? K : never;
}[KindWord];

/** Keys of a permission list: operations, and one for each such kind. */
type EntryKey = 'operations' | (typeof KINDS)[GrantedKind]['granted'];

/** The things that an entry can refer to. */
interface Named {
  readonly find: (entry: string, at: Place) => readonly string[];
  readonly known: () => string[];
  readonly isLost: (entry: string) => boolean;
  readonly what: (entry: string) => string;
}

/** The operations that an entry can refer to. */
interface GrantableOperations {
  readonly services: readonly Pick<Service, 'id' | 'name'>[];
  readonly identities: readonly OperationIdentity[];
  readonly names: OperationNames;
}

/**
 * The lists that contain each operation: by its name, which grants it in every version of its service; by its qualified name;
 * by a wildcard for either; or with a whole service. Unknown entries and names in several services are reported.
 */
export function operationsByList(
  linking: Linking,
  lists: ReadonlyMap<string, PermissionList>,
  { services, identities, names }: GrantableOperations,
): Added {
  const every = new Map<string, OperationIdentity[]>();
  const add = (key: string, ...operations: readonly OperationIdentity[]): void => {
    const known = every.get(key);
    if (known === undefined) every.set(key, [...operations]);
    else known.push(...operations);
  };
  for (const { id, name } of services) for (const each of [id, name]) add(`${each}.*`);
  for (const operation of identities) {
    const { name, service } = operation;
    for (const key of [`${service.id}.*`, `${service.name}.*`, name, qualifiedName(operation)]) add(key, operation);
  }
  const fits = (operation: OperationIdentity, wildcard: string): boolean =>
    fitsWildcard(wildcard.includes('.') ? qualifiedName(operation) : operation.name, wildcard);
  return byList(linking, lists, 'operations', {
    find(entry, at) {
      const found = every.get(entry) ?? (entry.includes('*') ? identities.filter((each) => fits(each, entry)) : []);
      const isName = !/[.*]/.test(entry) && new Set(found.map(({ service }) => service.name)).size > 1;
      if (isName) raiseAmbiguous(linking, names, entry, at);
      return found.map(({ id }) => id);
    },
    known: () => [...every.keys()],
    // `A.*` refers to a known service even when all of its operations were rejected.
    isLost: (entry) =>
      every.has(entry) ||
      isRejectedOperation(linking, entry) ||
      [...linking.declared.rejected('operation')].some((name) => fitsWildcard(name, entry)) ||
      linking.declared.rejected('service').size > 0,
    what: (entry) => (entry.endsWith('.*') ? 'service for' : 'operation'),
  });
}

/** The lists that contain each query, process or component, by id or wildcard. Unknown entries are reported. */
export function thingsByList(linking: Linking, lists: ReadonlyMap<string, PermissionList>, kind: GrantedKind): Added {
  const ids = [...linking.declared.of(kind).keys()];
  return byList(linking, lists, KINDS[kind].granted, {
    find: (entry) =>
      entry.includes('*') ? ids.filter((id) => fitsWildcard(id, entry)) : ids.filter((id) => id === entry),
    known: () => ids,
    isLost: (entry) =>
      entry.includes('*') ? linking.declared.rejected(kind).size > 0 : linking.declared.rejected(kind).has(entry),
    what: () => kind,
  });
}

function byList(linking: Linking, lists: ReadonlyMap<string, PermissionList>, key: EntryKey, named: Named): Added {
  const { report, places } = linking;
  const added = new Map<string, Map<PermissionList, Position>>();
  for (const { id, value } of declarationsOf<PermissionListDeclared>(linking, 'permission-list')) {
    const list = lists.get(id);
    const entries = value[key] ?? [];
    for (const [index, entry] of entries.entries()) {
      const at = places.value(entries, index);
      const found = named.find(entry, at);
      if (found.length === 0 && !named.isLost(entry))
        report.raise('unknown-reference', { what: named.what(entry), id: entry, known: named.known() }, at);
      if (list === undefined) continue;
      for (const each of found) {
        const where = added.get(each) ?? new Map<PermissionList, Position>();
        added.set(each, where);
        if (!where.has(list)) where.set(list, positionOf(at));
      }
    }
  }
  return added;
}

/** Whether a text matches a wildcard, in which each `*` stands for any characters, or none. */
export function fitsWildcard(text: string, wildcard: string): boolean {
  const [first = '', ...rest] = wildcard.split('*');
  const last = rest.pop();
  if (last === undefined) return text === wildcard;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
