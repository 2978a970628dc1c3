import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';

const BASE = '/gateway/RESTListeningConnector/';

/** A reply to a request with a Host header of its own making. */
function asHost(port: number, path: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: false, headers: { host } }, async (reply) =>
      resolve(Buffer.concat(await Array.fromAsync(reply as AsyncIterable<Buffer>)).toString()),
    )
      .on('error', reject)
      .end();
  });
}

describe('contracts of the sample', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  it.each([
    ['Locations.v1.wadl', 'application/vnd.sun.wadl+xml', '<application'],
    ['Locations.v1.xsd', 'application/xml', '<xs:schema'],
    ['Locations.v1.openapi.json', 'application/json', '"openapi": "3.1'],
    ['ExecuteQuery.v1.wadl', 'application/vnd.sun.wadl+xml', 'ExecuteQuery.v1'],
    ['QAS_QRY_SERVICE.v1.openapi.json', 'application/json', 'ExecuteQuery.v1'],
    ['Attachments.v1.wsdl', 'text/xml; charset=utf-8', '<wsdl:operation name="ATTACHMENT_PUT">'],
    ['Attachments.v1.xsd', 'application/xml', '<xs:element name="ATTACHMENT_PUTResponse"'],
  ])('%s needs no credentials', async (name, contentType, words) => {
    const reply = await gateway.call(BASE + name, { anonymous: true });
    expect(reply.status, reply.text).toBe(200);
    expect(reply.headers['content-type']).toBe(contentType);
    expect(reply.text).toContain(words);
    expect((await gateway.call(`${BASE}LOCAL/${name}`)).text).toBe(reply.text);
    const head = await gateway.call(BASE + name, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(reply.text)));
  });

  it('have a short spelling', async () => {
    const { text } = await gateway.call(`${BASE}Locations.v1.wadl`);
    for (const name of ['LOCATIONS.1.wadl', 'locations.V1.wadl', 'Locations.1.wadl']) {
      expect((await gateway.call(BASE + name)).text).toBe(text);
    }
  });

  it.each([
    'Locations.v2.wadl',
    'Nope.v1.wadl',
    'Attachments.v1.wadl',
    'Attachments.v1.openapi.json',
    'QueryFile.v1.wsdl',
    'N_BINARY.v1.wsdl',
    'Locations.v1.nope.xsd',
    'Locations.wadl',
  ])('%s is 404', async (name) => {
    expect((await gateway.call(BASE + name)).status).toBe(404);
  });

  it('can be read and nothing else', async () => {
    const options = await gateway.call(`${BASE}Locations.v1.wadl`, { method: 'OPTIONS' });
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const post = await gateway.call(`${BASE}Locations.v1.wadl`, { method: 'POST' });
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('name the bound address, whatever the Host header says', async () => {
    for (const name of ['Locations.v1.wadl', 'Locations.v1.openapi.json']) {
      const text = await asHost(gateway.port, BASE + name, 'evil.example:1');
      expect(text).toContain(`http://127.0.0.1:${gateway.port}/gateway/RESTListeningConnector/`);
      expect(text).not.toContain('evil.example');
    }
    expect(await asHost(gateway.port, '/', 'evil.example')).not.toContain('evil.example');
  });
});

const HOSTILE = `</p><script>alert(1)</script><img src=x onerror="a('&amp;')">`;

const PRIVATE = {
  'definitions/gateway.yaml': gatewayText('contracts: private\npublicUrl: https://api.example.org/base/\ncontext: api'),
  'definitions/odd.yaml': `service: Odd.v1
description: ${JSON.stringify(HOSTILE)}
permission: EVERYTHING
operations:
  ODD_GET:
    description: ${JSON.stringify(HOSTILE)}
    get: "odd/{A}"
    request: { fields: { A: { type: string, example: ${JSON.stringify(`'"><script>`)} } } }
    response: text
`,
  'src/handlers/odd-get.ts': 'export default { onRequest: ({ A }) => A };\n',
};

describe('contracts: private', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ files: PRIVATE });
  });
  afterAll(() => gateway.stop());

  it.each([
    '/api/RESTListeningConnector/Odd.v1.wadl',
    '/api/RESTListeningConnector/LOCAL/Odd.1.openapi.json',
    '/',
  ])('%s needs credentials', async (path) => {
    const without = await gateway.call(path, { anonymous: true });
    expect(without.status).toBe(401);
    expect(without.headers['www-authenticate']).toContain('Basic');
    expect(without.text).not.toContain('Odd');
    expect((await gateway.call(path)).status).toBe(200);
  });

  it('leaves health to everybody', async () => {
    await expect.poll(async () => (await gateway.call('/health/ready', { anonymous: true })).status).toBe(200);
  });

  it('names publicUrl and nothing else', async () => {
    const { text } = await gateway.call('/api/RESTListeningConnector/Odd.v1.wadl');
    expect(text).toContain('https://api.example.org/base/api/RESTListeningConnector/');
    expect(text).not.toContain('127.0.0.1');
  });

  it('shows a page on which nothing runs, whatever descriptions hold', async () => {
    const reply = await gateway.call('/');
    expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(reply.headers['content-security-policy']).toContain("default-src 'none'");
    expect(reply.headers['x-content-type-options']).toBe('nosniff');
    expect(reply.text).not.toMatch(/<script|<img|javascript:/i);
    expect(reply.text).toContain('&lt;script&gt;alert(1)');
    expect(reply.text).toContain('https://api.example.org/base/api/RESTListeningConnector/Odd.v1.wadl');
    const head = await gateway.call('/', { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([
      200,
      '',
      String(Buffer.byteLength(reply.text)),
    ]);
  });
});

describe('what monitors ask', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      files: {
        'definitions/one.yaml': 'service: One.v1\npublic: true\noperations:\n  ONE: { get: one, response: text }\n',
        'src/handlers/one.ts': "export default { onRequest: () => 'one' };\n",
      },
    });
  });
  afterAll(() => gateway.stop());

  it('is answered by /health/live and /health/ready', async () => {
    expect((await gateway.call('/health/live')).text).toBe('{"status":"live"}');
    await expect.poll(async () => (await gateway.call('/health/ready')).text).toBe('{"status":"ready"}');
    expect((await gateway.call('/health/live', { method: 'HEAD' })).status).toBe(200);
  });

  it.each(['/', '/health/live', '/health/ready', '/metrics'])('at %s can be read and nothing else', async (path) => {
    const allow = 'GET, HEAD, OPTIONS';
    const post = await gateway.call(path, { method: 'POST', headers: { 'x-request-id': `post${path.length}` } });
    expect([post.status, post.headers.allow]).toEqual([405, allow]);
    expect(JSON.parse(post.text)).toMatchObject({
      code: 'METHOD_NOT_ALLOWED',
      detail: expect.stringContaining('POST'),
    });
    const options = await gateway.call(path, { method: 'OPTIONS', anonymous: true });
    expect([options.status, options.text, options.headers.allow]).toEqual([204, '', allow]);
    expect(gateway.log().filter(({ requestId }) => requestId === `post${path.length}`)).toEqual([
      expect.objectContaining({ method: 'POST', path, status: 405, fault: 'METHOD_NOT_ALLOWED' }),
    ]);
  });

  it('about the server as a whole is answered as for the page', async () => {
    const reply = await gateway.raw('OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(reply).toMatch(/^HTTP\/1\.1 204 [\s\S]*\r\nAllow: GET, HEAD, OPTIONS\r\n/i);
  });

  it('counts calls in /metrics', async () => {
    await gateway.call(`${BASE}One.v1/one`, { anonymous: true });
    await gateway.call(`${BASE}One.v1/one`, { method: 'POST' });
    await gateway.call(`${BASE}Nope.v1/one`);
    const { text, headers } = await gateway.call('/metrics', { anonymous: true });
    expect(headers['content-type']).toContain('text/plain');
    const count = (labels: string): string | undefined =>
      new RegExp(`^signalbox_request_duration_seconds_count\\{${labels}\\} (\\d+)$`, 'm').exec(text)?.[1];
    expect(count('operation="ONE",status="200"')).toBe('1');
    expect(count('operation="ONE",status="405"')).toBe('1');
    expect(count('operation="",status="404"')).toBe('1');
    expect(text).toContain('process_cpu_seconds_total');
  });
});

describe('a gateway whose database is gone', () => {
  it('lives, and is not ready', async () => {
    const { rmSync } = await import('node:fs');
    const gateway = await startTestGateway({ files: PRIVATE });
    try {
      rmSync(gateway.folder, { recursive: true });
      const ready = await gateway.call('/health/ready', { anonymous: true });
      expect(ready.status).toBe(503);
      expect(JSON.parse(ready.text)).toMatchObject({
        detail: 'Temporarily unavailable: the database does not answer.',
      });
      expect(ready.text).not.toContain(gateway.folder);
      const requestId = ready.headers['x-request-id'];
      expect(gateway.log()).toEqual([
        expect.objectContaining({ level: 'warn', requestId, msg: 'The gateway is not ready.' }),
        expect.objectContaining({ level: 'info', requestId, status: 503, fault: 'UNAVAILABLE' }),
      ]);
      expect((await gateway.call('/health/live')).status).toBe(200);
      expect((await gateway.call('/health/ready', { headers: { authorization: DEMO } })).status).toBe(503);
      expect(gateway.log().filter(({ level }) => level === 'warn')).toHaveLength(2);
    } finally {
      await gateway.stop();
    }
  });
});
