import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';
import { envelope } from './soap-client.ts';

const SERVICE = `service: Long.v1
permission: EVERYTHING
operations:
  TEXT_GET: { get: "Text{?LENGTH}", soap: true, request: { fields: { LENGTH: integer } }, response: { fields: { TEXT: text } }, handler: text }
  BYTES_GET: { get: "Bytes{?TYPE,LENGTH,HOW}", request: { fields: { TYPE: string, LENGTH: integer, HOW: string } }, response: binary, handler: bytes }
  TAGGED_GET: { get: "Tagged{?HOW}", request: { fields: { HOW: string } }, response: text, handler: tagged }
  TAGGED_PUT: { put: Tagged, body: none, headers: { If-Match: "{EXPECTED}" }, request: { fields: { EXPECTED: string } }, response: text, handler: expected }
  ENDLESS_GET: { get: Endless, response: text, handler: endless }
  SLOW_GET: { get: Slow, response: text, handler: slow }
`;

const HANDLERS = {
  'src/handlers/text.ts': `export default { onRequest: ({ LENGTH = 5000 }) => ({ TEXT: 'a long text. '.repeat(LENGTH).slice(0, Number(LENGTH)) }) };\n`,
  'src/handlers/bytes.ts': `export default {
  onRequest({ TYPE, LENGTH = 5000, HOW }, context) {
    const bytes = Buffer.alloc(Number(LENGTH), 'some words, ');
    const stream = async function* () {
      for (let at = 0; at < bytes.length; at += 65536) yield bytes.subarray(at, at + 65536);
      if (HOW === 'cut') throw new Error('cut off');
    };
    const headers = HOW === 'encoded' ? { 'Content-Encoding': 'x-own' } : HOW === 'kept' ? { 'cache-control': 'max-age=5, no-transform' } : {};
    return context.bytes({ contentType: TYPE ?? 'text/plain', length: bytes.length + (HOW === 'cut' ? 9 : 0), headers, body: HOW === 'whole' ? bytes : stream });
  },
};\n`,
  'src/handlers/tagged.ts': `export default {
  onRequest: ({ HOW }, context) => context.reply('tagged '.repeat(1000), { headers: { etag: HOW === 'weak' ? 'W/"1"' : '"1"', Vary: 'Cookie' } }),
};\n`,
  'src/handlers/expected.ts': 'export default { onRequest: ({ EXPECTED }) => String(EXPECTED) };\n',
  'src/handlers/endless.ts': `import { randomBytes } from 'node:crypto';
export default {
  onRequest(_, context) {
    return context.bytes({ contentType: 'text/plain', length: 2 ** 40, body: async function* () {
      try {
        for (globalThis.yielded = 0; ; globalThis.yielded++) yield randomBytes(65536);
      } finally {
        globalThis.ended = true;
      }
    } });
  },
};\n`,
  'src/handlers/slow.ts': `export default {
  onRequest(_, context) {
    return context.bytes({ contentType: 'text/plain', length: 2005, body: async function* () {
      yield Buffer.alloc(2000, 'first ');
      while (!globalThis.goOn) await new Promise((resolve) => setTimeout(resolve, 5));
      yield Buffer.from('later');
    } });
  },
};\n`,
};

const BASE = '/gateway/RESTListeningConnector/Long.v1/';
const DECODE: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

interface Received {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  readonly bytes: Buffer;
  /** Decoded. */
  readonly text: string;
}

/** Asks for a path, with the bytes of the reply as they come. */
function ask(
  gateway: TestGateway,
  path: string,
  accept: string | undefined,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Received> {
  const target = path.startsWith('/') ? path : BASE + path;
  const sent = { authorization: DEMO, ...(accept === undefined ? {} : { 'accept-encoding': accept }), ...headers };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: gateway.port, path: target, method, headers: sent, agent: false };
    const outgoing = request(options, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => chunks.push(chunk));
      reply.on('error', reject);
      reply.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const coding = reply.headers['content-encoding'] ?? '';
        const text = (bytes.length === 0 ? bytes : (DECODE[coding]?.(bytes) ?? bytes)).toString();
        resolve({ status: reply.statusCode as number, headers: reply.headers as Received['headers'], bytes, text });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const files = { 'definitions/long.yaml': SERVICE, ...HANDLERS };
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ files });
});
afterAll(() => gateway.stop());

const get = (path: string, accept?: string, headers: Record<string, string> = {}): Promise<Received> =>
  ask(gateway, path, accept, { headers });
const codingOf = async (path: string, accept?: string, headers: Record<string, string> = {}): Promise<unknown> =>
  (await get(path, accept, headers)).headers['content-encoding'];

describe('a reply over REST', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, compress', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZip;Q=1.0', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, br', 'br'],
    ['gzip;q=1, br;q=0.9', 'gzip'],
    ['gzip;q=0, br;q=0.001', 'br'],
    ['*', 'gzip'],
    ['gzip;q=0, *', 'br'],
    ['gzip;q=0.5, identity', undefined],
    ['gzip, identity', 'gzip'],
    ['gzip;q=2, br;q=x', undefined],
  ])('to Accept-Encoding: %s is in %s', async (accept, coding) => {
    for (const path of ['Text', 'Bytes', 'Bytes?HOW=whole', 'Bytes?LENGTH=300000']) {
      const plain = await get(path);
      const reply = await get(path, accept);
      expect(reply.headers['content-encoding'], path).toBe(coding);
      expect(reply.text === plain.text, path).toBe(true);
      for (const { headers } of [plain, reply]) expect(headers.vary, path).toContain('Accept-Encoding');
      if (coding !== undefined) expect(reply.bytes.length).toBeLessThan(plain.bytes.length / 10);
    }
  });

  it('has its length where it was in memory, and is in chunks where it is a stream', async () => {
    for (const path of ['Text', 'Text?LENGTH=100000', 'Bytes?HOW=whole']) {
      const { headers, bytes } = await get(path, 'br');
      expect([headers['content-length'], headers['transfer-encoding']]).toEqual([String(bytes.length), undefined]);
    }
    const { headers } = await get('Bytes', 'br');
    expect([headers['content-length'], headers['transfer-encoding']]).toEqual([undefined, 'chunked']);
  });

  it.each([
    'Text?LENGTH=900',
    'Bytes?LENGTH=1023',
    'Bytes?LENGTH=0',
    ...[
      'image/jpeg',
      'application/zip',
      'video/mp4',
      'application/octet-stream',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/pdf',
      'application/epub%2Bzip',
      'font/woff2',
    ].map((type) => `Bytes?TYPE=${type}`),
  ])('that is not worth it is as it is: %s', async (path) => {
    const reply = await get(path, 'gzip, br, zstd');
    expect([reply.status, reply.headers['content-encoding']]).toEqual([200, undefined]);
    expect(reply.headers.vary).toContain('Accept-Encoding');
  });

  it.each([
    'Text?LENGTH=1100',
    'Bytes?LENGTH=1024',
    'Bytes?TYPE=image/svg%2Bxml',
    'Bytes?TYPE=text/csv',
    'Bytes?TYPE=application/x-ndjson',
  ])('that is worth it is not: %s', async (path) => expect(await codingOf(path, 'gzip')).toBe('gzip'));

  it('is compressed whatever it is where the caller does not take it as it is, and else refused before any work', async () => {
    expect(await codingOf('Text?LENGTH=1', 'gzip, identity;q=0')).toBe('gzip');
    expect(await codingOf('Bytes?TYPE=image/jpeg', 'br, *;q=0')).toBe('br');
    const { status, text } = await get('Text', 'identity;q=0, deflate');
    expect([status, JSON.parse(text)]).toMatchObject([
      406,
      { code: 'CODING_NOT_ACCEPTABLE', detail: expect.stringContaining('zstd, br, gzip, identity') },
    ]);
  });

  it('stays as it is where it must not be changed, or is encoded already', async () => {
    expect(await codingOf('Bytes?HOW=kept', 'gzip')).toBeUndefined();
    expect(await codingOf('Text', 'gzip', { 'cache-control': 'no-transform' })).toBeUndefined();
    const own = await get('Bytes?HOW=encoded', 'gzip');
    expect([own.headers['content-encoding'], own.bytes.length]).toEqual(['x-own', 5000]);
  });

  it('has the same headers over HEAD, but for the length that only the sending shows', async () => {
    for (const path of ['Text', 'Bytes', 'Tagged', 'Text?LENGTH=5']) {
      const seen = await get(path, 'gzip');
      const head = await ask(gateway, path, 'gzip', { method: 'HEAD' });
      const shown = (reply: Received) => {
        const {
          date: _,
          'content-length': length,
          'x-request-id': __,
          'transfer-encoding': ___,
          ...rest
        } = reply.headers;
        return reply.headers['content-encoding'] === undefined ? { ...rest, length } : rest;
      };
      expect([head.status, head.bytes.length, shown(head)]).toEqual([200, 0, shown(seen)]);
    }
  });

  it('has a tag for each coding, by which it is known and saved', async () => {
    const plain = await get('Tagged');
    const zipped = await get('Tagged', 'gzip');
    expect([plain.headers.etag, zipped.headers.etag]).toEqual(['"1"', '"1-gzip"']);
    expect((await get('Tagged', 'br')).headers.etag).toBe('"1-br"');
    expect((await get('Tagged?HOW=weak', 'br')).headers.etag).toBe('W/"1"');
    const known = await get('Tagged', 'gzip', { 'if-none-match': '"1-gzip"' });
    expect([known.status, known.headers.etag, known.bytes.length]).toEqual([304, '"1-gzip"', 0]);
    expect(known.headers.vary).toBe('Cookie, Accept-Encoding');
    expect((await get('Tagged', undefined, { 'if-none-match': '"1"' })).status).toBe(304);
    expect((await get('Tagged', undefined, { 'if-none-match': '"1-gzip"' })).status).toBe(200);
    expect((await get('Tagged', 'gzip', { 'if-none-match': '"1"' })).status).toBe(200);
    expect((await get('Tagged', 'gzip', { 'if-match': '"1-gzip"' })).status).toBe(200);
    expect((await get('Tagged', 'gzip', { 'if-match': '"2-gzip"' })).status).toBe(412);
    const put = await ask(gateway, 'Tagged', undefined, { method: 'PUT', headers: { 'if-match': '"7", "1-gzip"' } });
    expect(put.text).toBe('"7", "1"');
  });

  it('that breaks off ends the connection', async () => {
    await expect(get('Bytes?HOW=cut&LENGTH=300000', 'gzip')).rejects.toThrow(/aborted|ECONNRESET|socket hang up/);
    await eventually('the line of it', () => gateway.log().find(({ complete }) => complete === false));
  });

  it('is sent as it comes: what waits for more is flushed', async () => {
    const first = await new Promise<string>((resolve, reject) => {
      const headers = { authorization: DEMO, 'accept-encoding': 'zstd' };
      const options = { host: '127.0.0.1', port: gateway.port, path: `${BASE}Slow`, headers, agent: false };
      const outgoing = request(options, (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          // Only once something has come does the handler go on.
          Object.assign(globalThis, { goOn: true });
        });
        reply.on('error', reject).on('end', () => resolve(zstdDecompressSync(Buffer.concat(chunks)).toString()));
      });
      outgoing.on('error', reject).end();
    });
    expect(first).toMatch(/^first .{1994}later$/);
  });

  it('is read from its source no faster than the caller takes it, and ended where the caller goes away', async () => {
    const head = ['GET', `${BASE}Endless`, 'HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nAuthorization:', DEMO].join(
      ' ',
    );
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(`${head}\r\n\r\n`);
    await once(socket, 'readable');
    // Nothing more is read from the connection: what the handler yields comes to a stop.
    const seen = globalThis as { yielded?: number; ended?: boolean };
    await eventually('a handler that waits', async () => {
      const before = seen.yielded;
      await new Promise((resolve) => setTimeout(resolve, 100));
      return before !== undefined && seen.yielded === before ? true : undefined;
    });
    expect(seen.ended).toBeUndefined();
    socket.destroy();
    await eventually('the end of its source', () => seen.ended);
  });

  it('is logged with the bytes that were sent', async () => {
    const { bytes } = await get('Bytes?LENGTH=200000', 'gzip', { 'x-request-id': 'coded' });
    const line = await eventually('its line', () => gateway.log().find(({ requestId }) => requestId === 'coded'));
    expect(line).toMatchObject({ status: 200, bytes: bytes.length, complete: true });
  });
});

describe('what is beside the operations', () => {
  it.each([
    '/',
    '/metrics',
    '/gateway/RESTListeningConnector/Long.v1.openapi.json',
    '/gateway/RESTListeningConnector/Long.v1.wadl',
    '/gateway/RESTListeningConnector/Long.v1.wsdl',
  ])('%s is compressed', async (path) => {
    for (const coding of ['gzip', 'gzip', 'br', 'zstd']) {
      const { headers, text } = await get(path, coding);
      expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'Accept-Encoding']);
      expect(text).toMatch(/^[<{#]/);
    }
    const plain = await get(path);
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    const head = await ask(gateway, path, 'gzip', { method: 'HEAD' });
    expect([head.headers['content-encoding'], head.bytes.length]).toEqual(['gzip', 0]);
  });

  it('a fault and what is short are not', async () => {
    expect(await codingOf('/health/live', 'gzip')).toBeUndefined();
    expect(await codingOf('Nothing', 'gzip')).toBeUndefined();
  });
});

describe('a message', () => {
  const soap = (to: TestGateway, accept = 'gzip'): Promise<Received> => {
    const body = envelope('<TEXT_GET xmlns="urn:test:Long.v1"><LENGTH>5000</LENGTH></TEXT_GET>');
    const options = { method: 'POST', headers: { 'content-type': 'text/xml' }, body };
    return ask(to, '/gateway/PeopleSoftServiceListeningConnector', accept, options);
  };

  it('is answered as it is, and so is the contract beside it, unless the gateway says otherwise', async () => {
    const reply = await soap(gateway);
    expect([reply.status, reply.headers['content-encoding'], reply.headers.vary]).toEqual([200, undefined, 'Accept']);
    expect(await codingOf('/gateway/PeopleSoftServiceListeningConnector/Long.v1.wsdl', 'gzip')).toBeUndefined();
    const text = gatewayText('compress: { soap: true, rest: false }');
    const other = await startTestGateway({ files: { ...files, 'definitions/gateway.yaml': text } });
    try {
      for (const coding of ['gzip', 'br', 'zstd']) {
        const coded = await soap(other, coding);
        expect([coded.headers['content-encoding'], coded.headers.vary]).toEqual([coding, 'Accept, Accept-Encoding']);
        expect(coded.text).toBe(reply.text);
      }
      const contract = await ask(other, '/gateway/PeopleSoftServiceListeningConnector/Long.v1.wsdl', 'gzip');
      expect(contract.headers['content-encoding']).toBe('gzip');
      const rest = await ask(other, 'Text', 'gzip');
      expect([rest.headers['content-encoding'], rest.headers.vary]).toEqual([undefined, 'Accept']);
    } finally {
      await other.stop();
    }
  });
});

describe('compress: false', () => {
  it('leaves everything as it is', async () => {
    const text = gatewayText('compress: false');
    const other = await startTestGateway({ files: { ...files, 'definitions/gateway.yaml': text } });
    try {
      for (const path of ['Text', 'Bytes', 'Tagged', '/', '/gateway/RESTListeningConnector/Long.v1.wadl']) {
        const { headers } = await ask(other, path, 'gzip, br, zstd');
        expect([path, headers['content-encoding'], headers.vary?.includes('Accept-Encoding') ?? false]).toEqual([
          path,
          undefined,
          false,
        ]);
      }
      expect((await ask(other, 'Text', 'gzip, identity;q=0')).status).toBe(406);
    } finally {
      await other.stop();
    }
  });
});
