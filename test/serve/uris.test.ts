import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const FIELDS = `fields:
  A: string
  B: string
  C: integer
  L: list of string`;

/** Each operation answers the values that it was given, and by which URI. */
const DEFINITIONS = `document: INPUT
${FIELDS}
---
document: OUTPUT
fields:
  OPERATION: string
  URI: integer
  GIVEN: json
---
service: Uris.v1
public: true
request: INPUT
response: OUTPUT
operations:
  SIMPLE: { get: "simple/{A}/{B}", handler: echo }
  INSIDE: { get: "inside/{A}.{B}-x", handler: echo }
  LISTED: { get: "listed/{L}", handler: echo }
  RESERVED: { get: "reserved/{+A}", handler: echo }
  DOTS: { get: "dots{.A,B}", handler: echo }
  LABELS: { get: "labels{.L*}", handler: echo }
  SEGMENTS: { get: "segments{/L*}", handler: echo }
  SEGMENT: { get: "segment{/A}", handler: echo }
  MATRIX: { get: "matrix{;A,C}", handler: echo }
  MATRIX_LIST: { get: "matrixes{;L*}", handler: echo }
  QUERY: { get: "query{?A,L*}", handler: echo }
  FIXED: { get: "fixed?op=list{&A}", handler: echo }
  SPELT: { get: "spelt?from={A}&to={B}{&C}", handler: echo }
  SEVERAL: { get: ["several/?a={A}", "several/?a={A}&b={B}", "several/?a={A}&b={B}&c={C}", "several/{A}{?B}"], handler: echo }
  LITERAL: { get: "items/special", handler: echo }
  VARIABLE: { get: "items/{A}", handler: echo }
  REMOVE: { delete: "items/{A}", handler: echo }
  HEAD_ITSELF: { head: "heads/{A}", response: none, handler: head }
  HEAD_OF_GET: { get: "heads/{A}", handler: echo }
`;

const ECHO = `export default {
  onRequest: (given, { operation, uriIndex }) => ({ OPERATION: operation.id, URI: uriIndex, GIVEN: { ...given } }),
};
`;
const HEAD = `export default {
  onRequest: ({ A }, context) => context.reply({}, { status: 204, headers: { 'X-Head': A } }),
};
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: { 'definitions/uris.yaml': DEFINITIONS, 'src/handlers/echo.ts': ECHO, 'src/handlers/head.ts': HEAD },
  });
});
afterAll(() => gateway.stop());

const BASE = '/gateway/RESTListeningConnector/Uris.v1/';

describe('what a template binds', () => {
  it.each<[string, string, object]>([
    // {x}: percent-decoded after the match, so that an encoded slash stays inside its segment.
    ['simple/a%2Fb/c+d', 'SIMPLE', { A: 'a/b', B: 'c+d' }],
    ['simple/%E2%82%AC/%2e%2E%2e', 'SIMPLE', { A: '€', B: '...' }],
    ['simple/a%252Fb/x/', 'SIMPLE', { A: 'a%2Fb', B: 'x' }],
    ['inside/a.b-x', 'INSIDE', { A: 'a', B: 'b' }],
    ['inside/a%2Fb.c-x', 'INSIDE', { A: 'a/b', B: 'c' }],
    ['listed/a,b%2Cc', 'LISTED', { L: ['a', 'b,c'] }],
    ['reserved/a/b/c', 'RESERVED', { A: 'a/b/c' }],
    ['reserved/a%20b', 'RESERVED', { A: 'a b' }],
    ['dots.x.y', 'DOTS', { A: 'x', B: 'y' }],
    ['labels.x.y.z', 'LABELS', { L: ['x', 'y', 'z'] }],
    ['segments/x/y/z', 'SEGMENTS', { L: ['x', 'y', 'z'] }],
    ['segments', 'SEGMENTS', {}],
    ['segment/x', 'SEGMENT', { A: 'x' }],
    ['segment', 'SEGMENT', {}],
    ['matrix;A=x;C=5', 'MATRIX', { A: 'x', C: 5 }],
    ['matrix;C=5;A=x', 'MATRIX', { A: 'x', C: 5 }],
    ['matrix;C=5', 'MATRIX', { C: 5 }],
    ['matrix', 'MATRIX', {}],
    ['matrixes;L=a;L=b', 'MATRIX_LIST', { L: ['a', 'b'] }],
    ['query', 'QUERY', {}],
    ['query?A=x+y%2Bz', 'QUERY', { A: 'x y+z' }],
    ['query?L=b&A=&L=c', 'QUERY', { L: ['b', 'c'] }],
    ['query?L=b,c', 'QUERY', { L: ['b', 'c'] }],
    ['query?L=', 'QUERY', { L: [] }],
    ['query/?%41=x&other=1', 'QUERY', { A: 'x' }],
    ['fixed?A=x&op=list', 'FIXED', { A: 'x' }],
    ['spelt?to=2&from=1', 'SPELT', { A: '1', B: '2' }],
    ['spelt/?C=3&to=2&from=1', 'SPELT', { A: '1', B: '2', C: 3 }],
    ['items/special', 'LITERAL', {}],
    ['items/speci%61l', 'LITERAL', {}],
    ['items/Special', 'VARIABLE', { A: 'Special' }],
  ])('%s', async (path, operation, given) => {
    const reply = await gateway.call(BASE + path);
    expect(reply.status, reply.text).toBe(200);
    expect(JSON.parse(reply.text)).toEqual({ OPERATION: operation, URI: 1, GIVEN: given });
  });

  it.each([
    ['several?a=1', 1, { A: '1' }],
    ['several?a=1&b=2', 2, { A: '1', B: '2' }],
    ['several?b=2&a=1&x=9', 2, { A: '1', B: '2' }],
    ['several?c=3&b=2&a=1', 3, { A: '1', B: '2', C: 3 }],
    ['several/1', 4, { A: '1' }],
    ['several/1?B=2', 4, { A: '1', B: '2' }],
  ])('%s: the template that binds most wins', async (path, uri, given) => {
    expect(JSON.parse((await gateway.call(BASE + path)).text)).toEqual({
      OPERATION: 'SEVERAL',
      URI: uri,
      GIVEN: given,
    });
  });
});

describe('what it refuses', () => {
  it.each([
    ['simple/a', 404, 'resource'],
    ['simple//b', 404, 'resource'],
    ['simple/a/b/c', 404, 'resource'],
    ['Simple/a/b', 404, 'resource'],
    ['items', 404, 'resource'],
    ['fixed', 404, 'query string'],
    ['fixed?op=other', 404, 'query string'],
    ['spelt?from=1', 400, 'Query parameter to is missing.'],
    ['spelt', 400, 'Query parameter from is missing. Query parameter to is missing.'],
    ['spelt?from=1&to=', 400, 'to (B) is empty.'],
    ['spelt?from=1&to=2&C=three', 400, 'C is not an integer.'],
    ['spelt?from=1&C=three', 400, 'Query parameter to is missing. C is not an integer.'],
    ['several', 400, 'is missing.'],
    ['query?A=1&A=2', 400, 'A is given more than once.'],
    ['matrix;C=x', 400, 'C is not an integer.'],
    ['segments/a/%ff', 400, 'L '],
  ])('%s is %i', async (path, status, words) => {
    const reply = await gateway.call(BASE + path);
    expect(reply.status).toBe(status);
    expect((JSON.parse(reply.text) as { detail: string }).detail).toContain(words);
  });
});

describe('methods of one path', () => {
  it('pick their operations, and Allow names them all', async () => {
    const removed = await gateway.call(`${BASE}items/special`, { method: 'DELETE' });
    expect(JSON.parse(removed.text)).toMatchObject({ OPERATION: 'REMOVE', GIVEN: { A: 'special' } });
    const wrong = await gateway.call(`${BASE}items/x`, { method: 'PUT' });
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, DELETE, OPTIONS']);
  });

  it('HEAD has its own operation where there is one, else that of GET without its body', async () => {
    const own = await gateway.call(`${BASE}heads/me`, { method: 'HEAD' });
    expect([own.status, own.headers['x-head']]).toEqual([204, 'me']);
    const get = await gateway.call(`${BASE}items/x`);
    const head = await gateway.call(`${BASE}items/x`, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
    const refused = await gateway.call(`${BASE}matrix;C=x`, { method: 'HEAD' });
    expect(refused).toMatchObject({ status: 400, text: '' });
    expect(Number(refused.headers['content-length'])).toBeGreaterThan(50);
  });
});
