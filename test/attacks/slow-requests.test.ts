import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConnection } from '../support/connection.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectUnharmed, LOOKUP, REST } from './support/attack.ts';

/** Milliseconds without a byte after which a connection is given up. */
const IDLE = 300;
/** Between two bytes of a slow request: the idle limit never strikes. */
const PAUSE = 50;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ idleTimeout: IDLE, grace: 500, headersTimeout: 500 });
});
afterAll(async () => {
  await expectUnharmed(gateway);
  await gateway.stop();
});

const POST = `POST ${REST}/LocationSetup.v1/Locations HTTP/1.1\r\nHost: x\r\nAuthorization: ${DEMO}\r\nContent-Type: application/json\r\n`;

/** Sends a start, then a little again and again until the other side closes. @returns what came back */
async function drip(start: string, little: string): Promise<string> {
  const { socket, received, closed } = openConnection(gateway.port, start);
  const dripping = setInterval(() => {
    if (socket.writable) socket.write(little);
  }, PAUSE);
  await closed;
  clearInterval(dripping);
  return received();
}

// They wait for the gateway, each on a connection of its own: side by side.
it.concurrent.each<[string, string, string]>([
  ['the request line', 'GET /', 'a'],
  ['the headers', `GET ${LOOKUP} HTTP/1.1\r\nHost: x\r\n`, 'X-A: b\r\n'],
  ['one header', `GET ${LOOKUP} HTTP/1.1\r\nHost: x\r\nX-A: `, 'b'],
  ['empty lines in front', '', '\r\n'],
])('%s that come slowly are given up', async (_, start, little) => {
  expect(await drip(start, little)).toMatch(/^(HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"|$)/);
});

it.concurrent.each<[string, string, string]>([
  ['a body with a length', `${POST}Content-Length: 100000\r\n\r\n`, ' '],
  ['a body in chunks', `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
  ['a chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nffff\r\n`, ' '],
])('%s that comes slowly is given up', async (_, start, little) => {
  expect(await drip(start, little)).toMatch(/^HTTP\/1\.1 408 /);
});

it.concurrent.each<[string, string]>([
  ['the body', `${POST}Content-Length: 100\r\n\r\n{`],
  ['a chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nff\r\n{`],
  ['the size of a chunk', `${POST}Transfer-Encoding: chunked\r\n\r\n1`],
])('%s that stops is given up', async (_, start) => {
  const { received, closed } = openConnection(gateway.port, start);
  await closed;
  expect(received()).toMatch(/^(HTTP\/1\.1 408 |$)/);
});

it('many of them leave the gateway to others', async () => {
  const slow = Array.from({ length: 200 }, () => openConnection(gateway.port, `${POST}Content-Length: 100\r\n\r\n{`));
  const from = performance.now();
  expect((await gateway.call(LOOKUP)).status).toBe(200);
  expect(performance.now() - from).toBeLessThan(5_000);
  await Promise.all(slow.map(({ closed }) => closed));
});

it('a reply that nobody reads is given up', async () => {
  const { socket, closed } = openConnection(gateway.port, '');
  socket.pause();
  for (let count = 0; count < 2_000 && !socket.destroyed; count++) {
    socket.write(`GET ${LOOKUP} HTTP/1.1\r\nHost: x\r\nAuthorization: ${DEMO}\r\n\r\n`);
  }
  // Reading again shows the end that the gateway made.
  setTimeout(() => socket.resume(), 4 * IDLE);
  socket.end();
  await closed;
});
