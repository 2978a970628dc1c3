import { Agent, createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { followConnections } from '../../../src/cli/dev/handover.ts';
import { poll } from '../poll.ts';

/** A server with followed connections, and a client that keeps its one connection alive. */
async function served(answer: RequestListener) {
  const server = createServer({ keepAliveTimeout: 60_000 }, answer);
  const connections = followConnections(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const received = (): number => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
  const get = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, agent }, (reply) =>
        reply.resume().once('end', () => resolve(reply)),
      );
      sent.once('error', reject).end();
    });
  return {
    connections,
    get,
    port,
    received,
    open: () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n))),
  };
}

test('with no connection there is nothing to wait for', async () => {
  const { connections } = await served((_, response) => response.end());
  await connections.drain({ idleMs: 100 });
});

test('an idle connection is closed soon', async () => {
  const { connections, get, open } = await served((_, response) => response.end());
  expect((await get()).headers.connection).toBe('keep-alive');
  await connections.drain({ idleMs: 100 });
  expect(await open()).toBe(0);
});

test('a connection in use is told to close with its next reply, and no reply is lost', async () => {
  const { connections, get } = await served((_, response) => response.end('x'));
  await get();
  const drained = connections.drain({ idleMs: 100 });
  expect((await get()).headers.connection).toBe('close');
  await drained;
});

test('requests that still come can be answered by another', async () => {
  const { connections, get } = await served((_, response) => response.end('old'));
  await get();
  const drained = connections.drain({ idleMs: 5_000, answer: (_, response) => response.writeHead(299).end('new') });
  const reply = await get();
  expect([reply.statusCode, reply.headers.connection]).toEqual([299, 'close']);
  await drained;
});

test('a request that runs is finished, and its connection closed with it', async () => {
  let finish: (() => void) | undefined;
  const { connections, get, port } = await served((_, response) => {
    finish = () => response.end('done');
  });
  const idle = raw(port);
  const reply = get();
  await poll('the request', () => finish);
  let over = false;
  const drained = connections.drain({ idleMs: 100 }).then(() => {
    over = true;
  });
  await idle.closed;
  expect(over).toBe(false);
  finish?.();
  expect((await reply).headers.connection).toBe('close');
  await drained;
});

test('a request of which only a part has come is waited for', async () => {
  const { connections, port, received } = await served((_, response) => response.end('whole'));
  const partial = raw(port);
  partial.socket.write('GET / HTTP/1.1\r\nhost: x\r\n');
  await poll('its first lines', () => (received() > 0 ? true : undefined));
  const idle = raw(port);
  await idle.connected;
  const drained = connections.drain({ idleMs: 100 });
  await idle.closed;
  partial.socket.write('\r\n');
  await drained;
  await partial.closed;
  expect(partial.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?=.*connection: close)/is);
});

/** A connection without an HTTP client behind it. */
function raw(port: number) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return {
    socket,
    text: () => text,
    connected: new Promise<void>((resolve) => socket.once('connect', resolve)),
    closed: new Promise<void>((resolve) => socket.once('close', () => resolve())),
  };
}
