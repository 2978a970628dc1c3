import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openConnection } from '../support/connection.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
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
  // More than the system holds of it for a client.
  const size = 64 * 1024 * 1024;
  const large = await startTestGateway({
    files: {
      'definitions/large.yaml':
        'service: Large.v1\npublic: true\noperations: { LARGE: { get: large, response: binary, handler: large } }\n',
      'src/handlers/large.ts': `const piece = new Uint8Array(65_536);
export default {
  onRequest(_, context) {
    async function* body() {
      for (let sent = 0; sent < ${size}; sent += piece.length) yield piece;
    }
    return context.bytes({ contentType: 'application/octet-stream', length: ${size}, body });
  },
};\n`,
    },
    idleTimeout: IDLE,
  });
  onTestFinished(() => large.stop());
  const path = `${REST}/Large.v1/large`;
  const { socket, received, closed } = openConnection(large.port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  socket.pause();
  const line = await eventually('the line of the call', () =>
    large.log().find(({ operation }) => operation === 'LARGE'),
  );
  expect(line).toMatchObject({ complete: false });
  // Reading again shows the end that the gateway made.
  socket.resume();
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 200 /);
  expect(received().length).toBeLessThan(size);
});
