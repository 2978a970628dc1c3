import type { RecordCall } from '../messaging/run/index.ts';
import type { Spool } from '../model/blob.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { authorise } from '../security/authorise.ts';
import type { Statistics } from '../store/index.ts';
import { idsOf } from '../trace/trace.ts';
import { mountMessages } from './connectors/mount.ts';
import { mountConsole, type OpenConsole } from './console.ts';
import type { Exchange, Surroundings } from './exchange/exchange.ts';
import { notReady } from './exchange/refuse.ts';
import { App, type Fail } from './hono-app.ts';
import type { Log } from './log/log.ts';
import type { Metrics } from './log/metrics.ts';
import { metricsFormat } from './log/metrics-text.ts';
import { createRecorder } from './log/record.ts';
import { compileOperations, type Replacement } from './operations.ts';
import type { Catalogue } from './page/catalogue.ts';
import type { Contracts } from './page/contracts.ts';
import type { PageParts } from './page/html.ts';
import { createPlainRoutes, mountReadable, type Plain, type PlainRoutes } from './plain-routes.ts';
import { mountReplies } from './replies.ts';
import { mountRest } from './rest/rest.ts';
import { type ConnectorPorts, Stages } from './stages.ts';

interface GatewayPorts
  extends Omit<ConnectorPorts, 'registry' | 'components' | 'transactions' | 'record'>,
    Omit<MonitoringPorts, 'registry'>,
    Surroundings {
  /** Stores attachments that arrive before they are read. */
  readonly spool: Spool;
  /** The audit log: the gateway's log, or a separate one. */
  readonly audit: Log;
  /** Takes the calls that the message store has; absent for a mock. */
  readonly recordCall?: RecordCall | undefined;
  /** The file of the audit log, if it has one. */
  readonly auditFile?: { readonly broken: boolean } | undefined;
  /** Counts the calls by minute; absent for a mock. */
  readonly statistics?: Pick<Statistics, 'counter'> | undefined;
  /** The operator's pages, unless they are off or have an address of their own. */
  readonly console?: OpenConsole | undefined;
  /** Sample users are active, and the examples on the page use them. */
  readonly sampleUsers: boolean;
  /** Answers every operation in place of the project; for mocks. */
  readonly replaced?: (operation: Operation) => Replacement;
}

export function createApp(registry: Registry, ports: GatewayPorts): App {
  const record = createRecorder(registry, { ...ports, log: ports.audit });
  const connected = {
    ...ports,
    registry,
    record,
    components: ports.services.components,
    transactions: ports.services.transactions,
  };
  const shared = { ...connected, operations: compileOperations(connected), stages: new Stages(connected) };
  const routes = createPlainRoutes(registry, connected);
  const app = new App({
    ...appPorts(registry, routes, ports),
    known: 'the services are listed at /',
    corsOfRefusal: routes.cors.headersOfRefusal,
  });
  mountRest(app, shared, routes);
  mountMessages(app, shared, routes);
  mountReplies(app, shared, routes);
  mountMonitoring(app, connected, routes);
  if (ports.console !== undefined) mountConsole(app, { ...connected, open: ports.console, operations: app });
  const { base, sampleUsers } = ports;
  const console = ports.console === undefined ? undefined : '/console';
  const page = createPage(registry, routes.contracts, { base, sampleUsers, console });
  mountReadable(app, '/', routes, async (exchange) => {
    await routes.admit(exchange);
    return page.respond(exchange, routes.plain);
  });
  return app;
}

/** The console at an address of its own, where nothing else is. @param operations the gateway, which answers what the console calls */
export function createConsoleApp(
  registry: Registry,
  ports: Omit<GatewayPorts, 'console'> & { readonly console: OpenConsole },
  operations: App,
): App {
  const record = createRecorder(registry, { ...ports, log: ports.audit });
  const routes = createPlainRoutes(registry, { ...ports, record });
  const app = new App({
    ...appPorts(registry, routes, ports),
    known: 'the console is at /console',
    corsOfRefusal: () => undefined,
  });
  mountConsole(app, { ...ports, registry, record, open: ports.console, operations });
  mountReadable(app, '/', routes, (exchange) => routes.plain.text(exchange, 303, '', '', { Location: '/console' }));
  return app;
}

function appPorts({ gateway }: Registry, routes: PlainRoutes, ports: GatewayPorts) {
  const { proxies, tracer, auditFile } = ports;
  const { context, limits } = gateway;
  return { context, longestTarget: limits.target, fail: failing(routes, ports), proxies, tracer, auditFile };
}

/** Answers what failed outside of an operation. */
function failing({ cors, plain }: PlainRoutes, { log, throttle }: Pick<GatewayPorts, 'log' | 'throttle'>): Fail {
  return async (exchange, error) => {
    exchange.cors ??= cors.headersOfRefusal(exchange.header('origin'));
    const fault = error instanceof Fault ? error : Fault.of('INTERNAL', { operation: 'The request' });
    if (fault !== error) log.error({ ...idsOf(exchange.trace), err: error }, fault.message);
    const isCounted = throttle !== undefined && fault.code === 'UNAUTHENTICATED';
    return plain.fault(exchange, isCounted ? await throttle.refused(exchange, undefined, fault) : fault);
  };
}

interface MonitoringPorts extends Pick<ConnectorPorts, 'registry' | 'log' | 'authenticator' | 'throttle'> {
  readonly metrics: Metrics;
  /** Resolves when everything behind the gateway answers. @throws Fault while the gateway drains; any other reason is logged */
  readonly ready: () => Promise<void>;
}

/** The paths for monitors: liveness, readiness, and metrics. */
function mountMonitoring(
  app: App,
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

/** The catalogue of services at `/`. */
interface Page {
  respond(exchange: Exchange, plain: Plain): Promise<Response>;
}

/**
 * Renders each page when it is requested: a start should not wait for the libraries that write its examples.
 */
export function createPage(
  registry: Registry,
  contracts: Contracts,
  { base, sampleUsers, console }: { readonly base: () => string } & Pick<PageParts, 'sampleUsers' | 'console'>,
): Page {
  let catalogue: Catalogue | undefined;
  return {
    async respond(exchange, plain) {
      const { createCatalogue, CONTENT_POLICY } = await import('./page/catalogue.ts');
      catalogue ??= createCatalogue({ registry, contracts, base: base(), sampleUsers, console });
      const { html, etag } = catalogue.find(exchange.query);
      return plain.document(exchange, 'text/html; charset=utf-8', html, {
        compresses: registry.gateway.compress.rest,
        // The others are too many to be kept.
        isStatic: exchange.query === undefined,
        headers: {
          ETag: etag,
          'Cache-Control': 'no-cache',
          'Content-Security-Policy': CONTENT_POLICY,
          'Referrer-Policy': 'no-referrer',
        },
      });
    },
  };
}
