import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, GUEST, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually, gatewayText } from '../support/project.ts';
import { CODE_PROJECT } from './code-project.ts';

const TIMEOUT = 250;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    files: {
      'definitions/gateway.yaml': gatewayText(`limits: { timeout: ${TIMEOUT} ms }`),
      ...CODE_PROJECT,
    },
  });
});
afterAll(() => gateway.stop());

let calls = 0;
interface Told extends Reply {
  /** Lines of the log with the request's id. */
  readonly lines: Record<string, unknown>[];
}

async function get(path: string, headers: Record<string, string> = {}, more: object = {}): Promise<Told> {
  const id = `call-${++calls}`;
  const full = `/gateway/RESTListeningConnector/Code.v1/${path}`;
  const reply = await gateway.call(full, { headers: { 'x-request-id': id, ...headers }, ...more });
  return { ...reply, lines: gateway.log().filter((line) => line.requestId === id) };
}

/** A defect: 500 that tells nothing, and one line of the log that tells everything, beside the usual one. */
function expectDefect({ status, text, lines }: Told, operation: string, words: string): void {
  expect(status, text).toBe(500);
  expect(text).toContain(`${operation} failed because of an internal error.`);
  expect(text).not.toMatch(/secret|\.ts\b|at \w+ \(/);
  const errors = lines.filter((line) => line.level === 'error');
  expect(errors).toEqual([expect.objectContaining({ operation, user: 'demo' })]);
  expect(JSON.stringify(errors[0]?.err)).toContain(words);
  expect(lines.filter((line) => line.level === 'info')).toEqual([
    expect.objectContaining({ status: 500, fault: 'INTERNAL' }),
  ]);
}

describe('a handler that throws a fault', () => {
  it.each([
    ['catalogue', 404, 'There is no location catalogue.', 'NOT_FOUND'],
    ['own', 425, 'Come back later.', 'TOO_EARLY'],
    ['caused', 502, 'No answer.', 'UPSTREAM'],
  ])('%s', async (kind, status, MESSAGE, CODE) => {
    const reply = await get(`fault/${kind}`);
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.text)).toEqual({ MESSAGE, CODE });
    expect(reply.headers['retry-after']).toBe(kind === 'own' ? '7' : undefined);
    expect(reply.lines.filter((line) => line.level === 'error')).toHaveLength(kind === 'caused' ? 1 : 0);
    expect(reply.text).not.toContain('hidden');
  });

  it('may use any text, in JSON and XML', async () => {
    const json = await get('fault/text');
    expect(json.status).toBe(418);
    expect(JSON.parse(json.text).MESSAGE).toMatch(/^é <&> "quoted" . ]]>$/);
    const xml = await get('fault/text', { accept: 'application/xml' });
    expect(xml.headers['content-type']).toBe('application/xml');
    expect(xml.text).toMatch(/<MESSAGE>é &lt;&amp;&gt; "quoted" . ]]&gt;<\/MESSAGE>/);
  });

  it.each(['header', 'framing'])('with a bad %s is a defect', async (kind) => {
    const reply = await get(`fault/${kind}`);
    expect(reply.status).toBe(500);
    expect(JSON.parse(reply.text)).toEqual({ MESSAGE: 'FAULT failed because of an internal error.', CODE: 'INTERNAL' });
    expect(reply.lines.filter((line) => line.level === 'error')).toHaveLength(1);
  });
});

describe('a handler with a defect', () => {
  it.each([
    ['error', 'secret detail of the database'],
    ['null', 'null'],
    ['text', 'secret detail in a text'],
    ['undefined', 'ANSWER'],
  ])('that throws %s tells the log alone, once', async (kind, words) => {
    expectDefect(await get(`broken/${kind}`), 'BROKEN', words);
  });

  it.each([
    ['long', 'NAME is longer than 5 characters'],
    ['type', 'COUNT is a string, not an integer'],
    ['unknown', 'OTHER is not a field of ANSWER'],
    ['deep', 'LIST[1].N is missing'],
    ['list', 'ANSWER is a list'],
    ['text', 'is a text, where a document is declared'],
    ['unsafe', 'COUNT is beyond 2^53 - 1'],
  ])('that returns what does not fit (%s) names the place in the log', async (kind, words) => {
    expectDefect(await get(`misfit/${kind}`), 'MISFIT', words);
    expectDefect(await get(`misfit/${kind}`, { accept: 'application/xml' }), 'MISFIT', words);
  });
});

describe('a handler that takes too long', () => {
  it('is 504 when the time is up, and its signal says so', async () => {
    const from = performance.now();
    const reply = await get('hangs');
    expect(performance.now() - from).toBeGreaterThan(TIMEOUT * 0.9);
    expect(reply.status).toBe(504);
    expect(JSON.parse(reply.text)).toEqual({
      MESSAGE: 'late: HANGS took longer than 250 ms and was stopped.',
      CODE: 'TIMEOUT',
    });
    expect(reply.lines).toEqual([
      expect.objectContaining({ msg: 'noticed', reason: 'TIMEOUT' }),
      expect.objectContaining({ status: 504, fault: 'TIMEOUT' }),
    ]);
  });
});

describe('onError', () => {
  it('says what the caller reads', async () => {
    const reply = await get('on-error/plain');
    expect(reply.status).toBe(409);
    expect(JSON.parse(reply.text)).toEqual({ MESSAGE: 'REFUSED for demo: The first words.', CODE: 'REFUSED' });
  });

  it('speaks for a reply that does not fit, too', async () => {
    const reply = await get('on-error/misfit');
    expect(reply.status).toBe(500);
    expect(JSON.parse(reply.text).MESSAGE).toBe('INTERNAL for demo: ON_ERROR failed because of an internal error.');
  });

  it.each([
    ['throws', 'secret of onError'],
    ['nothing', 'onError returned undefined'],
    ['hangs', 'took longer than 250 ms'],
  ])('that %s leaves the fault as it was', async (kind, words) => {
    const reply = await get(`on-error/${kind}`);
    expect(reply.status).toBe(409);
    expect(JSON.parse(reply.text)).toEqual({ MESSAGE: 'The first words.', CODE: 'REFUSED' });
    const errors = reply.lines.filter((line) => line.level === 'error');
    expect(errors).toEqual([expect.objectContaining({ msg: 'onError of ON_ERROR failed.' })]);
    expect(JSON.stringify(errors[0]?.err)).toContain(words);
  });

  it('is not asked about what came before the handler', async () => {
    const reply = await get('on-error/plain', { authorization: GUEST });
    expect(JSON.parse(reply.text)).toEqual({
      MESSAGE: 'User guest may not use operation ON_ERROR.',
      CODE: 'FORBIDDEN',
    });
  });
});

describe('context.reply', () => {
  it('has a status and headers of its own', async () => {
    const created = await get('reply/created');
    expect([created.status, created.text]).toEqual([201, '{"NAME":"new"}']);
    expect(created.headers).toMatchObject({ location: '/x/1', 'x-own': 'yes', 'cache-control': 'no-store' });
    expect((await get('reply/moved')).status).toBe(303);
    expect(await get('reply/unchanged')).toMatchObject({ status: 304, text: '' });
    const reset = await get('reply/reset');
    expect(reset).toMatchObject({ status: 205, text: '', lines: [expect.objectContaining({ bytes: 0 })] });
    expect(reset.headers['content-length']).toBe('0');
  });

  it('may set what the gateway would set, in any spelling', async () => {
    const { headers } = await get('reply/kept');
    expect([headers['cache-control'], headers.vary]).toEqual(['max-age=60', 'Accept, X-Own, Accept-Encoding']);
  });

  it.each([
    ['status', 'must be 200 to 399, not 500'],
    ['split', 'Invalid character in header content'],
    ['framing', 'the gateway sets the header Content-Length itself'],
    ['type', 'the gateway sets the header Content-Type itself'],
  ])('with a bad %s is a defect', async (kind, words) => {
    expectDefect(await get(`reply/${kind}`), 'REPLY', words);
  });
});

const disposed = (): string[] =>
  (globalThis as unknown as { bytesOfTest: { disposed: string[] } }).bytesOfTest.disposed;

describe('context.bytes', () => {
  it.each([
    ['whole', 206, 'abc'],
    ['stream', 200, 'abcdef'],
    ['empty', 200, ''],
  ])('%s', async (kind, status, text) => {
    const reply = await get(`bytes/${kind}`);
    expect(reply).toMatchObject({ status, text });
    expect(reply.headers).toMatchObject({ 'content-type': 'text/x-test', 'content-length': String(text.length) });
    expect(disposed()).toContain(kind);
    expect(reply.lines).toEqual([expect.objectContaining({ status, bytes: text.length })]);
  });

  it('is streamed, and HEAD has its length alone', async () => {
    expect((await get('bytes/large')).text).toHaveLength(8 * 1024 * 1024);
    const head = await get('bytes/large', {}, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers['content-length']).toBe(String(8 * 1024 * 1024));
    expect(disposed().filter((kind) => kind === 'large')).toHaveLength(2);
  });

  it.each([
    ['wrong', '3 bytes declares a length of 9'],
    ['fails-first', 'secret before the first byte'],
    ['unopened', 'secret of what is not there'],
  ])('that %s before its first byte is a fault like any other', async (kind, words) => {
    expectDefect(await get(`bytes/${kind}`), 'BYTES', words);
    expect(disposed()).toContain(kind);
  });

  it.each([
    ['type', 'Invalid character in header content'],
    ['endless', 'must be a number of bytes, not Infinity'],
    ['negative', 'must be a number of bytes, not -1'],
  ])('with a bad %s is a defect', async (kind, words) => {
    expectDefect(await get(`bytes/${kind}`), 'BYTES', words);
  });

  it.each([
    ['emptied', 204, undefined],
    ['untouched', 304, '3'],
  ])('%s: a status without content has none', async (kind, status, length) => {
    const reply = await get(`bytes/${kind}`);
    expect(reply).toMatchObject({ status, text: '', lines: [expect.objectContaining({ status, bytes: 0 })] });
    expect(reply.headers['content-length']).toBe(length);
    expect(disposed()).toContain(kind);
  });

  it('that can not be closed ends nothing but itself', async () => {
    const head = await get('bytes/unclosed', {}, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
    const lines = await eventually('the line of the failure', () => {
      const found = gateway.log().filter(({ msg }) => msg === 'A stream could not be closed.');
      return found.length > 0 ? found : undefined;
    });
    expect(lines).toEqual([expect.objectContaining({ level: 'error', operation: 'BYTES' })]);
    expect(JSON.stringify(lines)).toContain('secret at the end');
    expect(disposed()).toContain('unclosed');
  });

  it('is 504 where the first byte does not come in time', async () => {
    expect((await get('bytes/hangs')).status).toBe(504);
  });

  it.each([
    ['short', 'ended after 3'],
    ['long', 'holds more'],
    ['fails-later', 'secret in the middle'],
  ])('that is %s ends the connection, so that it never looks whole', async (kind, words) => {
    const from = gateway.log().length;
    await expect(get(`bytes/${kind}`)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    const lines = await eventually('the line of the reply', () => {
      const found = gateway.log().slice(from);
      return found.length >= 2 ? found : undefined;
    });
    expect(lines).toEqual([
      expect.objectContaining({ level: 'info', complete: false, bytes: 3 }),
      expect.objectContaining({ level: 'error', operation: 'BYTES' }),
    ]);
    expect(JSON.stringify(lines)).toContain(words);
    expect(disposed()).toContain(kind);
  });
});

describe('what a handler knows', () => {
  it('is the call, which URI it came by, and who calls', async () => {
    const { text } = await get('facts/5', { 'x-request-id': 'my-id' });
    expect(JSON.parse(text)).toEqual({
      given: { ID: 5 },
      operation: 'FACTS',
      uriIndex: 2,
      user: 'demo',
      requestId: 'my-id',
    });
    expect(JSON.parse((await get('facts')).text)).toMatchObject({ given: {}, uriIndex: 1 });
  });

  it('is nobody where the operation is public', async () => {
    expect(JSON.parse((await get('open-facts', {}, { anonymous: true })).text)).toMatchObject({ user: null });
  });
});

describe('context.query', () => {
  it('returns typed rows', async () => {
    expect((await get('queries/rows')).text).toBe('[{"TWICE":"9007199254740994n","S":"abc"}]');
    expect((await get('queries/limited')).text).toBe('3');
    expect((await get('queries/unlimited')).text).toBe('50');
  });

  it.each([
    ['forbidden', 403, 'User demo may not use query FORBIDDEN_FRUIT.'],
    ['missing', 400, 'Prompt N is missing.'],
    ['type', 400, 'Prompt N is not an integer.'],
    ['small', 400, 'Prompt N is less than 1.'],
    ['long', 400, 'Prompt S is longer than 3 characters.'],
    ['stranger', 400, 'X is not a prompt of DOUBLED.'],
  ])('%s is %i', async (kind, status, words) => {
    const reply = await get(`queries/${kind}`);
    expect(reply.status, reply.text).toBe(status);
    expect(reply.text).toContain(words);
  });

  it('of a query that nobody declares is an error of the code, which the log describes', async () => {
    const reply = await get('queries/unknown');
    expect(reply.status, reply.text).toBe(500);
    expect(reply.text).not.toContain('NO_SUCH');
    expect(reply.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        operation: 'QUERIES',
        err: expect.objectContaining({
          message: expect.stringContaining(
            'src/handlers/queries.ts of operation QUERIES uses the query "DOUBLE", but no definition declares it. Did you mean DOUBLED?',
          ),
        }),
      }),
    );
  });

  it('runs under the grants of whoever calls', async () => {
    const reply = await get('open-queries/rows', {}, { anonymous: true });
    expect(reply.status).toBe(403);
    expect(reply.text).toContain('An anonymous caller may not use query DOUBLED.');
    expect((await get('open-queries/limited', {}, { anonymous: true })).text).toBe('3');
  });
});

describe('a caller that goes away', () => {
  it('ends the work, and is no defect', async () => {
    const path = '/gateway/RESTListeningConnector/Code.v1/waits';
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${DEMO}\r\nX-Request-Id: goes-away\r\n\r\n`);
    const lines = () => gateway.log().filter((line) => line.requestId === 'goes-away');
    await eventually('the handler', () => lines().find((line) => line.msg === 'waiting'));
    socket.destroy();
    await eventually('the end of the call', () => lines().find((line) => line.status !== undefined));
    expect(lines()).toEqual([
      expect.objectContaining({ msg: 'waiting' }),
      expect.objectContaining({ msg: 'stopped waiting' }),
      expect.objectContaining({ level: 'info', status: 499, fault: 'ABANDONED' }),
    ]);
  });
});
