import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { load } from '../load/linked.ts';
import { attachment, client, type Seen, target } from './support.ts';

/** An operation in YAML, what it is called with, and what is to arrive. */
const rows: readonly [properties: string, rest: string, input: object, check: (seen: Seen) => void][] = [
  [
    '{ sendUncompressed: N }',
    'request: { fields: { A: text } }',
    { A: 'x' },
    ({ headers, body }) =>
      expect([headers['content-encoding'], String(gunzipSync(body))]).toEqual(['gzip', '{"A":"x"}']),
  ],
  [
    '{ sendUncompressed: Y, METHOD: POST }',
    'request: { fields: { A: text } }',
    { A: 'x' },
    ({ headers, method }) => expect([headers['accept-encoding'], method]).toEqual([undefined, 'POST']),
  ],
  [
    '{ PRIMARYURL: "${env:OTHER}" }',
    'request: { fields: { A: text } }',
    { A: 'x' },
    ({ url }) => expect(url).toBe('/partner/other/orders'),
  ],
  [
    '{ SegmentContentType: application/pdf, SegmentContentTransfer: binary, Base64toBinary: Y }',
    'request: { fields: { FILE: binary } }, body: FILE',
    { FILE: 'UERGIQ==' },
    ({ headers, body }) => expect([headers['content-type'], String(body)]).toEqual(['application/pdf', 'PDF!']),
  ],
  [
    '{ SegmentContentType: application/pdf }',
    'request: { fields: { FILE: binary } }, body: FILE',
    { FILE: attachment('<a/>', 'application/octet-stream', 'a.xml') },
    ({ headers }) => expect(headers['content-type']).toBe('application/xml'),
  ],
  [
    '{ SegmentContentType: application/pdf }',
    'request: { fields: { FILE: binary } }, body: FILE',
    { FILE: attachment('a', 'text/csv', 'a.xml') },
    ({ headers }) => expect(headers['content-type']).toBe('text/csv'),
  ],
  [
    '{}',
    'request: { fields: { FILES: list of binary } }, form: multipart',
    { FILES: [attachment('<a/>', 'application/octet-stream', 'a.xml'), attachment('b', 'text/csv', 'b.xml')] },
    ({ body }) =>
      expect(String(body).match(/Content-Type: .*/g)).toEqual([
        'Content-Type: application/xml',
        'Content-Type: text/csv',
      ]),
  ],
  [
    '{ Disable_URLEncodingBody: false }',
    'request: text, headers: { Content-Type: application/x-www-form-urlencoded }',
    { content: 'a=b c&d=e/f' },
    ({ body }) => expect(String(body)).toBe('a=b%20c&d=e%2Ff'),
  ],
  [
    '{ Disable_URLEncodingBody: true }',
    'request: text, headers: { Content-Type: application/x-www-form-urlencoded }',
    { content: 'a=b%20c&d=e/f' },
    ({ body }) => expect(String(body)).toBe('a=b%20c&d=e/f'),
  ],
];

it.each(rows)('connector properties reach the target: %s', async (properties, rest, input, check) => {
  const { url, seen } = await target({});
  const registry = load(`
node: PARTNER
base: \${env:PARTNER_URL}
---
service: Orders.v1
target: PARTNER
public: true
operations:
  ORDER_POST: { post: orders, response: none, ${rest}, properties: ${properties} }
`);
  const made = client(registry, { env: { PARTNER_URL: url, OTHER: `${url}/other` } });
  await made.call('ORDER_POST', input as never);
  expect(seen).toHaveLength(1);
  check(seen[0] as Seen);
});

it('a routing leads a call to another target, with headers of its own', async () => {
  const [first, second] = [await target({}), await target({})];
  const registry = load(`
node: PARTNER
base: \${env:FIRST}
---
node: SECOND
base: \${env:SECOND}
---
service: Orders.v1
target: PARTNER
public: true
operations:
  ORDER_POST: { post: orders, request: text, response: none, headers: { X-Sender: LIVE } }
---
routing: ORDER_TEST
operation: ORDER_POST
target: SECOND
headers: { X-Sender: TEST }
`);
  const made = client(registry, { env: { FIRST: first.url, SECOND: second.url } });
  await made.call('ORDER_POST', { content: 'x' });
  expect(first.seen).toEqual([]);
  expect(second.seen.map(({ headers }) => headers['x-sender'])).toEqual(['TEST']);
});
