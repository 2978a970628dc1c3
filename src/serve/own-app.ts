import { Hono } from 'hono';
import type { GatewayEnv } from './exchange/exchange.ts';
import type { App } from './hono-app.ts';
import type { Answering } from './listen/listen.ts';

/**
 * Adds routes and middleware of a project to a gateway. Those that are added before `app.route('/', gateway)` come before the
 * gateway's; without that call, it is added behind all of them.
 */
export type OwnApp = (app: Hono<GatewayEnv>, gateway: Hono<GatewayEnv>) => void | Promise<void>;

/**
 * Types the routes and middleware of a project, which are in `src/app.ts`:
 *
 * ```ts
 * export default defineApp((app) => {
 *   app.get('/version', (c) => c.json({ version: '1.4' }));
 * });
 * ```
 */
export function defineApp(own: OwnApp): OwnApp {
  return own;
}

/** The gateway with what a project adds to it. Every reply is then a Response, which middleware may read and change. */
export async function withOwn(gateway: App, own: OwnApp): Promise<Answering & Hono<GatewayEnv>> {
  const app = new Hono<GatewayEnv>();
  app.notFound((c) => gateway.nothing(c));
  app.onError((error, c) =>
    'getResponse' in error ? error.getResponse() : gateway.answering(() => Promise.reject(error))(c),
  );
  await own(app, gateway);
  const handlers = new Set(gateway.routes.map(({ handler }) => handler));
  if (!app.routes.some(({ handler }) => handlers.has(handler))) app.route('/', gateway);
  return Object.assign(app, { writes: () => false, corsOfRefusal: gateway.corsOfRefusal });
}
