import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';

const LOOKUP = '/gateway/RESTListeningConnector/LOCAL/Locations.v1/Locations';
const QUERY = '/gateway/RESTListeningConnector/LOCAL/ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/JSON/NONFILE';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
/** Whatever was sent, the gateway is there afterwards, and says nothing of how it is made. */
afterAll(async () => {
  expect((await gateway.call('/health/ready')).status).toBe(200);
  expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
  await gateway.stop();
});

function head(line: string, headers: readonly string[] = []): string {
  return [line, 'Host: 127.0.0.1', `Authorization: ${DEMO}`, ...headers, 'Connection: close', '', ''].join('\r\n');
}

function bodyOf(reply: string): Record<string, unknown> {
  return JSON.parse(reply.slice(reply.indexOf('\r\n\r\n') + 4)) as Record<string, unknown>;
}

/** Every refusal has a body that says what is wrong, and none shows a stack trace or SQL. */
function expectRefusal(reply: string, status: number, words: string): void {
  expect(reply.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
  expect(reply.toLowerCase()).toContain('x-request-id: ');
  expect(reply).toContain(words);
  expect(reply).not.toMatch(/node_modules|\.ts:\d|at \w+ \(|select /i);
}

/** Sends bytes that are refused, in one reply and one line of the log, by a gateway that goes on. */
async function refused(bytes: string | Buffer, status: number, words: string): Promise<string> {
  const before = gateway.log().length;
  const reply = await gateway.raw(bytes);
  expectRefusal(reply, status, words);
  expect((await gateway.call('/health/live')).status).toBe(200);
  const requestId = /^x-request-id: (\S+)/im.exec(reply)?.[1];
  expect(gateway.log().slice(before)).toEqual([
    expect.objectContaining({ requestId, level: 'info', status, fault: expect.stringMatching(/^[A-Z_]+$/) }),
    expect.objectContaining({ path: '/health/live' }),
  ]);
  return reply;
}

describe('targets', () => {
  it.each([
    [
      'raw bytes in the path',
      Buffer.concat([
        Buffer.from(`GET ${LOOKUP}/`),
        Buffer.from([0xe9, 0xff]),
        Buffer.from('/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      ]),
      400,
      'invalid char in url path',
    ],
    ['a dot segment', head('GET /gateway/../etc/passwd HTTP/1.1'), 400, 'dot segment'],
    ['an encoded dot segment', head('GET /gateway/%2e%2e/etc/passwd HTTP/1.1'), 400, 'dot segment'],
    ['a backslash', head('GET /gateway\\x HTTP/1.1'), 400, 'backslash'],
    ['a fragment', head('GET /gateway#x HTTP/1.1'), 400, 'it holds a'],
    ['another host in absolute form', head('GET http://evil.example/gateway HTTP/1.1'), 400, 'a different host'],
    ['a target over 64 KiB', head(`GET ${QUERY}?x=${'a'.repeat(65 * 1024)} HTTP/1.1`), 414, 'longer than 65536 bytes'],
    ['headers over 128 KiB', head(`GET ${QUERY} HTTP/1.1`, [`X-Long: ${'a'.repeat(130 * 1024)}`]), 431, 'too large'],
    ['an unknown method', head(`BREW ${QUERY} HTTP/1.1`), 501, 'BREW'],
    ['a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n', 501, 'CONNECT'],
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'does not start with a method'],
    ['another protocol version', head(`GET ${QUERY} HTTP/9.9`), 505, 'not HTTP/1.1'],
    ['HTTP/2 in a request line', head(`GET ${QUERY} HTTP/2.0`), 505, 'not HTTP/1.1'],
    ['HTTP/1.2', head(`GET ${QUERY} HTTP/1.2`), 505, 'not HTTP/1.1'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, 'not HTTP/1.1'],
    ['a version that is no number', head(`GET ${QUERY} HTTP/x`), 400, 'version'],
    [
      'an expectation among others',
      head(`POST ${QUERY} HTTP/1.1`, ['Expect: 100-continue, tea', 'Content-Length: 9']),
      417,
      'expectation 100-continue, tea',
    ],
    [
      'a coding that nobody knows before chunked',
      `POST ${QUERY} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      501,
      'gzip, chunked is not supported',
    ],
    [
      'a coding that nobody knows, in a line of its own',
      `POST ${QUERY} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      501,
      'gzip, chunked is not supported',
    ],
    [
      'a body without a known end',
      `POST ${QUERY} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\nx`,
      400,
      'not chunked',
    ],
    ['a bad Host', `GET ${QUERY} HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`, 400, 'Host header is not a host'],
    ['a Host with a quote', `GET ${QUERY} HTTP/1.1\r\nHost: a"b\r\nConnection: close\r\n\r\n`, 400, 'not a host'],
    ['a Host with an IPv6 address that is none', `GET ${QUERY} HTTP/1.1\r\nHost: [1:2]\r\n\r\n`, 400, 'not a host'],
    ['a Host with half an escape', `GET ${QUERY} HTTP/1.1\r\nHost: a%2\r\n\r\n`, 400, 'not a host'],
    ['a Host with a word for a port', `GET ${QUERY} HTTP/1.1\r\nHost: a:http\r\n\r\n`, 400, 'not a host'],
    ['no Host', `GET ${QUERY} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, 'has no Host header'],
    ['two Hosts', head(`GET ${QUERY} HTTP/1.1`, ['HOST: 127.0.0.1']), 400, 'more than one Host header'],
    ['an unknown expectation', head(`GET ${QUERY} HTTP/1.1`, ['Expect: tea']), 417, 'expectation tea'],
    [
      'two lengths',
      `POST ${QUERY} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
      'Content-Length',
    ],
    [
      'length and chunks',
      `POST ${QUERY} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'Content-Length',
    ],
  ])('%s is refused with a body', async (_, bytes, status, words) => {
    const reply = await refused(bytes, status, words);
    expect(bodyOf(reply)).toMatchObject({
      status,
      code: expect.any(String),
      detail: expect.any(String),
      requestId: expect.any(String),
    });
  });

  it('takes an absolute form of its own host', async () => {
    const reply = await gateway.raw(
      `GET http://127.0.0.1/health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
    );
    expect(reply).toContain('{"status":"live"}');
  });

  it('needs no Host in HTTP/1.0, and waits for no body to be asked for', async () => {
    expect(await gateway.raw('GET /health/live HTTP/1.0\r\n\r\n')).toContain('{"status":"live"}');
    const asked = await gateway.raw(head('GET /health/live HTTP/1.1', ['Expect: 100-Continue']));
    expect(asked).toContain('{"status":"live"}');
  });

  it('takes a query string of nearly 64 KB', async () => {
    const reply = await gateway.raw(head(`GET ${QUERY}?maxrows=1&ignored=${'a'.repeat(60_000)} HTTP/1.1`));
    expect(reply.slice(0, 12)).toBe('HTTP/1.1 200');
  });

  it('refuses 10,000 query parameters by their number', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `a${index}`).join('&');
    await refused(head(`GET ${QUERY}?${many} HTTP/1.1`), 400, 'more than 1000 parameters');
  });

  it.each([
    '%00',
    '%c0%af',
    '%ed%a0%80',
    '%f8%80%80%80%80',
    '%',
    '%2',
    '%gg',
    '%ff',
  ])('%s in path and query is 400', async (bad) => {
    await refused(head(`GET ${LOOKUP}/${bad}/?location=A HTTP/1.1`), 400, 'REGION');
    await refused(head(`GET ${LOOKUP}/?region=${bad} HTTP/1.1`), 400, 'region');
    await refused(head(`GET ${QUERY}?prompt_fieldvalue=${bad} HTTP/1.1`), 400, 'prompt_fieldvalue');
  });

  it('reads prototype names as any others', async () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect((await gateway.call(`${QUERY}?${name}=1&maxrows=1`)).status).toBe(200);
      expect((await gateway.call(`/gateway/RESTListeningConnector/${name}/x`)).status).toBe(404);
      expect((await gateway.call(`${QUERY}?prompt_uniquepromptname=${name}&prompt_fieldvalue=1`)).status).toBe(400);
      expect(
        (await gateway.call(`/gateway/RESTListeningConnector/ExecuteQuery.v1/PUBLIC/${name}/JSON/NONFILE`)).status,
      ).toBe(404);
    }
  });

  it('puts no line of a caller into a header or the log', async () => {
    const reply = await gateway.call(`${LOOKUP}/?region=N`, { headers: { 'x-request-id': 'a b' } });
    expect(reply.headers['x-request-id']).not.toBe('a b');
    const kept = await gateway.call(`${LOOKUP}/?region=N`, { headers: { 'x-request-id': 'caller.id-1_x' } });
    expect(kept.headers['x-request-id']).toBe('caller.id-1_x');
    const ids = gateway.log().map((line) => line.requestId);
    expect(ids).toEqual(expect.arrayContaining([reply.headers['x-request-id'], 'caller.id-1_x']));
    expect(ids).not.toContain('a b');
  });
});

describe('bodies and connections', () => {
  it('a body on GET is 400, and the connection goes on', async () => {
    const bytes = `GET ${LOOKUP}/?region=N HTTP/1.1\r\nHost: x\r\nAuthorization: ${DEMO}\r\nContent-Length: 5\r\n\r\nhello${head('GET /health/live HTTP/1.1')}`;
    const before = gateway.log().length;
    const reply = await gateway.raw(bytes);
    expect(reply).toContain('takes none');
    expect(reply).toContain('{"status":"live"}');
    expect(gateway.log().slice(before)).toEqual([
      expect.objectContaining({ status: 400, fault: 'BAD_BODY' }),
      expect.objectContaining({ status: 200, path: '/health/live' }),
    ]);
  });

  it('a client that sends nothing more holds nobody up', async () => {
    const slow = connect(gateway.port, '127.0.0.1');
    await new Promise<void>((resolve) => slow.once('connect', () => resolve()));
    slow.write('GET /health/live HTTP/1.1\r\nHo');
    expect((await gateway.call(`${QUERY}?maxrows=1`)).status).toBe(200);
    slow.destroy();
  });

  it('a client that goes away in the middle of a reply leaves the gateway whole', async () => {
    for (let round = 0; round < 5; round++) {
      const socket = connect(gateway.port, '127.0.0.1', () => socket.write(head(`GET ${QUERY}?maxrows=0 HTTP/1.1`)));
      await new Promise<void>((resolve) => socket.once('data', () => resolve()));
      socket.destroy();
    }
    expect((await gateway.call(`${QUERY}?maxrows=1`)).status).toBe(200);
  });

  it('keeps one log line a request', async () => {
    const id = 'one-line-for-me';
    await gateway.call(`${QUERY}?maxrows=x`, { headers: { 'x-request-id': id } });
    const lines = gateway.log().filter((line) => line.requestId === id);
    expect(lines).toEqual([
      expect.objectContaining({
        status: 400,
        fault: 'BAD_PARAMETER',
        operation: 'QAS_EXECUTEQRY_REST_GET',
        user: 'demo',
      }),
    ]);
  });
});
