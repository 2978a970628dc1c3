import type { Registry, Routing } from '../../model/registry.ts';
import { BASIC } from '../../model/security.ts';
import type { Service } from '../../model/service.ts';
import { HEADER } from '../files.ts';
import { type JsonTree, jsonText } from '../json-text.ts';
import { componentTree, relatedContentTree } from './component.ts';
import { consumerTree, flowTree } from './consumer.ts';
import { documentTree } from './document.ts';
import { gatewayTree } from './gateway.ts';
import { nodeTree } from './node.ts';
import { operationTree } from './operation.ts';
import { processTree, recurrenceTree } from './process.ts';
import { datasourceTree, queryTree } from './query.ts';
import { permissionTree, roleTree, schemeTree, userTree } from './security.ts';
import { anyOf, each, idsOf, no, some, yes } from './tree.ts';

/**
 * Text of `registry.json`: everything that the definitions come to, in the words of the definitions, so that a change of
 * one line of YAML shows its full effect in a diff. What is left out has its default. References to configuration stand
 * as written, no password hash is in it, and no line numbers, which would change with every edit.
 */
export function registryFile(registry: Registry): string {
  // What needs no definition has nothing to show.
  const schemes = [...registry.schemes.values()].filter((scheme) => scheme !== BASIC);
  return jsonText({
    '//': HEADER,
    gateway: gatewayTree(registry.gateway),
    nodes: each(registry.nodes, nodeTree),
    services: each(registry.services, serviceTree),
    operations: each(registry.operations, operationTree),
    consumers: each(registry.consumers, consumerTree),
    flows: anyOf(registry.flows, flowTree),
    documents: each(registry.documents, documentTree),
    datasources: anyOf(registry.datasources, datasourceTree),
    queries: each(registry.queries, queryTree),
    components: anyOf(registry.components, componentTree),
    'related-content': anyOf(registry.relatedContent, relatedContentTree),
    processes: anyOf(registry.processes, processTree),
    recurrences: anyOf(registry.recurrences, recurrenceTree),
    schemes: anyOf(schemes, schemeTree),
    'permission-lists': each(registry.permissionLists, (list) => permissionTree(list, registry)),
    roles: each(registry.roles, (role) => roleTree(role, registry)),
    users: each(registry.users, userTree),
    routings: each(registry.routings, routingTree),
  });
}

function serviceTree(service: Service): JsonTree {
  return {
    description: service.description,
    default: yes(service.default),
    active: no(service.active),
    deprecated: service.deprecated && { ...service.deprecated },
    cors: service.cors,
    delivered: yes(service.delivered),
    operations: idsOf(service.operations),
    consumers: some(idsOf(service.consumers)),
    flows: some(service.flows.map(({ name }) => name)),
  };
}

function routingTree({ operation, sender, receiver, generated, active, log }: Routing): JsonTree {
  return {
    operation: operation.id,
    sender,
    receiver,
    generated: yes(generated),
    active: no(active),
    log: log === 'none' ? undefined : log,
  };
}
