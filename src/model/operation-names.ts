import type { ConsumerOperation } from './consumer.ts';
import type { Registry } from './registry.ts';
import type { Operation, Service } from './service.ts';

/**
 * Identifies an operation, provided or consumed. Names are unique within one version of a service; other versions and other
 * services may have operations of the same name.
 */
export interface OperationIdentity {
  /**
   * Unique among all services: the name, or the qualified name if another operation has the name already. It does not change
   * when versions are added, removed or become the default: types, handler files, metrics and the log use it.
   */
  readonly id: string;
  /** As its service declares it: `LOCATIONS_GET`. */
  readonly name: string;
  readonly service: Pick<Service, 'id' | 'name' | 'default'>;
}

/** The unambiguous name of an operation: `Locations.v2.LOCATIONS_GET`. */
export function qualifiedName({ name, service }: OperationIdentity): string {
  return `${service.id}.${name}`;
}

/** The operations that each name may mean; several if it is ambiguous. */
export type OperationsByName<T extends OperationIdentity> = ReadonlyMap<string, readonly T[]>;

/**
 * Indexes operations by qualified name and by name. A name alone means the operation of the default version, or of the only
 * version that has one. A name that operations of several services share is ambiguous.
 */
export function indexByName<T extends OperationIdentity>(operations: Iterable<T>): OperationsByName<T> {
  const index = new Map<string, readonly T[]>();
  for (const [name, all] of Map.groupBy(operations, (each) => each.name)) {
    for (const operation of all) index.set(qualifiedName(operation), [operation]);
    const versions = Map.groupBy(all, ({ service }) => service.name).values();
    index.set(
      name,
      [...versions].flatMap(meantBy).sort((a, b) => (a.service.id < b.service.id ? -1 : 1)),
    );
  }
  return index;
}

/** Of the operations of one name in the versions of a service: that of the default version, or all if it has none. */
function meantBy<T extends OperationIdentity>(versions: readonly T[]): readonly T[] {
  const preferred = versions.find(({ service }) => service.default);
  return preferred === undefined ? versions : [preferred];
}

const indexes = new WeakMap<object, OperationsByName<Operation | ConsumerOperation>>();

/** All operations of a registry, provided and consumed, by name; indexed once. */
export function operationsByName(
  registry: Pick<Registry, 'operations' | 'consumers'>,
): OperationsByName<Operation | ConsumerOperation> {
  let index = indexes.get(registry);
  if (index === undefined) {
    index = indexByName<Operation | ConsumerOperation>([
      ...registry.operations.values(),
      ...registry.consumers.values(),
    ]);
    indexes.set(registry, index);
  }
  return index;
}

/** The possible meanings of an ambiguous name: `A.v1.STATUS_GET or B.v1.STATUS_GET`. */
export function alternatives(operations: readonly OperationIdentity[]): string {
  return operations.map(qualifiedName).join(' or ');
}

/** The shortest unambiguous name of an operation. */
export function shortestName<T extends OperationIdentity>(index: OperationsByName<T>, operation: T): string {
  const [meant, another] = index.get(operation.name) ?? [];
  return meant === operation && another === undefined ? operation.name : qualifiedName(operation);
}
