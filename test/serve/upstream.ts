import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the other system saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly requestId: string | undefined;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly contentType: string | undefined;
  readonly body: string;
}

export interface Upstream {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Paths of exchanges that the other side ended before they were whole. */
  readonly cut: string[];
  /** Connections that are open. */
  connections(): Promise<number>;
  stop(): Promise<void>;
}

/** The other system of the gateway under test: it echoes what it gets, and fails where the path says so. */
export async function startUpstream(): Promise<Upstream> {
  const seen: SeenRequest[] = [];
  const cut: string[] = [];
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) cut.push(request.url ?? '');
    });
    request.on('error', () => undefined);
    void answer(request, response, seen);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    cut,
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

let tokens = 0;

async function answer(request: IncomingMessage, response: ServerResponse, seen: SeenRequest[]): Promise<void> {
  const { url = '', method = '', headers } = request;
  if (url === '/content') return content(request, response, seen);
  const body = await whole(request);
  const [requestId, traceparent, tracestate] = ['x-request-id', 'traceparent', 'tracestate'].map(
    (name) => headers[name] as string | undefined,
  );
  seen.push({ method, url, requestId, traceparent, tracestate, contentType: headers['content-type'], body });
  const json = (value: unknown, status = 200): void => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
  };
  if (url.includes('slow')) return;
  if (url.includes('refused')) return json({ status: 'failure', reason: 'the shelf is full' }, 422);
  if (url.includes('nameless')) return json({ COUNT: 1 });
  if (url.includes('html')) return void response.writeHead(500, { 'Content-Type': 'text/html' }).end('<p>Oh');
  if (url === '/token') return json({ token: `token-${++tokens}`, seconds: 3600 });
  if (url.startsWith('/guarded/')) {
    const [, , token, name] = url.split('/');
    return token === `token-${tokens}` && name !== 'denied' ? json({ NAME: name, COUNT: 1 }) : json({}, 401);
  }
  if (url === '/json') return void response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  if (url === '/text') return void response.writeHead(200, { 'Content-Type': 'text/plain' }).end(body.toUpperCase());
  if (url === '/notices') return void response.writeHead(204).end();
  const name = decodeURIComponent(url.slice(url.lastIndexOf('/') + 1));
  json({ NAME: name, COUNT: body.length, PRICE: 1.5, SECRET: 'upstream secret', OTHER: 'undeclared' });
}

/** Sends back what it gets as it comes; `cut` in it ends the connection there, `endless` never ends. */
async function content(request: IncomingMessage, response: ServerResponse, seen: SeenRequest[]): Promise<void> {
  const { method = '', url = '', headers } = request;
  const contentType = headers['content-type'];
  seen.push({ method, url, requestId: headers['x-request-id'] as string | undefined, contentType, body: '' });
  const { 'content-length': length } = headers;
  response.writeHead(200, {
    'Content-Type': contentType ?? 'application/octet-stream',
    ...(length === undefined ? {} : { 'Content-Length': length }),
  });
  try {
    for await (const chunk of request) {
      const text = String(chunk);
      const isCut = text.includes('cut');
      await new Promise((resolve) => response.write(isCut ? 'a begi' : chunk, resolve));
      if (isCut) return void setImmediate(() => response.destroy());
      if (text.includes('endless')) return;
    }
    response.end();
  } catch {
    response.destroy();
  }
}

async function whole(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
