import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeyHash } from '../../src/security/scheme/api-key.ts';
import { DEMO, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, USERS } from '../support/project.ts';
import { envelope, SERVICES } from './soap-client.ts';

const KEY = 'a key of a partner, of whatever form';
const NS = 'urn:test:Both.v1';
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(
        'requires: [keys, basic]\ncontracts: private\nmetrics: { permission: EVERYTHING }',
      ),
      'definitions/users.yaml': `${USERS}---
user: partner
api-keys: ["${apiKeyHash(KEY)}"]
roles: [ALL]
`,
      'definitions/both.yaml': `scheme: keys
api-key: { header: X-Api-Key }
---
service: Both.v1
permission: EVERYTHING
operations:
  BY_KEY: { get: key, soap: true, requires: keys, handler: who, request: { fields: {} }, response: { fields: { ID: string } } }
  BY_PASSWORD: { get: password, soap: true, requires: [basic], handler: who, request: { fields: {} }, response: { fields: { ID: string } } }
  BY_ANY: { get: any, handler: who, request: { fields: {} }, response: { fields: { ID: string } } }
`,
      'definitions/other.yaml': `service: Other.v1
permission: EVERYTHING
operations:
  OTHER: { soap: true, handler: who, request: { fields: {} }, response: { fields: { ID: string } } }
`,
      'src/handlers/who.ts': `export default { onRequest: (input, context) => ({ ID: context.user?.id ?? '' }) };`,
    },
  });
});
afterAll(() => gateway.stop());

type Headers = Readonly<Record<string, string>>;
const key: Headers = { 'x-api-key': KEY };
const password: Headers = { authorization: DEMO };
const get = (path: string, headers: Headers = {}): Promise<Reply> =>
  gateway.call(`/gateway/RESTListeningConnector/${path}`, { anonymous: true, headers });
const soap = (operation: string, headers: Headers, body = envelope(`<${operation} xmlns="${NS}"/>`)): Promise<Reply> =>
  gateway.call(SERVICES, {
    method: 'POST',
    anonymous: true,
    headers: { 'content-type': 'text/xml', ...headers },
    body,
  });
const told = ({ status, text }: Reply): unknown => (status === 200 ? /ID[">:]+(\w*)/.exec(text)?.[1] : status);

describe('an operation', () => {
  it('takes over REST what it asks for, and nothing else', async () => {
    expect(told(await get('Both.v1/key', key))).toBe('partner');
    expect(told(await get('Both.v1/key', password))).toBe(401);
    expect(told(await get('Both.v1/password', password))).toBe('demo');
    expect(told(await get('Both.v1/password', key))).toBe(401);
    expect(told(await get('Both.v1/any', key))).toBe('partner');
    expect(told(await get('Both.v1/any', { ...key, ...password }))).toBe('partner');
    expect(told(await get('Both.v1/any', { 'x-api-key': 'wrong', ...password }))).toBe(401);
  });

  it('takes no key that was sent twice, whichever of the two is good', async () => {
    for (const keys of [
      [KEY, KEY],
      [KEY, 'wrong'],
      ['wrong', KEY],
    ]) {
      const lines = keys.map((each) => `X-Api-Key: ${each}\r\n`).join('');
      const path = '/gateway/RESTListeningConnector/Both.v1/key';
      const reply = await gateway.raw(`GET ${path} HTTP/1.1\r\nHost: x\r\n${lines}Connection: close\r\n\r\n`);
      expect(reply).toMatch(/^HTTP\/1\.1 40[01] /);
    }
  });

  it('takes over SOAP what it asks for itself, whatever another one does', async () => {
    expect(told(await soap('BY_KEY', key))).toBe('partner');
    expect(told(await soap('BY_KEY', password))).toBe(401);
    expect(told(await soap('BY_PASSWORD', password))).toBe('demo');
    expect(told(await soap('BY_PASSWORD', key))).toBe(401);
    const both = { ...key, ...password };
    expect([told(await soap('BY_KEY', both)), told(await soap('BY_PASSWORD', both))]).toEqual(['partner', 'demo']);
    const refused = await soap('BY_PASSWORD', key);
    expect(refused.headers['www-authenticate']).toBe('Basic realm="signalbox", charset="UTF-8"');
    expect(refused.text).toContain('Credentials are missing or wrong.');
  });

  it('reads nothing of a message from a caller who shows nothing', async () => {
    const reply = await soap('BY_KEY', {}, '<not xml');
    expect(reply.status).toBe(401);
    expect((await soap('BY_KEY', key, '<not xml')).status).not.toBe(401);
  });
});

it('what belongs to the gateway itself takes any of its schemes', async () => {
  for (const headers of [key, password]) expect((await get('Both.v1.wadl', headers)).status).toBe(200);
  const refused = await get('Both.v1.wadl');
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    401,
    'ApiKey realm="signalbox", header="X-Api-Key", Basic realm="signalbox", charset="UTF-8"',
  ]);
  const elsewhere = { 'x-forwarded-for': '198.51.100.1' };
  const metrics = (headers: Headers) => gateway.call('/metrics', { anonymous: true, headers });
  expect((await metrics(elsewhere)).status).toBe(401);
  expect((await metrics({ ...elsewhere, ...key })).status).toBe(200);
  expect((await metrics({})).status).toBe(200);
});

it('who reads a contract stands in the log, and nobody else is told which there are', async () => {
  expect((await get('Both.v1.wadl', key)).status).toBe(200);
  expect(gateway.log().findLast((line) => line.status === 200)).toMatchObject({ user: 'partner', scheme: 'keys' });
  const all = (headers: Headers) => gateway.call(`${SERVICES}?wsdl`, { anonymous: true, headers });
  const refused = await all({});
  expect(refused.status).toBe(401);
  expect(refused.text).not.toContain('Other');
  expect((await all(key)).text).toContain('there is Both.v1, Other.v1');
});

it('no credentials reach the log', async () => {
  await get('Both.v1/key', key);
  const log = JSON.stringify(gateway.log());
  expect(log).toContain('"user":"partner"');
  for (const secret of [KEY, apiKeyHash(KEY), DEMO.slice(6)]) expect(log).not.toContain(secret);
});
