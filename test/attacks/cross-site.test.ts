import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyHash } from '../../src/security/api-key.ts';
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
      'definitions/gateway.yaml': gatewayText(`requires: [keys, basic]\ncors: ["${LISTED}"]`),
      'definitions/users.yaml': `${USERS}---\nuser: partner\napi-keys: ["${apiKeyHash(KEY)}"]\nroles: [ALL]\n`,
      'definitions/orders.yaml': `scheme: keys
api-key: { header: X-Api-Key }
---
service: Orders.v1
permission: EVERYTHING
response: { fields: { ID: string } }
operations:
  CLOSE: { post: close, soap: true, handler: close, request: none }
  SHOW: { get: show, soap: true, handler: close, request: none }
`,
      'src/handlers/close.ts': `export default { onRequest: (input, context) => ({ ID: context.user?.id ?? '' }) };`,
    },
  });
});
afterAll(() => gateway.stop());

type Headers = Readonly<Record<string, string>>;
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
  'HTTP, by an address alone': async (headers) =>
    (await gateway.call('/gateway/HttpListeningConnector?OperationName=CLOSE.v1', { anonymous: true, headers })).status,
};

describe.each(Object.entries(WAYS))('over %s', (_, call) => {
  it.each<[string, Headers]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['an origin that looks alike', { origin: `${LISTED}.evil.example` }],
    ['no origin that it would tell', { origin: 'null' }],
    ['another site, by Fetch Metadata alone', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site', origin: 'https://evil.example' }],
  ])('a page of %s does nothing with a password that the browser keeps', async (_page, headers) => {
    expect(await call({ ...headers, authorization: DEMO })).toBe(403);
    expect(gateway.log().findLast((line) => line.status === 403)).toMatchObject({
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

it('what only reads is left to CORS, which keeps the reply from the page', async () => {
  const soap = WAYS.SOAP as (headers: Headers, operation: string) => Promise<number>;
  expect(await soap({ authorization: DEMO, origin: 'https://evil.example' }, 'SHOW')).toBe(200);
});
