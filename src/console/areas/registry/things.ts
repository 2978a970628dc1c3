import type { Component, RelatedContent } from '../../../model/component.ts';
import type { ConsumerOperation } from '../../../model/consumer.ts';
import type { Position } from '../../../model/definition.ts';
import type { Document } from '../../../model/document.ts';
import { type Field, singleType } from '../../../model/field.ts';
import type { Flow } from '../../../model/flow.ts';
import type { MessageQueue, Subscription } from '../../../model/message.ts';
import type { Node } from '../../../model/node.ts';
import { qualifiedName } from '../../../model/operation-names.ts';
import type { Process, Recurrence } from '../../../model/process.ts';
import type { Datasource, Query } from '../../../model/query.ts';
import type { Registry } from '../../../model/registry.ts';
import type { PermissionList, Role } from '../../../model/security.ts';
import { type Message, type Operation, operationsOf, type Service } from '../../../model/service.ts';
import type { Html } from '../../html.ts';
import { link, pathTo } from '../../parts.ts';

/** The kinds of definitions with pages. */
interface Things {
  readonly service: Service;
  readonly operation: Operation;
  readonly call: ConsumerOperation;
  readonly flow: Flow;
  readonly document: Document;
  readonly query: Query;
  readonly datasource: Datasource;
  readonly component: Component;
  readonly class: RelatedContent;
  readonly process: Process;
  readonly recurrence: Recurrence;
  readonly node: Node;
  readonly queue: MessageQueue;
  readonly subscription: Subscription;
  readonly role: Role;
  readonly list: PermissionList;
}

export type Kind = keyof Things;
export type ThingOf<K extends Kind> = Things[K];

/** What every definition has. */
interface Declared {
  readonly id: string;
  readonly description?: string;
  readonly at: Position;
}

interface KindFacts<K extends Kind> {
  /** `called operation`. */
  readonly word: string;
  readonly title: string;
  /** Of its pages: `/registry/operations/…`. */
  readonly path: string;
  readonly all: (registry: Registry) => Iterable<Things[K]>;
  /** What it does, in a line of code: its addresses, for example. */
  readonly about: (thing: Things[K]) => readonly string[];
  /** Further names. */
  readonly names?: (thing: Things[K]) => readonly string[];
  /** Its fields, for the search. */
  readonly fields?: (thing: Things[K]) => Iterable<Field>;
}

const PATHS = 'RESTListeningConnector';

/** By kind, in the order of lists. */
export const KINDS: { readonly [K in Kind]: KindFacts<K> } = {
  service: {
    word: 'service',
    title: 'Services',
    path: 'services',
    all: ({ services }) => services.values(),
    about: ({ namespace }) => (namespace === undefined ? [] : [namespace]),
  },
  operation: {
    word: 'operation',
    title: 'Operations',
    path: 'operations',
    all: ({ operations }) => operations.values(),
    about: addressesOf,
    names: (operation) => [operation.name, qualifiedName(operation)],
    fields: ({ request, responses }) => fieldsIn([request, ...responses.map(({ message }) => message)]),
  },
  call: {
    word: 'called operation',
    title: 'Called operations',
    path: 'operations',
    all: ({ consumers }) => consumers.values(),
    about: (operation) => [...addressesOf(operation), `to ${operation.target.id}`],
    names: (operation) => [operation.name, qualifiedName(operation)],
    fields: (operation) => fieldsIn(messagesOf(operation)),
  },
  flow: {
    word: 'flow',
    title: 'Flows',
    path: 'flows',
    all: ({ flows }) => flows.values(),
    about: (flow) => [
      operationsOf(flow)
        .map(({ id }) => id)
        .join(' > '),
    ],
    names: ({ name }) => [name],
    fields: ({ input }) => input.fields,
  },
  document: {
    word: 'document',
    title: 'Documents',
    path: 'documents',
    // Those in place are part of the operation or field that declares them.
    all: ({ documents }) => documents.values().filter(({ inPlace }) => !inPlace),
    about: ({ fields }) => [fields.map(({ name }) => name).join(', ')],
    fields: fieldsBelow,
  },
  query: {
    word: 'query',
    title: 'Queries',
    path: 'queries',
    all: ({ queries }) => queries.values(),
    about: ({ columns }) => [columns.map(({ name }) => name).join(', ')],
    fields: ({ prompts, columns }) => [...prompts, ...columns],
  },
  datasource: {
    word: 'datasource',
    title: 'Datasources',
    path: 'datasources',
    all: ({ datasources }) => datasources.values(),
    about: ({ engine }) => (engine === undefined ? [] : [engine]),
  },
  component: {
    word: 'component',
    title: 'Components',
    path: 'components',
    all: ({ components }) => components.values(),
    about: ({ table }) => [`table ${table}`],
    fields: ({ shape }) => shape.fields,
  },
  class: {
    word: 'class',
    title: 'Classes',
    path: 'classes',
    all: ({ relatedContent }) => relatedContent.values(),
    about: ({ file }) => [file],
  },
  process: {
    word: 'process',
    title: 'Processes',
    path: 'processes',
    all: ({ processes }) => processes.values(),
    about: ({ type, answer }) => [type, answer.kind === 'handler' ? answer.file : `query ${answer.query.id}`],
    fields: ({ parameters }) => parameters,
  },
  recurrence: {
    word: 'recurrence',
    title: 'Recurrences',
    path: 'recurrences',
    all: ({ recurrences }) => recurrences.values(),
    about: ({ cron, zone }) => [`${cron} ${zone}`],
  },
  node: {
    word: 'node',
    title: 'Nodes',
    path: 'nodes',
    all: ({ nodes }) => nodes.values(),
    about: ({ base }) => base.map(({ source }) => source),
  },
  queue: {
    word: 'queue',
    title: 'Queues',
    path: 'queues',
    all: ({ messageQueues }) => messageQueues.values(),
    about: ({ search }) => (search.length === 0 ? [] : [`search ${search.join(', ')}`]),
  },
  subscription: {
    word: 'subscription',
    title: 'Subscriptions',
    path: 'subscriptions',
    all: ({ subscriptions }) => subscriptions.values(),
    about: ({ operation, target }) => [
      `${operation.id} > ${target.kind === 'handler' ? target.file : target.kind === 'call' ? target.call.id : target.node.id}`,
    ],
  },
  role: {
    word: 'role',
    title: 'Roles',
    path: 'roles',
    all: ({ roles }) => roles.values(),
    about: ({ permissionLists }) => [permissionLists.map(({ id }) => id).join(', ')],
  },
  list: {
    word: 'permission list',
    title: 'Permission lists',
    path: 'permission-lists',
    all: ({ permissionLists }) => permissionLists.values(),
    about: ({ operations, queries, processes, components }) => [
      [...operations, ...queries, ...processes, ...components].join(', '),
    ],
  },
};

export const ALL_KINDS = Object.keys(KINDS) as Kind[];

/** A definition in lists and in the search. */
export interface Entry {
  readonly kind: Kind;
  readonly thing: Declared;
}

/** All definitions of a kind. */
export const entriesOf = (registry: Registry, kind: Kind): Entry[] =>
  [...(KINDS[kind].all(registry) as Iterable<Declared>)].map((thing) => ({ kind, thing }));

/** What it does, and its other names and fields; a definition has the facts of its own kind. */
export function factsOf({ kind, thing }: Entry): {
  readonly about: readonly string[];
  readonly names: readonly string[];
  readonly fields: readonly string[];
} {
  const { about, names, fields } = KINDS[kind] as unknown as KindFacts<Kind> & {
    about: (thing: Declared) => readonly string[];
    names?: (thing: Declared) => readonly string[];
    fields?: (thing: Declared) => Iterable<Field>;
  };
  return {
    about: about(thing).filter((text) => text !== ''),
    names: names?.(thing) ?? [],
    fields: [...new Set([...(fields?.(thing) ?? [])].map(({ name }) => name))],
  };
}

/** Whether a definition is not served or delivered to now. */
export const isOff = ({ thing }: Entry): boolean => 'active' in thing && thing.active === false;

/** The page of a definition. */
export const pathOf = (kind: Kind, id: string): string => pathTo('registry', KINDS[kind].path, id);

export const linkTo = (kind: Kind, { id }: { readonly id: string }): Html => link(pathOf(kind, id), id);

/** `GET Locations.v1/Locations/{REGION}`, `SOAP LOCATIONS_GET.v1`. */
function addressesOf(operation: Operation | ConsumerOperation): readonly string[] {
  if ('target' in operation)
    return operation.kind === 'soap'
      ? [`SOAP ${operation.soap.action}`]
      : operation.uris.map(({ template }) => `${operation.method} ${template.text}`);
  const { method, uris, pathName, service, soap } = operation;
  return [
    ...uris.map(({ template }) => `${method} ${pathName}.${service.version}/${template.text}`),
    ...(soap === undefined ? [] : [`SOAP ${soap.action}`]),
  ];
}

/** The address of a URI of a served operation, below the gateway's. */
export const restPath = ({ pathName, service }: Operation, template: string): string =>
  `${PATHS}/${pathName}.${service.version}/${template}`;

/** The file of code of the project, by its name in the registry. */
export const codeFile = ({ gateway }: Registry, name: string): string => `${gateway.handlers}/${name}.ts`;

/** The messages of a called operation: what it is sent, and its replies. */
export function messagesOf(operation: ConsumerOperation): readonly Message[] {
  return operation.kind === 'soap'
    ? [operation.soap.request, operation.soap.response]
    : [{ kind: 'document', document: operation.input }, ...operation.responses.map(({ message }) => message)];
}

function fieldsIn(messages: readonly Message[]): Field[] {
  return messages.flatMap((message) => (message.kind === 'document' ? fieldsBelow(message.document) : []));
}

/** The fields of a document and of those that are declared inside it. */
function fieldsBelow({ fields }: Document): Field[] {
  return fields.flatMap((field) => {
    const type = singleType(field.type);
    return type.kind === 'document' && type.document.inPlace ? [field, ...fieldsBelow(type.document)] : [field];
  });
}
