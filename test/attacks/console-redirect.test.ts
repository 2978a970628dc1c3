import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleGateway, startConsole } from '../console/support.ts';

// A link to the console's own sign-in leads to a page of an attacker afterwards, which looks like the console.

let gateway: ConsoleGateway;
beforeAll(async () => {
  gateway = await startConsole();
});
afterAll(() => gateway.stop());

async function ledTo(to: string): Promise<string> {
  const reply = await gateway.ask('/sign-in', {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' },
    body: new URLSearchParams({ id: 'demo', password: 'demo', to }).toString(),
  });
  expect(reply.status).toBe(303);
  return String(reply.headers.location);
}

it.each([
  'https://attacker.example/',
  '//attacker.example/',
  '///attacker.example/',
  '/\\attacker.example/',
  '\\\\attacker.example',
  '/\t/attacker.example/',
  '/\n/attacker.example/',
  ' //attacker.example/',
  'javascript:alert(1)',
  'data:text/html,x',
  '@attacker.example/',
  '.attacker.example/',
  '/x\r\nSet-Cookie: a=b',
  '/\u2028/attacker.example',
  'queues',
  '',
])('leads nowhere else: %j', async (to) => {
  const location = await ledTo(to);
  const { origin, pathname } = new URL(location, 'http://gateway.example/console/sign-in');
  expect(origin).toBe('http://gateway.example');
  expect(pathname).toMatch(/^\/console(\/|$)/);
});

it('leads to the page of the console that was asked for', async () => {
  expect(await ledTo('/queues/events?state=dead')).toBe('/console/queues/events?state=dead');
});

it.each(['/../../attacker', '/%2e%2e/%2e%2e/health/live', '/..;/x'])('stays below the console with %j', async (to) => {
  const { pathname } = new URL(await ledTo(to), 'http://gateway.example/console/sign-in');
  expect(pathname).toMatch(/^\/console(\/|$)/);
});

it('reports nothing after an action that this session has not done', async () => {
  const visitor = await gateway.signIn();
  const forged = 'Your password has expired, call 555';
  for (const seal of ['', 'x', 'A'.repeat(43)])
    for (const kind of ['done', 'partly'])
      expect((await visitor.get(`/queues?${new URLSearchParams({ [kind]: forged, seal })}`)).text).not.toContain('555');
});
