import { Hono } from 'hono';
import type { RecordCall } from '../message/index.ts';
import type { Spool } from '../model/blob.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import type { Operation } from '../model/service.ts';
import { authorise } from '../security/authorise.ts';
import type { Statistics } from '../store/index.ts';
import { idsOf, inContext } from '../trace/trace.ts';
import { attempt } from '../wire/waiting.ts';
import { mountConsole, type OpenConsole } from './console.ts';
import type { Cors } from './exchange/cors.ts';
import {
  type Answer,
  type Arrival,
  answering,
  Exchange,
  exchangeOf,
  type GatewayContext,
  type GatewayEnv,
  type Mounts,
} from './exchange/exchange.ts';
import { notReady } from './exchange/refuse.ts';
import type { Log } from './log/log.ts';
import type { Metrics } from './log/metrics.ts';
import { metricsFormat } from './log/metrics-text.ts';
import { createRecorder } from './log/record.ts';
import { mountMessages } from './messages/mount.ts';
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
    Omit<MonitoringPorts, 'registry'> {
  /** Stores attachments that arrive before they are read. */
  readonly spool: Spool;
  /** The audit log: the gateway's log, or a separate one. */
  readonly audit: Log;
  /** Takes the calls that the message store has; absent for a mock. */
  readonly recordCall?: RecordCall | undefined;
  /** Counts the calls by minute; absent for a mock. */
  readonly statistics?: Pick<Statistics, 'counter'> | undefined;
  /** The operator's pages, unless they are off or have an address of their own. */
  readonly console?: OpenConsole | undefined;
  /** Sample users are active, and the examples on the page use them. */
  readonly sampleUsers: boolean;
  /** Answers every operation in place of the project; for mocks. */
  readonly replaced?: (operation: Operation) => Replacement;
}

/** Answers a request whose error belongs to no operation. */
type Fail = (exchange: Exchange, error: unknown) => Promise<Response>;

/**
 * The gateway as a Hono app: one wildcard route per connector (Hono's own router slows down with every route), and the
 * paths for people and monitors. It does not listen; `app.request()` calls it as a socket would.
 */
export class App extends Hono<GatewayEnv> implements Mounts {
  readonly #connectors: { readonly prefix: string; readonly answer: Answer }[] = [];
  readonly #context: string;
  readonly #fail: Fail;
  /** Headers for a request that does not reach the app, by its Origin header. */
  readonly corsOfRefusal: Cors['headersOfRefusal'];

  /** @param fail answers what failed outside an operation */
  constructor(context: string, fail: Fail, corsOfRefusal: Cors['headersOfRefusal']) {
    super();
    this.corsOfRefusal = corsOfRefusal;
    this.#context = `/${context}/`;
    this.#fail = fail;
    this.onError((error, c) => fail(exchangeOf(c as GatewayContext), error));
  }

  connect(connector: string, answer: Answer): void {
    const prefix = `${this.#context}${connector}`;
    this.#connectors.push({ prefix, answer });
    // It also matches the prefix itself.
    this.all(`${prefix}/*`, answering(answer));
  }

  /**
   * Answers a request that came over a socket, on Node's own objects: those of the web standards would take a sixth of the time of
   * a small call, and 20 ms of the start to load. The reply is written to `outgoing`.
   */
  answer(arrival: Required<Pick<Arrival, 'incoming' | 'outgoing'>> & Arrival): unknown {
    const { method, url: target } = arrival.incoming as { method: string; url: string };
    const answer = this.#connectorOf(target);
    if (answer === undefined) {
      // Hono reads no more of a request than this. The exchange knows by itself that the reply to HEAD has no body.
      const request = { method: method === 'HEAD' ? 'GET' : method, url: `http://localhost${target}` };
      return this.fetch(request as Request, { ...arrival });
    }
    const exchange = new Exchange(arrival);
    const fail = (error: unknown): Promise<Response> => this.#fail(exchange, error);
    return inContext(exchange, () => attempt(() => answer(exchange), fail));
  }

  /** @param target in origin form */
  #connectorOf(target: string): Answer | undefined {
    for (const { prefix, answer } of this.#connectors) {
      if (!target.startsWith(prefix)) continue;
      const next = target[prefix.length];
      if (next === '/' || next === '?' || next === undefined) return answer;
    }
    return undefined;
  }
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
  const app = new App(registry.gateway.context, failing(routes, ports), routes.cors.headersOfRefusal);
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
  app.notFound(() => {
    throw Fault.of('NOT_FOUND', { what: 'such path; the services are listed at /' });
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
  const app = new App(registry.gateway.context, failing(routes, ports), () => undefined);
  mountConsole(app, { ...ports, registry, record, open: ports.console, operations });
  mountReadable(app, '/', routes, (exchange) => routes.plain.text(exchange, 303, '', '', { Location: '/console' }));
  app.notFound(() => {
    throw Fault.of('NOT_FOUND', { what: 'such path; the console is at /console' });
  });
  return app;
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
