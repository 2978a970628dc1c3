import type { Routing } from '../model/routing.ts';
import type { ConsumerOperation } from '../model/service.ts';
import type { RoutingDeclared } from './declared.ts';
import { placeText } from './diagnostic.ts';
import { declarationsOf, type Linking, positionOf, resolveId } from './linking.ts';
import type { LinkedOperation } from './services.ts';

/** The operations that a routing may name. */
interface Routable {
  readonly operations: ReadonlyMap<string, LinkedOperation>;
  readonly consumers: ReadonlyMap<string, ConsumerOperation>;
  /** Those that were declared and can't be used. */
  readonly lost: ReadonlySet<string>;
}

/**
 * The any-to-local routing of every active operation, in the order of operations: generated, or overridden by a
 * definition. One that is switched off switches its operation off.
 */
export function linkRoutings(linking: Linking, { operations, consumers, lost }: Routable, receiver: string): Routing[] {
  const { report, places } = linking;
  const overrides = new Map<string, Routing>();
  for (const { id, value, at } of declarationsOf<RoutingDeclared>(linking, 'routing')) {
    if (lost.has(value.operation) && !operations.has(value.operation)) continue;
    const named = places.value(value, 'operation');
    const consumer = consumers.get(value.operation);
    if (consumer !== undefined) {
      report.raise('consumer-routing', { operation: consumer.id, node: consumer.target.id }, named);
      continue;
    }
    const operation = resolveId(linking, 'operation', operations, value.operation, named);
    if (operation === undefined) continue;
    const other = overrides.get(operation.id);
    if (other !== undefined) {
      report.raise('two-routings', { operation: operation.id, first: placeText(other.at) }, named);
      continue;
    }
    const active = value.active ?? true;
    if (!active) operation.active = false;
    const log = value.log ?? 'none';
    overrides.set(operation.id, {
      id,
      operation,
      sender: 'ANY',
      receiver,
      generated: false,
      active,
      log,
      at: positionOf(at),
    });
  }
  const sorted = [...operations.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return sorted.flatMap((operation) => {
    const override = overrides.get(operation.id);
    if (override !== undefined) return override;
    return operation.active ? generatedRouting(operation, receiver) : [];
  });
}

function generatedRouting(operation: LinkedOperation, receiver: string): Routing {
  const { id, at } = operation;
  return { id: `~GENERATED~${id}`, operation, sender: 'ANY', receiver, generated: true, active: true, log: 'none', at };
}
