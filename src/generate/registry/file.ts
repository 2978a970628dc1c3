import type { Document } from '../../model/document.ts';
import type { Field } from '../../model/field.ts';
import type { Query } from '../../model/query.ts';
import type { Registry } from '../../model/registry.ts';
import { BASIC, type PermissionList, type User } from '../../model/security.ts';
import { HEADER } from '../header.ts';
import { type JsonTree, jsonText } from '../json-text.ts';
import { sorted } from '../vocabulary.ts';
import { typeWords } from '../words.ts';
import { componentTree, relatedContentTree } from './component.ts';
import { consumerTree, flowTree } from './consumer.ts';
import { datasourceTree } from './datasource.ts';
import { gatewayTree } from './gateway.ts';
import { nodeTree } from './node.ts';
import { operationTree } from './operation.ts';
import { processTree, recurrenceTree } from './process.ts';
import { schemeTree, userTree } from './security.ts';

/**
 * Text of `registry.json`: everything that the definitions come to, in the words of the definitions, so that a change of
 * one line of YAML shows its full effect in a diff. What is left out has its default. References to configuration stand
 * as written, no password hash is in it, and no line numbers, which would change with every edit.
 */
export function registryFile(registry: Registry): string {
  // What needs no definition has nothing to show.
  const defined = [...registry.schemes.values()].filter((scheme) => scheme !== BASIC);
  return jsonText({
    '//': HEADER,
    gateway: gatewayTree(registry.gateway),
    nodes: each(registry.nodes, nodeTree),
    services: each(registry.services, (service) => ({
      description: service.description,
      default: yes(service.default),
      active: no(service.active),
      deprecated: service.deprecated && { ...service.deprecated },
      cors: service.cors,
      delivered: yes(service.delivered),
      operations: service.operations.map(({ id }) => id),
      consumers: service.consumers.length === 0 ? undefined : service.consumers.map(({ id }) => id),
      flows: service.flows.length === 0 ? undefined : service.flows.map(({ name }) => name),
    })),
    operations: each(registry.operations, operationTree),
    consumers: each(registry.consumers, consumerTree),
    flows: registry.flows.size === 0 ? undefined : each(registry.flows, flowTree),
    documents: each(registry.documents, documentTree),
    datasources: registry.datasources.size === 0 ? undefined : each(registry.datasources, datasourceTree),
    queries: each(registry.queries, queryTree),
    components: registry.components.size === 0 ? undefined : each(registry.components, componentTree),
    'related-content':
      registry.relatedContent.size === 0 ? undefined : each(registry.relatedContent, relatedContentTree),
    processes:
      registry.processes.size === 0
        ? undefined
        : each(registry.processes, (process) => processTree(process, fieldsTree)),
    recurrences: registry.recurrences.size === 0 ? undefined : each(registry.recurrences, recurrenceTree),
    schemes: defined.length === 0 ? undefined : each(defined, schemeTree),
    'permission-lists': each(registry.permissionLists, (list) => permissionTree(list, registry)),
    roles: each(registry.roles, (role) => ({
      description: role.description,
      'permission-lists': role.permissionLists.map(({ id }) => id).sort(),
      users: usersOf(registry, (user) => user.roles.includes(role)),
    })),
    users: each(registry.users, userTree),
    routings: each(registry.routings, ({ operation, sender, receiver, generated, active, log }) => ({
      operation: operation.id,
      sender,
      receiver,
      generated: yes(generated),
      active: no(active),
      log: log === 'none' ? undefined : log,
    })),
  });
}

function each<T extends { readonly id: string }>(
  entries: ReadonlyMap<string, T> | readonly T[],
  tree: (entry: T) => JsonTree,
): ReadonlyMap<string, JsonTree> {
  return new Map(sorted(entries).map((entry) => [entry.id, tree(entry)]));
}

/** Only what differs from the default is written. */
const yes = (value: boolean): true | undefined => value || undefined;
const no = (value: boolean): false | undefined => (value ? undefined : false);

function documentTree(document: Document): JsonTree {
  return {
    description: document.description,
    xml: document.xmlName === document.id ? undefined : document.xmlName,
    namespace: document.namespace,
    root: yes(document.root),
    open: yes(document.open),
    patch: document.patch,
    'in-place': yes(document.inPlace),
    fields: fieldsTree(document.fields),
  };
}

function fieldsTree(fields: readonly Field[]): ReadonlyMap<string, JsonTree> {
  return new Map(fields.map((field) => [field.name, fieldTree(field)]));
}

function fieldTree(field: Field): JsonTree {
  const { name, type } = field;
  return {
    type: typeWords(type),
    description: field.description,
    required: yes(field.required),
    default: field.default,
    enum: field.enum,
    'any-case': yes(field.anyCase),
    pattern: field.pattern,
    minimum: field.minimum,
    maximum: field.maximum,
    fixed: field.fixed,
    sensitive: yes(field.sensitive),
    example: field.example,
    json: field.jsonName === name ? undefined : field.jsonName,
    xml: field.xmlName === name ? undefined : field.xmlName,
    attribute: yes(field.attribute),
    namespace: field.namespace,
    flat: type.kind === 'list' ? yes(type.flat) : undefined,
    absent: field.absent === 'omit' ? undefined : field.absent,
    url: field.url === 'segment' ? undefined : field.url,
  };
}

function queryTree(query: Query): JsonTree {
  return {
    description: query.description,
    permissions: query.permissions.map(({ id }) => id).sort(),
    public: yes(query.public),
    datasource: query.datasource?.id,
    rows: query.rows,
    timeout: query.timeout,
    prompts: fieldsTree(query.prompts),
    columns: fieldsTree(query.columns),
    sql: query.sql.trimEnd().split(/\r?\n/),
  };
}

/** What lists grant: an operation, a consumer, a query. */
interface Granted {
  readonly id: string;
  readonly permissions: readonly PermissionList[];
}

/** What a list says, what that comes to, and who has it. */
function permissionTree(list: PermissionList, registry: Registry): JsonTree {
  const granted = (things: ReadonlyMap<string, Granted>): string[] =>
    sorted(things)
      .filter(({ permissions }) => permissions.includes(list))
      .map(({ id }) => id);
  const consumers = granted(registry.consumers);
  const relatedContent = granted(registry.relatedContent);
  const processes = granted(registry.processes);
  const components = granted(registry.components);
  return {
    description: list.description,
    adds: list.operations.length === 0 ? undefined : list.operations,
    'adds-queries': list.queries.length === 0 ? undefined : list.queries,
    'adds-processes': list.processes.length === 0 ? undefined : list.processes,
    'adds-components': list.components.length === 0 ? undefined : list.components,
    operations: granted(registry.operations),
    consumers: consumers.length === 0 ? undefined : consumers,
    queries: granted(registry.queries),
    'related-content': relatedContent.length === 0 ? undefined : relatedContent,
    processes: processes.length === 0 ? undefined : processes,
    components: components.length === 0 ? undefined : components,
    users: usersOf(registry, (user) => user.permissionLists.has(list)),
  };
}

function usersOf(registry: Registry, has: (user: User) => boolean): string[] {
  return sorted(registry.users)
    .filter(has)
    .map(({ id }) => id);
}
