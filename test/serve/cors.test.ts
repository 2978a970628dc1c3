import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';

const DEFINITIONS = `service: Pages.v1
permission: EVERYTHING
operations:
  READ: { get: "things/{ID}", request: { fields: { ID: integer, LANG: string } }, headers: { X-Lang: "{LANG}" }, response: { fields: { ID: integer } }, handler: echo }
  WRITE: { put: "things/{ID}", request: { fields: { ID: integer } }, response: { fields: { ID: integer } }, handler: echo }
`;

function start(cors: string): Promise<TestGateway> {
  return startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(cors),
      'definitions/pages.yaml': DEFINITIONS,
      'src/handlers/echo.ts': 'export default { onRequest: ({ ID }) => ({ ID }) };\n',
    },
  });
}

const PATH = '/gateway/RESTListeningConnector/Pages.v1/things/1';
const ORIGIN = 'https://app.example';

const corsOf = ({ headers }: Reply): Record<string, unknown> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

const preflight = (gateway: TestGateway, origin: string, path = PATH): Promise<Reply> =>
  gateway.call(path, {
    method: 'OPTIONS',
    anonymous: true,
    headers: { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-lang' },
  });

describe('cors of a service', () => {
  const OWN = 'https://own.example';
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      files: {
        'definitions/gateway.yaml': gatewayText(`cors: ["${ORIGIN}"]`),
        'definitions/pages.yaml': `${DEFINITIONS.replaceAll('handler: echo', 'soap: true, handler: echo')}---
service: Own.v1
cors: ["${OWN}"]
permission: EVERYTHING
operations:
  OWN_READ: { get: "things/{ID}", soap: true, alias: Mine, request: { fields: { ID: integer } }, response: { fields: { ID: integer } }, handler: echo }
---
service: Closed.v1
cors: []
permission: EVERYTHING
operations:
  CLOSED_READ: { get: "things/{ID}", request: { fields: { ID: integer } }, response: { fields: { ID: integer } }, handler: echo }
`,
        'src/handlers/echo.ts': 'export default { onRequest: ({ ID }) => ({ ID }) };\n',
      },
    });
  });
  afterAll(() => gateway.stop());

  const REST = '/gateway/RESTListeningConnector/';
  const SOAP = '/gateway/PeopleSoftServiceListeningConnector';
  const allowed = async (reply: Promise<Reply>): Promise<unknown> =>
    (await reply).headers['access-control-allow-origin'];

  it("stands in place of the gateway's for its paths, by whatever name, its faults and its contracts", async () => {
    for (const path of ['Mine.v1/things/1', 'LOCAL/Mine.v1/things/x', 'Own.v1/none', 'Own.v1.wadl', 'OWN.1.wadl']) {
      expect(await allowed(gateway.call(REST + path, { headers: { origin: OWN } })), path).toBe(OWN);
      expect(await allowed(gateway.call(REST + path, { headers: { origin: ORIGIN } })), path).toBeUndefined();
    }
    expect(await allowed(gateway.call(PATH, { headers: { origin: OWN } }))).toBeUndefined();
    expect(await allowed(gateway.call(`${REST}Closed.v1/things/1`, { headers: { origin: ORIGIN } }))).toBeUndefined();
    expect(await allowed(preflight(gateway, OWN, `${REST}Mine.v1/things/1`))).toBe(OWN);
    expect(await allowed(preflight(gateway, ORIGIN, `${REST}Mine.v1/things/1`))).toBeUndefined();
    expect(await allowed(gateway.call(`${SOAP}/Own.v1.wsdl`, { headers: { origin: OWN } }))).toBe(OWN);
  });

  it("lets pages of any origin of a service ask before a message, and those of its operation's read the reply", async () => {
    expect(await allowed(preflight(gateway, OWN, SOAP))).toBe(OWN);
    expect(await allowed(preflight(gateway, ORIGIN, SOAP))).toBe(ORIGIN);
    expect(await allowed(preflight(gateway, 'https://nobody.example', SOAP))).toBeUndefined();
    const call = (operation: string, origin: string): Promise<Reply> => {
      const namespace = operation === 'OWN_READ' ? 'urn:test:Own.v1' : 'urn:test:Pages.v1';
      return gateway.call(SOAP, {
        method: 'POST',
        headers: { 'content-type': 'text/xml', origin },
        body:
          '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
          `<${operation} xmlns="${namespace}"><ID>1</ID></${operation}></s:Body></s:Envelope>`,
      });
    };
    const [own, other] = [await call('OWN_READ', OWN), await call('READ', OWN)];
    expect([own.status, other.status]).toEqual([200, 200]);
    expect([own, other].map(({ headers }) => headers['access-control-allow-origin'])).toEqual([OWN, undefined]);
    expect(await allowed(call('READ', ORIGIN))).toBe(ORIGIN);
  });
});

describe('cors: [origin]', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await start(`cors: ["${ORIGIN}", "https://other.example"]`);
  });
  afterAll(() => gateway.stop());

  it('lets pages of that origin read replies, faults too', async () => {
    for (const path of [
      PATH,
      `${PATH}x`,
      '/gateway/RESTListeningConnector/Pages.v1.wadl',
      '/gateway/RESTListeningConnector/No.v1/x',
    ]) {
      const reply = await gateway.call(path, { headers: { origin: ORIGIN } });
      expect(corsOf(reply)).toEqual({
        'access-control-allow-origin': ORIGIN,
        'access-control-allow-credentials': 'true',
        'access-control-expose-headers': expect.stringContaining('X-Request-Id'),
      });
      expect(reply.headers.vary).toContain('Origin');
    }
  });

  it('answers a preflight with what the path takes, and the headers that operations read', async () => {
    const reply = await preflight(gateway, ORIGIN);
    expect([reply.status, reply.text, reply.headers.allow]).toEqual([204, '', 'GET, HEAD, PUT, OPTIONS']);
    expect(corsOf(reply)).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, HEAD, PUT, OPTIONS',
      'access-control-allow-headers': expect.stringMatching(/Authorization, Content-Type.*X-Lang/),
      'access-control-max-age': '600',
    });
    expect((await preflight(gateway, ORIGIN, `${PATH}/more`)).status).toBe(404);
  });

  it('tells pages of other origins nothing, and caches that the origin matters', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { origin: '*' }, {}]) {
      const reply = await gateway.call(PATH, { headers });
      expect(reply.status).toBe(200);
      expect(corsOf(reply)).toEqual({});
      expect(reply.headers.vary).toBe('Accept, Accept-Encoding, Origin');
    }
    expect(corsOf(await preflight(gateway, 'https://evil.example'))).toEqual({});
  });
});

describe('cors: ["*"]', () => {
  it('lets any page read, without credentials', async () => {
    const gateway = await start('cors: ["*"]');
    try {
      const reply = await gateway.call(PATH, { headers: { origin: ORIGIN } });
      expect(corsOf(reply)).toEqual({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.any(String),
      });
      expect(corsOf(await preflight(gateway, ORIGIN))).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, PUT, OPTIONS',
      });
    } finally {
      await gateway.stop();
    }
  });
});

describe('without cors', () => {
  it('no such header is sent, and OPTIONS answers all the same', async () => {
    const gateway = await start('');
    try {
      expect(corsOf(await gateway.call(PATH, { headers: { origin: ORIGIN } }))).toEqual({});
      const reply = await preflight(gateway, ORIGIN);
      expect([reply.status, reply.headers.allow]).toEqual([204, 'GET, HEAD, PUT, OPTIONS']);
      expect(corsOf(reply)).toEqual({});
      expect((await gateway.call(PATH)).headers.vary).toBe('Accept, Accept-Encoding');
    } finally {
      await gateway.stop();
    }
  });
});

describe('a request that is refused before it is known which service it is for', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      files: {
        'definitions/gateway.yaml': gatewayText(`cors: ["${ORIGIN}"]\nlimits: { target: 1 KiB }`),
        'definitions/pages.yaml': `${DEFINITIONS}---\nservice: Other.v1\ncors: ["https://other.example"]\npublic: true\noperations:\n  OTHER: { get: other, response: text, handler: echo }\n`,
        'src/handlers/echo.ts': 'export default { onRequest: ({ ID }) => ({ ID }) };\n',
      },
    });
  });
  afterAll(() => gateway.stop());

  const lines = (target: string, origin: string, more: readonly string[] = []): string =>
    [`GET ${target} HTTP/1.1`, 'Host: x', `Origin: ${origin}`, ...more, '', ''].join('\r\n');

  it.each<[number, string, (origin: string) => string]>([
    [400, 'a target that is wrong', (origin) => lines('/a/../b', origin)],
    [400, 'no host', (origin) => `GET / HTTP/1.1\r\nOrigin: ${origin}\r\n\r\n`],
    [400, 'a line that is no request', (origin) => lines('/', origin).replace('GET / HTTP/1.1', 'GET / HTTQ/1.1')],
    [400, 'a header that is wrong', (origin) => lines('/', origin, ['Bad header: x'])],
    [404, 'a path that does not exist', (origin) => lines('/nothing', origin, ['Connection: close'])],
    [
      404,
      'a service that does not exist',
      (origin) => lines('/gateway/RESTListeningConnector/No.v1/x', origin, ['Connection: close']),
    ],
    [404, 'a connector that does not exist', (origin) => lines('/gateway/Nothing', origin, ['Connection: close'])],
    [414, 'a target that is too long', (origin) => lines(`/${'a'.repeat(2000)}`, origin)],
    [417, 'an expectation', (origin) => lines('/', origin, ['Expect: tea'])],
    [505, 'another version', (origin) => lines('/', origin).replace('HTTP/1.1', 'HTTP/2.0')],
  ])('%i for %s can be read by pages of every origin that is listed, and of no other', async (status, _, request) => {
    for (const origin of [ORIGIN, 'https://other.example']) {
      const reply = await gateway.raw(request(origin));
      expect(reply).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(reply.match(/^access-control-allow-origin: (.*)\r$/im)?.[1] ?? reply).toBe(origin);
      expect(reply).toMatch(/^vary: .*Origin/im);
    }
    const other = await gateway.raw(request('https://evil.example'));
    expect(other).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(other).not.toMatch(/^access-control-allow-origin/im);
  });

  it('is not answered with the origin of a request before it on the connection', async () => {
    const first = lines('/health/live', ORIGIN);
    const reply = await gateway.raw(`${first}BAD LINE\r\nHost: x\r\nOrigin: https://evil.example\r\n\r\n`);
    expect(reply.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 501']);
    expect(reply).not.toMatch(/^access-control-allow-origin/im);
  });

  it('431 can be read where any origin is listed, whose head may have come in several packets', async () => {
    const open = await start('cors: ["*"]');
    const reply = await open.raw(lines('/', ORIGIN, [`X-Large: ${'a'.repeat(140_000)}`]));
    expect(reply).toMatch(/^HTTP\/1\.1 431 [\s\S]*^access-control-allow-origin: \*\r$/im);
    await open.stop();
  });

  it('413 can be read too, and pages may read what names, identifies and links a reply', async () => {
    const reply = await gateway.raw(
      `POST /gateway/RESTListeningConnector/Other.v1/other HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: https://other.example\r\nContent-Length: 99999999999\r\n\r\n`,
    );
    expect(reply).toMatch(/^access-control-allow-origin: https:\/\/other\.example\r$/im);
    const exposed = /^access-control-expose-headers: (.*)\r$/im.exec(reply)?.[1]?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['Link', 'Content-Disposition', 'ETag', 'Location', 'Retry-After']));
  });
});
