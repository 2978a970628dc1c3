import { type Command, Option } from 'commander';
import type { Registry } from '../model/registry.ts';
import type { Routing } from '../model/routing.ts';
import type { Answer, Operation } from '../model/service.ts';
import { findService } from './find-service.ts';
import { loadRegistry, placeOf } from './project.ts';
import { renderTable } from './table.ts';
import { coloursOf, print } from './terminal.ts';

const examples = `
Examples:
  signalbox routes
  signalbox routes Locations.v1
  signalbox routes --format json | jq '.[] | select(.active | not)'

ANY > LOCAL is the routing that every active provider operation has: from any node to this gateway.`;

/** One way into the gateway: a URI of an operation, and the routing that leads there. */
interface Route {
  readonly operation: string;
  readonly service: string;
  readonly method: string;
  readonly path: string;
  /** Which of the operation's URI templates it is, from 1. */
  readonly uriIndex: number;
  readonly routing: string;
  readonly sender: string;
  readonly receiver: string;
  readonly active: boolean;
  readonly answer: string;
  /** Permission lists that grant it; `public` where it needs none. */
  readonly permission: readonly string[];
}

/** `signalbox routes`: what answers where, by which routing, for whom. */
export function addRoutes(program: Command): void {
  program
    .command('routes')
    .description('list every path with its operation, routing, answer and permission')
    .argument('[service]', 'the paths of this service only: Locations.v1')
    .addOption(new Option('--format <format>', 'how the list is written').choices(['table', 'json']).default('table'))
    .addHelpText('after', examples)
    .action(async (service: string | undefined, options: { format: 'table' | 'json' }, command: Command) => {
      const registry = await loadRegistry(placeOf(command));
      const routes = listRoutes(registry, service);
      await print(options.format === 'json' ? `${JSON.stringify(routes, null, 2)}\n` : renderRoutes(routes));
    });
}

function listRoutes(registry: Registry, given: string | undefined): Route[] {
  const asked = given === undefined ? undefined : findService(registry, given);
  const routings = Map.groupBy(registry.routings, (routing) => routing.operation.id);
  const routes: Route[] = [];
  for (const operation of asked?.service.operations ?? registry.operations.values()) {
    if (asked?.pathName !== undefined && operation.pathName !== asked.pathName) continue;
    // An operation that is not active has no routing; it is listed all the same, or it could not be found.
    for (const routing of routings.get(operation.id) ?? [undefined])
      routes.push(...routesOf(registry, operation, routing));
  }
  return routes;
}

function routesOf(registry: Registry, operation: Operation, routing: Routing | undefined): Route[] {
  const connector = `/${registry.gateway.context}/RESTListeningConnector/${operation.pathName}.${operation.service.version}`;
  return operation.uris.map((uri) => ({
    operation: operation.id,
    service: operation.service.id,
    method: operation.method,
    path: `${connector}/${uri.template.text}`,
    uriIndex: uri.index,
    routing: routing?.id ?? '',
    sender: routing?.sender ?? '',
    receiver: routing?.receiver ?? '',
    active: operation.active && operation.service.active && (routing?.active ?? false),
    answer: answerOf(operation.answer),
    permission: operation.public ? ['public'] : operation.permissions.map((list) => list.id),
  }));
}

function answerOf(answer: Answer): string {
  switch (answer.kind) {
    case 'handler':
      return `code ${answer.file}`;
    case 'delivered':
      return answer.name;
    case 'query':
      return `query ${answer.query.id}`;
    case 'queries':
      return answer.lists.map((list) => `${list.field.name}: query ${list.query.id}`).join(', ');
  }
}

const heading = ['OPERATION', 'METHOD', 'PATH', 'URI', 'ROUTING', 'FROM > TO', 'ACTIVE', 'ANSWER', 'PERMISSION'];

function renderRoutes(routes: readonly Route[]): string {
  const rows = routes.map((route) => [
    route.operation,
    route.method,
    route.path,
    String(route.uriIndex),
    route.routing,
    route.sender === '' ? '' : `${route.sender} > ${route.receiver}`,
    route.active ? 'yes' : 'no',
    route.answer,
    route.permission.join(', '),
  ]);
  return renderTable(heading, rows, { colours: coloursOf(process.stdout), right: new Set([3]) });
}
