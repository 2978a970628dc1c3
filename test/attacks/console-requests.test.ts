import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleGateway, type ConsoleReply, startConsole, type Visitor } from '../console/support.ts';

// Requests that no page of the console makes: other methods, other bodies, other hosts, cookies of elsewhere.

const PAUSE = '/queues/processes/pause';
const FORM = 'application/x-www-form-urlencoded';
const NAME = '__Host-signalbox';
let gateway: ConsoleGateway;
let visitor: Visitor;
let token: string;

beforeAll(async () => {
  gateway = await startConsole();
  visitor = await gateway.signIn();
  token = /name="token" value="([^"]+)"/.exec((await visitor.get('/queues')).text)?.[1] ?? '';
});
afterAll(() => gateway.stop());

const isPaused = async (): Promise<boolean> => (await visitor.get('/queues/processes')).text.includes('Paused since');

const send = (method: string, path: string, headers: Record<string, string>, body?: string): Promise<ConsoleReply> =>
  gateway.ask(path, {
    method,
    headers: { Cookie: visitor.cookie, ...headers },
    ...(body === undefined ? {} : { body }),
  });

describe('an action is done by nothing', () => {
  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])('but POST: not by %s', async (method) => {
    const reply = await send(method, PAUSE, { 'Content-Type': FORM, 'Sec-Fetch-Site': 'same-origin' });
    expect([405, 501]).toContain(reply.status);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(await isPaused()).toBe(false);
  });

  it.each(['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])('that names POST in %s', async (name) => {
    expect((await send('GET', `${PAUSE}?_method=POST&token=${token}`, { [name]: 'POST' })).status).toBe(404);
    expect(await isPaused()).toBe(false);
  });

  it('of another site in parts, whose request needs no preflight', async () => {
    const boundary = 'form-boundary-0123456789abcdef';
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="token"\r\n\r\n${token}\r\n--${boundary}--\r\n`;
    const type = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
    const others: readonly Record<string, string>[] = [
      { Origin: 'https://attacker.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: `http://127.0.0.1:${gateway.port}`, 'Sec-Fetch-Site': 'cross-site' },
      { Origin: `http://127.0.0.1:${gateway.port}.attacker.example` },
      { Referer: `http://127.0.0.1:${gateway.port}/console/queues` },
      {},
    ];
    for (const headers of others) expect((await send('POST', PAUSE, { ...type, ...headers }, body)).status).toBe(403);
    expect(await isPaused()).toBe(false);
    expect((await send('POST', PAUSE, { ...type, 'Sec-Fetch-Site': 'same-origin' }, body)).status).toBe(303);
    await visitor.post('/queues/processes/resume');
  });

  it.each(['text/plain', 'application/json', 'text/x-www-form-urlencoded', ''])('of the type %j', async (type) => {
    const headers = { 'Sec-Fetch-Site': 'same-origin', ...(type === '' ? {} : { 'Content-Type': type }) };
    expect((await send('POST', PAUSE, headers, `token=${token}`)).status).toBe(415);
    expect(await isPaused()).toBe(false);
  });

  it('with a token in the address or in a header, or with two of which one is wrong', async () => {
    const headers = { 'Content-Type': FORM, 'Sec-Fetch-Site': 'same-origin' };
    expect((await send('POST', `${PAUSE}?token=${token}`, headers, '')).status).toBe(403);
    expect((await send('POST', PAUSE, { ...headers, 'X-CSRF-Token': token }, '')).status).toBe(403);
    expect((await send('POST', PAUSE, headers, `token=x&token=${token}`)).status).toBe(403);
    expect(await isPaused()).toBe(false);
  });

  it('with the token of a session that has ended', async () => {
    const ended = await gateway.signIn();
    const [, old = ''] = /name="token" value="([^"]+)"/.exec((await ended.get('/queues')).text) ?? [];
    await ended.post('/sign-out');
    const headers = { 'Content-Type': FORM, 'Sec-Fetch-Site': 'same-origin' };
    expect((await send('POST', PAUSE, headers, `token=${old}`)).status).toBe(403);
    expect((await send('POST', PAUSE, { ...headers, Cookie: ended.cookie }, `token=${old}`)).status).toBe(401);
    expect(await isPaused()).toBe(false);
  });
});

describe('a page', () => {
  it('has its head alone for HEAD, as private as for GET', async () => {
    const { status, headers, text } = await send('HEAD', '/queues', {});
    expect([status, text, headers['cache-control']]).toEqual([200, '', 'no-store']);
  });

  it('leads nowhere that a header has chosen', async () => {
    const hosts: readonly Record<string, string>[] = [
      { Host: 'attacker.example' },
      { 'X-Forwarded-Host': 'attacker.example' },
      { 'X-Original-URL': '//attacker.example', 'X-Rewrite-URL': '//attacker.example' },
    ];
    for (const headers of hosts) {
      const reply = await gateway.ask('/queues', { headers });
      expect(JSON.stringify([reply.headers, reply.text])).not.toContain('attacker.example');
    }
  });

  it('is not for the session of another gateway, however like it is', async () => {
    const other = await startConsole();
    try {
      const { cookie } = await other.signIn();
      expect((await gateway.ask('/queues', { headers: { Cookie: cookie } })).status).toBe(303);
      const doubled = `${visitor.cookie}; ${cookie}`;
      expect((await gateway.ask('/queues', { headers: { Cookie: doubled } })).status).toBe(303);
    } finally {
      await other.stop();
    }
  });

  it.each([
    '',
    '"',
    '%00',
    'a'.repeat(43),
    `${'A'.repeat(43)}=`,
    'A'.repeat(7000),
  ])('is not for the cookie %j', async (value) => {
    expect((await gateway.ask('/queues', { headers: { Cookie: `${NAME}=${value}` } })).status).toBe(303);
  });
});
