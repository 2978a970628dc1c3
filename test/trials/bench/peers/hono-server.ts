/** The lookup on Hono alone: nothing is checked, measured or logged. `hono-server.ts <folder of the peers>` prints its port. */
import { createServer, type RequestListener } from 'node:http';
import { employees, LOOKUP_PATH } from '../lookup-data.ts';
import { announce } from '../serving.ts';
import { peer } from './install.ts';

const [, , folder = ''] = process.argv;

/** What is used of `@hono/node-server`, which is not a dependency. */
interface Adapter {
  getRequestListener(fetch: (request: Request) => Response | Promise<Response>): RequestListener;
}

// Types of the gateway's own Hono: the peer may have another version.
const { Hono } = peer<typeof import('hono')>(folder, 'hono');
const { getRequestListener } = peer<Adapter>(folder, '@hono/node-server');

const app = new Hono();
app.get(`${LOOKUP_PATH}/:region/`, (c) =>
  c.json({ EMP_DATA: employees(c.req.param('region'), c.req.query('location') ?? '') }),
);

announce(createServer(getRequestListener(app.fetch)));
