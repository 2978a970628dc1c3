import type { Command } from 'commander';
import type { Component } from '../model/component.ts';
import type { ConsumerOperation, RestConsumer } from '../model/consumer.ts';
import type { ReplyTo } from '../model/message.ts';
import { operationsByName, shortestName } from '../model/operation-names.ts';
import type { Registry, Routing } from '../model/registry.ts';
import type { Operation, SoapForm } from '../model/service.ts';
import { findService } from './find.ts';
import { AS_JSON, explain } from './help.ts';
import { loadRegistry, placeOf } from './project.ts';
import { type Columns, coloursOf, cut, outputWidth, printResult, tableOf } from './terminal.ts';

const help = {
  examples: [
    'signalbox routes',
    'signalbox routes Locations.v1',
    'signalbox routes --wide | grep DELETE',
    "signalbox routes --json | jq '.[] | select(.active | not)'",
  ],
  notes: [
    'Operations are grouped by service, with what answers them, their permission, and the ways to call them. With --wide each way is one line, with its whole path, its routing and whether it is active. Lines are cut to the width of the terminal, or to COLUMNS, and never otherwise.',
    'ANY > LOCAL is the routing of every active operation that this gateway provides: from any node to the gateway. LOCAL > NODE is the routing of an operation with a target: a call to another system. For SOAP the path is followed by the action that names the operation.',
  ],
} as const;

/** One way into the gateway, by a URI of an operation or by its SOAP action; or a call from it to another system. */
interface Route {
  readonly operation: string;
  readonly service: string;
  /** `SOAP`, or the HTTP method. */
  readonly method: string;
  /** For calls an address, with its references to configuration. */
  readonly path: string;
  /** Index of the operation's URI template, from 1; absent over SOAP. */
  readonly uriIndex?: number;
  /** The value of SOAPAction. */
  readonly action?: string;
  /** Empty when the operation is not active, or when its target is its routing. */
  readonly routing: string;
  readonly sender: string;
  readonly receiver: string;
  readonly active: boolean;
  /** Empty when another system answers. */
  readonly answer: string;
  /** Permission lists that grant it, or `public`. */
  readonly permission: readonly string[];
}

/** `signalbox routes`: every path with its operation, routing and permission. */
export function addRoutes(program: Command): void {
  explain(program.command('routes'), help)
    .description('list every path and call, with its routing and permission')
    .argument('[service]', 'list this service only, as in Locations.v1')
    .option('--json', AS_JSON)
    .action(async (service: string | undefined, { json }: { json?: true }, command: Command) => {
      const registry = await loadRegistry(placeOf(command));
      const { wide } = command.optsWithGlobals<{ wide?: true }>();
      await printResult(listRoutes(registry, service), json, (routes) =>
        wide ? tableOf(routes, COLUMNS) : grouped(routes, registry.gateway.context),
      );
    });
}

function listRoutes(registry: Registry, given: string | undefined): Route[] {
  const asked = given === undefined ? undefined : findService(registry, given);
  const routings = Map.groupBy(registry.routings, (routing) => routing.operation.id);
  const routes: Route[] = [];
  for (const operation of asked?.service.operations ?? registry.operations.values()) {
    if (asked?.pathName !== undefined && operation.pathName !== asked.pathName) continue;
    // An operation that is not active has no routing. It is listed too, so that it can be found.
    for (const routing of routings.get(operation.id) ?? [undefined])
      routes.push(...routesInto(registry, operation, routing, asked?.pathName !== undefined));
  }
  // Only REST has a name in paths.
  if (asked?.pathName !== undefined) return routes;
  const consumers = asked?.service.consumers ?? [...registry.consumers.values()];
  return [...routes, ...consumers.map((consumer) => routeOut(registry, consumer))];
}

/** The URIs of an operation, and its SOAP action unless only URIs are wanted. */
function routesInto(
  registry: Registry,
  operation: Operation,
  routing: Routing | undefined,
  pathsOnly: boolean,
): Route[] {
  const { method, soap, service, pathName } = operation;
  const common = {
    operation: shownName(registry, operation),
    routing: routing?.id ?? '',
    sender: routing?.sender ?? '',
    receiver: routing?.receiver ?? '',
    active: operation.active && service.active && (routing?.active ?? false),
    answer: answerOf(registry, operation),
    permission: permissionOf(operation),
  };
  const rest = operation.uris.map((uri) => ({
    service: service.id,
    method: method ?? '',
    path: `/${registry.gateway.context}/RESTListeningConnector/${pathName}.${service.version}/${uri.template.text}`,
    uriIndex: uri.index,
    ...common,
  }));
  if (soap === undefined || pathsOnly) return rest;
  const path = `/${registry.gateway.context}/PeopleSoftServiceListeningConnector`;
  return [...rest, { ...overSoap(operation, soap, path), ...common }];
}

function routeOut(registry: Registry, consumer: ConsumerOperation): Route {
  const { target, properties } = consumer;
  const address = (properties.primaryUrl ?? target.base[0])?.source ?? '';
  return {
    ...(consumer.kind === 'soap' ? overSoap(consumer, consumer.soap, address) : overRest(consumer, address)),
    operation: shownName(registry, consumer),
    routing: consumer.routing ?? '',
    sender: registry.gateway.id,
    receiver: target.id,
    active: consumer.active,
    answer: '',
    permission: permissionOf(consumer),
  };
}

function overSoap({ service }: Operation | ConsumerOperation, { action }: SoapForm, path: string) {
  return { service: service.id, method: 'SOAP', path, action };
}

/** With the first template of the operation, which a call uses by default. */
function overRest({ service, method, uris, host }: RestConsumer, address: string) {
  const [uri] = uris;
  const slash = host || address.endsWith('/') ? '' : '/';
  return { service: service.id, method, path: `${address}${slash}${uri?.template.text ?? ''}` };
}

function shownName(registry: Registry, operation: Operation | ConsumerOperation): string {
  return shortestName(operationsByName(registry), operation);
}

function permissionOf(operation: Operation | ConsumerOperation): string[] {
  return operation.public ? ['public'] : operation.permissions.map((list) => list.id);
}

function answerOf(registry: Registry, operation: Operation): string {
  const { answer } = operation;
  switch (answer.kind) {
    case 'handler':
      return `code ${answer.file}`;
    case 'call':
      return `call ${'steps' in answer.call ? answer.call.id : shownName(registry, answer.call)}`;
    case 'version':
      return `call ${shownName(registry, answer.operation)}`;
    case 'queue':
      return `queue ${answer.queue.id}${subscribersOf(registry, operation)}${repliedTo(answer.replyTo)}`;
    case 'reply':
      return `reply to ${answer.to}`;
    case 'delivered':
      return answer.name;
    case 'query':
      return `query ${answer.query.id}`;
    case 'component':
      return answer.action === 'read' ? `read ${answer.component.id}` : saved(registry, answer.component);
    case 'queries':
      return answer.lists.map((list) => `${list.field.name}: query ${list.query.id}`).join(', ');
  }
}

/** `save JOBS, then code job-history, publishes JOB_CHANGED`: what a save does in its transaction, besides the record. */
function saved(registry: Registry, { id, afterSave, publications }: Component): string {
  const published = new Set(publications.map(({ operation }) => shownName(registry, operation)));
  return [
    `save ${id}`,
    ...(afterSave === undefined ? [] : [`then code ${afterSave.file}`]),
    ...(published.size === 0 ? [] : [`publishes ${[...published].join(', ')}`]),
  ].join(', ');
}

/** ` for A, B`: the active subscriptions that get the messages of an operation; empty when there is none. */
function subscribersOf({ subscriptions }: Registry, operation: Operation): string {
  const ids = [...subscriptions.values()].flatMap((each) =>
    each.operation === operation && each.active && each.target.kind !== 'caller' ? each.id : [],
  );
  return ids.length === 0 ? '' : ` for ${ids.join(', ')}`;
}

/** `, replies to SHOP`: the nodes below whose addresses callers may have replies sent. */
function repliedTo(replyTo: ReplyTo | undefined): string {
  return replyTo === undefined ? '' : `, replies to ${replyTo.nodes.map(({ id }) => id).join(', ')}`;
}

/** The routes by service and operation: what answers it and who is permitted, then the ways to call it. */
function grouped(routes: readonly Route[], context: string): string {
  const { bold, dim } = coloursOf(process.stdout);
  const connectors = {
    rest: `/${context}/RESTListeningConnector/`,
    soap: `/${context}/PeopleSoftServiceListeningConnector`,
  };
  const width = outputWidth();
  const lines = [
    dim(cut(`GET and so on: below ${connectors.rest}`, width)),
    dim(cut(`SOAP: at ${connectors.soap}`, width)),
  ];
  for (const [service, ofService] of Map.groupBy(routes, (route) => route.service)) {
    lines.push('', bold(service));
    for (const [operation, ways] of Map.groupBy(ofService, (route) => route.operation)) {
      const [{ active, answer, receiver, permission } = ofService[0] as Route] = ways;
      const facts = [answer === '' ? `calls ${receiver}` : answer, ...permission, ...(active ? [] : ['not active'])];
      const rest = cut(facts.join(', '), width - operation.length - 4);
      lines.push(`  ${operation}  ${dim(rest)}`);
      for (const { method, path, action } of ways) {
        const address = path === connectors.soap ? [] : [path.replace(connectors.rest, '')];
        const way = [...address, ...(action === undefined ? [] : [action])].join(' ');
        lines.push(cut(`    ${method.padEnd(6)}  ${way}`, width));
      }
    }
  }
  return `${lines.join('\n')}\n`;
}

const COLUMNS: Columns<Route> = {
  OPERATION: ({ operation }) => operation,
  METHOD: ({ method }) => method,
  PATH: ({ path, action }) => (action === undefined ? path : `${path} ${action}`),
  URI: ({ uriIndex }) => uriIndex,
  ROUTING: ({ routing }) => routing,
  'FROM > TO': ({ sender, receiver }) => (sender === '' ? '' : `${sender} > ${receiver}`),
  ACTIVE: ({ active }) => (active ? 'yes' : 'no'),
  ANSWER: ({ answer }) => answer,
  PERMISSION: ({ permission }) => permission.join(', '),
};
