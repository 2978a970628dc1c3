import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';

// What becomes of a transfer that goes through the gateway to another system, where one side is slow or goes away.

/** Pieces of content, more of them than the buffers of a few sockets hold. */
const PIECES = 512;
const PIECE = Buffer.alloc(64 * 1024);

/** Bytes of an attachment. */
const LIMIT = PIECES * PIECE.length;

const DEFINITIONS = `node: UPSTREAM
base: \${env:UPSTREAM_URL}
---
service: Upstream.v1
target: UPSTREAM
public: true
operations:
  CONTENT_GET: { get: content, response: binary }
  CONTENT_POST: { post: content, request: binary, response: { fields: { LENGTH: integer } } }
---
service: Front.v1
public: true
operations:
  DOWNLOAD: { get: content, response: binary, call: CONTENT_GET }
  UPLOAD: { post: content, request: binary, response: { fields: { LENGTH: integer } }, call: CONTENT_POST }
`;

const PATH = '/gateway/RESTListeningConnector/Front.v1/content';

/** An exchange as the other system sees it. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const exchanges: Exchange[] = [];
const upstream = createServer((incoming, response) => void exchanges.push({ request: incoming, response }));
let gateway: TestGateway;
beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(`limits: { attachment: ${LIMIT} }`),
      'definitions/transfers.yaml': DEFINITIONS,
    },
    env: { UPSTREAM_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` },
  });
});
afterAll(async () => {
  await gateway.stop();
  // The other side hears of the end of a connection a moment later.
  const connections = () => new Promise<number>((resolve) => upstream.getConnections((_, count) => resolve(count)));
  await eventually('the end of all connections', async () => ((await connections()) === 0 ? true : undefined));
  upstream.close();
});

/** Begins a request; its reply is not awaited. */
function begin(method: string, headers: Record<string, string | number> = {}) {
  const outgoing = request({
    host: '127.0.0.1',
    port: gateway.port,
    path: PATH,
    method,
    headers: { authorization: DEMO, 'content-type': 'application/octet-stream', ...headers },
    agent: false,
  });
  const replied = new Promise<IncomingMessage>((resolve) => outgoing.on('response', resolve));
  outgoing.on('error', () => undefined);
  return { outgoing, replied };
}

/** The exchange that the next request leads to. */
function arriving(): () => Promise<Exchange> {
  const before = exchanges.length;
  return () => eventually('the request', () => exchanges[before]);
}

async function textOf(reply: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of reply) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe('a caller that goes away', () => {
  it('ends a call that has no reply yet', async () => {
    const arrived = arriving();
    const { outgoing } = begin('GET');
    outgoing.end();
    const { response } = await arrived();
    const closed = once(response, 'close');
    outgoing.destroy();
    await closed;
    expect(response.writableFinished).toBe(false);
  });

  it('ends what it was sending', async () => {
    const arrived = arriving();
    const { outgoing } = begin('POST', { 'content-length': 1000 });
    outgoing.write('a beginning');
    const { request: incoming } = await arrived();
    await once(incoming, 'data');
    const ended = expect(once(incoming, 'end')).rejects.toThrow('aborted');
    outgoing.destroy();
    await ended;
    expect(incoming.complete).toBe(false);
  });

  it('ends a reply that it was reading', async () => {
    const arrived = arriving();
    const { outgoing, replied } = begin('GET');
    outgoing.end();
    const { response } = await arrived();
    response.writeHead(200, { 'Content-Type': 'application/pdf' }).write('a beginning');
    await once(await replied, 'data');
    const closed = once(response, 'close');
    outgoing.destroy();
    await closed;
    expect(response.writableFinished).toBe(false);
  });
});

describe('content that goes through', () => {
  it('is taken from the other system no faster than the caller reads it', async () => {
    const arrived = arriving();
    const { outgoing, replied } = begin('GET');
    outgoing.end();
    const { response } = await arrived();
    response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': LIMIT });
    let written = 0;
    const writing = (async () => {
      for (; written < PIECES; written++) await new Promise((resolve) => response.write(PIECE, resolve));
      response.end();
    })();
    const reply = await replied;
    let before = -1;
    let same = 0;
    await eventually('a pause', () => {
      same = written === before ? same + 1 : 0;
      before = written;
      return same === 20 || undefined;
    });
    expect(written).toBeLessThan(PIECES);
    let read = 0;
    for await (const chunk of reply) read += (chunk as Buffer).length;
    await writing;
    expect(read).toBe(LIMIT);
  });

  it.each([
    ['is told', { 'content-length': LIMIT + 1 }],
    ['is not', { 'transfer-encoding': 'chunked' }],
  ])('is refused where there is more of it than an attachment may have, be its length told or not: %s', async (_, headers) => {
    const { outgoing, replied } = begin('POST', headers as Record<string, string>);
    const before = exchanges.length;
    outgoing.write(Buffer.alloc(LIMIT));
    outgoing.end('x');
    await eventually('its end', async () => {
      for (const { request: incoming } of exchanges.slice(before)) incoming.resume();
      return (await Promise.race([replied, Promise.resolve(undefined)])) ?? undefined;
    });
    const reply = await replied;
    expect([reply.statusCode, JSON.parse(await textOf(reply))]).toMatchObject([413, { code: 'BODY_TOO_LARGE' }]);
    for (const { request: incoming } of exchanges.slice(before)) expect(incoming.complete).toBe(false);
  });

  it('is not read where the caller asks for the head alone', async () => {
    const arrived = arriving();
    const { outgoing, replied } = begin('HEAD');
    outgoing.end();
    const { request: incoming, response } = await arrived();
    expect(incoming.method).toBe('GET');
    const closed = once(response, 'close');
    response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': 1000 }).write('a beginning');
    const reply = await replied;
    expect([
      reply.statusCode,
      reply.headers['content-type'],
      reply.headers['content-length'],
      await textOf(reply),
    ]).toEqual([200, 'application/pdf', '1000', '']);
    await closed;
  });

  it('is not asked for by a caller that asks what there is', async () => {
    const before = exchanges.length;
    const { outgoing, replied } = begin('OPTIONS');
    outgoing.end();
    const reply = await replied;
    reply.resume();
    expect([reply.statusCode, reply.headers.allow]).toEqual([204, expect.stringContaining('GET')]);
    expect(exchanges).toHaveLength(before);
  });
});

describe('the file name of a partner', () => {
  it.each([
    ['attachment; filename="report 2026.pdf"', 'attachment; filename="report 2026.pdf"'],
    ["inline; filename=x; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf", "attachment; filename*=UTF-8''Gr%C3%BC%C3%9Fe.pdf"],
    ['attachment; filename="../../etc/passwd"', 'attachment; filename="passwd"'],
    ['attachment; filename="C:\\\\temp\\\\new.txt"', 'attachment; filename="new.txt"'],
    ["attachment; filename*=UTF-8''a%0D%0ASet-Cookie:%20b.txt", undefined],
    ['attachment; filename=".."', undefined],
    ['attachment', undefined],
  ])('passes through with its content, safely: %s', async (given, expected) => {
    const before = exchanges.length;
    const calling = gateway.call(PATH, { anonymous: true });
    const exchange = await eventually('the call', () => exchanges[before]);
    exchange.response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Disposition': given }).end('%PDF');
    const { status, headers } = await calling;
    expect([status, headers['content-disposition'], headers['set-cookie']]).toEqual([200, expected, undefined]);
  });
});
