import type { ConsumerOperation } from '../model/consumer.ts';
import { flowNames } from '../model/flow.ts';
import { operationsByName, shortestName } from '../model/operation-names.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { sorted } from './sorted.ts';

/** Ids that editors propose where a definition refers to another; those of documents in place can't be referred to. */
export function knownIds(registry: Registry): { readonly [kind: string]: readonly string[] } {
  const ids = (map: ReadonlyMap<string, { readonly id: string }>): string[] => sorted(map).map(({ id }) => id);
  const byName = operationsByName(registry);
  const named = (map: ReadonlyMap<string, Operation | ConsumerOperation>): string[] =>
    [...map.values()].map((each) => shortestName(byName, each)).sort();
  const consumers = named(registry.consumers);
  return {
    documents: sorted(registry.documents).flatMap(({ id, inPlace }) => (inPlace ? [] : [id])),
    queries: ids(registry.queries),
    nodes: ids(registry.nodes),
    operations: [...named(registry.operations), ...consumers].sort(),
    consumers,
    flows: sorted(registry.flows).flatMap(flowNames),
    schemes: ids(registry.schemes),
    permissionLists: ids(registry.permissionLists),
    roles: ids(registry.roles),
    datasources: ids(registry.datasources),
    components: ids(registry.components),
    processes: ids(registry.processes),
    relatedContent: ids(registry.relatedContent),
    recurrences: ids(registry.recurrences),
    users: ids(registry.users),
  };
}
