import type { Component } from '../../model/component.ts';
import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Query } from '../../model/query.ts';
import type { Role } from '../../model/security.ts';
import type { Answer } from '../../model/service.ts';
import { operationsOf } from '../flow/calls.ts';
import { type Linking, resolveId } from '../linking.ts';
import type { OperationSpot } from './operation-spot.ts';

/** `as: ROLE`: the role that stands in the caller's place for what answers. Undefined where there is none of that name. */
export function linkAs(
  linking: Linking,
  roles: ReadonlyMap<string, Role>,
  spot: OperationSpot,
  answer: Answer,
): Role | undefined {
  const { declared, id } = spot;
  if (declared.as === undefined) return undefined;
  const { report, places } = linking;
  const role = resolveId(linking, 'role', roles, declared.as, places.value(declared, 'as'));
  const reached = reachedBy(answer);
  if (role === undefined || reached === undefined || spot.lacks('query', 'save', 'read', 'call', 'handler'))
    return role;
  if (reached.every(({ thing }) => thing.public)) {
    const why = `what answers ${id} needs no grant of its own`;
    report.raise('key-without-effect', { key: 'as', owner: id, why }, places.key(declared, 'as'));
  }
  for (const { kind, thing } of reached) {
    const isGranted = thing.public || thing.permissions.some((list) => role.permissionLists.includes(list));
    if (isGranted || thing.permissions.length === 0) continue;
    const reason = { operation: id, role: role.id, thing: `${kind} ${thing.id}` };
    report.raise('role-not-granted', reason, places.value(declared, 'as'));
  }
  return role;
}

/** Something that an answer reaches under a grant of its own. */
interface Reached {
  readonly kind: 'query' | 'component' | 'operation';
  readonly thing: Query | Component | ConsumerOperation;
}

/** Undefined where only running it tells. */
function reachedBy(answer: Answer): readonly Reached[] | undefined {
  switch (answer.kind) {
    case 'query':
      return [{ kind: 'query', thing: answer.query }];
    case 'queries':
      return answer.lists.map(({ query }) => ({ kind: 'query', thing: query }));
    case 'component':
      return [{ kind: 'component', thing: answer.component }];
    case 'call':
      return operationsOf(answer.call).map((thing) => ({ kind: 'operation', thing }));
    case 'handler':
    case 'delivered':
      return undefined;
  }
}
