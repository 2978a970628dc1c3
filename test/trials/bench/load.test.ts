import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, drain, getRequest, load } from './load.ts';

let server: Server;

/** A server on a free port, stopped after the test. */
async function serve(listener: RequestListener): Promise<number> {
  server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
});

/** Replies of a size that depends on the path: `/5000` has 5,000 bytes. */
const sized =
  (seen: string[]): RequestListener =>
  ({ url = '/' }, response) => {
    seen.push(url);
    const body = 'x'.repeat(Number(url.slice(1)));
    response.writeHead(200, { 'Content-Length': body.length }).end(body);
  };

describe('the load client', () => {
  it.each([
    { connections: 1, depth: 1 },
    { connections: 3, depth: 1 },
    { connections: 2, depth: 8 },
  ])('tells replies of different sizes apart: %j', async ({ connections, depth }) => {
    const seen: string[] = [];
    const port = await serve(sized(seen));
    const paths = ['/0', '/10', '/100000', '/7'];
    const begin = performance.now();
    const rate = await load({
      port,
      requests: paths.map((path) => getRequest(path)),
      connections,
      depth,
      seconds: 0.2,
    });
    const seconds = (performance.now() - begin) / 1000;
    // Each path once to learn its size; of the rest, what was on its way at the end is not counted.
    const driven = seen.length - paths.length;
    expect(rate * seconds).toBeGreaterThan((driven - connections * depth) * 0.9);
    expect(rate * 0.2).toBeLessThanOrEqual(driven);
    expect(new Set(seen)).toEqual(new Set(paths));
  });

  it('refuses a server that answers with an error from the start', async () => {
    const port = await serve((_, response) => response.writeHead(503, { 'Content-Length': 0 }).end());
    await expect(load({ port, requests: [getRequest('/')], connections: 1, depth: 1, seconds: 1 })).rejects.toThrow(
      '503',
    );
  });

  it('notices an error under way', async () => {
    let count = 0;
    const port = await serve((_, response) => {
      count += 1;
      response.writeHead(count > 20 ? 500 : 200, { 'Content-Length': 2 }).end('ok');
    });
    const driving = load({ port, requests: [getRequest('/')], connections: 1, depth: 4, seconds: 5 });
    await expect(driving).rejects.toThrow(/not a success/);
  });

  it('notices a reply of another size', async () => {
    let count = 0;
    const port = await serve((_, response) => {
      count += 1;
      const body = count > 20 ? 'longer' : 'short';
      response.writeHead(200, { 'Content-Length': body.length }).end(body);
    });
    const driving = load({ port, requests: [getRequest('/')], connections: 1, depth: 4, seconds: 5 });
    await expect(driving).rejects.toThrow(/not a success/);
  });

  it('notices a server that closes the connection', async () => {
    let count = 0;
    const port = await serve((request, response) => {
      count += 1;
      if (count > 5) request.socket.destroy();
      else response.writeHead(200, { 'Content-Length': 2 }).end('ok');
    });
    const driving = load({ port, requests: [getRequest('/')], connections: 1, depth: 1, seconds: 5 });
    await expect(driving).rejects.toThrow(/closed|ECONNRESET/);
  });
});

describe('one reply', () => {
  it('is read by its Content-Length, in bytes', async () => {
    const port = await serve((_, response) => response.writeHead(200, { 'Content-Length': 6 }).end('äöü'));
    const { head, body } = await ask(port, getRequest('/'));
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/);
    expect(body.toString()).toBe('äöü');
  });

  it('must have a Content-Length to be asked for', async () => {
    const port = await serve((_, response) => {
      response.write('part');
      response.end();
    });
    await expect(ask(port, getRequest('/'))).rejects.toThrow('without Content-Length');
  });

  it('is counted to its end, however it is framed', async () => {
    const port = await serve((_, response) => {
      for (let count = 0; count < 100; count += 1) response.write('y'.repeat(10_000));
      response.end('the end');
    });
    const { bytes, tail } = await drain(port, '/', '');
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(tail).toContain('the end');
  });

  it('is refused where it is no success', async () => {
    const port = await serve((_, response) => response.writeHead(404).end());
    await expect(drain(port, '/', '')).rejects.toThrow('404');
  });
});
