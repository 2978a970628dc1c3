import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenGateway, openGateway } from '../../src/serve/start.ts';
import { call, DEMO } from '../support/gateway.ts';
import { writeProject } from '../support/project.ts';

// A gateway within servers of other makers.

const FILES = {
  'definitions/own.yaml': `service: Own.v1
permission: EVERYTHING
operations:
  ECHO: { post: "echo/{ID}", request: { fields: { ID: string, NAME: string } }, response: { fields: { ID: string, NAME: string } } }
  COUNT: { put: count, request: binary, response: { fields: { BYTES: integer } } }
`,
  'src/handlers/echo.ts': 'export default { onRequest: ({ ID, NAME }) => ({ ID, NAME }) };\n',
  'src/handlers/count.ts': `export default {
  async onRequest({ content }) {
    let BYTES = 0;
    for await (const chunk of content.stream()) BYTES += chunk.length;
    return { BYTES };
  },
};
`,
};
const BASE = '/gateway/RESTListeningConnector/Own.v1';

let project: ReturnType<typeof writeProject>;
let gateway: OpenGateway;
beforeAll(async () => {
  project = writeProject(FILES);
  gateway = await openGateway({ root: project.root, env: {}, readers: 1, log: { to: { write: () => {} } } });
});
afterAll(async () => {
  await gateway.close({ timeoutMs: 1000 });
  project.remove();
});

async function expectGateway(port: number): Promise<void> {
  expect((await call(port, '/mine')).text).toBe('mine');
  const sent = { method: 'POST', body: '{"NAME":"é"}', headers: { 'content-type': 'application/json' } };
  expect((await call(port, `${BASE}/echo/a%2Fb`, sent)).text).toBe('{"ID":"a/b","NAME":"é"}');
  expect((await call(port, `${BASE}/echo/1`, { ...sent, anonymous: true })).status).toBe(401);
  const bytes = { method: 'PUT', body: Buffer.alloc(3_000_000), headers: { 'content-type': 'application/x-test' } };
  expect((await call(port, `${BASE}/count`, bytes)).text).toBe('{"BYTES":3000000}');
  const doubled = await fetch(`http://127.0.0.1:${port}${BASE}/echo/1`, {
    ...sent,
    headers: [...Object.entries(sent.headers), ['authorization', DEMO], ['x-request-id', 'seen']],
  });
  expect([doubled.status, doubled.headers.get('x-request-id')]).toEqual([200, 'seen']);
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

test('Express', async () => {
  const app = express();
  app.get('/mine', (_, response) => void response.send('mine'));
  app.use(getRequestListener(gateway.fetch, { overrideGlobalObjects: false }));
  const server = app.listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    await expectGateway(portOf(server));
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test('Fastify', async () => {
  const app = fastify();
  app.get('/mine', () => 'mine');
  const listener = getRequestListener(gateway.fetch, { overrideGlobalObjects: false });
  await app.register(async (own) => {
    // The gateway reads bodies itself.
    own.removeAllContentTypeParsers();
    own.addContentTypeParser('*', (_request, _payload, done) => done(null));
    own.all('/gateway/*', (request, reply) => {
      reply.hijack();
      void listener(request.raw, reply.raw);
    });
  });
  try {
    await app.listen({ port: 0, host: '127.0.0.1' });
    await expectGateway(portOf(app.server));
  } finally {
    await app.close();
  }
});
