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
import { createBeside, mountReadable } from './plain-routes.ts';
import { mountRest } from './rest/rest.ts';
import { type ConnectorPorts, Stages } from './stages.ts';

/** What the gateway stands on. */
export interface GatewayPorts
  extends Omit<ConnectorPorts, 'registry' | 'components' | 'record'>,
    Omit<MonitoringPorts, 'registry'> {
  /** Keeps attachments that come before they are wanted. */
  readonly spool: Spool;
  /** The audit log: the log itself, or another one. */
  readonly audit: Log;
  /** Users of the sample may call, so that the page's examples show them. */
  readonly sampleUsers: boolean;
}

/**
 * The gateway as a Hono app: one wildcard route a connector (Hono's own router slows down with every route), and what
 * people and monitors ask for. It listens nowhere: `app.request()` calls it as a socket would.
 */
export function createApp(registry: Registry, ports: GatewayPorts): Hono<GatewayEnv> {
  const app = new Hono<GatewayEnv>();
  const record = createRecorder(registry, ports.audit, ports.metrics, ports.redactor);
  const connected = { ...ports, registry, record, components: ports.services.components };
  const shared = { ...connected, operations: compileOperations(connected), stages: new Stages(connected) };
  const beside = createBeside(registry, connected);
  mountRest(app, shared, beside);
  mountMessages(app, shared, beside);
  mountMonitoring(app, connected, beside);
  const page = createPage(registry, beside.contracts, ports);
  mountReadable(app, '/', beside, async (exchange) => {
    await beside.admit(exchange);
    return page.respond(exchange, beside.plain);
  });
  app.notFound(() => {
    throw Fault.of('NOT_FOUND', { what: 'such path; the services are listed at /' });
  });
  app.onError(async (error, c) => {
    const exchange = exchangeOf(c as GatewayContext);
    exchange.cors ??= beside.cors.headers(exchange);
    const fault = error instanceof Fault ? error : Fault.of('INTERNAL', { operation: 'The request' });
    if (fault !== error) ports.log.error({ requestId: exchange.requestId, err: error }, fault.message);
    const isCounted = ports.throttle !== undefined && fault.code === 'UNAUTHENTICATED';
    return beside.plain.fault(exchange, isCounted ? await ports.throttle.refused(exchange, undefined, fault) : fault);
  });
  return app;
}
