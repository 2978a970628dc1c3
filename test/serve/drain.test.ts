import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { AUTHORITY, SERVER } from '../support/certificates.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';

const FILES = {
  'definitions/one.yaml': `service: One.v1
permission: EVERYTHING
operations:
  ONE: { get: one, response: text }
  POSTED: { post: posted, request: text, response: text }
  GATED: { get: gated, response: text }
  FED: { get: fed, response: binary }
---
service: Said.v1
namespace: urn:said
permission: EVERYTHING
operations:
  SAY: { soap: true, request: { fields: { WORD: string } }, response: { fields: { WORD: string } } }
`,
  'src/handlers/one.ts': "export default { onRequest: () => 'one' };\n",
  'src/handlers/say.ts': "export default { onRequest: () => ({ WORD: 'said' }) };\n",
  'src/handlers/posted.ts': "export default { onRequest: () => 'posted' };\n",
  'src/handlers/gated.ts': `export default {
  async onRequest() {
    await new Promise((resolve) => globalThis.drainGates.add(resolve));
    return 'gated';
  },
};
`,
  'src/handlers/fed.ts': `async function* parts() {
  yield Buffer.from('first ');
  await new Promise((resolve) => globalThis.drainGates.add(resolve));
  yield Buffer.from('last');
}
export default {
  onRequest: (_, context) => context.bytes({ contentType: 'application/octet-stream', length: 10, body: parts }),
};
`,
};
const gates: Set<() => void> = new Set();
Object.assign(globalThis, { drainGates: gates });

const started: TestGateway[] = [];
afterEach(async () => {
  gates.clear();
  for (const gateway of started.splice(0)) await gateway.stop();
});

/** Long enough that nothing that waits for its end passes unnoticed. */
const LONG = '1 h';
const TLS = 'tls: { certificate: tls/server.pem, key: tls/server.key }\n';

/** A gateway with this time of `drain.ready`. */
async function start(drain: string, more = ''): Promise<TestGateway> {
  const keys = { 'tls/server.pem': SERVER.certificate, 'tls/server.key': SERVER.key };
  const definition = { 'definitions/gateway.yaml': gatewayText(`drain: ${drain}\n${more}`) };
  const gateway = await startTestGateway({ files: { ...FILES, ...keys, ...definition } });
  started.push(gateway);
  return gateway;
}

interface Line {
  /** Sends a request and resolves with everything received since the one before, once it matches. */
  ask(request: string, reply: RegExp): Promise<string>;
  readonly received: () => string;
  readonly closed: Promise<void>;
  readonly isClosed: () => boolean;
}

/** A connection, with TLS or without. */
function open({ port, gateway }: TestGateway, first = ''): Line {
  const at = { host: '127.0.0.1', port };
  const socket = gateway.address.startsWith('https') ? connectSecurely({ ...at, ca: AUTHORITY }) : connect(at);
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  socket.write(first);
  let isClosed = false;
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => {
      isClosed = true;
      resolve();
    }),
  );
  return {
    async ask(request, reply) {
      const from = received.length;
      socket.write(request);
      return eventually(`${reply}`, () => (reply.test(received.slice(from)) ? received.slice(from) : undefined));
    },
    received: () => received,
    closed,
    isClosed: () => isClosed,
  };
}

const PATH = '/gateway/RESTListeningConnector/One.v1/';
const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: ${DEMO}`, ...headers, '', ''].join('\r\n');
const post = (body: string): string =>
  get(`${PATH}posted`, 'Content-Type: text/plain', `Content-Length: ${body.length}`).replace('GET', 'POST') + body;

const ENVELOPE =
  '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><SAY xmlns="urn:said"><WORD>x</WORD></SAY></e:Body></e:Envelope>';
const message = get(
  '/gateway/PeopleSoftServiceListeningConnector',
  'Content-Type: text/xml',
  `Content-Length: ${ENVELOPE.length}`,
)
  .replace('GET', 'POST')
  .concat(ENVELOPE);

/** A gateway is ready once its first reader of queries has started, which its start does not wait for. */
function askUntilReady(line: Line): Promise<string> {
  return eventually('a gateway that is ready', async () => {
    const reply = await line.ask(get('/health/ready'), /\}\s*$/);
    return reply.includes('"ready"') ? reply : undefined;
  });
}

const CLOSES = /^connection: close\r$/im;

/** Opens the first gate that something waits at. */
async function release(): Promise<void> {
  const gate = await eventually('what waits', () => [...gates][0]);
  gates.delete(gate);
  gate();
}

describe.each([
  ['HTTP', ''],
  ['TLS', TLS],
])('a gateway that drains, over %s', (_, tls) => {
  it('says so at /health/ready, goes on answering, and closes each connection with its reply', async () => {
    const gateway = await start(LONG, tls);
    const [asked, kept, second, third] = [open(gateway), open(gateway), open(gateway), open(gateway)];
    expect(await askUntilReady(asked)).not.toMatch(CLOSES);
    for (const each of [kept, second, third]) await each.ask(get(`${PATH}one`), /one$/);
    void gateway.gateway.drain();

    const refusal = await asked.ask(get('/health/ready'), /draining/);
    expect(refusal).toMatch(/^HTTP\/1\.1 503 /);
    expect(refusal).toMatch(CLOSES);
    await asked.closed;
    // A proxy that knows nothing of it sends on, on connections that it has kept, and on new ones.
    expect(await kept.ask(get(`${PATH}one`), /one$/)).toMatch(CLOSES);
    expect(await second.ask(post('mine'), /posted$/)).toMatch(CLOSES);
    expect(await third.ask(message, /Envelope>\s*$/)).toMatch(CLOSES);
    const fresh = open(gateway);
    expect(await fresh.ask(get('/health/live'), /"live"/)).toMatch(CLOSES);
    await Promise.all([kept, second, third, fresh].map(({ closed }) => closed));
    await gateway.gateway.close();
    expect(gateway.log().filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('lets a transfer end that has begun, whatever comes later on its connection', async () => {
    const gateway = await start('0 s', tls);
    const transfer = open(gateway);
    expect(await transfer.ask(get(`${PATH}fed`), /first /)).not.toMatch(CLOSES);
    const waiting = open(gateway, get(`${PATH}gated`));
    await eventually('both to wait', () => (gates.size === 2 ? true : undefined));
    const closed = gateway.gateway.drain().then(() => gateway.gateway.close());
    await eventually('the end of listening', () => (gateway.gateway.server.listening ? undefined : true));
    await release();
    await release();
    await closed;
    // The gateway has sent all; the clients, in this process too, may not have read it.
    await eventually('the end of both', () => (transfer.isClosed() && waiting.isClosed() ? true : undefined));
    expect(transfer.received()).toMatch(/first last$/);
    expect(waiting.received()).toMatch(CLOSES);
    expect(waiting.received()).toMatch(/gated$/);
  });
});

describe('a gateway that drains', () => {
  it('needs no time when nobody has asked whether it is ready, and nobody is connected', async () => {
    const gateway = await start(LONG);
    await gateway.call(`${PATH}one`);
    await gateway.gateway.drain();
  });

  it('waits for connections that are kept open, and no longer', async () => {
    const gateway = await start(LONG);
    const kept = open(gateway);
    await kept.ask(get(`${PATH}one`), /one$/);
    let drained = false;
    const drain = gateway.gateway.drain().then(() => {
      drained = true;
    });
    expect(await open(gateway).ask(get(`${PATH}one`), /one$/)).toMatch(CLOSES);
    expect([drained, kept.isClosed()]).toEqual([false, false]);
    await kept.ask(get(`${PATH}one`), /one$/);
    await drain;
  });

  it('is given its time by whoever has asked whether it is ready', async () => {
    const gateway = await start('300 ms');
    await gateway.call('/health/ready');
    const from = performance.now();
    await gateway.gateway.drain();
    expect(performance.now() - from).toBeGreaterThanOrEqual(299);
  });

  it('answers all requests that were sent at once, and closes after the last', async () => {
    const gateway = await start(LONG);
    const line = open(gateway, get(`${PATH}gated`) + get(`${PATH}gated`));
    await eventually('both to wait', () => (gates.size === 2 ? true : undefined));
    void gateway.gateway.drain();
    await release();
    await release();
    await line.closed;
    expect(line.received().match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
    expect(line.received()).toMatch(/gated[\s\S]*gated$/);
    expect(line.received().match(/^connection: close\r$/gim)).toHaveLength(1);
  });

  it('answers a request whose head has come in part when the port is closed, and one just connected', async () => {
    const gateway = await start('0 s');
    const head = get(`${PATH}one`);
    const [partial, fresh] = [open(gateway, head.slice(0, 20)), open(gateway)];
    await fresh.ask('', /^/);
    const connections = (): Promise<number> =>
      new Promise((resolve) => gateway.gateway.server.getConnections((_error, count) => resolve(count)));
    await eventually('both', async () => ((await connections()) === 2 ? true : undefined));
    const closed = gateway.gateway.close();
    await eventually('the end of listening', () => (gateway.gateway.server.listening ? undefined : true));
    expect(await partial.ask(head.slice(20), /one$/)).toMatch(CLOSES);
    expect(await fresh.ask(head, /one$/)).toMatch(CLOSES);
    await closed;
  });

  it('leaves the port at once when it is replaced, and then has nothing to announce', async () => {
    const gateway = await start(LONG);
    const kept = open(gateway);
    await askUntilReady(kept);
    const drained = gateway.gateway.drain({ replaced: true });
    await eventually('the end of listening', () => (gateway.gateway.server.listening ? undefined : true));
    expect(await kept.ask(get('/health/ready'), /"ready"/)).toMatch(CLOSES);
    await drained;
  });
});
