import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type OpenGateway, openGateway } from '../../src/serve/start.ts';
import { call, DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { writeProject } from '../support/project.ts';

const SERVICE = `service: Own.v1
permission: EVERYTHING
operations:
  ECHO: { post: "echo/{ID}", request: { fields: { ID: string, NAME: string } }, response: { fields: { ID: string, NAME: string } } }
  FILE: { get: file, response: binary }
  BROKEN: { get: broken, response: binary }
`;
const HANDLERS = {
  'src/handlers/echo.ts': 'export default { onRequest: ({ ID, NAME }) => ({ ID, NAME }) };\n',
  'src/handlers/file.ts': `export default {
  onRequest: (_, context) => context.bytes({
    contentType: 'text/x-test',
    length: 6,
    body: async function* () { for (const text of ['abc', 'def']) yield new TextEncoder().encode(text); },
  }),
};
`,
  'src/handlers/broken.ts': `export default {
  onRequest: (_, context) => context.bytes({
    contentType: 'text/x-test',
    length: 100_000,
    body: async function* () {
      yield new Uint8Array(65_536);
      throw new Error('the secret of the disk');
    },
  }),
};
`,
};
const FILES = { 'definitions/own.yaml': SERVICE, ...HANDLERS };
const BASE = '/gateway/RESTListeningConnector/Own.v1';
const ECHOED = { method: 'POST', body: '{"NAME":"é"}', headers: { 'content-type': 'application/json' } };

const APP = `import { defineApp } from 'signalbox';
export default defineApp((app, gateway) => {
  app.use(async (c, next) => {
    await next();
    c.header('x-own', 'yes');
  });
  app.use('/gateway/*', async (c, next) => {
    if (c.req.header('x-tenant') === 'closed') return c.text('not here', 403);
    if (c.req.header('x-tenant') === 'fails') throw new Error('the secret of the app');
    await next();
  });
  app.get('/version', (c) => c.json({ version: '1.4' }));
  app.route('/', gateway);
  app.get('/behind', (c) => c.text('behind'));
  app.get('/health/live', (c) => c.text('never'));
});
`;

describe('src/app.ts', () => {
  let box: TestGateway;
  beforeAll(async () => {
    box = await startTestGateway({ files: { ...FILES, 'src/app.ts': APP } });
  });
  afterAll(() => box.stop());

  it('adds routes before the gateway and behind it', async () => {
    expect((await box.call('/version')).text).toBe('{"version":"1.4"}');
    expect((await box.call('/behind')).text).toBe('behind');
    expect((await box.call('/health/live')).text).toBe('{"status":"live"}');
    const nothing = await box.call('/nothing');
    expect([nothing.status, nothing.headers['x-own']]).toEqual([404, 'yes']);
    expect(JSON.parse(nothing.text)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('changes replies of the gateway, whole and streamed', async () => {
    const echoed = await box.call(`${BASE}/echo/%C3%A4%2Fb`, ECHOED);
    expect([echoed.status, echoed.text, echoed.headers['x-own']]).toEqual([200, '{"ID":"ä/b","NAME":"é"}', 'yes']);
    expect(echoed.headers['content-length']).toBe(String(Buffer.byteLength(echoed.text)));
    const file = await box.call(`${BASE}/file`);
    expect([file.text, file.headers['x-own']]).toEqual(['abcdef', 'yes']);
    const refused = await box.call(`${BASE}/echo/1`, { ...ECHOED, body: '{"NAME":1', anonymous: true });
    expect([refused.status, refused.headers['x-own']]).toEqual([401, 'yes']);
  });

  it('refuses in its own words', async () => {
    const refused = await box.call(`${BASE}/echo/1`, { headers: { 'x-tenant': 'closed' } });
    expect([refused.status, refused.text]).toEqual([403, 'not here']);
  });

  it('tells nothing of an error of its own but its id', async () => {
    const failed = await box.call(`${BASE}/echo/1`, { headers: { 'x-tenant': 'fails', 'x-request-id': 'own-1' } });
    expect(failed.status).toBe(500);
    expect(JSON.parse(failed.text)).toMatchObject({ code: 'INTERNAL', requestId: 'own-1' });
    expect(failed.text).not.toContain('secret');
    expect(JSON.stringify(box.log())).toContain('the secret of the app');
  });

  it('ends the connection of a reply that fails midway, with nothing of the error in it', async () => {
    const head = `GET ${BASE}/broken HTTP/1.1\r\nHost: a\r\nAuthorization: ${DEMO}\r\nConnection: close\r\n\r\n`;
    const reply = await box.raw(head);
    expect(reply).toMatch(/^HTTP\/1\.1 200 /);
    expect(reply.length).toBeLessThan(100_000);
    expect(reply).not.toContain('secret');
  });
});

it.each([
  ['export default { routes: [] };', /^src\/app\.ts does not export a function that takes an app$/],
  ['throw new Error("no such host");', /^src\/app\.ts does not load: no such host$/],
])('src/app.ts with %j stops the start', async (text, message) => {
  await expect(startTestGateway({ files: { ...FILES, 'src/app.ts': text } })).rejects.toThrow(message);
});

/** Listens on a free port until the test ends. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

describe('a gateway that does not listen', () => {
  let project: ReturnType<typeof writeProject>;
  let gateway: OpenGateway;
  const lines: string[] = [];
  beforeAll(async () => {
    project = writeProject(FILES);
    const log = { to: { write: (line: string) => lines.push(line) } };
    gateway = await openGateway({ root: project.root, env: {}, readers: 1, log });
  });
  afterAll(async () => {
    await gateway.close({ timeoutMs: 1000 });
    project.remove();
  });

  it('answers a Request with a Response', async () => {
    const request = (path: string, init: RequestInit = {}): Request =>
      new Request(`http://localhost${path}`, { ...init, headers: { authorization: DEMO, ...init.headers } });
    const echoed = await gateway.fetch(request(`${BASE}/echo/7`, ECHOED));
    expect([echoed.status, await echoed.text()]).toEqual([200, '{"ID":"7","NAME":"é"}']);
    expect((await gateway.fetch(request('/health/ready'))).status).toBe(200);
    const head = await gateway.fetch(request(`${BASE}/file`, { method: 'HEAD' }));
    expect([head.status, await head.text()]).toEqual([200, '']);
    const broken = await gateway.fetch(request(`${BASE}/broken`));
    await expect(broken.text()).rejects.toThrow();
  });

  it('is part of another Hono app, and knows who calls', async () => {
    const other = new Hono();
    other.get('/mine', (c) => c.text('mine'));
    other.route('/', gateway.app);
    other.notFound((c) => c.text('none of both', 404));
    const port = await listening(createServer(getRequestListener(other.fetch, { overrideGlobalObjects: false })));
    expect((await call(port, '/mine')).text).toBe('mine');
    expect((await call(port, '/other')).text).toBe('none of both');
    expect((await call(port, `${BASE}/echo/a%2Fb`, ECHOED)).text).toBe('{"ID":"a/b","NAME":"é"}');
    expect((await call(port, `${BASE}/echo/%2e%2e`, ECHOED)).status).toBe(400);
    expect((await call(port, `${BASE}/echo/1`, { ...ECHOED, anonymous: true })).status).toBe(401);
    expect((await call(port, '/metrics', { headers: { 'x-forwarded-for': '192.0.2.1' } })).status).toBe(403);
    expect(lines.join('')).toContain('"remote":"127.0.0.1"');
  });

  it('is below a path of another server', async () => {
    const listener = getRequestListener(gateway.fetch, { overrideGlobalObjects: false });
    const below: RequestListener = (incoming, outgoing) => {
      incoming.url = (incoming.url as string).replace(/^\/below/, '');
      void listener(incoming, outgoing);
    };
    const port = await listening(createServer(below));
    expect((await call(port, `/below${BASE}/echo/%C3%A4`, ECHOED)).text).toBe('{"ID":"ä","NAME":"é"}');
    const mounted = new Hono().mount('/deep', gateway.fetch as (request: Request) => Response);
    const deep = await listening(createServer(getRequestListener(mounted.fetch, { overrideGlobalObjects: false })));
    expect((await call(deep, `/deep${BASE}/echo/%C3%A4`, ECHOED)).text).toBe('{"ID":"ä","NAME":"é"}');
  });
});
