import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { gatewayText } from '../support/project.ts';
import { envelope, include, packed, part, RELATED, root, SERVICES } from './soap-client.ts';

// Content-Encoding of requests, RFC 9110 section 8.4 and RFC 7694: taken where request-encodings names it.

const DEFINITIONS = `service: Coded.v1
permission: EVERYTHING
operations:
  CODED: { post: json, soap: true, request: { fields: { S: string, F: binary } }, response: { fields: { S: string, LENGTH: integer } } }
  CODED_FILE: { post: file, request: binary, response: text, handler: coded-text }
  CODED_FORM: { post: form, form: multipart, request: { fields: { S: string, F: binary } }, response: text, handler: coded-text }
`;
const handler = (result: string): string => `export default {
  async onRequest({ S, F, content }) {
    const file = F ?? content;
    const found = file === undefined ? undefined : Buffer.concat(await Array.fromAsync(file.stream())).length;
    return ${result};
  },
};
`;

const files = (more: string): Record<string, string> => ({
  'definitions/gateway.yaml': gatewayText(`${more}\nlimits: { body: 16 KiB, attachment: 64 KiB, attachments: 2 }`),
  'definitions/coded.yaml': DEFINITIONS,
  'src/handlers/coded.ts': handler('{ S, LENGTH: found }'),
  'src/handlers/coded-text.ts': handler("[S ?? '', file?.length ?? 'unknown', found].join(' ')"),
});

let gateway: TestGateway;
let plain: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files: files('request-encodings: [gzip, deflate]') });
  plain = await startTestGateway({ files: files('') });
});
afterAll(async () => {
  await gateway.stop();
  await plain.stop();
});

const REST = '/gateway/RESTListeningConnector/Coded.v1';

const post = (to: TestGateway, path: string, type: string, coding: string, body: string | Buffer) => {
  const headers = { Authorization: DEMO, 'Content-Type': type, 'Content-Encoding': coding };
  return to.call(path, { method: 'POST', headers, body });
};

const JSON_TYPE = 'application/json';
const DOCUMENT = '{"S":"a"}';

it.each([
  'utf-8',
  'UTF8',
  'iso-8859-1',
  'identity',
  '',
  'identity, utf-8',
])('Content-Encoding: %s is no coding, whatever is declared', async (coding) => {
  for (const each of [gateway, plain])
    expect(await post(each, `${REST}/json`, JSON_TYPE, coding, DOCUMENT)).toMatchObject({
      status: 200,
      text: DOCUMENT,
    });
});

describe.each<[string, (content: string | Buffer) => Buffer]>([
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['gzip, utf-8', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
])('a request in %s', (coding, encode) => {
  const send = (path: string, type: string, content: string | Buffer) =>
    post(gateway, path, type, coding, encode(content));

  it('is read as JSON', async () => {
    expect(await send(`${REST}/json`, JSON_TYPE, DOCUMENT)).toMatchObject({ status: 200, text: DOCUMENT });
  });

  it('is read as content, whose length is then not known', async () => {
    expect((await send(`${REST}/file`, 'text/plain', 'x'.repeat(50_000))).text).toBe(' unknown 50000');
  });

  it('is read as a form', async () => {
    const form = ['--b', 'Content-Disposition: form-data; name="S"', '', 's', '--b'].join('\r\n');
    const file = ['', 'Content-Disposition: form-data; name="F"; filename="f"', '', 'file', '--b--', ''].join('\r\n');
    const reply = await send(`${REST}/form`, 'multipart/form-data; boundary=b', form + file);
    expect(reply.text).toBe('s unknown 4');
  });

  it('is read as a message, and as one with attachments', async () => {
    const xml = (file: string): string =>
      envelope(`<CODED xmlns="urn:signalbox:local:Coded.v1"><S>a</S>${file}</CODED>`);
    const content = (await plain.call(`${SERVICES}/Coded.v1.wsdl`, { headers: { Authorization: DEMO } })).text;
    const namespace = /targetNamespace="([^"]*Coded\.v1)"/.exec(content)?.[1] ?? '';
    const of = (file: string): string => xml(file).replace('urn:signalbox:local:Coded.v1', namespace);
    expect((await send(SERVICES, 'text/xml', of(''))).text).toContain('<S>a</S>');
    const large = 'x'.repeat(60_000);
    const message = packed([root(of(`<F>${include('a')}</F>`)), part('a', large)]);
    expect((await send(SERVICES, RELATED, message)).text).toContain('<LENGTH>60000</LENGTH>');
  });
});

it('nothing compressed in an empty body is an empty body', async () => {
  expect((await post(gateway, `${REST}/file`, 'text/plain', 'gzip', '')).status).toBe(200);
});

describe('a coding that is not accepted', () => {
  it('is refused with 415, which lists those that are', async () => {
    for (const path of [`${REST}/json`, SERVICES]) {
      const reply = await post(
        gateway,
        path,
        path === SERVICES ? 'text/xml' : JSON_TYPE,
        'br',
        brotliCompressSync('{}'),
      );
      expect(reply.status).toBe(415);
      expect(reply.headers['accept-encoding']).toBe('gzip, deflate');
      expect(reply.text).toContain('Content-Encoding br is not supported; supported: gzip, deflate.');
    }
  });

  it('is every one without request-encodings', async () => {
    const reply = await post(plain, `${REST}/json`, JSON_TYPE, 'gzip', gzipSync(DOCUMENT));
    expect(reply.status).toBe(415);
    expect(reply.headers['accept-encoding']).toBe('identity');
  });

  it('is a second one', async () => {
    const reply = await post(gateway, `${REST}/json`, JSON_TYPE, 'gzip, gzip', gzipSync(gzipSync(DOCUMENT)));
    expect(reply).toMatchObject({ status: 415, text: expect.stringContaining('(more than one coding)') });
  });
});

describe('a body that is not what its coding says', () => {
  it.each<[string, string, Buffer, string]>([
    ['is something else', 'gzip', Buffer.from(DOCUMENT), 'it is not valid gzip: incorrect header check'],
    ['is cut', 'gzip', gzipSync(DOCUMENT).subarray(0, -1), 'it is not valid gzip: unexpected end of file'],
    ['is cut', 'deflate', deflateSync(DOCUMENT).subarray(0, -1), 'it is not valid deflate: unexpected end of file'],
    [
      'goes on behind its end',
      'gzip',
      Buffer.concat([gzipSync(DOCUMENT), Buffer.from('more')]),
      'it is not valid gzip',
    ],
    [
      'goes on behind its end',
      'deflate',
      Buffer.concat([deflateSync(DOCUMENT), Buffer.from('more')]),
      'it is not valid deflate: Trailing junk',
    ],
  ])('because it %s is refused (%s)', async (_, coding, body, reason) => {
    const reply = await post(gateway, `${REST}/json`, JSON_TYPE, coding, body);
    expect(reply).toMatchObject({ status: 400, text: expect.stringContaining(reason) });
  });
});

describe('the limit of a body', () => {
  it('is of the decoded bytes, to the byte', async () => {
    const sized = (length: number): string => `{"S":"${'a'.repeat(length - 8)}"}`;
    const limit = 16 * 1024;
    expect((await post(gateway, `${REST}/json`, JSON_TYPE, 'gzip', gzipSync(sized(limit)))).status).toBe(200);
    const reply = await post(gateway, `${REST}/json`, JSON_TYPE, 'gzip', gzipSync(sized(limit + 1)));
    expect(reply).toMatchObject({ status: 413, text: expect.stringContaining('16384') });
  });

  it('leaves room for what can not be compressed', async () => {
    const random = crypto.getRandomValues(new Uint8Array(64 * 1024));
    const body = gzipSync(random);
    expect(body.length).toBeGreaterThan(random.length);
    expect((await post(gateway, `${REST}/file`, 'application/x-random', 'gzip', body)).status).toBe(200);
  });
});

describe('contracts', () => {
  const NOTE =
    'A request body may be compressed, which its header Content-Encoding states: gzip, deflate (RFC 9110, section 8.4).';
  const SOAP = '/gateway/PeopleSoftServiceListeningConnector/Coded.v1.wsdl';

  it('of OpenAPI describe the codings at each body', async () => {
    const { text } = await gateway.call(`${REST}.openapi.json`);
    const { paths } = JSON.parse(text) as {
      paths: Record<string, Record<string, { requestBody?: { description?: string }; parameters?: unknown }>>;
    };
    const bodies = Object.values(paths).flatMap((methods) => Object.values(methods));
    expect(bodies.map(({ requestBody, parameters }) => [requestBody?.description, parameters])).toEqual(
      Array(3).fill([NOTE, undefined]),
    );
  });

  it.each([`${REST}.wadl`, SOAP])('%s describes them once', async (path) => {
    expect((await gateway.call(path)).text.split(NOTE)).toHaveLength(2);
  });

  it.each([
    `${REST}.openapi.json`,
    `${REST}.wadl`,
    SOAP,
  ])('%s says nothing of compression where none is declared', async (path) => {
    const { status, text } = await plain.call(path);
    expect([status, text.includes('compressed')]).toEqual([200, false]);
  });
});
