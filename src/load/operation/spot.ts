import type { Place } from '../diagnostic/place.ts';
import { type Linking, mayHaveMeant } from '../linking.ts';
import type { RoutingOverride } from '../routing/overrides.ts';
import type { OperationDeclared, SharedDeclared } from '../schema/operation.ts';
import type { ServiceDeclared } from '../schema/service.ts';

/** A key's value, where it is written: at the operation, or at its service. */
interface Said<V> {
  readonly value: V;
  readonly at: Place;
}

/** What an operation is called. */
interface SpotNames {
  /** Unique over all services. */
  readonly id: string;
  /** In its service. */
  readonly name: string;
  /** The id of its SOAP form: its own, or that of its twin. */
  readonly soapId: string;
}

/** An operation as it stands in its service. */
export interface OperationSpot extends SpotNames {
  readonly declared: OperationDeclared;
  readonly service: ServiceDeclared;
  /** Of a consumer: what is said of its routing stands above what it says itself. */
  readonly override?: RoutingOverride;
  /** Of the operation's id. */
  readonly at: Place;
  /** Whether one of the keys may have been said in a part that was refused, of the operation or of what its service says for all. */
  lacks(...keys: readonly (keyof OperationDeclared)[]): boolean;
  /** What the operation says, or else its service. */
  inherited<K extends keyof SharedDeclared>(key: K): Said<NonNullable<SharedDeclared[K]>> | undefined;
  /** What the service says. */
  above<K extends keyof SharedDeclared>(key: K): SharedDeclared[K];
}

export function operationSpot(linking: Linking, service: ServiceDeclared, names: SpotNames): OperationSpot {
  const { places } = linking;
  const declared = service.operations[names.name] as OperationDeclared;
  return {
    ...names,
    declared,
    service,
    at: places.key(service.operations, names.name),
    lacks: (...keys) =>
      mayHaveMeant(linking, declared, keys) ||
      mayHaveMeant(
        linking,
        service,
        keys.filter((key) => declared[key] === undefined),
      ),
    inherited(key) {
      for (const container of [declared, service]) {
        const value = container[key];
        if (value !== undefined) return { value, at: places.value(container, key) };
      }
      return undefined;
    },
    above: (key) => service[key],
  };
}
