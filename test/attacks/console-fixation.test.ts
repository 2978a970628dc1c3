import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleGateway, startConsole } from '../console/support.ts';

// An attacker gives a browser a session before its user signs in, or takes one that has ended.

const NAME = '__Host-signalbox';
let gateway: ConsoleGateway;
beforeAll(async () => {
  gateway = await startConsole();
});
afterAll(() => gateway.stop());

const pageWith = async (cookie: string): Promise<number> =>
  (await gateway.ask('/queues', { headers: { Cookie: cookie } })).status;

it('a session that the browser had before the sign-in is not that of its user', async () => {
  for (const before of ['attacker-chosen-token', (await gateway.signIn()).cookie.slice(NAME.length + 1)]) {
    const reply = await gateway.ask('/sign-in', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Sec-Fetch-Site': 'same-origin',
        Cookie: `${NAME}=${before}`,
      },
      body: 'id=demo&password=demo',
    });
    const [cookie = ''] = String(reply.headers['set-cookie']).split(';');
    expect(cookie).toMatch(/^__Host-signalbox=[\w-]{43}$/);
    expect(cookie).not.toBe(`${NAME}=${before}`);
    expect(await pageWith(cookie)).toBe(200);
  }
  expect(await pageWith(`${NAME}=attacker-chosen-token`)).toBe(303);
});

it('a session is over with its sign-out, wherever its cookie is kept', async () => {
  const visitor = await gateway.signIn();
  expect((await visitor.post('/sign-out')).status).toBe(303);
  expect(await pageWith(visitor.cookie)).toBe(303);
});

it('a cookie that another site of the domain has added makes none of the two count', async () => {
  const [own, other] = [await gateway.signIn(), await gateway.signIn()];
  expect(await pageWith(`${own.cookie}; ${other.cookie}`)).toBe(303);
  expect(await pageWith(`${other.cookie}; ${own.cookie}`)).toBe(303);
  expect(await pageWith(own.cookie)).toBe(200);
});

it('a session is not taken from the address, from a header, or from a cookie of another name', async () => {
  const { cookie } = await gateway.signIn();
  const token = cookie.slice(NAME.length + 1);
  expect((await gateway.ask(`/queues?${cookie}`)).status).toBe(303);
  expect((await gateway.ask('/queues', { headers: { Authorization: `Bearer ${token}` } })).status).toBe(303);
  expect((await gateway.ask('/queues', { headers: { Authorization: `Basic ${btoa('demo:demo')}` } })).status).toBe(303);
  expect(await pageWith(`signalbox=${token}`)).toBe(303);
  expect(await pageWith(`__Secure-signalbox=${token}`)).toBe(303);
});

it('a session opens no operation of the gateway', async () => {
  const { cookie } = await gateway.signIn();
  const path = '/gateway/RESTListeningConnector/Locations.v1/Locations/?region=N';
  expect((await gateway.call(path, { anonymous: true, headers: { Cookie: cookie } })).status).toBe(401);
});
