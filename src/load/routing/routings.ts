import type { ConsumerOperation } from '../../model/consumer.ts';
import type { Routing } from '../../model/routing.ts';
import type { Operation } from '../../model/service.ts';
import { placeText, positionOf } from '../diagnostic/place.ts';
import type { Mutable } from '../given.ts';
import { declarationsOf, type Linking, refuseKey, resolveId } from '../linking.ts';
import type { Declaration } from '../read/declaration.ts';
import type { RoutingDeclared } from '../schema/routing.ts';
import { routingOverrides } from './overrides.ts';

/** The operations that a routing may name. */
interface Routable {
  readonly operations: ReadonlyMap<string, Mutable<Operation>>;
  readonly consumers: ReadonlyMap<string, ConsumerOperation>;
  /** Those that were declared and can't be used. */
  readonly lost: ReadonlySet<string>;
}

/**
 * The any-to-local routing of every active operation, in the order of operations: generated, or overridden by a
 * definition. One that is switched off switches its operation off. What overrides the routing of a consumer was linked with
 * the consumer; here it is checked.
 */
export function linkRoutings(linking: Linking, routable: Routable, receiver: string): Routing[] {
  const { operations, consumers } = routable;
  const overrides = new Map<string, Routing>();
  for (const declaration of soundDeclarations(linking, routable)) {
    const { id, value, at } = declaration;
    refuseKeys(linking, declaration, consumers.has(value.operation));
    const operation = operations.get(value.operation);
    if (operation === undefined) continue;
    const active = value.active ?? true;
    if (!active) operation.active = false;
    const log = value.log ?? 'none';
    const position = positionOf(at);
    overrides.set(operation.id, {
      id,
      operation,
      sender: 'ANY',
      receiver,
      generated: false,
      active,
      log,
      at: position,
    });
  }
  const sorted = [...operations.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return sorted.flatMap((operation) => {
    const override = overrides.get(operation.id);
    if (override !== undefined) return override;
    return operation.active ? generatedRouting(operation, receiver) : [];
  });
}

/** The definitions that override the routing of an operation that exists, one for each. */
function soundDeclarations(
  linking: Linking,
  { operations, consumers, lost }: Routable,
): readonly Declaration<RoutingDeclared>[] {
  const { report, places } = linking;
  const routable = new Map([...operations, ...consumers].map(([id]) => [id, id]));
  const first = routingOverrides(linking);
  return declarationsOf<RoutingDeclared>(linking, 'routing').filter(({ id, value }) => {
    const { operation } = value;
    if (lost.has(operation) && !routable.has(operation)) return false;
    const named = places.value(value, 'operation');
    if (resolveId(linking, 'operation', routable, operation, named) === undefined) return false;
    const override = first.get(operation);
    if (override === undefined || override.id === id) return true;
    report.raise('two-routings', { operation, first: placeText(override.at) }, named);
    return false;
  });
}

/** Refuses what a routing says of calls where the operation is answered here, and of what is answered here where it is a call. */
function refuseKeys(linking: Linking, { id, value }: Declaration<RoutingDeclared>, isCall: boolean): void {
  const { operation } = value;
  const why = isCall
    ? `${operation} calls another system, and the log keeps exchanges that come in`
    : `${operation} is answered here, and this says how another system is called`;
  const refused = isCall ? (['log'] as const) : (['target', 'headers', 'properties'] as const);
  for (const key of refused) refuseKey(linking, value, key, `routing ${id}`, why);
}

function generatedRouting(operation: Mutable<Operation>, receiver: string): Routing {
  const { id, at } = operation;
  return { id: `~GENERATED~${id}`, operation, sender: 'ANY', receiver, generated: true, active: true, log: 'none', at };
}
