import { Hono } from 'hono';
import type { Spool } from '../model/blob.ts';
import { Fault } from '../model/fault.ts';
import type { Registry } from '../model/registry.ts';
import { exchangeOf, type GatewayContext, type GatewayEnv } from './exchange/exchange.ts';
import type { Log } from './log/log.ts';
import { createRecorder } from './log/record.ts';
import { mountMessages } from './messages/mount.ts';
import { type MonitoringPorts, mountMonitoring } from './monitoring.ts';
import { compileOperations } from './operations.ts';
import { createPage } from './page/page.ts';
import { createPlainRoutes, mountReadable } from './plain-routes.ts';
import { mountRest } from './rest/rest.ts';
import { type ConnectorPorts, Stages } from './stages.ts';

/** What the gateway needs. */
export interface GatewayPorts
  extends Omit<ConnectorPorts, 'registry' | 'components' | 'record'>,
    Omit<MonitoringPorts, 'registry'> {
  /** Keeps attachments that arrive before they are read. */
  readonly spool: Spool;
  /** The audit log: the log itself, or another one. */
  readonly audit: Log;
  /** Sample users are active, and the examples of the page use them. */
  readonly sampleUsers: boolean;
}

/**
 * The gateway as a Hono app: one wildcard route for each connector (Hono's own router slows down with every route), and the
 * paths for people and monitors. It does not listen; `app.request()` calls it as a socket would.
 */
export function createApp(registry: Registry, ports: GatewayPorts): Hono<GatewayEnv> {
  const app = new Hono<GatewayEnv>();
  const record = createRecorder(registry, ports.audit, ports.metrics, ports.redactor);
  const connected = { ...ports, registry, record, components: ports.services.components };
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
    if (fault !== error) ports.log.error({ requestId: exchange.requestId, err: error }, fault.message);
    const isCounted = ports.throttle !== undefined && fault.code === 'UNAUTHENTICATED';
    return routes.plain.fault(exchange, isCounted ? await ports.throttle.refused(exchange, undefined, fault) : fault);
  });
  return app;
}
