import { Hono } from 'hono';
import { problemText } from '../binding/problem.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { QueryPort } from '../query/index.ts';
import type { Authenticator } from '../security/authenticator.ts';
import { problemMediaType } from '../wire/problem.ts';
import type { Handlers } from './answer.ts';
import { IDLE_TIMEOUT } from './body.ts';
import { type Contract, type Contracts, createContracts } from './contracts.ts';
import { type Cors, createCors } from './cors.ts';
import { Exchange, type GatewayContext, type NodeBindings } from './exchange.ts';
import type { Log } from './log.ts';
import { isLoopback } from './loopback.ts';
import type { Metrics } from './metrics.ts';
import { createPage, type Page } from './page.ts';
import { createPlain, type Plain } from './plain.ts';
import { createRecorder } from './record.ts';
import { RestConnector, type RestPorts } from './rest.ts';
import { quote } from './routes.ts';

/** What the gateway stands on. */
export interface GatewayPorts {
  readonly queries: QueryPort;
  readonly authenticator: Authenticator;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Resolves where everything behind the gateway answers; rejects with the reason. */
  readonly ready: () => Promise<void>;
  /** Address in contracts, with the context: `http://127.0.0.1:8080/gateway`. */
  readonly base: () => string;
  /** Users of the sample may call, so that the page's examples show them; true. */
  readonly sampleUsers?: boolean;
  /** Milliseconds that a request's body may pause; 30 s. */
  readonly idleTimeout?: number;
}

/**
 * The gateway as a Hono app: one wildcard route a connector (Hono's own router slows down with every route), and what
 * people and monitors ask for. It listens nowhere: `app.request()` calls it as a socket would.
 */
export function createApp(
  registry: Registry,
  handlers: Handlers,
  ports: GatewayPorts,
): Hono<{ Bindings: NodeBindings }> {
  const app = new Hono<{ Bindings: NodeBindings }>();
  const record = createRecorder(registry, ports.log, ports.metrics);
  const plain = createPlain(record);
  const contracts = createContracts(registry, ports.base);
  const readable = createReadable(registry, ports.authenticator);
  const cors = createCors(registry);
  mountRest(app, registry, { ...ports, handlers, record }, { plain, contracts, readable, cors });
  mountPage(app, createPage(registry, contracts, ports), { plain, readable });
  mountMonitoring(app, ports, plain);
  app.notFound(() => {
    throw Fault.of('NOT_FOUND', { what: 'such path; the services are listed at /' });
  });
  app.onError((error, c) => {
    const exchange = new Exchange(c as GatewayContext);
    exchange.cors = cors.headers(exchange);
    const fault = error instanceof Fault ? error : Fault.of('INTERNAL', { operation: 'The request' });
    if (fault !== error) ports.log.error({ requestId: exchange.requestId, err: error }, fault.message);
    return plain(exchange, fault.status, problemMediaType, problemText(fault, exchange.requestId), fault.headers);
  });
  return app;
}

type App = Hono<{ Bindings: NodeBindings }>;

/** What a contract can be asked for. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

/** Lets a caller read contracts and the page. @throws Fault UNAUTHENTICATED */
type Readable = (exchange: Exchange) => Promise<void>;

/** Contracts and the page need no credentials, unless `contracts: private`. */
function createReadable({ gateway }: Registry, authenticator: Authenticator): Readable {
  return async (exchange) => {
    if (gateway.contracts === 'private') await authenticator.authenticate(exchange.header('authorization'));
  };
}

/** The REST connector, with the contracts that stand beside its services. */
function mountRest(
  app: App,
  registry: Registry,
  ports: Omit<RestPorts, 'registry' | 'idleTimeout'> & { readonly idleTimeout?: number },
  { plain, contracts, readable, cors }: { plain: Plain; contracts: Contracts; readable: Readable; cors: Cors },
): void {
  const { context, id } = registry.gateway;
  const rest = new RestConnector({ idleTimeout: IDLE_TIMEOUT, ...ports, registry });
  const prefix = `/${context}/RESTListeningConnector/`;
  const ofNode = `${id}/`;
  const sendContract = async (exchange: Exchange, name: string, find: () => Promise<Contract | undefined>) => {
    await readable(exchange);
    const contract = await find();
    if (contract === undefined) throw Fault.of('NOT_FOUND', { what: `contract ${quote(name)}` });
    return plain(exchange, 200, contract.contentType, contract.text);
  };
  app.all(`${prefix}*`, (c: GatewayContext) => {
    const exchange = new Exchange(c);
    if (!exchange.path.startsWith(prefix)) throw Fault.of('NOT_FOUND', { what: 'such path' });
    const path = exchange.path.slice(prefix.length);
    exchange.cors = cors.headers(exchange);
    const { method } = exchange;
    // A contract stands right below the connector, or below the local node's name.
    const name = path.startsWith(ofNode) ? path.slice(ofNode.length) : path;
    const find = name.includes('/') ? undefined : contracts.find(name);
    if (find === undefined && method !== 'OPTIONS') return rest.serve(exchange, path);
    const allowed = find === undefined ? rest.allowed(path) : READING;
    if (method === 'OPTIONS') {
      const preflight = cors.isPreflight(exchange) ? cors.preflight(exchange, allowed) : {};
      return plain(exchange, 204, '', '', { Allow: allowed.join(', '), ...preflight });
    }
    if (find !== undefined && allowed.includes(method)) return sendContract(exchange, name, find);
    const Allow = allowed.join(', ');
    throw Fault.of('METHOD_NOT_ALLOWED', { method: quote(method), allowed: Allow }, { headers: { Allow } });
  });
}

function mountPage(app: App, page: Page, { plain, readable }: { plain: Plain; readable: Readable }): void {
  app.get('/', async (c: GatewayContext) => {
    const exchange = new Exchange(c);
    await readable(exchange);
    return page.respond(exchange, plain);
  });
}

function mountMonitoring(app: App, { ready, log, metrics }: GatewayPorts, plain: Plain): void {
  app.get('/health/live', (c: GatewayContext) => plain(new Exchange(c), 200, 'application/json', '{"status":"live"}'));
  app.get('/health/ready', async (c: GatewayContext) => {
    const exchange = new Exchange(c);
    try {
      await ready();
    } catch (error) {
      log.warn({ requestId: exchange.requestId, err: error }, 'not ready');
      throw Fault.of('UNAVAILABLE', { reason: 'the database does not answer' });
    }
    return plain(exchange, 200, 'application/json', '{"status":"ready"}');
  });
  app.get('/metrics', async (c: GatewayContext) => {
    const exchange = new Exchange(c);
    if (!isLoopback(exchange.remote)) {
      throw Fault.of('FORBIDDEN', { user: 'A caller from another machine', what: '/metrics' });
    }
    return plain(exchange, 200, metrics.contentType, await metrics.text());
  });
}
