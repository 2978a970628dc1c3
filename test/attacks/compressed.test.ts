import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { expectFreed, inUse } from '../support/memory.ts';
import { gatewayText } from '../support/project.ts';

const MiB = 1024 * 1024;
/** Some kilobytes that become sixty-four megabytes, and their like in the other codings. */
const ZEROS = Buffer.alloc(64 * MiB);
const BOMBS: Readonly<Record<string, Buffer>> = {
  gzip: gzipSync(ZEROS),
  deflate: deflateSync(ZEROS),
  br: brotliCompressSync(ZEROS, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
};

const DEFINITIONS = `node: UPSTREAM
base: \${env:UPSTREAM_URL}
---
service: Upstream.v1
target: UPSTREAM
public: true
operations:
  BOMB_GET: { get: "bomb/{CODING}", request: { fields: { CODING: string } }, response: json }
  BOMB_BYTES: { get: "bytes/{CODING}", request: { fields: { CODING: string } }, response: binary }
---
service: Front.v1
public: true
operations:
  FETCH: { get: "json/{CODING}", request: { fields: { CODING: string } }, response: json, call: BOMB_GET }
  LOAD: { get: "bytes/{CODING}", request: { fields: { CODING: string } }, response: binary, call: BOMB_BYTES }
  TAKE: { post: take, request: json, response: json, handler: take }
`;
const FRONT = '/gateway/RESTListeningConnector/Front.v1';

let upstream: Server;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = createServer((request, response) => {
    const coding = request.url?.split('/').at(-1) ?? '';
    const type = request.url?.startsWith('/bytes') ? 'application/octet-stream' : 'application/json';
    const twice = coding === 'gzip, gzip' || coding === 'gzip%2C%20gzip';
    const body = twice ? gzipSync(BOMBS.gzip!) : (BOMBS[coding] ?? BOMBS.gzip);
    response.on('error', () => undefined);
    response.writeHead(200, { 'Content-Type': type, 'Content-Encoding': twice ? 'gzip, gzip' : coding }).end(body);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText('limits: { body: 1 MiB, attachment: 1 MiB }'),
      'definitions/front.yaml': DEFINITIONS,
      'src/handlers/take.ts': 'export default { onRequest: ({ content }) => content };\n',
    },
    env: { UPSTREAM_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` },
  });
});
afterAll(async () => {
  expect((await gateway.call('/health/ready')).status).toBe(200);
  await gateway.stop();
  upstream.closeAllConnections();
  upstream.close();
});

describe.each(['gzip', 'deflate', 'br'])('a bomb of %s', (coding) => {
  it('that is sent is refused unread', async () => {
    const before = inUse();
    for (const given of [coding, coding.toUpperCase(), `${coding}, identity`, `identity, ${coding}`, `x-${coding}`]) {
      const headers = { 'content-type': 'application/json', 'content-encoding': given };
      const { status, text } = await gateway.call(`${FRONT}/take`, { method: 'POST', headers, body: BOMBS[coding]! });
      expect([status, given], text).toEqual([415, given]);
    }
    await expectFreed(before, 16 * MiB);
  });

  it('as a transfer coding is refused', async () => {
    const reply = await gateway.raw(
      `POST ${FRONT}/take HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: ${coding}, chunked\r\n\r\n0\r\n\r\n`,
    );
    expect(reply === '' || /^HTTP\/1\.1 (400|415|501) /.test(reply), reply).toBe(true);
  });

  it('that is a reply of another system ends at the limit', async () => {
    const before = inUse();
    for (const path of ['json', 'bytes']) {
      const reply = await gateway.call(`${FRONT}/${path}/${coding}`).catch((error: Error) => error.message);
      // What streams has begun before its end is known to be none: its connection is cut.
      if (typeof reply === 'string') expect(reply).toMatch(/aborted|hang up|ECONNRESET/);
      else expect(reply.status, reply.text.slice(0, 300)).toBeGreaterThanOrEqual(400);
    }
    await expectFreed(before, 16 * MiB);
  });
});

it('a bomb within a bomb is no better', async () => {
  const before = inUse();
  const reply = await gateway.call(`${FRONT}/json/gzip%2C%20gzip`).catch((error: Error) => error.message);
  if (typeof reply !== 'string') expect(reply.status).toBeGreaterThanOrEqual(400);
  await expectFreed(before, 16 * MiB);
});

describe('where request-encodings accepts them', () => {
  let accepting: TestGateway;
  beforeAll(async () => {
    accepting = await startTestGateway({
      files: {
        'definitions/gateway.yaml': gatewayText(
          'request-encodings: [gzip, deflate, br]\nlimits: { body: 1 MiB, attachment: 1 MiB }',
        ),
        'definitions/taken.yaml': `service: Taken.v1
public: true
operations:
  TAKE: { post: take, soap: true, request: json, response: json }
  SIZE: { post: size, request: binary, response: text }
  FILE: { post: file, form: multipart, request: { fields: { F: binary } }, response: text, handler: size }
`,
        'src/handlers/take.ts': 'export default { onRequest: ({ content }) => content };\n',
        'src/handlers/size.ts': `export default {
  async onRequest({ F, content }) {
    let size = 0;
    for await (const chunk of (F ?? content).stream()) size += chunk.length;
    return String(size);
  },
};
`,
      },
    });
  });
  afterAll(async () => {
    expect((await accepting.call('/health/ready')).status).toBe(200);
    await accepting.stop();
  });

  const TAKEN = '/gateway/RESTListeningConnector/Taken.v1';
  const post = (path: string, type: string, coding: string, body: Buffer) => {
    const headers = { 'content-type': type, 'content-encoding': coding };
    return accepting.call(path, { method: 'POST', headers, body });
  };

  describe.each(['gzip', 'deflate', 'br'])('a bomb of %s', (coding) => {
    it.each([
      ['JSON', `${TAKEN}/take`, 'application/json'],
      ['content', `${TAKEN}/size`, 'application/octet-stream'],
      ['a form', `${TAKEN}/file`, 'multipart/form-data; boundary=b'],
      ['a message', '/gateway/PeopleSoftServiceListeningConnector', 'text/xml'],
      ['a package', '/gateway/PeopleSoftServiceListeningConnector', 'multipart/related; type="text/xml"; boundary=b'],
    ])('as %s is decoded to the limit at most', async (_, path, type) => {
      const before = inUse();
      const { text } = await post(path, type, coding, BOMBS[coding]!);
      expect(text).toMatch(/BAD_BODY|BODY_TOO_LARGE|ATTACHMENT_TOO_LARGE/);
      await expectFreed(before, 16 * MiB);
    });

    it('that is content is 413', async () => {
      expect((await post(`${TAKEN}/size`, 'application/octet-stream', coding, BOMBS[coding]!)).status).toBe(413);
    });
  });

  it('a bomb within a bomb is not opened', async () => {
    expect((await post(`${TAKEN}/size`, 'text/plain', 'gzip, gzip', gzipSync(BOMBS.gzip!))).status).toBe(415);
  });

  it('many members that are empty end with the bytes that were sent', async () => {
    const empty = gzipSync('');
    const members = Buffer.concat(Array.from({ length: Math.ceil((2 * MiB) / empty.length) }, () => empty));
    expect((await post(`${TAKEN}/size`, 'text/plain', 'gzip', members)).status).toBe(413);
  });

  it('what is cut or goes on behind its end is refused', async () => {
    const whole: Readonly<Record<string, Buffer>> = {
      gzip: gzipSync('[1]'),
      deflate: deflateSync('[1]'),
      br: brotliCompressSync('[1]'),
    };
    for (const [coding, body] of Object.entries(whole)) {
      expect((await post(`${TAKEN}/take`, 'application/json', coding, body)).text).toBe('[1]');
      for (const wrong of [body.subarray(0, -1), Buffer.concat([body, Buffer.from('{"more":1}')])])
        expect((await post(`${TAKEN}/take`, 'application/json', coding, wrong)).status).toBe(400);
    }
  });
});
