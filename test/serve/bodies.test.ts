import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, openConnection } from '../support/connection.ts';
import { DEMO, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';

const LIMIT = 64 * 1024;
const IDLE = 300;

const DEFINITIONS = `service: Bodies.v1
permission: EVERYTHING
operations:
  DOCUMENT:
    put: Documents/{ID}
    request:
      open: true
      fields:
        ID: integer
        REGION: string(2)
        NAME: { type: string, required: true }
        COUNT: integer
    headers: { X-Region: "{REGION}" }
    response: { fields: { GIVEN: json } }
    handler: echo
  JSON: { post: Raw/Json, request: json, response: json, handler: raw }
  XML: { post: Raw/Xml, request: xml, response: xml, handler: raw }
  TEXT: { post: Raw/Text, request: text, response: text, handler: raw }
  BINARY: { post: Raw/Binary, request: binary, response: binary, handler: binary }
  IGNORED: { post: Raw/Ignored, request: binary, handler: ignored }
  FIELD_TEXT: { put: "Fields/Text/{ID}", request: FIELDS, body: NOTE, response: { fields: { GIVEN: json } }, handler: echo }
  FIELD_NUMBER: { put: "Fields/Number/{ID}", request: FIELDS, body: COUNT, response: { fields: { GIVEN: json } }, handler: echo }
  FIELD_COMPOUND: { put: "Fields/Compound/{ID}", request: FIELDS, body: ADDRESS, response: { fields: { GIVEN: json } }, handler: echo }
  FIELD_LIST: { put: "Fields/List/{ID}", request: FIELDS, body: TAGS, response: { fields: { GIVEN: json } }, handler: echo }
  FIELD_JSON: { put: "Fields/Json/{ID}", request: FIELDS, body: ANY, response: { fields: { GIVEN: json } }, handler: echo }
  FIELD_BINARY: { put: "Fields/Binary/{ID}", request: FIELDS, body: FILE, response: binary, handler: file }
  NOTHING: { delete: "Nothing/{ID}", request: { fields: { ID: integer } }, handler: nothing }
  EXACT: { delete: "Exact/{ID}", status: 200, request: { fields: { ID: integer } }, handler: nothing }
  CREATED: { post: Created, body: none, status: 201, request: { fields: { X: integer } }, headers: { X-Value: "{X}" }, handler: nothing }
---
document: FIELDS
fields:
  ID: integer
  NOTE: { type: string(5), pattern: "[a-zé]*" }
  COUNT: { type: integer, maximum: 10 }
  ADDRESS: { fields: { CITY: { type: string(4), required: true } } }
  TAGS: { type: list of string(3), maximum: 2 }
  ANY: json
  FILE: binary
`;

const HANDLERS = {
  'src/handlers/echo.ts': 'export default { onRequest: (given) => ({ GIVEN: { ...given } }) };\n',
  'src/handlers/raw.ts': 'export default { onRequest: ({ content }) => content ?? "nothing" };\n',
  'src/handlers/nothing.ts': 'export default { onRequest: () => ({}) };\n',
  'src/handlers/ignored.ts': 'export default { onRequest: () => ({}) };\n',
  'src/handlers/binary.ts': `export default {
  async onRequest({ content }, context) {
    const bytes = Buffer.concat(await Array.fromAsync(content.stream()));
    return context.bytes({ contentType: content.contentType, length: bytes.length, body: bytes });
  },
};\n`,
  'src/handlers/file.ts': `export default {
  async onRequest({ FILE, ID }, context) {
    const bytes = Buffer.concat(await Array.fromAsync(FILE.stream()));
    return context.bytes({ contentType: FILE.contentType, length: bytes.length, body: bytes, headers: { 'X-Id': String(ID) } });
  },
};\n`,
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('limits: { body: 64 KiB, attachment: 128 KiB }'),
      'definitions/bodies.yaml': DEFINITIONS,
      ...HANDLERS,
    },
    idleTimeout: IDLE,
  });
});
afterAll(async () => {
  expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
  await gateway.stop();
});

const BASE = '/gateway/RESTListeningConnector/Bodies.v1/';

function send(
  method: string,
  path: string,
  body?: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Reply> {
  if (body === undefined) return gateway.call(BASE + path, { method, headers });
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return gateway.call(BASE + path, { method, headers: { ...length, ...headers }, body });
}

async function detail(reply: Promise<Reply>, status: number): Promise<string> {
  const { status: found, text } = await reply;
  expect(found, text).toBe(status);
  return (JSON.parse(text) as { detail: string }).detail;
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe('a body of fields', () => {
  const put = (body: string | Buffer | undefined, headers: Record<string, string> = JSON_TYPE): Promise<Reply> =>
    send('PUT', 'Documents/7', body, headers);

  it('joins what URI and headers say', async () => {
    const reply = await put('{"NAME":"n","extra":[1]}', { ...JSON_TYPE, 'X-Region': 'N' });
    expect(reply.text).toBe('{"GIVEN":{"ID":7,"REGION":"N","NAME":"n","extra":[1]}}');
  });

  it('is taken without a Content-Type, with a byte order mark, and as any kind of JSON', async () => {
    expect((await put('{"NAME":"n"}', {})).status).toBe(200);
    expect((await put('\ufeff{"NAME":"é"}')).text).toBe('{"GIVEN":{"ID":7,"NAME":"é"}}');
    for (const type of ['application/json; charset=UTF-8', 'application/vnd.example+json', 'Application/JSON']) {
      expect((await put('{"NAME":"n"}', { 'content-type': type })).status).toBe(200);
    }
  });

  it.each<[string, string | Buffer | undefined, Record<string, string>, number, string]>([
    ['missing', undefined, {}, 400, 'NAME is missing.'],
    ['of the wrong type', '{"NAME":1}', JSON_TYPE, 400, 'NAME is a number, not a string.'],
    ['no JSON', '{NAME:1}', JSON_TYPE, 400, 'Invalid request body: it is not JSON'],
    ['more than JSON', '{"NAME":"n"}}', JSON_TYPE, 400, 'Invalid request body: it is not JSON'],
    ['not UTF-8', Buffer.from('{"NAME":"\xe9"}', 'latin1'), JSON_TYPE, 400, 'it is not UTF-8'],
    ['HTML', '<a/>', { 'content-type': 'text/html' }, 415, 'Content-Type text/html is not supported'],
    ['a form', 'NAME=n', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'supported: application/json'],
    ['of no media type', '{}', { 'content-type': 'json' }, 415, 'Content-Type json'],
    ['in Latin-1', '{}', { 'content-type': 'application/json; charset=iso-8859-1' }, 415, 'UTF-8'],
    ['compressed', gzipSync('{}'), { ...JSON_TYPE, 'content-encoding': 'gzip' }, 415, 'Content-Encoding gzip'],
    ['about the URI', '{"NAME":"n","ID":8}', JSON_TYPE, 400, 'ID does not belong into the body.'],
    ['about a header', '{"NAME":"n","REGION":"toolong"}', JSON_TYPE, 400, 'REGION does not belong into the body.'],
    ['beside a wrong header', '{"NAME":"n"}', { ...JSON_TYPE, 'X-Region': 'NNN' }, 400, 'X-Region is longer than 2'],
  ])('%s is refused', async (_, body, headers, status, words) => {
    expect(await detail(put(body, headers), status)).toContain(words);
  });
});

describe('a body as it is', () => {
  it.each([
    ['Json', 'application/json', '{"b":[1,12345678901234567890],"a":null}'],
    ['Json', 'application/json', '["é"]'],
    ['Xml', 'application/xml', '<a b="é"><![CDATA[x]]></a>'],
    ['Xml', 'text/xml', '<a/>'],
    ['Text', 'text/plain', 'line\nline é'],
    ['Text', 'text/csv', 'a,b'],
  ])('%s as %s comes back the same', async (kind, type, body) => {
    const reply = await send('POST', `Raw/${kind}`, body, { 'content-type': type });
    expect(reply.text).toBe(body);
    expect(reply.status).toBe(200);
  });

  it('has the media type of its kind in the reply', async () => {
    const types = await Promise.all(
      ['Json', 'Xml', 'Text'].map(async (kind) => (await send('POST', `Raw/${kind}`)).headers['content-type']),
    );
    expect(types).toEqual(['application/json', 'application/xml', 'text/plain; charset=utf-8']);
  });

  it('keeps every byte, and its type', async () => {
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256));
    const reply = await send('POST', 'Raw/Binary', bytes, { 'content-type': 'image/x-test' });
    expect(reply.headers['content-type']).toBe('image/x-test');
    expect(reply.headers['content-length']).toBe('512');
    const other = await send('POST', 'Raw/Binary', 'x');
    expect(other.headers['content-type']).toBe('application/octet-stream');
  });

  it.each([
    ['Json', 'text/plain', 'x', 415, 'Content-Type text/plain'],
    ['Xml', 'application/json', 'x', 415, 'supported: application/xml'],
    ['Text', 'image/png', 'x', 415, 'supported: text/plain'],
    ['Json', 'application/json', '{"__proto__":1}', 400, '__proto__'],
    ['Json', 'application/json', '', 200, ''],
  ])('%s as %s: %j is %i', async (kind, type, body, status, words) => {
    const reply = await send('POST', `Raw/${kind}`, body, { 'content-type': type });
    expect(reply.status).toBe(status);
    expect(reply.text).toContain(words);
  });
});

describe('a body that is one field', () => {
  it.each<[string, string, string, object]>([
    ['Text/1', 'text/plain', 'café', { ID: 1, NOTE: 'café' }],
    ['Number/2', 'text/plain', '-5', { ID: 2, COUNT: -5 }],
    ['Compound/3', 'application/json', '{"CITY":"Rome"}', { ID: 3, ADDRESS: { CITY: 'Rome' } }],
    ['List/4', 'application/json', '["a","b"]', { ID: 4, TAGS: ['a', 'b'] }],
    ['Json/5', 'application/json', '[{"x":1}]', { ID: 5, ANY: [{ x: 1 }] }],
    ['Text/6', 'text/plain', '', { ID: 6 }],
  ])('%s', async (path, type, body, given) => {
    const reply = await send('PUT', `Fields/${path}`, body, { 'content-type': type });
    expect(JSON.parse(reply.text)).toEqual({ GIVEN: given });
  });

  it.each([
    ['Text/1', 'text/plain', 'longer', 400, 'NOTE is longer than 5 characters.'],
    ['Text/1', 'text/plain', 'UP', 400, 'NOTE does not match the pattern'],
    ['Text/1', 'application/json', '"x"', 415, 'text/plain'],
    ['Number/1', 'text/plain', '11', 400, 'COUNT is greater than 10.'],
    ['Number/1', 'text/plain', 'x', 400, 'COUNT is not an integer.'],
    ['Compound/1', 'application/json', '{"CITY":"Napoli"}', 400, 'ADDRESS.CITY is longer than 4 characters.'],
    ['Compound/1', 'application/json', '{}', 400, 'ADDRESS.CITY is missing.'],
    ['Compound/1', 'application/json', '{"CITY":"Rome"},"ID":9', 400, 'it is not JSON'],
    ['Compound/1', 'application/json', '{"CITY":', 400, 'it is not JSON'],
    ['List/1', 'application/json', '["a","b","c"]', 400, 'TAGS has more than 2 entries.'],
    ['List/1', 'application/json', '["a","long"]', 400, 'TAGS[1] is longer than 3 characters.'],
    ['List/1', 'application/json', '{}', 400, 'TAGS is an object, not a list.'],
  ])('%s: %s %j is %i', async (path, type, body, status, words) => {
    expect(await detail(send('PUT', `Fields/${path}`, body, { 'content-type': type }), status)).toContain(words);
  });

  it('may be bytes', async () => {
    const reply = await send('PUT', 'Fields/Binary/9', 'abc', { 'content-type': 'image/png' });
    expect(reply).toMatchObject({ status: 200, text: 'abc' });
    expect(reply.headers).toMatchObject({ 'content-type': 'image/png', 'x-id': '9' });
  });

  it.each([
    ['Content-Length: 0', { 'content-length': '0' }],
    ['chunks', { 'transfer-encoding': 'chunked' }],
  ])('may be no bytes at all, by %s', async (_, headers: Record<string, string>) => {
    const type = { 'content-type': 'image/png', ...headers };
    const field = await gateway.call(`${BASE}Fields/Binary/9`, { method: 'PUT', headers: type, body: '' });
    expect([field.status, field.text, field.headers['content-length']]).toEqual([200, '', '0']);
    const whole = await gateway.call(`${BASE}Raw/Binary`, { method: 'POST', headers: type, body: '' });
    expect([whole.status, whole.text, whole.headers['content-type']]).toEqual([200, '', 'image/png']);
  });
});

describe('an operation without a body', () => {
  it('answers 204, whatever form is asked for, and no Content-Type', async () => {
    const reply = await send('DELETE', 'Nothing/1', undefined, { accept: 'text/html' });
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([204, '', undefined]);
    const created = await send('POST', 'Created', undefined, { 'x-value': '3' });
    expect([created.status, created.text, created.headers['content-type']]).toEqual([201, '', undefined]);
  });

  it('answers 200 where that is declared, as callers of an old contract expect', async () => {
    const reply = await send('DELETE', 'Exact/1');
    expect([reply.status, reply.text, reply.headers['content-length']]).toEqual([200, '', '0']);
  });

  it('refuses one', async () => {
    expect(await detail(send('DELETE', 'Nothing/1', '{}', JSON_TYPE), 400)).toContain('DELETE NOTHING takes none');
    expect(await detail(send('POST', 'Created', 'x'), 400)).toContain('POST CREATED takes none');
    expect(await detail(send('POST', 'Created', undefined, { 'x-value': 'x' }), 400)).toBe(
      'X-Value is not an integer.',
    );
  });
});

const open = (bytes: string): Connection => openConnection(gateway.port, bytes);

function head(path: string, ...headers: string[]): string {
  return [`POST ${BASE}${path} HTTP/1.1`, 'Host: x', `Authorization: ${DEMO}`, ...headers, '', ''].join('\r\n');
}

describe('a body that is too large', () => {
  it('is refused by its Content-Length, before a byte of it', async () => {
    const { received, closed, socket } = open(head('Raw/Json', 'Connection: close', `Content-Length: ${LIMIT + 1}`));
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    expect(received()).toContain(`larger than ${LIMIT} bytes (\`limits.body\`)`);
    socket.destroy();
  });

  it('that is never sent costs its sender the connection, which no other request can use', async () => {
    const { received, closed } = open(head('Raw/Json', `Content-Length: ${LIMIT + 1}`));
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    const unknown = open(head('Unknown', 'Content-Length: 10'));
    await unknown.closed;
    expect(unknown.received()).toMatch(/^HTTP\/1\.1 404 /);
  });

  it.each([
    'Raw/Json',
    'Raw/Binary',
  ])('is refused while it streams into %s, and no more of it is read', async (path) => {
    const before = process.memoryUsage().arrayBuffers;
    const { socket, received, closed } = open(head(path, 'Transfer-Encoding: chunked'));
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    let written = 0;
    const more = (): void => {
      while (!socket.destroyed && received() === '' && written < 64 * 1024 * 1024) {
        written += chunk.length;
        if (!socket.write(chunk)) {
          socket.once('drain', more);
          return;
        }
      }
    };
    more();
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    const key = path === 'Raw/Json' ? 'body' : 'attachment';
    expect(received()).toMatch(new RegExp(`larger than \\d+ bytes \\(\`limits\\.${key}\`\\)`));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  });

  it.each([
    ['POST', 'Raw/Binary'],
    ['PUT', 'Fields/Binary/1'],
  ])('may be as large as an attachment where it is binary content: %s %s', async (method, path) => {
    expect((await send(method, path, 'x'.repeat(2 * LIMIT))).status).toBe(200);
    expect((await send(method, path, 'x'.repeat(2 * LIMIT + 1))).status).toBe(413);
  });

  it('is taken up to the last byte that is allowed', async () => {
    const body = JSON.stringify(['x'.repeat(LIMIT - 4)]);
    expect((await send('POST', 'Raw/Json', body)).text).toHaveLength(LIMIT);
    expect((await send('POST', 'Raw/Json', `${body} `)).status).toBe(413);
  });
});

describe('a body whose chunks are none', () => {
  it('is refused in one reply and one line of the log', async () => {
    const sent = `${head('Raw/Json', 'Transfer-Encoding: chunked', 'X-Request-Id: no-chunk')}5\r\n[1,2,\r\nzz\r\n`;
    const { received, closed } = open(sent);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 400 [\s\S]*"detail":"[^"]*chunk size[^"]*","code":"BAD_REQUEST"/);
    expect((await send('POST', 'Raw/Json', '1')).text).toBe('1');
    expect(gateway.log().filter(({ requestId }) => requestId === 'no-chunk')).toEqual([
      expect.objectContaining({ method: 'POST', status: 400, fault: 'BAD_REQUEST' }),
    ]);
    const abandoned = gateway.log().filter(({ fault }) => fault === 'ABANDONED');
    expect(abandoned).toEqual([]);
  });
});

describe('a client that stalls', () => {
  it.each([
    'Raw/Json',
    'Raw/Binary',
  ])('in the middle of a body for %s gets 408, and the connection ends', async (path) => {
    const id = `stalls-${path.slice(4)}`;
    const { received, closed } = open(`${head(path, 'Content-Length: 10', `X-Request-Id: ${id}`)}12345`);
    const from = performance.now();
    await closed;
    expect(performance.now() - from).toBeGreaterThan(IDLE * 0.9);
    expect(received()).toMatch(/^HTTP\/1\.1 408 /);
    expect(received().toLowerCase()).toContain('connection: close');
    expect(received()).toContain('"code":"REQUEST_TIMEOUT"');
    expect(gateway.log().filter(({ requestId }) => requestId === id)).toEqual([
      expect.objectContaining({ status: 408, fault: 'REQUEST_TIMEOUT' }),
    ]);
  });

  it('but goes on before the limit is served, however long the whole takes', async () => {
    const { socket, received, closed } = open(head('Raw/Text', 'Connection: close', 'Content-Length: 12'));
    for (const piece of ['aa', 'bb', 'cc', 'dd', 'ee', 'ff']) {
      await new Promise((resolve) => setTimeout(resolve, IDLE / 5));
      socket.write(piece);
    }
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 200 /);
    expect(received()).toContain('aabbccddeeff');
  });

  it('with a body that nobody reads does not keep its connection', async () => {
    const { received, closed } = open(`${head('Raw/Ignored', 'Content-Length: 10')}12345`);
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 204 /);
  });

  it('and goes away in the middle of its body leaves no error in the log', async () => {
    const { socket, closed } = open(`${head('Raw/Json', 'Content-Length: 10', 'X-Request-Id: went-away')}12345`);
    socket.end();
    socket.destroySoon();
    await closed;
    expect((await send('POST', 'Raw/Json', '1')).text).toBe('1');
  });
});

describe('a caller that is refused while it still sends', () => {
  it.each(['close', 'keep-alive'])('gets the reply (Connection: %s)', async (connection) => {
    const body = Buffer.alloc(96 * 1024 * 1024, 'x');
    const headers = { 'content-type': 'text/plain', 'transfer-encoding': 'chunked', connection };
    for (const [method, status] of [
      ['POST', 413],
      ['PUT', 405],
    ] as const) {
      const reply = await gateway.call('/gateway/RESTListeningConnector/Bodies.v1/Raw/Text', { method, body, headers });
      expect(reply.status).toBe(status);
    }
  });
});
