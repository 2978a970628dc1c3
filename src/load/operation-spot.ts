import type { OperationDeclared, ServiceDeclared, SharedDeclared } from './declared.ts';
import type { Place } from './diagnostic.ts';
import type { Linking } from './linking.ts';

/** A key's value, where it is written: at the operation, or at its service. */
export interface Said<V> {
  readonly value: V;
  /** The map that holds the key. */
  readonly container: object;
  readonly at: Place;
}

/** An operation as it stands in its service. */
export interface OperationSpot {
  readonly id: string;
  readonly declared: OperationDeclared;
  readonly service: ServiceDeclared;
  /** Of the operation's id. */
  readonly at: Place;
  /** A part of the operation, or of what its service says for all, was refused. */
  readonly incomplete: boolean;
  /** What the operation says, or else its service. */
  inherited<K extends keyof SharedDeclared>(key: K): Said<NonNullable<SharedDeclared[K]>> | undefined;
  /** What the service says. */
  above<K extends keyof SharedDeclared>(key: K): SharedDeclared[K];
}

export function operationSpot({ places, incomplete }: Linking, service: ServiceDeclared, id: string): OperationSpot {
  const declared = service.operations[id] as OperationDeclared;
  return {
    id,
    declared,
    service,
    at: places.key(service.operations, id),
    incomplete: incomplete.has(declared) || incomplete.has(service),
    inherited(key) {
      for (const container of [declared, service]) {
        const value = container[key];
        if (value !== undefined) return { value, container, at: places.value(container, key) };
      }
      return undefined;
    },
    above: (key) => service[key],
  };
}
