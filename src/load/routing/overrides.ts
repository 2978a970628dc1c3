import { type Place, placeText } from '../diagnostic/place.ts';
import { declarationsOf, type Linking } from '../linking.ts';
import { type OperationNames, resolveOperation } from '../operation/references.ts';
import type { RoutingDeclared } from '../schema/routing.ts';

/** A definition that overrides the routing of an operation, as it is declared. */
export interface RoutingOverride {
  /** Id of the definition. */
  readonly id: string;
  readonly declared: RoutingDeclared;
  /** Of the id. */
  readonly at: Place;
}

/** What overrides the routing of each operation, by the operation's id: one definition, of which others are reported. */
export function linkOverrides(linking: Linking, names: OperationNames): ReadonlyMap<string, RoutingOverride> {
  const { report, places } = linking;
  const overrides = new Map<string, RoutingOverride>();
  for (const { id, value, at } of declarationsOf<RoutingDeclared>(linking, 'routing')) {
    const named = places.value(value, 'operation');
    const operation = resolveOperation(linking, names, value.operation, named);
    if (operation === undefined) continue;
    const first = overrides.get(operation.id);
    if (first === undefined) overrides.set(operation.id, { id, declared: value, at });
    else report.raise('two-routings', { operation: operation.id, first: placeText(first.at) }, named);
  }
  return overrides;
}
