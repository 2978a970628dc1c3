import { Hono } from 'hono';
import type { BlobStore } from '../model/blob.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { Spool } from '../model/spool.ts';
import type { QueryPort } from '../query/index.ts';
import { authorise } from '../security/authorise.ts';
import type { Authenticator } from '../security/port.ts';
import type { Handlers } from './answer/answer.ts';
import { NO_OUTBOUND, type Outbound } from './answer/outbound.ts';
import { GRACE, IDLE_TIMEOUT } from './exchange/body.ts';
import { type Cors, createCors } from './exchange/cors.ts';
import { databaseAway } from './exchange/database-fault.ts';
import { type Exchange, exchangeOf, type GatewayContext, type GatewayEnv } from './exchange/exchange.ts';
import { createPlain, type Plain } from './exchange/plain.ts';
import { compileOperations } from './exchange/progress.ts';
import { type Admission, read, type TellAllowed } from './exchange/reading.ts';
import type { Throttle } from './exchange/throttle.ts';
import type { Log } from './log/log.ts';
import type { Metrics } from './log/metrics.ts';
import { createRecorder } from './log/record.ts';
import { mountMessages } from './messages/mount.ts';
import { createContracts } from './page/contracts.ts';
import { createPage } from './page/page.ts';
import { mountRest } from './rest/mount.ts';
import { Stages } from './stages.ts';
import { NO_SERVICES, type Services } from './start/services.ts';

/** What the gateway stands on. */
export interface GatewayPorts {
  readonly queries: QueryPort;
  readonly blobs: BlobStore;
  /** Keeps attachments that come before they are wanted. */
  readonly spool: Spool;
  /** What answers from the queue, and saves; without it what needs that is UNAVAILABLE. */
  readonly services?: Services;
  /** Calls other systems; without it what needs that is UNAVAILABLE. */
  readonly outbound?: Outbound;
  readonly authenticator: Authenticator;
  readonly log: Log;
  /** The audit log, where it is another one. */
  readonly audit?: Log | undefined;
  readonly metrics: Metrics;
  /** Resolves where everything behind the gateway answers; rejects with the reason. */
  readonly ready: () => Promise<void>;
  /** Address in contracts, with the context: `http://127.0.0.1:8080/gateway`. */
  readonly base: () => string;
  /** Users of the sample may call, so that the page's examples show them; true. */
  readonly sampleUsers?: boolean;
  /** Where some bound of calls is declared. */
  readonly throttle?: Throttle | undefined;
  /** Milliseconds that a request's body may pause; 30 s. */
  readonly idleTimeout?: number;
  /** Milliseconds for which a request's body may come more slowly than `limits.slowest`; 5 s. */
  readonly grace?: number;
}

/**
 * The gateway as a Hono app: one wildcard route a connector (Hono's own router slows down with every route), and what
 * people and monitors ask for. It listens nowhere: `app.request()` calls it as a socket would.
 */
export function createApp(registry: Registry, handlers: Handlers, ports: GatewayPorts): Hono<GatewayEnv> {
  const app = new Hono<GatewayEnv>();
  const record = createRecorder(registry, ports.audit ?? ports.log, ports.metrics);
  const plain = createPlain(record);
  const contracts = createContracts(registry, ports.base);
  const cors = createCors(registry);
  const admit = createAdmission(registry, ports);
  const tellAllowed = createTellAllowed(cors, plain);
  const beside = { plain, contracts, cors, admit, tellAllowed };
  const { services = NO_SERVICES } = ports;
  const { components } = services;
  const { idleTimeout = IDLE_TIMEOUT, grace = GRACE } = ports;
  const connected = {
    outbound: NO_OUTBOUND,
    ...ports,
    pace: { idle: idleTimeout, slowest: registry.gateway.limits.slowest, grace },
    services,
    components,
    registry,
    handlers,
    record,
  };
  const shared = { ...connected, operations: compileOperations(connected), stages: new Stages(connected) };
  mountRest(app, shared, beside);
  mountMessages(app, shared, beside);
  const page = createPage(registry, contracts, ports);
  mountReadable(app, '/', tellAllowed, async (exchange) => {
    await admit(exchange);
    return page.respond(exchange, plain);
  });
  mountMonitoring(app, registry, ports, plain, tellAllowed);
  app.notFound(() => {
    throw Fault.of('NOT_FOUND', { what: 'such path; the services are listed at /' });
  });
  app.onError(async (error, c) => {
    const exchange = exchangeOf(c as GatewayContext);
    exchange.cors ??= cors.headers(exchange);
    const fault = error instanceof Fault ? error : Fault.of('INTERNAL', { operation: 'The request' });
    if (fault !== error) ports.log.error({ requestId: exchange.requestId, err: error }, fault.message);
    const isCounted = ports.throttle !== undefined && fault.code === 'UNAUTHENTICATED';
    return plain.fault(exchange, isCounted ? await ports.throttle.refused(exchange, undefined, fault) : fault);
  });
  return app;
}

type App = Hono<GatewayEnv>;

/** Contracts and the page need no credentials, unless `contracts: private`. */
function createAdmission({ gateway }: Registry, { authenticator, throttle }: GatewayPorts): Admission {
  return async (exchange) => {
    if (gateway.contracts === 'private') {
      await throttle?.arrive(exchange);
      exchange.caller = await authenticator.authenticate(exchange, gateway.requires);
    }
    exchange.admitted = true;
  };
}

function createTellAllowed(cors: Cors, plain: Plain): TellAllowed {
  return (exchange, allowed) => {
    exchange.cors ??= cors.headers(exchange);
    const preflight = cors.isPreflight(exchange) ? cors.preflight(exchange, allowed) : {};
    return plain.text(exchange, 204, '', '', { Allow: allowed.join(', '), ...preflight });
  };
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

function mountMonitoring(
  app: App,
  { gateway }: Registry,
  { ready, log, metrics, authenticator, throttle }: GatewayPorts,
  plain: Plain,
  tellAllowed: TellAllowed,
): void {
  mountReadable(app, '/health/live', tellAllowed, (exchange) =>
    plain.text(exchange, 200, 'application/json', '{"status":"live"}'),
  );
  mountReadable(app, '/health/ready', tellAllowed, async (exchange) => {
    exchange.admitted = true;
    try {
      await ready();
    } catch (error) {
      log.warn({ requestId: exchange.requestId, err: error }, 'not ready');
      throw databaseAway(error);
    }
    return plain.text(exchange, 200, 'application/json', '{"status":"ready"}');
  });
  const guarded = { id: '/metrics', public: false, permissions: gateway.metrics };
  mountReadable(app, '/metrics', tellAllowed, async (exchange) => {
    if (!exchange.local) {
      if (gateway.metrics.length === 0)
        throw Fault.of('FORBIDDEN', { user: 'A caller from another machine', what: '/metrics' });
      await throttle?.arrive(exchange);
      exchange.caller = await authenticator.authenticate(exchange, gateway.requires);
      authorise(exchange.caller.user, guarded, 'path');
    }
    exchange.admitted = true;
    return plain.text(exchange, 200, metrics.contentType, await metrics.text());
  });
}
