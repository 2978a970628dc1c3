/**
 * The limit of the lookup: the same route written by hand with Hono and ajv. It checks credentials and permission, and
 * writes the request id, the log line and the histogram, with the gateway's own functions. So the comparison shows the
 * cost of everything else between a request and its handler.
 */
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Ajv } from 'ajv';
import { Hono } from 'hono';
import { loadProject } from '../../src/load/index.ts';
import { Fault } from '../../src/model/fault.ts';
import type { SecurityScheme, User } from '../../src/model/security.ts';
import type { Operation } from '../../src/model/service.ts';
import { createAuthenticator } from '../../src/security/authenticator.ts';
import { authorise } from '../../src/security/authorise.ts';
import { requestIdOf } from '../../src/serve/exchange/exchange.ts';
import { createLog } from '../../src/serve/log/log.ts';
import { createMetrics } from '../../src/serve/log/metrics.ts';
import { projectFiles } from '../../src/serve/start/settings.ts';
import { createDirectory } from '../../test/support/directory.ts';
import { employees } from './lookup-data.ts';
import { announce, discarded } from './serving.ts';

const { registry } = loadProject({ root: fileURLToPath(new URL('project/', import.meta.url)) });
if (registry === undefined) throw new Error('the definitions of the bench do not load');
const operation = registry.operations.get('LOOKUP_GET') as Operation;
const authenticator = createAuthenticator({
  schemes: registry.schemes.values(),
  directory: createDirectory(registry.users, true),
  resolve: ({ source }) => source,
  lookAt: projectFiles('.'),
});
const log = createLog({ to: discarded() });
const metrics = createMetrics();
const valid = new Ajv({ coerceTypes: true }).compile<{ region: string; location: string }>({
  type: 'object',
  properties: { region: { type: 'string', maxLength: 1 }, location: { type: 'string', maxLength: 10 } },
  required: ['region', 'location'],
});

const app = new Hono<{ Bindings: HttpBindings }>();
app.get('/gateway/RESTListeningConnector/LOCAL/Lookup.v1/Employees/:region/', async (c) => {
  const started = performance.now();
  const requestId = requestIdOf(c.req.header('x-request-id'));
  let user: User;
  let scheme: SecurityScheme;
  try {
    ({ user, scheme } = await authenticator.authenticate(
      { header: (name) => c.req.header(name), certificate: () => undefined, secure: true },
      operation.requires,
    ));
    authorise(user, operation, 'operation');
  } catch (error) {
    if (error instanceof Fault) return c.json({ message: error.message }, error.status === 403 ? 403 : 401);
    throw error;
  }
  const input = { region: c.req.param('region'), location: c.req.query('location') };
  if (!valid(input)) return c.json({ message: valid.errors?.[0]?.message }, 400);
  const text = JSON.stringify({ EMP_DATA: employees(input.region, input.location) });
  const ms = performance.now() - started;
  metrics.observe(operation.id, 200, ms / 1000, 0, 0);
  log.info({
    requestId,
    decision: 'allowed',
    method: c.req.method,
    path: c.req.path,
    operation: operation.id,
    service: operation.service.id,
    user: user.id,
    scheme: scheme.id,
    remote: c.env.incoming.socket.remoteAddress,
    status: 200,
    ms: Math.round(ms * 1000) / 1000,
    bytesIn: 0,
    bytes: text.length,
    complete: true,
  });
  return c.body(text, 200, { 'Content-Type': 'application/json', 'X-Request-Id': requestId });
});

announce(createServer(getRequestListener(app.fetch)));
