import type { Linking } from '../linking.ts';
import { type GrantSources, type Grants, grantsOf, refuseGrantOfPublic } from '../security/grants.ts';
import type { OperationSpot } from './spot.ts';

/** Who may call: what `permission:` names and what lists add; the operation's own word stands above its service's. */
export function linkGrants(
  linking: Linking,
  sources: GrantSources,
  spot: OperationSpot,
  delivered: boolean,
): Grants & { readonly public: boolean } {
  const { declared, service, id, at } = spot;
  for (const container of [declared, service]) refuseGrantOfPublic(linking, container);
  const speaks = declared.permission !== undefined || declared.public !== undefined ? declared : service;
  const holder = declared.permission !== undefined ? declared : service;
  if (speaks.public === true) return { permissions: [], grantedAt: new Map(), public: true };
  const lacks = holder.permission === undefined && !sources.added.has(id);
  if (lacks && !spot.lacks('permission', 'public') && !delivered)
    linking.report.raise('not-granted', { what: id, kind: 'operation' }, at);
  return { ...grantsOf(linking, sources, id, holder), public: false };
}
