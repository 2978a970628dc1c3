import { Hono } from 'hono';
import type { Spool } from '../model/blob.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { authorise } from '../security/authorise.ts';
import { idsOf } from '../trace/trace.ts';
import { type Exchange, exchangeOf, type GatewayContext, type GatewayEnv } from './exchange/exchange.ts';
import { notReady } from './exchange/refuse.ts';
import type { Log } from './log/log.ts';
import type { Metrics } from './log/metrics.ts';
import { metricsFormat } from './log/metrics-text.ts';
import { createRecorder } from './log/record.ts';
import { mountMessages } from './messages/mount.ts';
import { compileOperations, type Replacement } from './operations.ts';
import type { Contracts } from './page/contracts.ts';
import { createPlainRoutes, mountReadable, type Plain, type PlainRoutes } from './plain-routes.ts';
import { mountRest } from './rest/rest.ts';
import { type ConnectorPorts, Stages } from './stages.ts';

interface GatewayPorts
  extends Omit<ConnectorPorts, 'registry' | 'components' | 'transactions' | 'record'>,
    Omit<MonitoringPorts, 'registry'> {
  /** Stores attachments that arrive before they are read. */
  readonly spool: Spool;
  /** The audit log: the gateway's log, or a separate one. */
  readonly audit: Log;
  /** Sample users are active, and the examples on the page use them. */
  readonly sampleUsers: boolean;
  /** Answers every operation in place of the project; for mocks. */
  readonly replaced?: (operation: Operation) => Replacement;
}

/**
 * The gateway as a Hono app: one wildcard route per connector (Hono's own router slows down with every route), and the
 * paths for people and monitors. It does not listen; `app.request()` calls it as a socket would.
 */
export function createApp(registry: Registry, ports: GatewayPorts): Hono<GatewayEnv> {
  const app = new Hono<GatewayEnv>();
  const record = createRecorder(registry, ports.audit, ports.metrics, ports.redactor);
  const connected = {
    ...ports,
    registry,
    record,
    components: ports.services.components,
    transactions: ports.services.transactions,
  };
  const shared = { ...connected, operations: compileOperations(connected), stages: new Stages(connected) };
  const routes = createPlainRoutes(registry, connected);
  mountRest(app, shared, routes);
  mountMessages(app, shared, routes);
  mountMonitoring(app, connected, routes);
  const page = createPage(registry, routes.contracts, ports);
  mountReadable(app, '/', routes, async (exchange) => {
    await routes.admit(exchange);
    return page.respond(exchange, routes.plain);
  });
  app.notFound(() => {
    throw Fault.of('NOT_FOUND', { what: 'such path; the services are listed at /' });
  });
  app.onError(async (error, c) => {
    const exchange = exchangeOf(c as GatewayContext);
    exchange.cors ??= routes.cors.headers(exchange);
    const fault = error instanceof Fault ? error : Fault.of('INTERNAL', { operation: 'The request' });
    if (fault !== error) ports.log.error({ ...idsOf(exchange.trace), err: error }, fault.message);
    const isCounted = ports.throttle !== undefined && fault.code === 'UNAUTHENTICATED';
    return routes.plain.fault(exchange, isCounted ? await ports.throttle.refused(exchange, undefined, fault) : fault);
  });
  return app;
}

interface MonitoringPorts extends Pick<ConnectorPorts, 'registry' | 'log' | 'authenticator' | 'throttle'> {
  readonly metrics: Metrics;
  /** Resolves when everything behind the gateway answers. @throws Fault while the gateway drains; any other reason is logged */
  readonly ready: () => Promise<void>;
}

/** The paths for monitors: liveness, readiness, and metrics. */
function mountMonitoring(
  app: Hono<GatewayEnv>,
  { registry: { gateway }, log, authenticator, throttle, metrics, ready }: MonitoringPorts,
  routes: PlainRoutes,
): void {
  const { plain } = routes;
  mountReadable(app, '/health/live', routes, (exchange) =>
    plain.text(exchange, 200, 'application/json', '{"status":"live"}'),
  );
  mountReadable(app, '/health/ready', routes, async (exchange) => {
    exchange.admitted = true;
    try {
      await ready();
    } catch (error) {
      if (error instanceof Fault) throw error;
      log.warn({ err: error }, 'The gateway is not ready.');
      throw notReady(error);
    }
    return plain.text(exchange, 200, 'application/json', '{"status":"ready"}');
  });
  const guarded = { id: '/metrics', public: false, permissions: gateway.metrics };
  mountReadable(app, '/metrics', routes, async (exchange) => {
    if (!exchange.local) {
      if (gateway.metrics.length === 0)
        throw Fault.of('FORBIDDEN', { user: 'A caller from another machine', what: '/metrics' });
      await throttle?.arrive(exchange);
      const caller = await authenticator.authenticate(exchange, gateway.requires);
      exchange.caller = caller;
      authorise(caller.user, guarded, 'path');
    }
    exchange.admitted = true;
    const options = { compresses: gateway.compress.rest, isStatic: false };
    const { contentType, write } = metricsFormat(exchange.header('accept'));
    return plain.document(exchange, contentType, write(await metrics.families()), options);
  });
}

/** The page at `/`: every service with its contracts, every operation with a command to try it. */
interface Page {
  respond(exchange: Exchange, plain: Plain): Promise<Response>;
}

/** The page runs no scripts and loads nothing except its embedded icon. */
const SECURITY = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  'Referrer-Policy': 'no-referrer',
};

/**
 * Renders the page at its first request and caches it: the registry does not change, and a start should not wait for the
 * libraries that write its examples.
 */
export function createPage(
  registry: Registry,
  contracts: Contracts,
  { base, sampleUsers }: { readonly base: () => string; readonly sampleUsers: boolean },
): Page {
  let html: string | undefined;
  return {
    async respond(exchange, plain) {
      if (html === undefined) {
        const { renderPage } = await import('./page/html.ts');
        html = renderPage({ registry, contracts, base: base(), sampleUsers });
      }
      const options = { compresses: registry.gateway.compress.rest, isStatic: true, headers: SECURITY };
      return plain.document(exchange, 'text/html; charset=utf-8', html, options);
    },
  };
}
