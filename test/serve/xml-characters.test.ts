import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText, USERS } from '../support/project.ts';
import { envelope, faultOf, post } from './soap-client.ts';

// Characters that JSON carries and XML 1.0 (section 2.2) does not: they are refused where something would be written as XML, and never
// replaced by others.

const DEFINITIONS = `service: Notes.v1
public: true
operations:
  NOTE_POST: { post: notes, request: NOTE, response: NOTE, call: PARTNER_NOTE }
  NOTE_PUT: { put: notes, request: NOTE, response: none, call: PARTNER_XML }
  NOTE_GET: { get: 'notes{?unit}', soap: true, request: { fields: { unit: integer } }, response: NOTE }
  NOTE_FAIL: { get: 'fail{?unit}', soap: true, request: { fields: { unit: integer } }, response: NOTE }
---
document: NOTE
fields: { text: text, of: { type: text, attribute: true }, more: map of text, lines: list of string, inner: { type: INNER } }
---
document: INNER
open: true
fields: { deep: text }
---
node: PARTNER
base: \${env:PARTNER_URL}
---
service: Partner.v1
target: PARTNER
public: true
operations:
  PARTNER_NOTE: { soap: true, request: NOTE, response: NOTE }
  PARTNER_XML: { post: xml, request: NOTE, response: none, headers: { Content-Type: application/xml } }
`;

let gateway: TestGateway;
const seen: string[] = [];

beforeAll(async () => {
  const partner = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      seen.push(body);
      response.writeHead(500).end();
    });
  });
  await new Promise<void>((resolve) => partner.listen(0, '127.0.0.1', resolve));
  gateway = await startTestGateway({
    env: { PARTNER_URL: `http://127.0.0.1:${(partner.address() as AddressInfo).port}` },
    files: {
      'definitions/gateway.yaml': gatewayText(),
      'definitions/users.yaml': USERS,
      'definitions/notes.yaml': DEFINITIONS,
      'src/handlers/note-get.ts':
        'export default { onRequest: ({ unit }) => ({ text: `a${String.fromCharCode(Number(unit))}b` }) };\n',
      'src/handlers/note-fail.ts':
        'export default { onRequest: ({ unit }) => { throw new Error(`a${String.fromCharCode(Number(unit))}b`); }, onError: (fault, { unit }) => `a${String.fromCharCode(Number(unit))}b` };\n',
    },
  });
  return async () => {
    await gateway.stop();
    await new Promise((resolve) => partner.close(resolve));
  };
});

const REST = '/gateway/RESTListeningConnector/Notes.v1';
const message = (operation: string) =>
  post(gateway, envelope(`<m:${operation} xmlns:m="urn:test:Notes.v1"><m:unit>1</m:unit></m:${operation}>`));
const UNITS = [0x01, 0x08, 0x0b, 0x1f, 0xfffe, 0xffff];
const name = (unit: number): string => `U+${unit.toString(16).toUpperCase().padStart(4, '0')}`;

describe.each(['POST', 'PUT'])('JSON that is sent on as XML (%s)', (method) => {
  const places: readonly [string, (text: string) => object][] = [
    ['text', (text) => ({ text })],
    ['of', (of) => ({ of })],
    ['more.a', (a) => ({ more: { a } })],
    ['lines[1]', (line) => ({ lines: ['a', line] })],
    ['inner.deep', (deep) => ({ inner: { deep } })],
    ['inner.undeclared', (undeclared) => ({ inner: { undeclared } })],
  ];
  it.each(places)('is refused by the place of the character: %s', async (place, of) => {
    for (const unit of UNITS) {
      const reply = await gateway.call(`${REST}/notes`, {
        anonymous: true,
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(of(`a${String.fromCharCode(unit)}b`)),
      });
      expect([unit, reply.status, JSON.parse(reply.text).detail]).toEqual([
        unit,
        400,
        expect.stringContaining(`${place} holds the character ${name(unit)}, which XML does not carry`),
      ]);
    }
    expect(seen).toEqual([]);
  });

  it('goes on where it can be carried', async () => {
    const text = 'a\t\r\n\u0085 é \u{1f600} ]]> &amp;';
    await gateway.call(`${REST}/notes`, {
      anonymous: true,
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
    expect(seen.splice(0)).toEqual([expect.stringContaining('\u{1f600}')]);
  });
});

describe('a reply', () => {
  it('has the character in JSON', async () => {
    const reply = await gateway.call(`${REST}/notes?unit=1`, { anonymous: true });
    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, { text: 'a\u0001b' }]);
  });

  it('is a fault in XML, whose reason is logged', async () => {
    const soap = faultOf(await message('NOTE_GET'));
    expect(soap.status).toBe(500);
    const rest = await gateway.call(`${REST}/notes?unit=1`, {
      anonymous: true,
      headers: { accept: 'application/xml' },
    });
    expect(rest.status).toBe(500);
    expect(JSON.stringify(gateway.log())).toContain('text holds the character U+0001, which XML does not carry');
  });

  it('that is a fault has U+FFFD in place of it: a fault is always sent', async () => {
    const soap = faultOf(await message('NOTE_FAIL'));
    expect([soap.status, soap.reason]).toEqual([500, 'a\ufffdb']);
  });
});
