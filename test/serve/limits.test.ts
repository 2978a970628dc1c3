import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../support/connection.ts';
import { DEMO, GUEST, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';

const OPERATIONS = `service: Counted.v1
permission: EVERYTHING
limits: { rate: 2 per 1 m }
request: { fields: { ID: integer } }
response: { fields: { ID: integer } }
operations:
  OWN_GET: { get: "own/{ID}", handler: echo }
  TWIN_GET: { get: "twin/{ID}", soap: true, handler: echo }
  ALL_GET: { get: "all/{ID}", limits: { rate: { requests: 2, per: 1 m, by: all } }, handler: echo }
  PLACE_GET: { get: "place/{ID}", limits: { rate: { requests: 2, per: 1 m, by: address } }, handler: echo }
  NEAR_GET: { get: "near/{ID}", soap: true, limits: { rate: { requests: 2, per: 1 m, by: address } }, handler: echo }
  OPEN_GET: { get: "open/{ID}", public: true, handler: echo }
---
service: Free.v1
permission: EVERYTHING
operations:
  FREE_GET: { get: "free/{ID}", request: { fields: { ID: integer } }, response: { fields: { ID: integer } }, handler: echo }
  HELD_GET: { get: "held/{ID}", limits: { concurrent: 1 }, request: { fields: { ID: integer } }, response: { fields: { ID: integer } }, handler: held }
  BODY_PUT: { put: "body", request: json, response: json, handler: whole }
  BYTES_PUT: { put: "bytes", request: binary, response: text, handler: bytes }
`;

const HANDLERS = {
  'src/handlers/echo.ts': 'export default { onRequest: ({ ID }) => ({ ID }) };\n',
  'src/handlers/whole.ts': 'export default { onRequest: () => "1" };\n',
  'src/handlers/bytes.ts': `export default {
  async onRequest(input) {
    const [content] = Object.values(input);
    return String(Buffer.concat(await Array.fromAsync(content.stream())).length);
  },
};\n`,
  'src/handlers/held.ts': `export default {
  onRequest: ({ ID }) => ID === 0 ? { ID } : new Promise((resolve) => globalThis.heldCalls.push(() => resolve({ ID }))),
};\n`,
};

const shared = globalThis as typeof globalThis & { heldCalls?: (() => void)[] };

const start = (gateway: string, options: { grace?: number; headersTimeout?: number } = {}): Promise<TestGateway> =>
  startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(gateway),
      'definitions/users.yaml': USERS.replace('user: guest\n', 'user: guest\nroles: [ALL]\n'),
      'definitions/counted.yaml': OPERATIONS,
      ...HANDLERS,
    },
    ...options,
  });

const REST = '/gateway/RESTListeningConnector/';
const WRONG = `Basic ${Buffer.from('demo:wrong').toString('base64')}`;

async function statuses(gateway: TestGateway, count: number, path: string, authorization = DEMO): Promise<number[]> {
  const found: number[] = [];
  for (let n = 0; n < count; n++) found.push((await gateway.call(REST + path, { headers: { authorization } })).status);
  return found;
}

describe('a rate of a service', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await start('');
  });
  afterAll(() => gateway.stop());

  it('counts each operation and each caller by itself, and says what is left', async () => {
    const first = await gateway.call(`${REST}Counted.v1/own/1`);
    expect(first.headers).toMatchObject({
      ratelimit: expect.stringMatching(/^"OWN_GET";r=1;t=(59|60)$/),
      'ratelimit-policy': '"OWN_GET";q=2;w=60',
    });
    await gateway.call(`${REST}Counted.v1/own/1`);
    const refused = await gateway.call(`${REST}Counted.v1/own/1`, { headers: { 'x-request-id': 'third' } });
    expect([refused.status, refused.headers.ratelimit]).toEqual([429, expect.stringMatching(/^"OWN_GET";r=0;t=/)]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'TOO_MANY_REQUESTS', status: 429 });
    expect(gateway.log().find(({ requestId }) => requestId === 'third')).toMatchObject({
      decision: 'refused',
      reason: 'rate of OWN_GET by caller',
      user: 'demo',
      fault: 'TOO_MANY_REQUESTS',
    });
    expect(await statuses(gateway, 2, 'Counted.v1/own/1', GUEST)).toEqual([200, 200]);
    expect(await statuses(gateway, 1, 'Counted.v1/twin/1')).toEqual([200]);
    expect((await gateway.call(`${REST}Free.v1/free/1`)).headers).not.toHaveProperty('ratelimit');
  });

  it('counts what is public by the address of its caller, whatever that shows', async () => {
    const anonymous = (): Promise<Reply> => gateway.call(`${REST}Counted.v1/open/1`, { anonymous: true });
    expect([await anonymous(), await anonymous(), await anonymous()].map(({ status }) => status)).toEqual([
      200, 200, 429,
    ]);
    expect(await statuses(gateway, 1, 'Counted.v1/open/1')).toEqual([429]);
  });

  it('by all together is one count, not used up by those who may not call', async () => {
    expect(await statuses(gateway, 2, 'Counted.v1/all/1', WRONG)).toEqual([401, 401]);
    expect(await statuses(gateway, 1, 'Counted.v1/all/1')).toEqual([200]);
    expect(await statuses(gateway, 2, 'Counted.v1/all/1', GUEST)).toEqual([200, 429]);
  });

  it('by address is counted before credentials are looked at', async () => {
    expect(await statuses(gateway, 2, 'Counted.v1/place/1', WRONG)).toEqual([401, 401]);
    expect(await statuses(gateway, 1, 'Counted.v1/place/1')).toEqual([429]);
  });

  it.each(['TWIN_GET', 'NEAR_GET'])('by caller or address holds for messages: %s', async (name) => {
    const body =
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
      `<${name} xmlns="urn:test:Counted.v1"><ID>1</ID></${name}></s:Body></s:Envelope>`;
    const call = (): Promise<Reply> =>
      gateway.call('/gateway/PeopleSoftServiceListeningConnector', {
        method: 'POST',
        headers: { 'content-type': 'text/xml', authorization: GUEST },
        body,
      });
    const replies = [await call(), await call(), await call()];
    expect(
      replies.map(({ status }) => status),
      replies[0]?.text,
    ).toEqual([200, 200, 429]);
    expect(replies[2]?.text).toContain(`Too many calls of ${name}`);
    expect(replies[2]?.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });
});

describe('credentials that are refused', () => {
  it('are not those that nobody shows, as clients ask so what they have to show', async () => {
    const gateway = await start('limits: { rate: 2 per 1 m }');
    try {
      const asked: number[] = [];
      for (let count = 0; count < 4; count++)
        asked.push((await gateway.call(`${REST}Free.v1/free/1`, { anonymous: true })).status);
      expect(asked).toEqual([401, 401, 401, 401]);
      expect(await statuses(gateway, 1, 'Free.v1/free/1')).toEqual([200]);
    } finally {
      await gateway.stop();
    }
  });

  it.each([
    'caller',
    'address',
  ])('are counted by the gateway, by %s: who guesses is refused whatever comes next', async (by) => {
    const gateway = await start(`contracts: private\nlimits: { rate: { requests: 3, per: 1 m, by: ${by} } }`);
    try {
      expect(await statuses(gateway, 4, 'Free.v1/free/1', WRONG)).toEqual([401, 401, 401, 429]);
      const lines = gateway.log().filter(({ fault }) => fault === 'TOO_MANY_REQUESTS');
      expect(lines.map(({ reason }) => reason)).toEqual([expect.stringContaining(`rate of LOCAL by ${by}`)]);
      // Nothing tells the right password from a wrong one any more, at whatever is asked.
      expect(await statuses(gateway, 1, 'Free.v1/free/1')).toEqual([429]);
      expect(await statuses(gateway, 1, 'Counted.v1/own/1')).toEqual([429]);
      const message = await gateway.call('/gateway/PeopleSoftServiceListeningConnector', {
        method: 'POST',
        body: '<a/>',
      });
      expect([message.status, message.text]).toEqual([429, expect.stringContaining('Too many calls')]);
      expect((await gateway.call('/')).status).toBe(429);
    } finally {
      await gateway.stop();
    }
  });
});

describe('limits of calls at the same time', () => {
  it('hold until the reply has left, and are free again then', async () => {
    const held: (() => void)[] = [];
    shared.heldCalls = held;
    const gateway = await start('');
    try {
      const first = gateway.call(`${REST}Free.v1/held/1`);
      const answer = await eventually('the call', () => held.shift());
      const second = await gateway.call(`${REST}Free.v1/held/2`, { headers: { 'x-request-id': 'second' } });
      expect([second.status, second.headers['retry-after']]).toEqual([503, '1']);
      expect(gateway.log().find(({ requestId }) => requestId === 'second')).toMatchObject({
        decision: 'refused',
        reason: 'concurrent calls of HELD_GET',
      });
      expect((await gateway.call(`${REST}Free.v1/free/1`)).status).toBe(200);
      answer();
      expect((await first).status).toBe(200);
      // A caller that goes away gives its place back.
      const gone = openConnection(
        gateway.port,
        `GET ${REST}Free.v1/held/3 HTTP/1.1\r\nHost: a\r\nAuthorization: ${DEMO}\r\n\r\n`,
      );
      await eventually('the call', () => held.shift());
      gone.socket.destroy();
      await eventually('the place', async () =>
        (await gateway.call(`${REST}Free.v1/held/0`)).status === 200 ? true : undefined,
      );
    } finally {
      await gateway.stop();
    }
  });

  it('are those of all operations together where the gateway has them, beside a rate', async () => {
    const held: (() => void)[] = [];
    shared.heldCalls = held;
    const gateway = await start('limits: { concurrent: 1, rate: 100 per 1 m }');
    try {
      const first = gateway.call(`${REST}Free.v1/held/1`);
      const answer = await eventually('the call', () => held.shift());
      const second = await gateway.call(`${REST}Free.v1/free/1`);
      expect([second.status, second.headers['retry-after']]).toEqual([503, '1']);
      expect(gateway.log().at(-1)).toMatchObject({ decision: 'refused', reason: 'concurrent calls of this gateway' });
      answer();
      expect((await first).status).toBe(200);
      expect(await statuses(gateway, 1, 'Free.v1/free/1')).toEqual([200]);
    } finally {
      await gateway.stop();
    }
  });
});

describe('a body that comes too slowly', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await start('limits: { slowest: 10 KiB }', { grace: 100, headersTimeout: 200 });
  });
  afterAll(() => gateway.stop());

  it.each(['body', 'bytes'])('at %s is given up, though bytes come all the time', async (path) => {
    const head = `PUT ${REST}Free.v1/${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${DEMO}\r\nContent-Length: 100000\r\n\r\n1`;
    const { socket, received, closed } = openConnection(gateway.port, head);
    const drip = setInterval(() => socket.write(' '), 10);
    await closed.finally(() => clearInterval(drip));
    expect(received()).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"code":"REQUEST_TIMEOUT"/i);
  });

  it('is taken where it comes fast enough, in however many pieces', async () => {
    const head = `PUT ${REST}Free.v1/bytes HTTP/1.1\r\nHost: a\r\nAuthorization: ${DEMO}\r\nContent-Length: 300000\r\nConnection: close\r\n\r\n`;
    const { socket, received, closed } = openConnection(gateway.port, head);
    for (let piece = 0; piece < 15; piece++) {
      socket.write(Buffer.alloc(20_000, 32));
      await pause(15);
    }
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*300000$/);
  });

  it('is nothing to a head that does not come whole: that has a time of its own', async () => {
    const { socket, received, closed } = openConnection(gateway.port, 'GET / HTTP/1.1\r\nHost: a\r\n');
    const drip = setInterval(() => socket.write('x: y\r\n'), 20);
    await closed.finally(() => clearInterval(drip));
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
  });
});
