import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { HTTP } from './soap-client.ts';

const DEFINITIONS = `service: Bounds.v1
permission: EVERYTHING
operations:
  CLOSED: { post: closed, soap: true, request: { fields: { NAME: string } }, response: json, handler: taken }
  OPEN: { post: open, request: { open: true, fields: { NAME: string } }, response: json, handler: taken }
  RAW: { post: raw, soap: true, request: json, response: json, handler: taken }
  FIELD: { post: field, request: { fields: { ANY: json } }, body: ANY, response: json, handler: taken }
  LIST: { post: list, request: { fields: { ROWS: list of json } }, body: ROWS, response: json, handler: taken }
  QUERY: { get: "query{?ANY}", request: { fields: { ANY: json } }, response: json, handler: taken }
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/bounds.yaml': DEFINITIONS,
      'src/handlers/taken.ts': "export default { onRequest: () => 'taken' };\n",
    },
  });
});
afterAll(async () => {
  expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
  await gateway.stop();
});

const REST = '/gateway/RESTListeningConnector/Bounds.v1';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Every way by which JSON comes in. */
const WAYS: Readonly<Record<string, (json: string) => ReturnType<TestGateway['call']>>> = {
  'a document': (body) => gateway.call(`${REST}/closed`, { method: 'POST', headers: JSON_TYPE, body }),
  'an open document': (body) => gateway.call(`${REST}/open`, { method: 'POST', headers: JSON_TYPE, body }),
  'a body without a document': (body) => gateway.call(`${REST}/raw`, { method: 'POST', headers: JSON_TYPE, body }),
  'a body that is one field': (body) => gateway.call(`${REST}/field`, { method: 'POST', headers: JSON_TYPE, body }),
  'a body that is a list': (body) =>
    gateway.call(`${REST}/list`, { method: 'POST', headers: JSON_TYPE, body: `[${body}]` }),
  'the HTTP connector': (body) =>
    gateway.call(`${HTTP}?OperationName=CLOSED`, { method: 'POST', headers: JSON_TYPE, body }),
  'an IBRequest': (body) =>
    gateway.call(HTTP, {
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: `<IBRequest><OperationName>RAW</OperationName><ContentSections><ContentSection><Data><![CDATA[${body}]]></Data></ContentSection></ContentSections></IBRequest>`,
    }),
};

const names = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"${index === 7 ? '__proto__' : `k${index}`}":1`).join(',')}}`;

it.each(Object.keys(WAYS))('JSON by %s is held to the limits before it is parsed', async (way) => {
  const call = WAYS[way] as (typeof WAYS)[string];
  // Each is cut off behind what exceeds the limit: a parser would say that it is not JSON.
  const cases: readonly (readonly [json: string, words: string])[] = [
    [names(700_000).slice(0, -1), 'holds more than 50000 different names'],
    [`[${'[],'.repeat(500_000)}`, 'holds more than 500000 values'],
    ['{"a":'.repeat(1_000_000), 'is nested more than 100 levels deep'],
    ['{"NAME":"a","N\\u0041ME":"b"', 'NAME\\" twice'],
  ];
  for (const [json, words] of cases) {
    const { status, text } = await call(json);
    expect([status, text]).toEqual([400, expect.stringMatching(words.replaceAll('\\', '\\\\?'))]);
  }
});

it.each([
  'a body without a document',
  'an open document',
  'a body that is one field',
])('%s takes as many as the limits allow', async (way) => {
  const call = WAYS[way] as (typeof WAYS)[string];
  const many = `{"a":[${'1,'.repeat(499_997)}1]}`;
  expect((await call(many)).status).toBe(200);
  expect((await call(names(50_000).replace('__proto__', 'k7'))).status).toBe(200);
});

it('JSON in the query string may not repeat a name either', async () => {
  const ask = (json: string) => gateway.call(`${REST}/query?ANY=${encodeURIComponent(json)}`);
  expect((await ask('{"a":1,"b":2}')).status).toBe(200);
  const { status, text } = await ask('{"a":1,"a":2}');
  expect([status, text]).toEqual([400, expect.stringContaining('twice')]);
});
