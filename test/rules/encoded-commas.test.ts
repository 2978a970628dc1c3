import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

// Clients generated for TypeScript and Go percent-encode the commas between the entries of a list.

const FIELDS = `fields:
  NUMS: list of integer
  PRICES: list of decimal
  DAYS: list of date
  SIDES: { type: list of string(5), enum: [left, right] }
  WORDS: list of string`;

const DEFINITIONS = `document: INPUT
${FIELDS}
---
document: OUTPUT
${FIELDS}
---
service: Lists.v1
public: true
request: INPUT
response: OUTPUT
operations:
  QUERY: { get: "query{?NUMS,PRICES,DAYS,SIDES,WORDS}", handler: echo }
  EXPLODED: { get: "exploded{?NUMS*,PRICES*,DAYS*,SIDES*,WORDS*}", handler: echo }
  NUMS: { get: "path/{NUMS}", handler: echo }
  WORDS: { get: "words/{WORDS}", handler: echo }
  MATRIX: { get: "matrix{;NUMS}", handler: echo }
  HEADER: { get: header, handler: echo, headers: { X-Nums: "{NUMS}", X-Words: "{WORDS}" } }
  FORM: { post: form, form: multipart, handler: echo }
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/lists.yaml': DEFINITIONS,
      'src/handlers/echo.ts': 'export default { onRequest: (given) => given };\n',
    },
  });
});
afterAll(() => gateway.stop());

const BASE = '/gateway/RESTListeningConnector/Lists.v1/';

async function given(path: string, init: RequestInit = {}): Promise<unknown> {
  const reply = await fetch(`http://127.0.0.1:${gateway.port}${BASE}${path}`, init);
  const text = await reply.text();
  expect(reply.status, text).toBe(200);
  return JSON.parse(text);
}

/** A multipart form. */
function form(...parts: (readonly [string, string])[]): RequestInit {
  const body = new FormData();
  for (const [name, text] of parts) body.append(name, text);
  return { method: 'POST', body };
}

describe('encoded commas separate entries that can not contain one', () => {
  it.each(['query', 'exploded'])('in the %s', async (path) => {
    expect(
      await given(`${path}?NUMS=1%2C2%2c3&PRICES=1.5%2C2.5&DAYS=2027-01-01%2C2027-01-02&SIDES=left%2Cright`),
    ).toMatchObject({ NUMS: [1, 2, 3], DAYS: ['2027-01-01', '2027-01-02'], SIDES: ['left', 'right'] });
  });

  it('beside others', async () => {
    expect(await given('query?NUMS=1%2C2,3')).toEqual({ NUMS: [1, 2, 3] });
    expect(await given('exploded?NUMS=1%2C2&NUMS=3')).toEqual({ NUMS: [1, 2, 3] });
  });

  it('in a path, a matrix, a header and a form', async () => {
    expect(await given('path/1%2C2')).toEqual({ NUMS: [1, 2] });
    expect(await given('matrix;NUMS=1%2C2')).toEqual({ NUMS: [1, 2] });
    expect(await given('header', { headers: { 'X-Nums': '1, 2,3' } })).toEqual({ NUMS: [1, 2, 3] });
    expect(await given('form', form(['NUMS', '1,2'], ['NUMS', '3']))).toEqual({ NUMS: [1, 2, 3] });
  });

  it('and is a part of a text', async () => {
    expect(await given('query?WORDS=a%2Cb,c')).toEqual({ WORDS: ['a,b', 'c'] });
    expect(await given('query?WORDS=a%2Cb')).toEqual({ WORDS: ['a,b'] });
    expect(await given('words/a%2Cb,c')).toEqual({ WORDS: ['a,b', 'c'] });
    expect(await given('form', form(['WORDS', 'a,b'], ['WORDS', 'c']))).toEqual({ WORDS: ['a,b', 'c'] });
  });

  it('and every entry is checked', async () => {
    const reply = await gateway.call(`${BASE}query?NUMS=1%2Cx`);
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('NUMS is not an integer.');
  });
});
