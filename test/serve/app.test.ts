import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { loadProject } from '../../src/load/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import { createLazyClient } from '../../src/serve/answer/outbound.ts';
import { createApp } from '../../src/serve/app.ts';
import { GRACE, IDLE_TIMEOUT } from '../../src/serve/exchange/body.ts';
import { createLog } from '../../src/serve/log/log.ts';
import { createMetrics } from '../../src/serve/log/metrics.ts';
import { openData } from '../../src/serve/start/data.ts';
import { importCode } from '../../src/serve/start/handlers.ts';
import { openServices } from '../../src/serve/start/services.ts';
import { authenticatorOf } from '../support/authenticator.ts';
import { createDirectory } from '../support/directory.ts';
import { DEMO, GUEST } from '../support/gateway.ts';
import { gatewayText, writeProject } from '../support/project.ts';

const FILES = {
  'definitions/app.yaml': `service: App.v1
permission: EVERYTHING
operations:
  ECHO: { post: "echo/{ID}", request: { fields: { ID: integer, NAME: string } }, response: { fields: { ID: integer, NAME: string } } }
  BYTES: { get: bytes, response: binary }
  STREAM: { get: stream, response: binary }
  UPLOAD: { post: upload, request: binary, response: { fields: { BYTES: integer } } }
  ROWS: { get: "rows/{N}", query: SERIES }
---
query: SERIES
permission: EVERYTHING
prompts: { N: { type: integer, required: true } }
columns: { N: integer }
sql: with recursive c(n) as (select 1 union all select n + 1 from c where n < :N) select n from c
`,
  'src/handlers/echo.ts': 'export default { onRequest: (given) => ({ ...given }) };\n',
  'src/handlers/bytes.ts': `export default {
  onRequest: (_, context) => context.bytes({ contentType: 'image/x-test', length: 3, body: new Uint8Array([0, 128, 255]) }),
};
`,
  'src/handlers/stream.ts': `export default {
  onRequest: (_, context) => context.bytes({
    contentType: 'text/x-test',
    length: 6,
    body: async function* () { for (const text of ['abc', 'def']) yield new TextEncoder().encode(text); },
  }),
};
`,
  'src/handlers/upload.ts': `export default {
  async onRequest({ content }) {
    let BYTES = 0;
    for await (const chunk of content.stream()) BYTES += chunk.length;
    return { BYTES };
  },
};
`,
};

let app: ReturnType<typeof createApp>;
let request: (path: string, init?: RequestInit) => Promise<Response>;
const atEnd: (() => Promise<void> | void)[] = [];
async function appOf(files: Readonly<Record<string, string>>): Promise<typeof app> {
  const project = writeProject(files);
  const registry = loadProject({ root: project.root }).registry as Registry;
  const data = await openData(registry, { root: project.root, env: {} });
  atEnd.push(() => data.close(), project.remove);
  const { queries, blobs, spool, store } = data;
  const { handlers, ...code } = await importCode(registry, project.root);
  const redactor = createRedactor();
  const log = createLog({ to: { write: () => {} } });
  const outbound = createLazyClient(registry, { env: {}, spool, folder: project.root, redactor });
  const directory = createDirectory(registry.users, true);
  const metrics = createMetrics();
  const services = await openServices(registry, {
    data,
    outbound,
    log,
    settings: {},
    redactor,
    audit: log,
    metrics,
    directory,
    base: () => '',
    ...code,
  });
  atEnd.unshift(() => services.close(0));
  return createApp(registry, {
    ...{ handlers, queries, blobs, spool, services, outbound, log, settings: {}, redactor, audit: log },
    authenticator: authenticatorOf(registry),
    metrics,
    throttle: undefined,
    answers: services.answers,
    sampleUsers: true,
    ready: () => store.ready(),
    pace: { idle: IDLE_TIMEOUT, slowest: 1, grace: GRACE },
    base: () => 'http://contracts.example/gateway',
  });
}

beforeAll(async () => {
  app = await appOf(FILES);
  request = async (path, init = {}) =>
    app.request(path, { ...init, headers: { authorization: DEMO, ...(init.headers as Record<string, string>) } });
});
afterAll(async () => {
  for (const task of atEnd) await task();
});

const BASE = '/gateway/RESTListeningConnector/App.v1/';

describe('app.request(), without a socket', () => {
  it('answers JSON', async () => {
    const init = { method: 'POST', body: '{"NAME":"é"}', headers: { 'content-type': 'application/json' } };
    const reply = await request(`${BASE}echo/7`, init);
    expect([reply.status, await reply.text()]).toEqual([200, '{"ID":7,"NAME":"é"}']);
    expect(reply.headers.get('content-length')).toBe('20');
    const refused = await request(`${BASE}echo/x`, { method: 'POST' });
    expect(await refused.json()).toMatchObject({ status: 400, detail: 'ID is not an integer.' });
  });

  it('answers bytes and streams', async () => {
    const bytes = await request(`${BASE}bytes`);
    expect([...new Uint8Array(await bytes.arrayBuffer())]).toEqual([0, 128, 255]);
    expect(bytes.headers.get('content-type')).toBe('image/x-test');
    const stream = await request(`${BASE}stream`);
    expect([await stream.text(), stream.headers.get('content-length')]).toEqual(['abcdef', '6']);
    const head = await request(`${BASE}stream`, { method: 'HEAD' });
    expect([await head.text(), head.headers.get('content-length')]).toEqual(['', '6']);
  });

  it('takes a stream as a body', async () => {
    const body = ReadableStream.from([new Uint8Array(1000), new Uint8Array(24)]);
    const reply = await request(`${BASE}upload`, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(await reply.text()).toBe('{"BYTES":1024}');
  });

  it('runs queries, small ones and ones that do not fit into memory', async () => {
    expect(await (await request(`${BASE}rows/2`)).text()).toBe('{"rows":[{"N":1},{"N":2}]}');
    const large = await request(`${BASE}rows/100000`);
    const text = await large.text();
    expect(large.headers.get('content-length')).toBe(String(text.length));
    expect((JSON.parse(text) as { rows: unknown[] }).rows).toHaveLength(100_000);
  });

  it.each([
    ['127.0.0.1', 200],
    ['127.8.9.10', 200],
    ['::1', 200],
    ['::ffff:127.0.0.1', 200],
    ['192.0.2.1', 403],
    ['128.0.0.1', 403],
    ['::ffff:192.0.2.1', 403],
    ['2001:db8::1', 403],
    ['127.0.0.1.example', 403],
  ])('answers /metrics to %s with %i', async (remoteAddress, status) => {
    const incoming = { url: '/metrics', method: 'GET', headers: {}, socket: { remoteAddress } } as IncomingMessage;
    const reply = await app.request('/metrics', {}, { incoming, isChecked: true });
    expect(reply.status).toBe(status);
    if (status === 403) expect(await reply.json()).toMatchObject({ code: 'FORBIDDEN' });
    else expect(await reply.text()).toContain('process_cpu_seconds_total');
  });

  it('answers /metrics to another machine where a permission is named, to those who hold it', async () => {
    const incoming = {
      url: '/metrics',
      method: 'GET',
      headers: {},
      socket: { remoteAddress: '192.0.2.1' },
    } as IncomingMessage;
    const asked = (headers = {}): Response | Promise<Response> =>
      open.request('/metrics', { headers }, { incoming, isChecked: true });
    const open = await appOf({ 'definitions/gateway.yaml': gatewayText('metrics: { permission: EVERYTHING }') });
    expect((await asked()).status).toBe(401);
    expect((await asked({ authorization: GUEST })).status).toBe(403);
    expect((await asked({ authorization: DEMO })).status).toBe(200);
  });

  it('shows contracts, page and health', async () => {
    expect(await (await request('/gateway/RESTListeningConnector/App.v1.wadl')).text()).toContain(
      'http://contracts.example/',
    );
    expect((await request('/')).headers.get('content-type')).toContain('text/html');
    await expect.poll(async () => (await request('/health/ready')).status).toBe(200);
    expect((await request('/metrics')).status).toBe(200);
    expect((await request('/nowhere')).status).toBe(404);
    expect((await request(`${BASE}bytes`, { headers: { authorization: '' } })).status).toBe(401);
  });
});
