import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openConnection } from '../support/connection.ts';
import { DEMO, startTestGateway, type TestGateway, type TestGatewayOptions } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';

const DEFINITIONS = `service: One.v1
permission: EVERYTHING
operations:
  ONE: { get: one, response: text }
  POSTED: { post: posted, request: text, response: text }
  GATED: { get: gated, response: text }
`;

/** \`GATED\` answers when the test says so. */
const FILES = {
  'definitions/one.yaml': DEFINITIONS,
  'src/handlers/one.ts': "export default { onRequest: () => 'one' };\n",
  'src/handlers/posted.ts': "export default { onRequest: () => 'posted' };\n",
  'src/handlers/gated.ts': `export default {
  async onRequest() {
    await new Promise((resolve) => globalThis.gates.add(resolve));
    return 'gated';
  },
};
`,
};
const gates: Set<() => void> = new Set();
Object.assign(globalThis, { gates });

const started: TestGateway[] = [];
afterEach(async () => {
  for (const gateway of started.splice(0)) await gateway.stop();
});

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startTestGateway({ files: FILES, ...options });
  started.push(gateway);
  return gateway;
}

const PATH = '/gateway/RESTListeningConnector/One.v1/';

const ask = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: ${DEMO}`, ...headers, '', ''].join('\r\n');

const post = (version: string, ...headers: string[]): string =>
  ask(`${PATH}posted`, 'Transfer-Encoding: chunked', ...headers)
    .replace('GET', 'POST')
    .replace('HTTP/1.1', version);

describe('a gateway does not start', () => {
  const reason = (options: TestGatewayOptions): Promise<{ message: string; hint?: string }> =>
    start(options).then(
      () => expect.unreachable('it started'),
      (error: { message: string; hint?: string }) => error,
    );

  it('where others can reach its sample users', async () => {
    for (const HOST of ['0.0.0.0', '::', '192.0.2.1']) {
      const { message, hint } = await reason({ env: { HOST } });
      expect(message).toBe(`${HOST} can be reached by others, and the users demo, guest have well-known passwords`);
      expect(hint).toContain('SIGNALBOX_SAMPLE_USERS=off');
    }
  });

  it('on a port that is in use', async () => {
    const other: Server = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      const { message, hint } = await reason({ env: { PORT: String(port) } });
      expect(message).toBe(
        `127.0.0.1:${port} is in use${process.platform === 'linux' ? ` by process ${process.pid} (node)` : ''}`,
      );
      expect(hint).toContain('PORT');
    } finally {
      other.close();
    }
  });

  it.each(['x', '65536', '-1', '80 ', '1e3'])('on the port %j', async (PORT) => {
    expect((await reason({ env: { PORT } })).message).toBe(
      `the port ${JSON.stringify(PORT)} is not a number from 0 to 65535`,
    );
  });

  it('where gateway.yaml refers to what is not set, all of it at once', async () => {
    const gateway = gatewayText().replace(/database: .*/, `database: sqlite:\${env:NO_FOLDER}/\${env:NO_NAME}.db`);
    const { message } = await reason({ files: { ...FILES, 'definitions/gateway.yaml': gateway } });
    expect(message).toContain('NO_FOLDER');
    expect(message).toContain('NO_NAME');
  });

  it('where several settings of gateway.yaml do, before it opens or listens', async () => {
    const text = `listen: \${env:NO_PLACE}\npublicUrl: https://\${env:NO_HOST}`;
    const { message } = await reason({ files: { ...FILES, 'definitions/gateway.yaml': gatewayText(text) } });
    expect(message).toBe('NO_PLACE is not set; NO_HOST is not set');
  });

  it.each(['8080', '127.0.0.1', ':8080', '127.0.0.1:', 'x:y:'])('to listen at %j', async (AT) => {
    const files = { ...FILES, 'definitions/gateway.yaml': gatewayText(`listen: \${env:AT}`) };
    expect((await reason({ files, env: { AT, PORT: '' } })).message).toBe(
      `listen: ${JSON.stringify(AT)} is not host:port, as in 127.0.0.1:8080`,
    );
  });

  it.each<[string, string, string]>([
    ['throws', "throw new Error('no such table');", 'src/handlers/one.ts does not load: no such table'],
    [
      'throws nothing',
      'throw undefined;',
      'src/handlers/one.ts does not load: it throws undefined, which is not an Error',
    ],
    [
      'throws an object',
      'throw { a: 1 };',
      'src/handlers/one.ts does not load: it throws { a: 1 }, which is not an Error',
    ],
    [
      'throws as it is read',
      "export default { get onRequest() { throw new Error('not yet'); } };",
      'src/handlers/one.ts does not load: not yet',
    ],
    ['is no TypeScript', 'export default {', 'src/handlers/one.ts does not load: '],
    ['exports nothing', 'export const one = 1;', 'src/handlers/one.ts does not export a handler'],
    ['exports something else', 'export default { onrequest() {} };', 'src/handlers/one.ts does not export a handler'],
  ])('where a handler %s', async (_, text, words) => {
    const { message, hint } = await reason({ files: { ...FILES, 'src/handlers/one.ts': `${text}\n` } });
    expect(message).toContain(words);
    expect(hint).toContain('ONE');
  });

  it('where the database refuses a query, or the sample data can not be read', async () => {
    const query = 'query: BROKEN\npublic: true\ncolumns: { N: integer }\nsql: select m from nowhere\n';
    const broken = await reason({ files: { ...FILES, 'definitions/broken.yaml': query } });
    expect(broken.message).toMatch(
      /the database does not fit the definitions\n {2}definitions\/broken.yaml:\d+:\d+: The database rejects query BROKEN: .*nowhere/,
    );
    const files = { ...FILES, 'definitions/gateway.yaml': gatewayText('sample-data: nothing/*.sql') };
    expect((await reason({ files })).message).toMatch(
      /^definitions\/gateway\.yaml:4:14: error no-sample-data: The folder of the sample data nothing\/\*\.sql can't be read\.\n/,
    );
  });
});

describe('sample users', () => {
  it('are nobody where they are switched off, and do not stand in the way of any address', async () => {
    const gateway = await start({ env: { HOST: '0.0.0.0', SIGNALBOX_SAMPLE_USERS: 'off' } });
    await expect.poll(async () => (await gateway.call('/health/ready')).status).toBe(200);
    expect((await gateway.call(`${PATH}one`)).status).toBe(401);
  });
});

describe('credentials', () => {
  it('that are none, or wrong, or not well-formed are 401 with a challenge', async () => {
    const gateway = await start();
    const wrong = [
      '',
      'Basic',
      'Basic !!!',
      `Bearer ${DEMO.slice(6)}`,
      `Basic ${'A'.repeat(10_000)}`,
      ...['demo', 'demo:wrong', 'nobody:demo', '__proto__:x', 'demo:\xff'].map(
        (text) => `Basic ${Buffer.from(text, 'latin1').toString('base64')}`,
      ),
    ];
    for (const authorization of wrong) {
      const reply = await gateway.call(`${PATH}one`, { headers: { authorization } });
      expect(reply.status, authorization).toBe(401);
      expect(reply.headers['www-authenticate']).toBe('Basic realm="signalbox", charset="UTF-8"');
    }
    expect((await gateway.call(`${PATH}one`)).text).toBe('one');
    expect(
      (await gateway.call(`${PATH}one`, { headers: { authorization: DEMO.replace('Basic', 'bAsIc') } })).text,
    ).toBe('one');
  });
});

describe('connections', () => {
  it('carry several requests, pipelined or one by one, in their order', async () => {
    const gateway = await start();
    const { received, closed } = openConnection(
      gateway.port,
      ask(`${PATH}one`) + ask(`${PATH}nope`) + ask('/health/live') + ask(`${PATH}one`, 'Connection: close'),
    );
    await closed;
    expect(received().match(/HTTP\/1\.1 \d{3}/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 404',
      'HTTP/1.1 200',
      'HTTP/1.1 200',
    ]);
  });

  it.each([
    ['bytes that are not HTTP', 'garbage\r\n\r\n', '400'],
    ['an unknown method', 'BREW / HTTP/1.1\r\n\r\n', '501'],
    ['another version', 'GET / HTTP/3.0\r\n\r\n', '505'],
    ['a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n', '501'],
    ['a body that breaks off', `${post('HTTP/1.1')}x\r\n`, '400'],
    ['headers that do not come', 'GET / HTTP/1.1\r\nHo', '408'],
  ])('on which %s follow send the replies that are due first, and end', async (_, garbage, status) => {
    const gateway = await start();
    gateway.gateway.server.headersTimeout = 20;
    const { received, closed } = openConnection(gateway.port, ask(`${PATH}one`) + ask(`${PATH}gated`) + garbage);
    const gate = await eventually('the gated call', () => [...gates][0]);
    gates.clear();
    await eventually('the first reply', () => (received().includes('one') ? true : undefined));
    gate();
    await closed;
    expect(received()).toMatch(
      new RegExp(`^HTTP/1\\.1 200 [^]*\r\n\r\noneHTTP/1\\.1 200 [^]*\r\n\r\ngatedHTTP/1\\.1 ${status} [^]*}$`),
    );
    expect(received().match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(3);
    expect(gateway.log().filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('that end with a reply act on nothing behind that', async () => {
    const gateway = await start();
    const lasts = [
      `${post('HTTP/1.0', 'Connection: keep-alive')}0\r\n\r\n`,
      `${ask('/health/live', 'Transfer-Encoding: gzip, chunked')}0\r\n\r\n`,
      ask('/health/live', 'Host: y'),
    ];
    for (const [index, last] of lasts.entries()) {
      const { received, closed } = openConnection(gateway.port, last + ask(`${PATH}gated`));
      await closed;
      expect(received().match(/HTTP\/1\.1 \d{3}/g)).toEqual([['HTTP/1.1 200', 'HTTP/1.1 501', 'HTTP/1.1 400'][index]]);
    }
    expect(gates.size).toBe(0);
    expect(gateway.log()).toHaveLength(3);
  });

  it('are asked for the body of a request whose head is taken, and of no other', async () => {
    const gateway = await start();
    const headers = ['Expect: 100-continue', 'Connection: close', 'Content-Type: text/plain'];
    const taken = openConnection(gateway.port, post('HTTP/1.1', ...headers));
    await eventually('100 Continue', () => taken.received() === 'HTTP/1.1 100 Continue\r\n\r\n' || undefined);
    taken.socket.write('0\r\n\r\n');
    await taken.closed;
    expect(taken.received()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 \d{3} /);
    const refused = openConnection(gateway.port, ask(`${PATH}one`, 'Expect: 100-continue', 'Host: y'));
    await refused.closed;
    expect(refused.received()).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('take the absolute form of their own host', async () => {
    const gateway = await start();
    const { received, closed } = openConnection(gateway.port, ask(`http://X${PATH}one`, 'Connection: close'));
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\none$/);
  });

  it('on which the headers do not come get 408', async () => {
    const gateway = await start();
    gateway.gateway.server.headersTimeout = 20;
    const { received, closed } = openConnection(gateway.port, `GET ${PATH}one HTTP/1.1\r\nHo`);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"REQUEST_TIMEOUT"/);
    expect(gateway.log()).toEqual([expect.objectContaining({ status: 408, fault: 'REQUEST_TIMEOUT' })]);
  });

  it('that can not be taken leave those that are', async () => {
    const gateway = await start();
    for (const message of ['accept EMFILE', 'accept ENFILE']) gateway.gateway.server.emit('error', new Error(message));
    expect((await gateway.call(`${PATH}one`)).text).toBe('one');
    expect(gateway.log().filter(({ level }) => level === 'error')).toEqual([
      expect.objectContaining({ err: expect.objectContaining({ message: 'accept EMFILE' }) }),
      expect.objectContaining({ err: expect.objectContaining({ message: 'accept ENFILE' }) }),
    ]);
  });

  it('on which nothing is asked any more are closed, those that wait for the gateway are not', async () => {
    const gateway = await start({ idleTimeout: 60 });
    gateway.gateway.server.keepAliveTimeout = 10;
    const idle = openConnection(gateway.port, ask(`${PATH}one`));
    const waiting = openConnection(gateway.port, ask(`${PATH}gated`, 'Connection: close'));
    const gate = await eventually('the gated call', () => [...gates][0]);
    gates.clear();
    await idle.closed;
    expect(idle.received()).toMatch(/^HTTP\/1\.1 200 /);
    expect(waiting.received()).toBe('');
    gate();
    await waiting.closed;
    expect(waiting.received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*gated$/);
  });

  it('on which a request arrives while the process is held up are answered', async () => {
    const idleTimeout = 60;
    const gateway = await start({ idleTimeout });
    const accepted = once(gateway.gateway.server, 'connection');
    const { socket, received, closed } = openConnection(gateway.port, '');
    await accepted;
    socket.write(ask(`${PATH}one`, 'Connection: close'));
    for (const since = performance.now(); performance.now() < since + 2 * idleTimeout; );
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*one$/);
  });
});

describe('close', () => {
  it('waits for nobody where nothing runs, open connections or not', async () => {
    const gateway = await start();
    const { received, closed } = openConnection(gateway.port, ask(`${PATH}one`));
    await eventually('the reply', () => received() || undefined);
    const silent = openConnection(gateway.port, '');
    await eventually('the connection', () => (silent.socket.readyState === 'open' ? true : undefined));
    const from = performance.now();
    await gateway.gateway.close();
    expect(performance.now() - from).toBeLessThan(10_000);
    await closed;
    await silent.closed;
  });

  it('lets what runs end, and takes no more', async () => {
    const gateway = await start();
    const running = gateway.call(`${PATH}gated`);
    const gate = await eventually('the gated call', () => [...gates][0]);
    gates.clear();
    const closing = gateway.gateway.close();
    await eventually('the end of listening', () => (gateway.gateway.server.listening ? undefined : true));
    await expect(gateway.call(`${PATH}one`)).rejects.toThrow(/ECONNREFUSED/);
    gate();
    expect(await running).toMatchObject({ status: 200, text: 'gated' });
    await closing;
    expect(gateway.log().filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('cuts what runs on beyond its limit', async () => {
    const gateway = await start();
    const running = gateway.call(`${PATH}gated`).catch((error: Error) => error.message);
    await eventually('the gated call', () => [...gates][0]);
    gates.clear();
    const from = performance.now();
    await gateway.gateway.close({ timeoutMs: 100 });
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(await running).toMatch(/hang up|ECONNRESET/);
  });
});
