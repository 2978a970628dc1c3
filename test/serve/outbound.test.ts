import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deadAddress } from '../invoke/support.ts';
import { type Call, DEMO, GUEST, type Reply, startTestGateway, type TestGateway } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { OUTBOUND_PROJECT, TIMEOUT } from './outbound-project.ts';
import { bodyOf, envelope, faultOf, post as postSoap, type SoapReply } from './soap-client.ts';
import { type SeenRequest, startUpstream, type Upstream } from './upstream.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const env = { UPSTREAM_URL: upstream.url, GONE_URL: new URL(await deadAddress()).origin };
  gateway = await startTestGateway({ files: OUTBOUND_PROJECT, env });
});
afterAll(async () => {
  await gateway.stop();
  expect(await upstream.connections()).toBe(0);
  await upstream.stop();
});

const BASE = '/gateway/RESTListeningConnector/Front.v1/';
const JSON_TYPE = { 'content-type': 'application/json' };

let calls = 0;
interface Told extends Reply {
  /** What the other system saw of it. */
  readonly seen: SeenRequest[];
  readonly lines: Record<string, unknown>[];
}

async function call(path: string, options: Call = {}): Promise<Told> {
  const id = `out-${++calls}`;
  const headers = { 'x-request-id': id, ...options.headers };
  const reply = await gateway.call(BASE + path, { ...options, headers });
  return {
    ...reply,
    seen: upstream.seen.filter((each) => each.requestId === id),
    lines: gateway.log().filter((line) => line.requestId === id),
  };
}

const post = (path: string, body: string, headers: Call['headers'] = JSON_TYPE): Promise<Told> =>
  call(path, { method: 'POST', body, headers });

function soap(operation: string, fields: string): Promise<SoapReply> {
  return postSoap(gateway, envelope(`<${operation} xmlns="urn:test:Front.v1">${fields}</${operation}>`));
}

/** A fault that tells nothing of where the call went. */
function expectFault(reply: Told, status: number, told: object): void {
  expect([reply.status, JSON.parse(reply.text)]).toEqual([status, told]);
  expect(reply.text).not.toMatch(/127\.0\.0\.1|secret/);
}

const FAILED = { MESSAGE: 'The call of ITEM_POST failed.', CODE: 'UPSTREAM_FAILED' };

describe('an operation that a call answers', () => {
  it('is refused where the call needs the body that did not come', async () => {
    const reason = 'Invalid request body: it is missing.';
    // The last of them would call a node that is not configured: what the caller did not send is looked at first.
    for (const path of ['json', 'text', 'unset']) {
      const reply = await call(path, { method: 'POST' });
      expectFault(reply, 400, { MESSAGE: reason, DETAIL: '', CODE: 'BAD_BODY' });
      expect(reply.seen).toEqual([]);
    }
  });

  it('hands on what the call takes, and takes of its reply what it has fields for', async () => {
    const reply = await post('items/a%20b?WHO=me', '{"COUNT":17}');
    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, { NAME: 'a b', COUNT: 12 }]);
    expect(reply.seen).toMatchObject([{ method: 'POST', url: '/items/a%20b', body: '{"COUNT":17}' }]);
  });

  it('does so over SOAP', async () => {
    const reply = await soap('ITEM', '<NAME>a b</NAME><COUNT>17</COUNT>');
    expect(bodyOf(reply)).toBe(
      '<ITEMResponse xmlns="urn:test:Front.v1"><NAME>a b</NAME><COUNT>12</COUNT></ITEMResponse>',
    );
    const refused = faultOf(await soap('ITEM', '<NAME>refused</NAME>'));
    expect(refused).toMatchObject({ status: 500, code: 'Server', reason: FAILED.MESSAGE });
    expect(refused.detail).toContain('<DETAIL>the shelf is full</DETAIL>');
  });

  it.each([
    '{"a":[1,null,"é"]}',
    '[]',
    '"a text"',
    '12.5',
    'true',
    'null',
  ])('hands JSON on as it is: %s', async (json) => {
    expect(await post('json', json)).toMatchObject({ status: 200, text: json, seen: [{ url: '/json', body: json }] });
  });

  it('hands JSON and text on over SOAP', async () => {
    const content = (operation: string, text: string): Promise<string> =>
      soap(operation, `<content>${text}</content>`).then((reply) => bodyOf(reply));
    expect(await content('JSON', '{"a":1}')).toContain('<content>{"a":1}</content>');
    expect(await content('TEXT', 'abc')).toContain('<content>ABC</content>');
  });

  it('hands text on', async () => {
    expect(await post('text', 'é a', { 'content-type': 'text/plain' })).toMatchObject({ status: 200, text: 'É A' });
  });

  it('answers nothing where nothing is declared', async () => {
    expect(await post('notices', '{"NAME":"a"}')).toMatchObject({ status: 204, text: '', seen: [{ url: '/notices' }] });
  });

  it('hands a body on that is one field, with the type that it came in', async () => {
    const reply = await call('files/a.pdf', {
      method: 'PUT',
      body: 'content',
      headers: { 'content-type': 'application/pdf' },
    });
    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, { NAME: 'a.pdf', COUNT: 7 }]);
    expect(reply.seen).toMatchObject([{ url: '/files/a.pdf', contentType: 'application/pdf', body: 'content' }]);
  });

  it('runs a flow, whose token serves the next callers too', async () => {
    const first = await call('flow/a');
    expect(JSON.parse(first.text)).toEqual({ NAME: 'a', COUNT: 1 });
    const second = await call('flow/b');
    expect(second.seen.map(({ url }) => url.replace(/token-\d+/, 'T'))).toEqual(['/guarded/T/b']);
    const denied = await call('flow/denied');
    expect(denied.seen.map(({ url }) => url.replace(/token-\d+/, 'T'))).toEqual([
      '/guarded/T/denied',
      '/token',
      '/guarded/T/denied',
    ]);
    expectFault(denied, 502, {
      MESSAGE: 'The call of GUARDED_GET failed.',
      DETAIL: '',
      CODE: 'UPSTREAM_FAILED',
    });
    expect(JSON.stringify(denied.lines)).not.toMatch(/token-\d/);
  });
});

describe('content', () => {
  it('streams to the other system and back', async () => {
    const body = Buffer.alloc(3 * 1024 * 1024, 'abc');
    const reply = await post('content', body.toString(), { 'content-type': 'application/x-large' });
    expect([reply.status, reply.headers['content-type'], reply.headers['content-length']]).toEqual([
      200,
      'application/x-large',
      String(body.length),
    ]);
    expect(reply.text === body.toString()).toBe(true);
  });

  it('comes back before all of it was sent, and its length need not be known', async () => {
    const outgoing = request({
      host: '127.0.0.1',
      port: gateway.port,
      path: `${BASE}content`,
      method: 'POST',
      headers: { authorization: DEMO, 'content-type': 'text/x-chunks' },
      agent: false,
    });
    const replied = new Promise<import('node:http').IncomingMessage>((resolve) => outgoing.on('response', resolve));
    outgoing.write('first ');
    const reply = await replied;
    expect([reply.statusCode, reply.headers['transfer-encoding']]).toEqual([200, 'chunked']);
    outgoing.end('second');
    const chunks: Buffer[] = [];
    for await (const chunk of reply) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe('first second');
  });

  it('that breaks off on the way never looks whole', async () => {
    await expect(post('content', 'a beginning, cut', { 'content-type': 'text/x-cut' })).rejects.toThrow();
    await eventually('its line in the log', () =>
      gateway.log().find((line) => line.msg === 'The reply of CONTENT could not be sent completely.'),
    );
  });

  it('is given up on both sides where the caller goes away', async () => {
    const before = upstream.cut.length;
    const outgoing = request({
      host: '127.0.0.1',
      port: gateway.port,
      path: `${BASE}content`,
      method: 'POST',
      headers: { authorization: DEMO, 'content-type': 'text/x-endless', 'content-length': 100 },
      agent: false,
    });
    outgoing.on('error', () => undefined);
    const replied = new Promise((resolve) => outgoing.on('response', resolve));
    outgoing.write('endless');
    await replied;
    outgoing.destroy();
    await eventually('the end of the exchange', () => (upstream.cut.length > before ? true : undefined));
  });

  it('goes into an envelope and comes out of one', async () => {
    const reply = await soap('SOAP_CONTENT', `<content>${Buffer.from('abc').toString('base64')}</content>`);
    expect(bodyOf(reply)).toContain(`<content>${Buffer.from('abc').toString('base64')}</content>`);
  });
});

describe('a field that the reply does not have', () => {
  it('is blank where its document says so', async () => {
    const { status, text } = await post('noted/lamp', '{}');
    expect([status, JSON.parse(text)]).toEqual([200, { NAME: 'lamp', NOTE: '' }]);
  });
});

describe('a call that fails', () => {
  it('is told with the words of the target', async () => {
    const reply = await post('items/refused', '{}');
    expectFault(reply, 502, { ...FAILED, DETAIL: 'the shelf is full' });
    expect(reply.lines).toContainEqual(expect.objectContaining({ level: 'error', msg: FAILED.MESSAGE }));
  });

  it.each(['html', 'nameless'])('is told where the reply is no reply: %s', async (name) => {
    const DETAIL = name === 'html' ? '' : 'its reply has no NAME';
    expectFault(await post(`items/${name}`, '{}'), 502, { ...FAILED, DETAIL });
  });

  it('is the caller’s mistake where its value does not fit', async () => {
    const reply = await post('items/longer-than-ten', '{}');
    expect([reply.status, JSON.parse(reply.text).CODE]).toEqual([400, 'BAD_PARAMETER']);
    expect(JSON.parse(reply.text).MESSAGE).toMatch(/^NAME .*10 characters/);
    expect(reply.seen).toEqual([]);
  });

  it('is told where the target takes too long', async () => {
    const told = { MESSAGE: 'The call of HASTY_GET was not answered in time.', DETAIL: '', CODE: 'UPSTREAM_TIMEOUT' };
    expectFault(await call('hasty'), 504, told);
  });

  it('is ended with the time of the gateway, unless it says its own', async () => {
    const before = upstream.cut.length;
    const told = { MESSAGE: `SLOW took longer than ${TIMEOUT / 1000} s and was stopped.`, DETAIL: '', CODE: 'TIMEOUT' };
    const own = { MESSAGE: 'The call of TIMED_GET was not answered in time.', DETAIL: '', CODE: 'UPSTREAM_TIMEOUT' };
    const [slow, timed] = await Promise.all([call('slow'), call('timed')]);
    expectFault(slow, 504, told);
    expectFault(timed, 504, own);
    await eventually('the end of both calls', () => (upstream.cut.length >= before + 2 ? true : undefined));
  });

  it('leaves a node alone that is not there', async () => {
    const told = { MESSAGE: 'The call of GONE_GET failed.', DETAIL: '', CODE: 'UPSTREAM_FAILED' };
    for (const _ of [1, 2]) expectFault(await call('gone'), 502, told);
    const reply = await call('gone');
    expect([reply.status, reply.headers['retry-after'], JSON.parse(reply.text).CODE]).toEqual([
      503,
      '90',
      'UNAVAILABLE',
    ]);
  });

  it('for want of configuration is a defect, which the log names', async () => {
    const reply = await call('unset');
    expectFault(reply, 500, { MESSAGE: 'UNSET failed because of an internal error.', DETAIL: '', CODE: 'INTERNAL' });
    expect(reply.text).not.toContain('NOT_SET_AT_ALL');
    expect(JSON.stringify(reply.lines)).toContain('NOT_SET_AT_ALL');
  });

  it('is refused to those who hold no grant for it, whatever they hold for what it answers', async () => {
    const reply = await call('forbidden');
    const MESSAGE = 'User demo may not use operation FORBIDDEN_GET.';
    expectFault(reply, 403, { MESSAGE, DETAIL: '', CODE: 'FORBIDDEN' });
    expect(reply.seen).toEqual([]);
    expect((await call('flow/a', { headers: { authorization: GUEST } })).status).toBe(403);
  });
});

describe('a handler', () => {
  const code = (kind: string): Promise<Told> => post(`code/${kind}`, '');

  it('calls with the id of its request, and reads the reply', async () => {
    const reply = await code('item');
    expect(JSON.parse(reply.text)).toEqual({
      httpResponseCode: 200,
      responseStatus: 0,
      value: { NAME: 'a b', COUNT: 11, PRICE: '1.5', SECRET: 'upstream secret' },
      body: expect.stringContaining('undeclared') as string,
      requestId: reply.seen[0]?.requestId,
      attempts: 1,
      timed: true,
    });
  });

  it('runs a flow', async () => {
    expect(JSON.parse((await code('flow')).text)).toEqual({
      value: { NAME: 'x', COUNT: 1 },
      steps: ['TOKEN_POST', 'GUARDED_GET'],
    });
  });

  it('that lets an error through has it told as a fault', async () => {
    expectFault(await code('refused'), 502, { ...FAILED, DETAIL: 'the shelf is full' });
    const told = { MESSAGE: 'The call of ITEM_POST was not answered in time.', DETAIL: '', CODE: 'UPSTREAM_TIMEOUT' };
    expectFault(await code('timeout'), 504, told);
  });

  it('may catch it', async () => {
    expect(JSON.parse((await code('caught')).text)).toEqual({
      name: 'ReplyFault',
      fault: { status: 'failure', reason: 'the shelf is full' },
      other: null,
    });
  });

  it('has its own mistakes told as such', async () => {
    const reply = await code('own-mistake');
    expectFault(reply, 500, { MESSAGE: 'CODE failed because of an internal error.', DETAIL: '', CODE: 'INTERNAL' });
    expect(reply.lines).toContainEqual(expect.objectContaining({ level: 'error' }));
  });

  it('has its call ended with its time', async () => {
    const before = upstream.cut.length;
    const reply = await code('hangs');
    expect([reply.status, JSON.parse(reply.text).MESSAGE]).toEqual([
      504,
      `CODE took longer than ${TIMEOUT / 1000} s and was stopped.`,
    ]);
    await eventually('the end of the call', () => (upstream.cut.length > before ? true : undefined));
  });

  it.each([
    ['inactive', 503, 'Temporarily unavailable: operation INACTIVE_GET is not active.'],
    ['forbidden', 403, 'User demo may not use operation FORBIDDEN_GET.'],
    ['forbidden-flow', 403, 'User demo may not use operation FORBIDDEN_GET.'],
  ])('is refused what is not there, or not for its caller: %s', async (kind, status, message) => {
    const reply = await code(kind);
    expect([reply.status, JSON.parse(reply.text).MESSAGE]).toEqual([status, message]);
    expect(reply.seen).toEqual([]);
  });

  it.each([
    ['unknown', 'uses the operation of another system "NO_SUCH", but the operation does not exist.'],
    ['local', 'uses the operation of another system "ITEM", but the gateway itself provides the operation'],
    ['unknown-flow', 'uses the flow "Upstream.none", but no definition declares it.'],
    ['unknown-fault', 'uses the operation of another system "NO_SUCH", but the operation does not exist.'],
  ])('has a name that nobody declares told in the log, not to the caller: %s', async (kind, words) => {
    const reply = await code(kind);
    expect([reply.status, JSON.parse(reply.text).CODE]).toEqual([500, 'INTERNAL']);
    expect(reply.lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        operation: 'CODE',
        err: expect.objectContaining({
          message: expect.stringContaining(`src/handlers/code.ts of operation CODE ${words}`),
        }),
      }),
    );
    expect(reply.seen).toEqual([]);
  });

  it('may hand content on, and may leave it', async () => {
    const reply = await post('code-content/all', 'some content', { 'content-type': 'text/x-test' });
    expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([200, 'text/x-test', 'some content']);
    expect(JSON.parse((await code('unread')).text)).toEqual({ type: 'text/x-test' });
  });

  it('has a reply closed that it left open', async () => {
    const before = upstream.cut.length;
    const outgoing = request({
      host: '127.0.0.1',
      port: gateway.port,
      path: `${BASE}code-content/later`,
      method: 'POST',
      headers: { authorization: DEMO, 'content-type': 'text/x-endless', 'content-length': 100 },
      agent: false,
    });
    outgoing.on('error', () => undefined);
    const replied = new Promise<import('node:http').IncomingMessage>((resolve) => outgoing.on('response', resolve));
    outgoing.write('endless');
    expect((await replied).statusCode).toBe(500);
    await eventually('the end of the exchange', () => (upstream.cut.length > before ? true : undefined));
    outgoing.destroy();
  });
});

describe('a gateway', () => {
  it('ends what its client still does when it stops', async () => {
    const own = await startTestGateway({ files: OUTBOUND_PROJECT, env: { UPSTREAM_URL: upstream.url } });
    const before = upstream.cut.length;
    const headers = { ...JSON_TYPE, 'x-request-id': 'at-the-end' };
    const running = own.call(`${BASE}items/slow`, { method: 'POST', body: '{}', headers });
    const ended = expect(running).rejects.toThrow();
    await eventually('the call', () => upstream.seen.find(({ requestId }) => requestId === 'at-the-end'));
    await own.gateway.close({ timeoutMs: 50 });
    await ended;
    await eventually('the end of the call', () => (upstream.cut.length > before ? true : undefined));
    await own.stop();
  });
});
