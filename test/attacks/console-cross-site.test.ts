import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleGateway, startConsole, type Visitor } from '../console/support.ts';

// A page of another site has the browser of an operator send a form to the console (CSRF). The session's cookie is not sent then
// (SameSite=Strict); here it is all the same, as from a sub-domain or an old browser.

const FORM = 'application/x-www-form-urlencoded';
let gateway: ConsoleGateway;
let operator: Visitor;
let token: string;

beforeAll(async () => {
  gateway = await startConsole();
  operator = await gateway.signIn();
  token = tokenIn((await operator.get('/queues/processes')).text);
});
afterAll(() => gateway.stop());

const tokenIn = (page: string): string => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';

async function pause(headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  const all = { 'Content-Type': FORM, ...headers, Cookie: operator.cookie };
  return (await gateway.ask('/queues/processes/pause', { method: 'POST', headers: all, body })).status;
}

const isPaused = async (): Promise<boolean> => (await operator.get('/queues/processes')).text.includes('Paused since');

describe('a form of another site', () => {
  it.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['another site of the domain', { 'Sec-Fetch-Site': 'same-site' }],
    ['an unknown site', { 'Sec-Fetch-Site': 'none' }],
    ['another origin, from an old browser', { Origin: 'https://attacker.example' }],
    ['another port', { Origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { Origin: 'null' }],
    ['nowhere', {}],
  ])('does nothing even with the token, from %s', async (_, headers) => {
    expect(await pause(headers, `token=${token}`)).toBe(403);
    expect(await isPaused()).toBe(false);
  });

  it('does nothing without the token of this session', async () => {
    const other = await gateway.signIn();
    const foreign = tokenIn((await other.get('/queues')).text);
    expect(foreign).not.toBe(token);
    for (const body of ['', 'token=', `token=${foreign}`, `token=${token}x`, `token=${token.slice(1)}`])
      expect(await pause({ 'Sec-Fetch-Site': 'same-origin' }, body), body).toBe(403);
    expect(await isPaused()).toBe(false);
  });

  it('does nothing as a type that needs no preflight', async () => {
    const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'text/plain' };
    expect(await pause(headers, `token=${token}`)).toBe(415);
    expect(await isPaused()).toBe(false);
  });

  it('does nothing as a link', async () => {
    expect((await operator.get(`/queues/processes/pause?token=${token}`)).status).toBe(404);
    expect(await isPaused()).toBe(false);
  });

  it('signs no one in or out', async () => {
    const headers = { 'Content-Type': FORM, 'Sec-Fetch-Site': 'cross-site' };
    const signIn = await gateway.ask('/sign-in', { method: 'POST', headers, body: 'id=demo&password=demo' });
    expect([signIn.status, signIn.headers['set-cookie']]).toEqual([403, undefined]);
    const body = `token=${token}`;
    const out = await gateway.ask('/sign-out', {
      method: 'POST',
      headers: { ...headers, Cookie: operator.cookie },
      body,
    });
    expect(out.status).toBe(403);
    expect((await operator.get('/queues')).status).toBe(200);
  });

  it('works from a page of the console, by both kinds of browsers', async () => {
    const host = `127.0.0.1:${gateway.port}`;
    expect(await pause({ 'Sec-Fetch-Site': 'same-origin' }, `token=${token}`)).toBe(303);
    expect(await isPaused()).toBe(true);
    await operator.post('/queues/processes/resume');
    expect(await pause({ Origin: `http://${host}`, Host: host }, `token=${token}`)).toBe(303);
    await operator.post('/queues/processes/resume');
  });
});
