import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyHash } from '../../src/security/scheme/api-key.ts';
import { envelope, SERVICES } from '../serve/soap-client.ts';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, USERS } from '../support/project.ts';

// A page has a browser send what needs no preflight: a POST whose body is of no type, with the password that the browser
// keeps. It can't read the reply, but what was called has been done.

const KEY = 'a key that the page itself knows';
const LISTED = 'https://app.example';
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(
        `requires: [keys, basic]\ncors: ["${LISTED}"]\ndelivered: [QAS_QRY_SERVICE.v1]`,
      ),
      'definitions/users.yaml': `${USERS.replace('[EVERYTHING]', '[EVERYTHING, OF_QUERIES]')}---\nuser: partner\napi-keys: ["${apiKeyHash(KEY)}"]\nroles: [ALL]\n`,
      'definitions/queries.yaml': `query: NUMBERS
permission: EVERYTHING
columns: { N: integer }
sql: select 1 as n
---
permission-list: OF_QUERIES
operations: [QAS_EXECUTEQRYPOLL_REST_GET, QAS_EXECUTEQRY_REST_GET, QAS_CANCELQUERY_REST_GET]
`,
      'definitions/orders.yaml': `scheme: keys
api-key: { header: X-Api-Key }
---
service: Orders.v1
permission: EVERYTHING
response: { fields: { ID: string } }
operations:
  CLOSE: { post: close, soap: true, handler: close, request: none }
  SHOW: { get: show, soap: true, handler: close, request: none }
  START: { get: start, soap: true, handler: close, request: none, writes: true }
  FIND: { post: find, soap: true, handler: close, request: none, writes: false }
  EXPORT:
    get: "export/{FORM}"
    soap: true
    handler: close
    request: { fields: { FORM: { type: string, enum: [PAGE, FILE] } } }
    writes: { FORM: FILE }
`,
      'src/handlers/close.ts': `export default { onRequest: (input, context) => ({ ID: context.user?.id ?? '' }) };`,
    },
  });
});
afterAll(() => gateway.stop());

type Headers = Readonly<Record<string, string>>;
const get = async (path: string, headers: Headers, method = 'GET'): Promise<number> =>
  (await gateway.call(`/gateway/RESTListeningConnector/${path}`, { method, anonymous: true, headers })).status;
const WAYS: Readonly<Record<string, (headers: Headers, operation?: string) => Promise<number>>> = {
  REST: async (headers) =>
    (
      await gateway.call('/gateway/RESTListeningConnector/Orders.v1/close', {
        method: 'POST',
        anonymous: true,
        headers,
      })
    ).status,
  SOAP: async (headers, operation = 'CLOSE') => {
    const body = envelope(`<${operation} xmlns="urn:test:Orders.v1"/>`);
    return (await gateway.call(SERVICES, { method: 'POST', anonymous: true, headers, body })).status;
  },
  'REST, by a GET that says that it writes': async (headers) => get('Orders.v1/start', headers),
  'REST, by a GET that writes for what it asks': async (headers) => get('Orders.v1/export/FILE', headers),
  HTTP: async (headers) => {
    const path = '/gateway/HttpListeningConnector?OperationName=CLOSE.v1';
    return (await gateway.call(path, { method: 'POST', anonymous: true, headers })).status;
  },
};

describe.each(Object.entries(WAYS))('over %s', (way, call) => {
  it.each<[string, Headers]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['an origin that looks alike', { origin: `${LISTED}.evil.example` }],
    ['no origin that it would tell', { origin: 'null' }],
    ['another site, by Fetch Metadata alone', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' }],
  ])('a page of %s does nothing with a password that the browser keeps', async (_page, headers) => {
    const status = await call({ ...headers, authorization: DEMO });
    expect(status).toBe(way === 'SOAP' ? 500 : 403);
    expect(gateway.log().findLast((line) => line.fault === 'FORBIDDEN')).toMatchObject({
      status,
      user: 'demo',
      decision: 'refused',
      reason: 'a page of an origin that cors does not list',
    });
    // What no browser adds by itself is no one's who does not know it.
    expect(await call({ ...headers, 'x-api-key': KEY })).toBe(200);
  });

  it('programs, pages of the gateway itself and pages that are listed are let in', async () => {
    const authorization = DEMO;
    expect(await call({ authorization })).toBe(200);
    expect(await call({ authorization, 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await call({ authorization, 'sec-fetch-site': 'none' })).toBe(200);
    expect(await call({ authorization, origin: `http://127.0.0.1:${gateway.port}` })).toBe(200);
    expect(await call({ authorization, origin: LISTED, 'sec-fetch-site': 'cross-site' })).toBe(200);
  });
});

it('by an address alone nothing is written over HTTP, whoever asks', async () => {
  const path = '/gateway/HttpListeningConnector?OperationName=CLOSE.v1';
  const reply = await gateway.call(path, { anonymous: true, headers: { authorization: DEMO } });
  expect([reply.status, reply.headers.allow]).toEqual([405, 'POST, OPTIONS']);
});

describe('runs and results of stored queries that are kept', () => {
  const run = 'PUBLIC/NUMBERS/JSON';
  const evil = { authorization: DEMO, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };

  it.each([
    ['a polled run', `ExecuteQueryPoll.v1/${run}/NONFILE`],
    ['a polled run to a file', `ExecuteQueryPoll.v1/${run}/FILE`],
    ['a result in a file', `ExecuteQuery.v1/${run}/FILE`],
    ['the end of a run', 'CancelQuery.v1/cancelquery?instanceid=0f8fad5b-d9cb-469f-a165-70867728950e'],
  ])('%s is not for a page of another site, by GET or HEAD', async (_, path) => {
    expect(await get(path, evil)).toBe(403);
    expect(await get(path, evil, 'HEAD')).toBe(403);
    expect(await get(path, { authorization: DEMO, origin: 'https://evil.example' })).toBe(403);
    expect(await get(path, { authorization: DEMO })).toBe(200);
    expect(await get(path, { 'x-api-key': KEY, 'sec-fetch-site': 'cross-site' })).toBe(200);
  });

  it('rows that are not kept are left to CORS', async () => {
    expect(await get(`ExecuteQuery.v1/${run}/NONFILE`, evil)).toBe(200);
  });
});

it('what only reads is left to CORS, which keeps the reply from the page', async () => {
  expect(await get('Orders.v1/export/PAGE', { authorization: DEMO, origin: 'https://evil.example' })).toBe(200);
  const find = { method: 'POST', anonymous: true, headers: { authorization: DEMO, origin: 'https://evil.example' } };
  expect((await gateway.call('/gateway/RESTListeningConnector/Orders.v1/find', find)).status).toBe(200);
  const soap = WAYS.SOAP as (headers: Headers, operation: string) => Promise<number>;
  expect(await soap({ authorization: DEMO, origin: 'https://evil.example' }, 'SHOW')).toBe(200);
});
