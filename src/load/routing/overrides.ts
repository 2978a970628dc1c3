import type { Place } from '../diagnostic/place.ts';
import { declarationsOf, type Linking } from '../linking.ts';
import type { RoutingDeclared } from '../schema/routing.ts';

/** A definition that overrides the routing of an operation, as it is declared. */
export interface RoutingOverride {
  /** Id of the definition. */
  readonly id: string;
  readonly declared: RoutingDeclared;
  /** Of the id. */
  readonly at: Place;
}

/**
 * What overrides the routing of each operation, by the operation's id. Of several definitions for the same operation the
 * first counts; the others are reported where routings are linked, as is one for an operation that does not exist.
 */
export function routingOverrides(linking: Linking): ReadonlyMap<string, RoutingOverride> {
  const overrides = new Map<string, RoutingOverride>();
  for (const { id, value, at } of declarationsOf<RoutingDeclared>(linking, 'routing')) {
    if (!overrides.has(value.operation)) overrides.set(value.operation, { id, declared: value, at });
  }
  return overrides;
}
