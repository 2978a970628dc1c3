import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';

const DEFINITIONS = `service: Orders.v1
permission: EVERYTHING
operations:
  ORDER_PUT:
    put: "Orders/{ID}"
    request: ORDER
    response: { fields: { GIVEN: json } }
    handler: echo
  ORDER_POST: { post: Orders, request: ORDER, response: ORDER, handler: back }
  OPEN_POST: { post: Open, request: { open: true, xml: ANY, namespace: "urn:any", fields: { A: integer } }, response: { fields: { GIVEN: json } }, handler: echo }
  JSON_POST: { post: Json, request: json, response: json, handler: raw }
---
document: ORDER
xml: Order
fields:
  ID: integer
  NAME: { type: string(5), required: true, xml: Name }
  LINES: { list: { fields: { ITEM: { type: string, required: true }, COUNT: { type: integer, maximum: 9 } } } }
  SEEN: flag
  CONTENT: binary
`;

const HANDLERS = {
  'src/handlers/echo.ts': 'export default { onRequest: ({ CONTENT, ...given }) => ({ GIVEN: given }) };\n',
  'src/handlers/back.ts': 'export default { onRequest: (given) => given };\n',
  'src/handlers/raw.ts': 'export default { onRequest: ({ content }) => content };\n',
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('limits: { body: 64 KiB }'),
      'definitions/orders.yaml': DEFINITIONS,
      ...HANDLERS,
    },
  });
});
afterAll(async () => {
  expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
  await gateway.stop();
});

const BASE = '/gateway/RESTListeningConnector/Orders.v1/';
const NAMESPACE = 'urn:test:Orders.v1';
const order = (content: string): string => `<Order xmlns="${NAMESPACE}">${content}</Order>`;

function send(method: string, path: string, body: string | Buffer, type = 'application/xml'): Promise<Reply> {
  const headers = { 'content-type': type, accept: 'application/json' };
  return gateway.call(BASE + path, { method, headers, body });
}

const WHOLE = '<Name>pens</Name><LINES><item><ITEM>a&amp;b</ITEM><COUNT>3</COUNT></item></LINES><SEEN>Y</SEEN>';

describe('a body of fields in XML', () => {
  it.each([
    'application/xml',
    'text/xml',
    'application/vnd.example+xml',
    'Application/XML; charset=UTF-8',
  ])('is read as JSON is, as %s', async (type) => {
    const inXml = await send('PUT', 'Orders/7', order(WHOLE), type);
    const json = '{"NAME":"pens","LINES":[{"ITEM":"a&b","COUNT":3}],"SEEN":"Y"}';
    const inJson = await send('PUT', 'Orders/7', json, 'application/json');
    expect([inXml.status, inXml.text]).toEqual([200, inJson.text]);
    expect(JSON.parse(inXml.text)).toEqual({ GIVEN: { ID: 7, ...JSON.parse(json) } });
  });

  it('is what a reply in XML was', async () => {
    const headers = { 'content-type': 'application/xml', accept: 'application/xml' };
    const body = order(`<ID>1</ID>${WHOLE}<CONTENT>aGVsbG8=</CONTENT>`);
    const reply = await gateway.call(`${BASE}Orders`, { method: 'POST', headers, body });
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/xml']);
    const again = await gateway.call(`${BASE}Orders`, { method: 'POST', headers, body: reply.text });
    expect(again.text).toBe(reply.text);
    expect(reply.text).toContain('<CONTENT>aGVsbG8=</CONTENT>');
  });

  it.each<[string, Buffer]>([
    ['UTF-8 with its mark', Buffer.from(`\ufeff<?xml version="1.0" encoding="utf-8"?>${order('<Name>é</Name>')}`)],
    ['UTF-16', Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${order('<Name>é</Name>')}`, 'utf16le')],
  ])('may be %s', async (_, body) => {
    expect((await send('PUT', 'Orders/7', body)).text).toBe('{"GIVEN":{"ID":7,"NAME":"é"}}');
  });

  it('of an open document keeps what is not declared', async () => {
    const reply = await send('POST', 'Open', '<ANY xmlns="urn:any"><A>1</A><B>x</B></ANY>');
    expect(JSON.parse(reply.text)).toEqual({ GIVEN: { A: 1, B: 'x' } });
  });

  it.each<[string, string | Buffer, string, number, string]>([
    ['that is not well-formed', '<Order><Name>', 'application/xml', 400, 'its XML is wrong: '],
    ['with a document type', `<!DOCTYPE x>${order(WHOLE)}`, 'application/xml', 400, 'its XML is wrong: '],
    ['with another element', '<Other/>', 'application/xml', 400, `its element is "{}Other", not {${NAMESPACE}}Order`],
    ['without its namespace', '<Order/>', 'text/xml', 400, `"{}Order", not {${NAMESPACE}}Order`],
    ['with a value that is wrong', order('<Name>longer</Name>'), 'text/xml', 400, 'NAME is longer than 5 characters.'],
    ['that lacks something', order(''), 'application/xml', 400, 'NAME is missing.'],
    ['about the URI', order(`<ID>8</ID>${WHOLE}`), 'application/xml', 400, 'ID is not a field of ORDER'],
    [
      'with a wrong entry',
      order('<Name>n</Name><LINES><item><ITEM>a</ITEM><COUNT>10</COUNT></item></LINES>'),
      'application/xml',
      400,
      'LINES[0].COUNT is greater than 9.',
    ],
    ['in an unknown charset', order(WHOLE), 'application/xml; charset=x-none', 415, 'ISO-8859-1'],
    ['that is not UTF-8', Buffer.from(order('<Name>\xe9</Name>'), 'latin1'), 'text/xml', 400, 'is not UTF-8'],
    ['that is too large', order(`<Name>${'x'.repeat(65_536)}</Name>`), 'application/xml', 413, '65536'],
  ])('%s is refused', async (_, body, type, status, words) => {
    const { status: found, text } = await send('PUT', 'Orders/7', body, type);
    expect(found, text).toBe(status);
    expect((JSON.parse(text) as { detail: string }).detail).toContain(words);
  });

  it('is listed among the media types of a refusal, in its words and in Accept', async () => {
    const reply = await send('PUT', 'Orders/7', 'a=b', 'application/x-www-form-urlencoded');
    expect([reply.status, reply.headers.accept]).toEqual([415, 'application/json, application/xml']);
    expect(reply.text).toContain('supported: application/json, application/xml in UTF-8');
    const raw = await send('POST', 'Json', '<a/>');
    expect([raw.status, raw.headers.accept]).toEqual([415, 'application/json']);
  });

  it('is in the contracts', async () => {
    const openapi = JSON.parse((await gateway.call(`${BASE.slice(0, -1)}.openapi.json`)).text);
    const post = openapi.paths['/Orders.v1/Orders'].post.requestBody.content;
    expect(Object.keys(post)).toEqual(['application/json', 'application/xml']);
    const put = openapi.paths['/Orders.v1/Orders/{ID}'].put.requestBody.content['application/xml'];
    expect(put.schema).toEqual({
      type: 'string',
      contentMediaType: 'application/xml',
      description:
        `The element Order of the namespace ${NAMESPACE}, declared in the XML Schema of the service. ` +
        'Contains only Name, LINES, SEEN, CONTENT.',
    });
    expect((await send('PUT', 'Orders/7', put.example)).status).toBe(200);
    expect(openapi.paths['/Orders.v1/Json'].post.requestBody.content).not.toHaveProperty(['application/xml']);
    const wadl = (await gateway.call(`${BASE.slice(0, -1)}.wadl`)).text;
    expect(wadl).toMatch(
      /<request>\s*<representation mediaType="application\/json">[\s\S]*?<\/representation>\s*<representation mediaType="application\/xml" element="\w+:Order"\/>/,
    );
  });
});
