import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Call, GUEST, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';
import { recordedBy } from '../support/recorded.ts';

const DEFINITIONS = `service: Notes.v1
permission: EVERYTHING
operations:
  NOTE_GET: { get: "notes/{ID}", request: { fields: { ID: integer } }, response: { fields: { ID: integer } }, handler: echo }
  NOTE_PUT:
    put: "notes/{ID}"
    request:
      fields:
        ID: integer
        TEXT: text
        PIN: { type: string, sensitive: true }
        LINES: { list: { fields: { WORD: string, CODE: { type: string, sensitive: true } } } }
        FILE: binary
    response: { fields: { ID: integer, TOKEN: { type: string, sensitive: true } } }
    handler: token
---
{ routing: NOTES, operation: NOTE_PUT, log: full }
`;

const FILES = {
  'definitions/notes.yaml': DEFINITIONS,
  'src/handlers/echo.ts': 'export default { onRequest: ({ ID }) => ({ ID }) };\n',
  'src/handlers/token.ts': 'export default { onRequest: ({ ID }) => ({ ID, TOKEN: "t0ken" }) };\n',
};

const NOTES = '/gateway/RESTListeningConnector/Notes.v1/notes/';

const folder = mkdtempSync(join(tmpdir(), 'signalbox-audit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (gateway = ''): Promise<TestGateway> =>
  startTestGateway({ files: { 'definitions/gateway.yaml': gatewayText(gateway), ...FILES } });

function linesOf(file: string): Record<string, unknown>[] {
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(/^$|\n$/);
  // Nothing in a line ends it, for whatever reads lines.
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the audit log', () => {
  let test: TestGateway;
  beforeAll(async () => {
    test = await start();
  });
  afterAll(() => test.stop());

  const lineOf = (id: string): Record<string, unknown> | undefined =>
    test.log().find(({ requestId }) => requestId === id);

  it('says who called what, from where, and what it took', async () => {
    await test.call(`${NOTES}7`, { headers: { 'x-request-id': 'call' } });
    expect(lineOf('call')).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: 'call',
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      decision: 'allowed',
      method: 'GET',
      path: `${NOTES}7`,
      operation: 'NOTE_GET',
      service: 'Notes.v1',
      user: 'demo',
      scheme: 'basic',
      remote: '127.0.0.1',
      status: 200,
      ms: expect.any(Number),
      bytesIn: 0,
      bytes: 8,
      complete: true,
    });
  });

  it.each([
    ['wrong password', { headers: { authorization: `Basic ${btoa('demo:wrong')}` } }, 401, /password/],
    ['nobody', { anonymous: true }, 401, /^no credentials$/],
    ['no grant', { headers: { authorization: GUEST } }, 403, /^no grant$/],
    ['no such method', { method: 'DELETE' }, 405, /^method not allowed$/],
  ] as [string, Call, number, RegExp][])('says why somebody was refused: %s', async (what, call, status, reason) => {
    const id = what.replaceAll(' ', '-');
    const reply = await test.call(`${NOTES}7`, { ...call, headers: { 'x-request-id': id, ...call.headers } });
    expect(reply.status).toBe(status);
    expect(lineOf(id)).toMatchObject({ decision: 'refused', reason: expect.stringMatching(reason), status });
    if (status === 401) expect(reply.text).not.toMatch(/wrong password|unknown/i);
  });

  it('holds that somebody was let in whose request then was wrong', async () => {
    const { status } = await test.call(`${NOTES}x`, { headers: { 'x-request-id': 'bad' } });
    expect(status).toBe(400);
    expect(lineOf('bad')).toMatchObject({ decision: 'allowed', user: 'demo', fault: 'BAD_PARAMETER' });
  });

  it('has a line of the same shape for what never became a request', async () => {
    await test.raw('GET /\x01 HTTP/1.1\r\n\r\n');
    await test.raw('GET /a/../b HTTP/1.1\r\nHost: a\r\nX-Request-Id: dots\r\nConnection: close\r\n\r\n');
    expect(test.log().find(({ reason }) => reason === 'HPE_INVALID_URL')).toMatchObject({
      decision: 'refused',
      remote: '127.0.0.1',
      status: 400,
      fault: 'BAD_REQUEST',
    });
    expect(lineOf('dots')).toMatchObject({ decision: 'refused', reason: 'bad target', method: 'GET', status: 400 });
  });

  it('has no payload, and no headers: those of a routing with log: full are in the message store', async () => {
    const put = (id: string, TEXT: string): Promise<unknown> =>
      test.call(`${NOTES}7`, {
        method: 'PUT',
        headers: { 'x-request-id': id, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ TEXT, PIN: 'p1n', LINES: [{ WORD: 'a\u2028\u009b31m\nb', CODE: 'w0rd' }], FILE: 'AAAA' },
        }),
      });
    await put('small', 'short');
    await put('large', 'x'.repeat(20_000));
    expect(Object.keys(lineOf('small') ?? {})).not.toContain('headers');
    expect(JSON.stringify(test.log())).not.toMatch(/short|p1n|w0rd|t0ken|ZGVtbzpkZW1v/);
    const recorded = await recordedBy(test);
    const partsOf = (id: string) => recorded.find(({ request_id }) => request_id === id)?.parts;
    expect(partsOf('small')).toMatchObject({
      call: { headers: { authorization: '***', 'content-type': 'application/json' } },
      request: {
        ...{ ID: 7, TEXT: 'short', PIN: '***' },
        LINES: [{ WORD: 'a\u2028\u009b31m\nb', CODE: '***' }],
        FILE: { contentType: 'application/octet-stream' },
      },
      reply: { ID: 7, TOKEN: '***' },
    });
    const { request } = partsOf('large') as { request: Record<string, string> };
    expect(request.TEXT).toMatch(/^x{16000,16384}\.\.\.$/);
    expect(JSON.stringify(request).length).toBeLessThan(17_000);
    expect(JSON.stringify(recorded)).not.toMatch(/p1n|w0rd|t0ken|ZGVtbzpkZW1v/);
  });
});

describe('audit: FILE', () => {
  it('is for the owner alone, goes on in a new file where it was moved, and holds every call', async () => {
    const file = join(folder, 'made/audit.log');
    const test = await start(`audit: ${file}`);
    try {
      await test.call(`${NOTES}1`, { headers: { 'x-request-id': 'one' } });
      await test.raw('nonsense\r\n\r\n');
      await eventually('the lines', () => (linesOf(file).length === 2 ? true : undefined));
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(test.log().filter((line) => 'decision' in line)).toEqual([]);
      renameSync(file, `${file}.1`);
      process.emit('SIGHUP');
      const headers = { 'x-request-id': 'two', 'x-note': '\u009b31m' };
      await test.call(`${NOTES}1`, {
        method: 'PUT',
        headers,
        body: JSON.stringify({ TEXT: 'a\u2028{"forged":1}\u009b2J' }),
      });
      await eventually('the line', () => (linesOf(file).length === 1 ? true : undefined));
    } finally {
      await test.stop();
    }
    expect(linesOf(`${file}.1`).map(({ requestId }) => requestId)).toEqual(['one', expect.any(String)]);
    expect(linesOf(file)).toEqual([expect.objectContaining({ requestId: 'two', decision: 'allowed' })]);
    expect(process.listenerCount('SIGHUP')).toBe(0);
  });

  it('that can not be written answers nothing, until it can; what was refused meanwhile is in it', async () => {
    const file = join(folder, 'broken.log');
    const test = await start(`audit: ${file}`);
    try {
      renameSync(file, `${file}.1`);
      mkdirSync(file);
      process.emit('SIGHUP');
      const refused = await test.call(`${NOTES}1`, { headers: { 'x-request-id': 'unheard' } });
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
      expect(test.log().filter(({ level }) => level === 'error')).toHaveLength(1);
      rmdirSync(file);
      await eventually('an answer', async () => ((await test.call(`${NOTES}1`)).status === 200 ? true : undefined));
    } finally {
      await test.stop();
    }
    expect(linesOf(file)).toContainEqual(
      expect.objectContaining({ requestId: 'unheard', decision: 'refused', reason: 'audit log', status: 503 }),
    );
  });

  it('goes on in a line of its own after one that a gateway did not end', async () => {
    const file = join(folder, 'cut.log');
    writeFileSync(file, '{"requestId":"cut');
    const test = await start(`audit: ${file}`);
    await test.call(`${NOTES}1`, { headers: { 'x-request-id': 'whole' } });
    await test.stop();
    const [cut, whole, ...more] = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect([cut, JSON.parse(whole ?? '').requestId, more]).toEqual(['{"requestId":"cut', 'whole', []]);
  });

  it('that can not be opened keeps the gateway from starting', async () => {
    await expect(start(`audit: ${folder}`)).rejects.toThrow(/^the audit log .* can't be written: EISDIR/);
  });
});
