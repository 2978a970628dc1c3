import type { Routing } from '../model/routing.ts';
import type { RoutingDeclared } from './declared.ts';
import { placeText } from './diagnostic.ts';
import { declarationsOf, type Linking, positionOf, resolveId } from './linking.ts';
import type { LinkedOperation } from './services.ts';

/**
 * The any-to-local routing of every active operation, in the order of operations: generated, or overridden by a
 * definition. One that is switched off switches its operation off.
 */
export function linkRoutings(
  linking: Linking,
  operations: ReadonlyMap<string, LinkedOperation>,
  lost: ReadonlySet<string>,
  receiver: string,
): Routing[] {
  const { report, places } = linking;
  const overrides = new Map<string, Routing>();
  for (const { id, value, at } of declarationsOf<RoutingDeclared>(linking, 'routing')) {
    if (lost.has(value.operation) && !operations.has(value.operation)) continue;
    const operation = resolveId(linking, 'operation', operations, value.operation, places.value(value, 'operation'));
    if (operation === undefined) continue;
    const other = overrides.get(operation.id);
    if (other !== undefined) {
      const parameters = { operation: operation.id, first: placeText(other.at) };
      report.raise('two-routings', parameters, places.value(value, 'operation'));
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
