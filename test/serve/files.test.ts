import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { eventually } from '../support/project.ts';

const DEFINITIONS = `service: Files.v1
permission: EVERYTHING
operations:
  FILE_PUT: { put: "Files/{NAME}", request: { fields: { NAME: string, FILE: { type: binary, required: true } } }, body: FILE, response: none, handler: put }
  FILE_GET: { get: "Files/{NAME}", request: { fields: { NAME: string } }, response: binary, handler: get }
`;

const HANDLERS = {
  'src/handlers/put.ts': `export default {
  async onRequest({ NAME, FILE }, context) {
    await context.blobs.put(NAME, FILE);
    return {};
  },
};\n`,
  'src/handlers/get.ts': `export default {
  async onRequest({ NAME }, context) {
    const blob = await context.blobs.get(NAME);
    return context.stored(blob, { headers: { 'X-Name': NAME } });
  },
};\n`,
};

/** Longer than the pieces that files and rows are kept in. */
const SIZE = 2 * 1024 * 1024 + 321;
const CONTENT = Buffer.from(Array.from({ length: SIZE }, (_, index) => 0x21 + ((index * 7 + (index >> 10)) % 90)));
const BASE = '/gateway/RESTListeningConnector/Files.v1/Files/';

describe.each([
  ['files', undefined],
  ['rows of PostgreSQL', 'postgres'],
])('stored content in %s', (_, kind) => {
  const isSkipped = kind === 'postgres' && !hasPostgres;
  let gateway: TestGateway;
  let database: TestDatabase | undefined;
  let etag: string;
  let modified: string;

  beforeAll(async () => {
    if (isSkipped) return;
    database = kind === 'postgres' ? await createDatabase({ migrated: true }) : undefined;
    const env = database === undefined ? {} : { DATABASE_URL: database.url };
    gateway = await startTestGateway({ files: { 'definitions/files.yaml': DEFINITIONS, ...HANDLERS }, env });
    await put('large', CONTENT);
    await put('empty', '');
    // A date is told from the second after on.
    const reply = await eventually('a date', async () => {
      const found = await get('large', {}, 'HEAD');
      return found.headers['last-modified'] === undefined ? undefined : found;
    });
    etag = reply.headers.etag as string;
    modified = reply.headers['last-modified'] as string;
  });
  afterAll(async () => {
    if (isSkipped) return;
    expect(gateway.log().filter((line) => line.level === 'error')).toEqual([]);
    await gateway.stop();
    await database?.drop();
  });

  const put = async (name: string, body: string | Buffer): Promise<void> => {
    const headers = { 'content-type': 'application/x-test', 'content-length': String(Buffer.byteLength(body)) };
    expect((await gateway.call(BASE + name, { method: 'PUT', headers, body })).status).toBe(204);
  };
  const get = (name: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
    gateway.call(BASE + name, { method, headers });

  it.skipIf(isSkipped)('has its digest for a strong tag, its date, and takes ranges', async () => {
    const reply = await get('large');
    expect([reply.status, reply.text === CONTENT.toString()]).toEqual([200, true]);
    expect(reply.headers).toMatchObject({
      'content-length': String(SIZE),
      'content-type': 'application/x-test',
      'accept-ranges': 'bytes',
      'x-name': 'large',
      etag,
      'last-modified': modified,
    });
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
    expect((await get('large', {}, 'HEAD')).headers).toMatchObject({
      'content-length': String(SIZE),
      'accept-ranges': 'bytes',
      etag,
    });
  });

  it.skipIf(isSkipped).each<[string, number, number]>([
    ['bytes=0-0', 0, 1],
    ['bytes=0-99', 0, 100],
    ['Bytes=1048570-1048585', 1_048_570, 1_048_586],
    ['bytes=262140-', 262_140, SIZE],
    ['bytes=-100', SIZE - 100, SIZE],
    ['bytes=-99999999999', 0, SIZE],
    [`bytes=${SIZE - 1}-99999999999999999999`, SIZE - 1, SIZE],
  ])('%s is that and no more', async (range, start, end) => {
    const reply = await get('large', { range, 'accept-encoding': 'gzip' });
    expect([reply.status, reply.text === CONTENT.subarray(start, end).toString()]).toEqual([206, true]);
    expect(reply.headers).toMatchObject({
      'content-range': `bytes ${start}-${end - 1}/${SIZE}`,
      'content-length': String(end - start),
      'content-type': 'application/x-test',
      etag,
    });
    expect(reply.headers['content-encoding']).toBeUndefined();
  });

  it
    .skipIf(isSkipped)
    .each([['bytes=0-1,5-6'], ['bytes=9-5'], ['bytes=-'], ['bytes=x-5'], ['lines=0-5'], ['bytes 0-5']])(
    '%s is ignored: the whole comes',
    async (range) => {
      const { status, headers, text } = await get('large', { range });
      expect([status, headers['content-range'], text.length]).toEqual([200, undefined, SIZE]);
    },
  );

  it.skipIf(isSkipped).each([
    ['large', `bytes=${SIZE}-`, SIZE],
    ['large', 'bytes=-0', SIZE],
    ['empty', 'bytes=0-', 0],
  ])('of %s %s can not be satisfied', async (name, range, length) => {
    const reply = await get(name, { range });
    expect([reply.status, reply.headers['content-range']]).toEqual([416, `bytes */${length}`]);
    expect(JSON.parse(reply.text)).toMatchObject({ status: 416, code: 'RANGE_NOT_SATISFIABLE' });
  });

  it.skipIf(isSkipped)('of no bytes is kept and given back', async () => {
    const reply = await get('empty', { range: 'bytes=-5' });
    expect([reply.status, reply.text, reply.headers['content-length']]).toEqual([200, '', '0']);
  });

  it.skipIf(isSkipped)('is sent in part where If-Range names it, else as a whole', async () => {
    const part = (ifRange: string): Promise<number> =>
      get('large', { range: 'bytes=5-6', 'if-range': ifRange }).then(({ status }) => status);
    expect(await part(etag)).toBe(206);
    expect(await part(modified)).toBe(206);
    for (const other of ['"other"', `W/${etag}`, etag.replace(/"$/, '-gzip"'), new Date(0).toUTCString(), 'soon'])
      expect(await part(other), other).toBe(200);
  });

  it.skipIf(isSkipped)('is not sent to those who have it, nor to those who expect another one', async () => {
    const read = async (headers: Record<string, string>): Promise<unknown[]> => {
      const reply = await get('large', headers);
      return [reply.status, reply.text === '' ? reply.headers.etag : reply.text.length];
    };
    expect(await read({ 'if-none-match': etag })).toEqual([304, etag]);
    expect(await read({ 'if-none-match': `"x", W/${etag}`, range: 'bytes=0-5' })).toEqual([304, etag]);
    expect(await read({ 'if-none-match': '*' })).toEqual([304, etag]);
    expect(await read({ 'if-none-match': '"x"', 'if-modified-since': modified })).toEqual([200, SIZE]);
    expect(await read({ 'if-modified-since': modified })).toEqual([304, etag]);
    expect(await read({ 'if-modified-since': new Date(0).toUTCString() })).toEqual([200, SIZE]);
    expect(await read({ 'if-none-match': '' })).toEqual([200, SIZE]);
    expect(await read({ 'if-match': `"x", ${etag}` })).toEqual([200, SIZE]);
    for (const expected of [{ 'if-match': '"x"' }, { 'if-unmodified-since': new Date(0).toUTCString() }])
      expect((await get('large', expected)).status).toBe(412);
    const head = await get('large', { 'if-none-match': etag }, 'HEAD');
    expect([head.status, head.headers.etag]).toEqual([304, etag]);
  });

  it.skipIf(isSkipped)('has no range over HEAD', async () => {
    const head = await get('large', { range: 'bytes=0-5' }, 'HEAD');
    expect([head.status, head.headers['content-length'], head.headers['content-range']]).toEqual([
      200,
      String(SIZE),
      undefined,
    ]);
  });

  it.skipIf(isSkipped)('is logged with the status and the bytes that were sent', async () => {
    await get('large', { range: 'bytes=0-99', 'x-request-id': `part-${kind}` });
    const [line] = gateway.log().filter(({ requestId }) => requestId === `part-${kind}`);
    expect(line).toMatchObject({ status: 206, bytes: 100, complete: true });
  });
});
