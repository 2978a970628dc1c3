import type { Mapping } from '../model/mapping.ts';
import type { Answer, VersionAnswer } from '../model/service.ts';
import type { JsonTree } from './json-text.ts';
import { byKind, tree } from './registry-walk.ts';

/** What answers an operation. */
export const ANSWER = byKind<Answer>({
  handler: ({ file }) => ({ handler: file }),
  delivered: ({ name }) => ({ delivered: name }),
  query: ({ query, maxrows, paging }) => ({
    query: query.id,
    maxrows: maxrows?.name,
    paging: paging && {
      order: paging.order.map(({ column, descending }) => `${descending ? '-' : ''}${column.name}`),
      sort: paging.sort.map(({ name }) => name),
      filter: paging.filter.map(({ name }) => name),
      limit: paging.limit,
      maximum: paging.maximum,
    },
  }),
  call: ({ call }) => ({ call: call.id }),
  version: versionTree,
  queue: ({ queue, reply, replyTo: to }) => ({
    ...{ queue: queue.id, reply: reply && tree(reply) },
    'reply-to': to && { nodes: to.nodes.map(({ id }) => id), field: to.field?.name },
  }),
  reply: ({ to }) => ({ reply: to }),
  component: ({ action, component }) => ({ [action === 'read' ? 'read' : 'save']: component.id }),
  queries: ({ lists, maxrows }) => ({
    query: Object.fromEntries(lists.map(({ field, query }) => [field.name, query.id])),
    maxrows: maxrows?.name,
  }),
});

/** An operation as the answer, and what is mapped. */
function versionTree({ operation, request, replies }: VersionAnswer): JsonTree {
  const response = replies.find(({ mapping }) => mapping !== undefined)?.mapping;
  return { call: operation.id, map: { request: mappingTree(request), response: response && mappingTree(response) } };
}

/** What fills the fields of a document, without those of the same name that are passed on as they are. */
function mappingTree(mapping: Mapping, around: readonly Mapping[] = []): JsonTree {
  const outer = [...around, mapping];
  const entries = mapping.members.flatMap(({ field, from }): [string, JsonTree][] => {
    if (from.kind === 'value') return [[field.name, { fixed: tree(from.value) }]];
    if (from.kind === 'parts') return [[field.name, mappingTree(from.mapping, outer)]];
    const path = from.path.map(({ name }) => name).join('.');
    const inner = from.mapping && !outer.includes(from.mapping) ? mappingTree(from.mapping, outer) : undefined;
    const values = from.values && new Map([...from.values].map(([key, value]) => [key, tree(value)]));
    const isPlain = values === undefined && from.otherwise === undefined && inner === undefined;
    if (isPlain) return path === field.name ? [] : [[field.name, `{${path}}`]];
    return [[field.name, { from: path, values, default: tree(from.otherwise), map: inner }]];
  });
  return entries.length === 0 ? undefined : new Map(entries);
}
