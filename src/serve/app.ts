import { Hono } from 'hono';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { QueryPort } from '../query/index.ts';
import type { Authenticator } from '../security/authenticator.ts';
import { authorise } from '../security/authorise.ts';
import type { Handlers } from './answer.ts';
import { IDLE_TIMEOUT } from './body.ts';
import { type Contract, type Contracts, createContracts } from './contracts.ts';
import { type Cors, createCors } from './cors.ts';
import { type Exchange, exchangeOf, type GatewayContext, type GatewayEnv } from './exchange.ts';
import type { Log } from './log.ts';
import { isLoopback } from './loopback.ts';
import type { Metrics } from './metrics.ts';
import { createPage } from './page.ts';
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
export function createApp(registry: Registry, handlers: Handlers, ports: GatewayPorts): Hono<GatewayEnv> {
  const app = new Hono<GatewayEnv>();
  const record = createRecorder(registry, ports.log, ports.metrics);
  const plain = createPlain(record);
  const contracts = createContracts(registry, ports.base);
  const cors = createCors(registry);
  const admit = createAdmission(registry, ports.authenticator);
  const tellAllowed = createTellAllowed(cors, plain);
  mountRest(app, registry, { ...ports, handlers, record }, { plain, contracts, cors, admit, tellAllowed });
  const page = createPage(registry, contracts, ports);
  mountReadable(app, '/', tellAllowed, async (exchange) => {
    await admit(exchange);
    return page.respond(exchange, plain);
  });
  mountMonitoring(app, registry, ports, plain, tellAllowed);
  app.notFound(() => {
    throw Fault.of('NOT_FOUND', { what: 'such path; the services are listed at /' });
  });
  app.onError((error, c) => {
    const exchange = exchangeOf(c as GatewayContext);
    exchange.cors = cors.headers(exchange);
    const fault = error instanceof Fault ? error : Fault.of('INTERNAL', { operation: 'The request' });
    if (fault !== error) ports.log.error({ requestId: exchange.requestId, err: error }, fault.message);
    return plain.fault(exchange, fault);
  });
  return app;
}

type App = Hono<GatewayEnv>;

/** Lets a caller read contracts and the page. @throws Fault UNAUTHENTICATED */
type Admission = (exchange: Exchange) => Promise<void>;

/** Contracts and the page need no credentials, unless `contracts: private`. */
function createAdmission({ gateway }: Registry, authenticator: Authenticator): Admission {
  return async (exchange) => {
    if (gateway.contracts === 'private') await authenticator.authenticate(exchange.header('authorization'));
  };
}

/** Answers OPTIONS: what a path allows, to a page of another origin too. */
type TellAllowed = (exchange: Exchange, allowed: readonly string[]) => Response;

function createTellAllowed(cors: Cors, plain: Plain): TellAllowed {
  return (exchange, allowed) => {
    const preflight = cors.isPreflight(exchange) ? cors.preflight(exchange, allowed) : {};
    return plain.text(exchange, 204, '', '', { Allow: allowed.join(', '), ...preflight });
  };
}

/** What the gateway's own paths take, which can be read and nothing else. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

/** @throws Fault METHOD_NOT_ALLOWED */
function read(
  exchange: Exchange,
  tellAllowed: TellAllowed,
  answer: () => Response | Promise<Response>,
): Response | Promise<Response> {
  const { method } = exchange;
  if (method === 'OPTIONS') return tellAllowed(exchange, READING);
  if (READING.includes(method)) return answer();
  const Allow = READING.join(', ');
  throw Fault.of('METHOD_NOT_ALLOWED', { method: quote(method), allowed: Allow }, { headers: { Allow } });
}

function mountReadable(
  app: App,
  path: string,
  tellAllowed: TellAllowed,
  answer: (exchange: Exchange) => Response | Promise<Response>,
): void {
  app.all(path, (c: GatewayContext) => {
    const exchange = exchangeOf(c);
    return read(exchange, tellAllowed, () => answer(exchange));
  });
}

/** What stands beside the operations below the REST connector. */
interface Beside {
  readonly plain: Plain;
  readonly contracts: Contracts;
  readonly cors: Cors;
  readonly admit: Admission;
  readonly tellAllowed: TellAllowed;
}

/** The REST connector, with the contracts that stand beside its services. */
function mountRest(
  app: App,
  registry: Registry,
  ports: Omit<RestPorts, 'registry' | 'idleTimeout'> & { readonly idleTimeout?: number },
  { plain, contracts, cors, admit, tellAllowed }: Beside,
): void {
  const { context, id } = registry.gateway;
  const rest = new RestConnector({ idleTimeout: IDLE_TIMEOUT, ...ports, registry });
  const prefix = `/${context}/RESTListeningConnector/`;
  const ofNode = `${id}/`;
  const sendContract = async (exchange: Exchange, name: string, find: () => Promise<Contract | undefined>) => {
    await admit(exchange);
    const contract = await find();
    if (contract === undefined) throw Fault.of('NOT_FOUND', { what: `contract ${quote(name)}` });
    return plain.text(exchange, 200, contract.contentType, contract.text);
  };
  app.all(`${prefix}*`, (c: GatewayContext) => {
    const exchange = exchangeOf(c);
    if (!exchange.path.startsWith(prefix)) throw Fault.of('NOT_FOUND', { what: 'such path' });
    const path = exchange.path.slice(prefix.length);
    exchange.cors = cors.headers(exchange);
    // A contract stands right below the connector, or below the local node's name.
    const name = path.startsWith(ofNode) ? path.slice(ofNode.length) : path;
    const find = name.includes('/') ? undefined : contracts.find(name);
    if (find !== undefined) return read(exchange, tellAllowed, () => sendContract(exchange, name, find));
    if (exchange.method === 'OPTIONS') return tellAllowed(exchange, rest.allowed(path));
    return rest.serve(exchange, path);
  });
}

function mountMonitoring(
  app: App,
  { gateway }: Registry,
  { ready, log, metrics, authenticator }: GatewayPorts,
  plain: Plain,
  tellAllowed: TellAllowed,
): void {
  mountReadable(app, '/health/live', tellAllowed, (exchange) =>
    plain.text(exchange, 200, 'application/json', '{"status":"live"}'),
  );
  mountReadable(app, '/health/ready', tellAllowed, async (exchange) => {
    try {
      await ready();
    } catch (error) {
      log.warn({ requestId: exchange.requestId, err: error }, 'not ready');
      throw Fault.of('UNAVAILABLE', { reason: 'the database does not answer' });
    }
    return plain.text(exchange, 200, 'application/json', '{"status":"ready"}');
  });
  const guarded = { id: '/metrics', public: false, permissions: gateway.metrics };
  mountReadable(app, '/metrics', tellAllowed, async (exchange) => {
    if (!isLoopback(exchange.remote)) {
      if (gateway.metrics.length === 0)
        throw Fault.of('FORBIDDEN', { user: 'A caller from another machine', what: '/metrics' });
      const user = await authenticator.authenticate(exchange.header('authorization'));
      authorise(user, guarded, 'path');
    }
    return plain.text(exchange, 200, metrics.contentType, await metrics.text());
  });
}
