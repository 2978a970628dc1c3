import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnection } from '../support/connection.ts';
import { DEMO, GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';

// `Expect: 100-continue`, RFC 9110, section 10.1.1: the caller sends its body once it is asked for it.

const REST = '/gateway/RESTListeningConnector/Asked.v1';
const SOAP = '/gateway/PeopleSoftServiceListeningConnector';
const HTTP = '/gateway/HttpListeningConnector';

const FILES = {
  'definitions/gateway.yaml': gatewayText('limits: { body: 1 KiB, attachment: 2 KiB, attachments: 1 }'),
  'definitions/asked.yaml': `service: Asked.v1
permission: EVERYTHING
operations:
  POSTED: { post: posted, soap: true, request: { fields: { S: string } }, response: { fields: { S: string } } }
  BYTES: { post: bytes, request: binary, response: text }
  IGNORED: { post: ignored, request: binary, response: text }
  FILE: { post: file, form: multipart, request: { fields: { CONTENT: binary } }, response: text, handler: ignored }
  RATED: { post: rated, limits: { rate: { requests: 1, per: 1 h, by: address } }, request: text, response: text, handler: ignored }
`,
  'src/handlers/posted.ts': 'export default { onRequest: ({ S }) => ({ S }) };\n',
  'src/handlers/ignored.ts': "export default { onRequest: () => 'ignored' };\n",
  'src/handlers/bytes.ts': `export default {
  async onRequest(input) {
    const [content] = Object.values(input);
    return String(Buffer.concat(await Array.fromAsync(content.stream())).length);
  },
};
`,
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: FILES });
});
afterAll(() => gateway.stop());

const head = (path: string, headers: Readonly<Record<string, string>>, method = 'POST'): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries({ Expect: '100-continue', ...headers }).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');

const JSON_TYPE = { 'Content-Type': 'application/json' };
const SIGN_IN = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };
const BODY = '{"S":"asked"}';

it.each<[string, number, string, Readonly<Record<string, string>>]>([
  ['no credentials', 401, `${REST}/posted`, JSON_TYPE],
  ['a wrong password', 401, `${REST}/posted`, { ...JSON_TYPE, Authorization: 'Basic ZGVtbzp3cm9uZw==' }],
  ['no permission', 403, `${REST}/posted`, { ...JSON_TYPE, Authorization: GUEST }],
  ['an unknown path', 404, `${REST}/absent`, { ...JSON_TYPE, Authorization: DEMO }],
  ['another method', 405, `${REST}/posted`, { ...JSON_TYPE, Authorization: DEMO }],
  ['a form of reply that does not exist', 406, `${REST}/posted`, { Accept: 'image/png', Authorization: DEMO }],
  ['a body that is too large', 413, `${REST}/posted`, { ...JSON_TYPE, Authorization: DEMO, 'Content-Length': '1025' }],
  ['content that is too large', 413, `${REST}/bytes`, { Authorization: DEMO, 'Content-Length': '2049' }],
  ['a target that is too long', 414, `${REST}/posted?${'a'.repeat(65_536)}`, { ...JSON_TYPE, Authorization: DEMO }],
  ['another type', 415, `${REST}/posted`, { 'Content-Type': 'image/png', Authorization: DEMO }],
  ['another type of a form', 415, `${REST}/file`, { 'Content-Type': 'image/png', Authorization: DEMO }],
  ['a coding', 415, `${REST}/posted`, { ...JSON_TYPE, 'Content-Encoding': 'br', Authorization: DEMO }],
  ['another expectation', 417, `${REST}/posted`, { ...JSON_TYPE, Authorization: DEMO, Expect: '100-continue, tea' }],
  ['no credentials in a message', 401, SOAP, { 'Content-Type': 'text/xml' }],
  [
    'a message that is too large',
    413,
    SOAP,
    { 'Content-Type': 'text/xml', Authorization: DEMO, 'Content-Length': '1025' },
  ],
  ['a message of another type', 415, SOAP, { 'Content-Type': 'image/png', Authorization: DEMO }],
  ['no credentials at the HTTP connector', 401, HTTP, { 'Content-Type': 'text/xml' }],
  ['a form of sign-in of another site', 403, '/console/sign-in', { Origin: 'https://evil.example' }],
  ['a form of sign-in that is too large', 413, '/console/sign-in', { ...SIGN_IN, 'Content-Length': '16385' }],
  ['no session', 401, '/console/users', SIGN_IN],
])('%s: %i is sent at once, and the body is not asked for', async (_, status, path, headers) => {
  const method = status === 405 ? 'DELETE' : 'POST';
  const { received, closed } = openConnection(gateway.port, head(path, { 'Content-Length': '13', ...headers }, method));
  await closed;
  expect(received().match(/HTTP\/1\.1 \d{3}/g)).toEqual([`HTTP/1.1 ${status}`]);
  expect(received()).toMatch(/^connection: close\r$/im);
});

it('a rate that is used up: 429 is sent at once', async () => {
  const headers = { 'Content-Type': 'text/plain', Authorization: DEMO };
  expect((await gateway.call(`${REST}/rated`, { method: 'POST', headers, body: 'x' })).status).toBe(200);
  const { received, closed } = openConnection(
    gateway.port,
    head(`${REST}/rated`, { 'Content-Length': '1', ...headers }),
  );
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 429 /);
});

describe('the body is asked for', () => {
  it.each<[string, string, Readonly<Record<string, string>>, string, RegExp]>([
    ['of a document', `${REST}/posted`, JSON_TYPE, BODY, /\{"S":"asked"\}$/],
    ['of content', `${REST}/bytes`, {}, BODY, /\b13$/],
    ['of content in chunks', `${REST}/bytes`, { 'Transfer-Encoding': 'chunked' }, `d\r\n${BODY}\r\n0\r\n\r\n`, /\b13$/],
    ['of a message', SOAP, { 'Content-Type': 'text/xml' }, '<a/>', /HTTP\/1\.1 (?:400|500) /],
    ['of a form of sign-in', '/console/sign-in', SIGN_IN, 'id=a&password=b', /HTTP\/1\.1 401 /],
  ])('%s that is wanted', async (_, path, headers, body, expected) => {
    const length = 'Transfer-Encoding' in headers ? {} : { 'Content-Length': String(body.length) };
    const { socket, received, closed } = openConnection(
      gateway.port,
      head(path, { Connection: 'close', Authorization: DEMO, ...headers, ...length }),
    );
    await eventually('100 Continue', () => received() === 'HTTP/1.1 100 Continue\r\n\r\n' || undefined);
    socket.write(body);
    await closed;
    expect(received()).toMatch(expected);
  });

  it('once, also where the caller sends it unasked', async () => {
    const headers = { Connection: 'close', Authorization: DEMO, ...JSON_TYPE, 'Content-Length': '13' };
    const { received, closed } = openConnection(gateway.port, head(`${REST}/posted`, headers) + BODY);
    await closed;
    expect(received().match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
  });

  it('never of a handler that does not read it, nor over HTTP/1.0', async () => {
    const headers = { Authorization: DEMO, 'Content-Length': '13' };
    const ignored = openConnection(gateway.port, head(`${REST}/ignored`, headers));
    await ignored.closed;
    expect(ignored.received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*ignored$/);
    const old = head(`${REST}/bytes`, headers).replace('HTTP/1.1', 'HTTP/1.0');
    const { received, closed } = openConnection(gateway.port, old + BODY);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
  });
});
