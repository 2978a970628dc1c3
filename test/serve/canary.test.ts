import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Call, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText, USERS } from '../support/project.ts';
import { recordedBy } from '../support/recorded.ts';

// A value that is nowhere but where it was sent to: whatever repeats it gives a secret away.
const CANARY = 'canary7Q';
const SPOKEN = new RegExp(`.{0,60}${CANARY}.{0,40}`, 'g');

const SECRET = 'type: string(12), sensitive: true';
const DEFINITIONS = `document: SECRETS
fields:
  ID: integer
  KIND: { ${SECRET}, enum: [abc, def] }
  CODE: { ${SECRET}, pattern: "[0-9]+" }
  SHORT: { type: string(3), sensitive: true }
  COUNT: { type: integer, sensitive: true }
  PRICE: { type: decimal(4.2), sensitive: true }
  DAY: { type: date, sensitive: true }
  HOUR: { type: time, sensitive: true }
  MOMENT: { type: datetime, sensitive: true }
  WHETHER: { type: boolean, sensitive: true }
  FLAG: { type: flag, sensitive: true }
  ONLY: { ${SECRET}, fixed: abc }
  LEAST: { ${SECRET}, minimum: 11 }
  BYTES: { type: binary, sensitive: true }
  INNER: { fields: { KEY: { ${SECRET}, enum: [abc] } } }
  MANY: { list: { fields: { KEY: { type: integer, sensitive: true } } } }
  LIST: { type: list of integer, sensitive: true }
---
query: BY_SECRET
permission: EVERYTHING
prompts: { KEY: { type: string(3), sensitive: true }, NUMBER: { type: integer, sensitive: true } }
columns: { N: integer }
sql: select 1 as n where :KEY is not null or :NUMBER is not null
---
process: WORK
type: Application Engine
permission: EVERYTHING
parameters: { KEY: { ${SECRET} }, COUNT: { type: integer, sensitive: true } }
---
service: Canary.v1
permission: EVERYTHING
operations:
  BODY_PUT: { put: "body", soap: true, request: SECRETS, response: SECRETS, handler: same }
  PATH_GET: { get: "path/{COUNT}", request: SECRETS, response: SECRETS, handler: same }
  QUERY_GET: { get: "query{?COUNT,KIND,CODE,LIST}", request: SECRETS, response: SECRETS, handler: same }
  HEADER_GET: { get: "header", request: SECRETS, headers: { X-Secret: "{KIND}" }, response: SECRETS, handler: same }
  REPLY_GET: { get: "reply/{ID}", request: { fields: { ID: integer } }, response: SECRETS, handler: wrong }
  ROWS_GET: { get: "rows{?KEY,NUMBER}", query: BY_SECRET }
---
{ routing: R_BODY, operation: BODY_PUT, log: full }
---
{ routing: R_PATH, operation: PATH_GET, log: full }
---
{ routing: R_QUERY, operation: QUERY_GET, log: full }
---
{ routing: R_HEADER, operation: HEADER_GET, log: full }
---
{ routing: R_REPLY, operation: REPLY_GET, log: full }
---
{ routing: R_ROWS, operation: ROWS_GET, log: full }
---
{ routing: R_SCHEDULE, operation: PRCS_SCHEDULE, log: full }
---
{ routing: R_EXECUTE, operation: QAS_EXECUTEQRY_REST_GET, log: full }
`;

const REST = '/gateway/RESTListeningConnector/';
const FIELDS: readonly [string, unknown][] = [
  ...['KIND', 'CODE', 'SHORT', 'COUNT', 'PRICE', 'DAY', 'HOUR', 'MOMENT', 'WHETHER', 'FLAG', 'ONLY', 'LEAST'].map(
    (name): [string, unknown] => [name, CANARY],
  ),
  ['BYTES', `${CANARY}!`],
  ['INNER', { KEY: CANARY }],
  ['MANY', [{ KEY: CANARY }]],
  ['LIST', [CANARY]],
];

let test: TestGateway;
let replies = '';
let heard = 0;
beforeEach(() => {
  replies = '';
  heard = test.log().length;
});
beforeAll(async () => {
  test = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('delivered: [PROCESSREQUEST.v1, QAS_QRY_SERVICE.v1]'),
      'definitions/users.yaml': USERS.replace(
        'permission-list: EVERYTHING\n',
        'permission-list: EVERYTHING\noperations: [PROCESSREQUEST.*, QAS_QRY_SERVICE.*]\n',
      ),
      'definitions/canary.yaml': DEFINITIONS,
      'src/handlers/same.ts': 'export default { onRequest: ({ ID }) => ({ ID }) };\n',
      'src/handlers/wrong.ts': `const given = ${JSON.stringify(FIELDS)};
export default { onRequest: ({ ID }) => Object.fromEntries([given[ID]]) };\n`,
      'src/handlers/work.ts': `export default {
  run({ KEY }) { if (KEY === undefined) throw new Error('none'); throw new TypeError('it did not work'); },
};\n`,
    },
  });
});
afterAll(() => test.stop());

async function send(path: string, call: Call = {}): Promise<number> {
  const { status, headers, text } = await test.call(path, call);
  replies += JSON.stringify(headers) + text;
  return status;
}

/** Looks through what has come since it was last called. */
function expectSilence(): void {
  const lines = JSON.stringify(test.log().slice(heard));
  expect(replies.length).toBeGreaterThan(0);
  expect([...replies.matchAll(SPOKEN), ...lines.matchAll(SPOKEN)].map(([around]) => around)).toEqual([]);
  replies = '';
  heard = test.log().length;
}

describe('what was sent in a sensitive place', () => {
  it.each(FIELDS)('%s of a body, in JSON and in XML, is in no reply and no line', async (name, value) => {
    const json = JSON.stringify({ ID: 1, [name]: value });
    expect(await send(`${REST}Canary.v1/body`, { method: 'PUT', body: json })).toBe(400);
    const soap =
      '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>' +
      `<BODY_PUT xmlns="urn:test:Canary.v1"><${name}>${typeof value === 'string' ? value : CANARY}</${name}></BODY_PUT></s:Body></s:Envelope>`;
    const headers = { 'content-type': 'text/xml' };
    expect(await send('/gateway/PeopleSoftServiceListeningConnector', { method: 'POST', headers, body: soap })).toBe(
      500,
    );
    expectSilence();
  });

  it.each([
    `path/${CANARY}`,
    `path/${CANARY}%zz`,
    `query?COUNT=${CANARY}`,
    `query?KIND=${CANARY}&KIND=${CANARY}`,
    `query?CODE=${CANARY}`,
    `query?LIST=${CANARY}`,
    `query?KIND=${CANARY}%zz`,
    `rows?KEY=${CANARY}`,
    `rows?NUMBER=${CANARY}`,
  ])('%s of a URL is in no reply and no line', async (path) => {
    expect(await send(`${REST}Canary.v1/${path}`)).toBeGreaterThanOrEqual(400);
    expectSilence();
  });

  it('a path that leads nowhere is in no line, though its caller is told of it', async () => {
    expect(await send(`${REST}Canary.v1/path/${CANARY}/more`)).toBe(404);
    replies = '404';
    expectSilence();
  });

  it('a header, credentials, a cookie: neither', async () => {
    const secret = (name: string): Promise<number> => send(`${REST}Canary.v1/header`, { headers: { [name]: CANARY } });
    const sent = ['x-secret', 'cookie', 'proxy-authorization', 'authorization'].map(secret);
    expect(await Promise.all(sent)).toEqual([400, 200, 200, 401]);
    const basic = `Basic ${Buffer.from(`demo:${CANARY}`).toString('base64')}`;
    expect(await send(`${REST}Canary.v1/header`, { headers: { authorization: basic } })).toBe(401);
    expect(JSON.stringify(test.log())).not.toContain(basic.slice(6));
    expectSilence();
  });

  it('a reply of a handler that is no such value: the caller and the log learn its place alone', async () => {
    for (const index of FIELDS.keys()) {
      const status = await send(`${REST}Canary.v1/reply/${index}`);
      expect(status, FIELDS[index]?.[0]).toBe(500);
    }
    expectSilence();
  });

  it('prompts and parameters of delivered services: neither', async () => {
    const schedule = (Name: string): Promise<number> =>
      send(`${REST}ProcessRequest.v1/requests`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          RunControlId: 'RC',
          ProcessType: 'Application Engine',
          ProcessName: 'WORK',
          parameters: [{ Name, Value: CANARY }],
        }),
      });
    expect(await schedule('COUNT')).toBe(400);
    expect(await schedule('KEY')).toBe(201);
    for (const prompt of ['KEY', 'NUMBER'])
      expect(
        await send(
          `${REST}ExecuteQuery.v1/public/BY_SECRET/JSON/NONFILE?prompt_uniquepromptname=${prompt}&prompt_fieldvalue=${CANARY}`,
        ),
      ).toBe(400);
    await eventually('its end', async () => {
      const { text } = await test.call(`${REST}ProcessRequest.v1/requests/1`);
      return text.includes('"Error"') ? true : undefined;
    });
    expect(test.log().find(({ work }) => work === 'process')).toMatchObject({
      decision: 'allowed',
      name: 'WORK',
      id: 1,
      user: 'demo',
      attempt: 1,
      fault: 'INTERNAL',
      complete: false,
    });
    await send(`${REST}ProcessRequest.v1/requests/1`);
    await send(`${REST}ProcessRequest.v1/requests/1/messages`);
    await send(`${REST}ProcessRequest.v1/requests`);
    expectSilence();
  });

  it('is in no page and no metric either', async () => {
    for (const path of ['/', '/metrics', '/health/ready', `${REST}Canary.v1.wadl`, `${REST}Canary.v1.openapi.json`])
      expect(await send(path)).toBe(200);
    expectSilence();
  });

  it('is not in the message store, which keeps payloads and headers', async () => {
    const recorded = await recordedBy(test);
    for (const id of ['BODY_PUT', 'PATH_GET', 'QUERY_GET', 'HEADER_GET', 'REPLY_GET', 'ROWS_GET', 'PRCS_SCHEDULE'])
      expect(recorded.map(({ operation }) => operation)).toContain(id);
    expect(recorded.some(({ operation, parts }) => operation === 'PRCS_SCHEDULE' && 'request' in parts)).toBe(true);
    expect([...JSON.stringify(recorded).matchAll(SPOKEN)].map(([around]) => around)).toEqual([]);
  });
});
