import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Routing } from '../../model/routing.ts';
import type { Operation } from '../../model/service.ts';
import { positionOf } from '../diagnostic/place.ts';
import type { Mutable } from '../given.ts';
import { type Linking, refuseKey } from '../linking.ts';
import type { RoutingOverride } from './overrides.ts';

/** What the routings of a project are made of. */
interface RoutingSources {
  readonly operations: ReadonlyMap<string, Mutable<Operation>>;
  readonly consumers: ReadonlyMap<string, ConsumerOperation>;
  readonly overrides: ReadonlyMap<string, RoutingOverride>;
}

/**
 * The any-to-local routing of every active operation, in the order of operations: generated, or overridden by a
 * definition. One that is switched off switches its operation off. What overrides the routing of a consumer was linked with
 * the consumer; here it is checked.
 */
export function linkRoutings(linking: Linking, sources: RoutingSources, receiver: string): Routing[] {
  const { operations, consumers, overrides } = sources;
  for (const [id, override] of overrides) refuseKeys(linking, override, id, consumers.has(id));
  const sorted = [...operations.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return sorted.flatMap((operation) => {
    const override = overrides.get(operation.id);
    if (override !== undefined) return overriddenRouting(operation, override, receiver);
    return operation.active ? generatedRouting(operation, receiver) : [];
  });
}

/** Refuses what a routing says of calls where the operation is answered here, and of what is answered here where it is a call. */
function refuseKeys(linking: Linking, { id, declared }: RoutingOverride, operation: string, isCall: boolean): void {
  const why = isCall
    ? `${operation} calls another system, and the log keeps exchanges that come in`
    : `${operation} is answered here, and this says how another system is called`;
  const refused = isCall ? (['log'] as const) : (['target', 'headers', 'properties'] as const);
  for (const key of refused) refuseKey(linking, declared, key, `routing ${id}`, why);
}

function overriddenRouting(operation: Mutable<Operation>, override: RoutingOverride, receiver: string): Routing {
  const { id, declared, at } = override;
  const { active = true, log = 'none' } = declared;
  if (!active) operation.active = false;
  return { id, operation, sender: 'ANY', receiver, generated: false, active, log, at: positionOf(at) };
}

function generatedRouting(operation: Mutable<Operation>, receiver: string): Routing {
  const { id, at } = operation;
  return { id: `~GENERATED~${id}`, operation, sender: 'ANY', receiver, generated: true, active: true, log: 'none', at };
}
