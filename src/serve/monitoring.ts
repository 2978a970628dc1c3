import type { Hono } from 'hono';
import { Fault } from '../model/fault.ts';
import { authorise } from '../security/authorise.ts';
import type { GatewayEnv } from './exchange/exchange.ts';
import { notReady } from './exchange/refuse.ts';
import type { Metrics } from './log/metrics.ts';
import { mountReadable, type PlainRoutes } from './plain-routes.ts';
import type { ConnectorPorts } from './stages.ts';

export interface MonitoringPorts extends Pick<ConnectorPorts, 'registry' | 'log' | 'authenticator' | 'throttle'> {
  readonly metrics: Metrics;
  /** Resolves if everything behind the gateway answers; rejects with the reason. */
  readonly ready: () => Promise<void>;
}

/** The paths for monitors: liveness, readiness, and metrics. */
export function mountMonitoring(
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
      log.warn({ requestId: exchange.requestId, err: error }, 'The gateway is not ready.');
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
    return plain.document(exchange, metrics.contentType, await metrics.text(), options);
  });
}
