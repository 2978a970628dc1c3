import { reachedBy } from '../../model/reached.ts';
import type { Role } from '../../model/security.ts';
import type { Answer } from '../../model/service.ts';
import { type Linking, refuseKey, resolveKey } from '../linking.ts';
import type { OperationSpot } from './spot.ts';

/** `as: ROLE`: the role that stands in the caller's place for what answers. Undefined where there is none of that name. */
export function linkAs(
  linking: Linking,
  roles: ReadonlyMap<string, Role>,
  spot: OperationSpot,
  answer: Answer,
): Role | undefined {
  const { declared, id } = spot;
  const { report, places } = linking;
  const role = resolveKey(linking, 'role', roles, declared, 'as');
  const reached = reachedBy(answer);
  if (role === undefined || reached === undefined || spot.lacks('query', 'save', 'read', 'call', 'handler'))
    return role;
  if (reached.every(({ thing }) => thing.public))
    refuseKey(linking, declared, 'as', id, `what answers ${id} needs no grant of its own`);
  for (const { kind, thing } of reached) {
    const isGranted = thing.public || thing.permissions.some((list) => role.permissionLists.includes(list));
    if (isGranted || thing.permissions.length === 0) continue;
    const words = kind === 'consumer' ? 'operation' : kind;
    const reason = { operation: id, role: role.id, thing: `${words} ${thing.id}` };
    report.raise('role-not-granted', reason, places.value(declared, 'as'));
  }
  return role;
}
