import type { ConsumerOperation } from './consumer.ts';
import type { Registry } from './registry.ts';
import type { Operation, Service } from './service.ts';

/**
 * What tells one operation from all others, whether it is answered here or calls another system. A service of one version
 * has each name once; other versions of it, and other services, may have the same.
 */
export interface OperationIdentity {
  /**
   * Unique over all services: the name, or the qualified name where another operation had that name first. It stays as it
   * is when versions are added, removed or become the default: types, handler files, metrics and the log go by it.
   */
  readonly id: string;
  /** As its service declares it: `LOCATIONS_GET`. */
  readonly name: string;
  readonly service: Pick<Service, 'id' | 'name' | 'default'>;
}

/** The spelling that always means this operation: `Locations.v2.LOCATIONS_GET`. */
export function qualifiedName({ name, service }: OperationIdentity): string {
  return `${service.id}.${name}`;
}

/** The operations that each spelling may mean: one where it is clear, several where it is ambiguous. */
export type OperationsByName<T extends OperationIdentity> = ReadonlyMap<string, readonly T[]>;

/**
 * The spellings of operations: the qualified name of each, and its name alone, which means the operation of the default
 * version. Where that version has no such operation, the name means the only version that has one. A name that operations
 * of several services have is ambiguous.
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

/** Of the versions of one service that have an operation of a name: the default one, or all where that has none. */
function meantBy<T extends OperationIdentity>(versions: readonly T[]): readonly T[] {
  const preferred = versions.find(({ service }) => service.default);
  return preferred === undefined ? versions : [preferred];
}

const indexes = new WeakMap<object, OperationsByName<Operation | ConsumerOperation>>();

/** The operations of a registry, answered here and called elsewhere, by their spellings; indexed once. */
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

/** `A.v1.STATUS_GET or B.v1.STATUS_GET`: what an ambiguous name may mean. */
export function alternatives(operations: readonly OperationIdentity[]): string {
  return operations.map(qualifiedName).join(' or ');
}

/** The shortest spelling that means an operation: its name, or its qualified name where that means another, or several. */
export function shortestName<T extends OperationIdentity>(index: OperationsByName<T>, operation: T): string {
  const [meant, another] = index.get(operation.name) ?? [];
  return meant === operation && another === undefined ? operation.name : qualifiedName(operation);
}
