import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleGateway, startConsole } from '../console/support.ts';

// The next one at the same machine, or behind the same proxy, gets the page of the one before from a cache.

let gateway: ConsoleGateway;
beforeAll(async () => {
  gateway = await startConsole();
});
afterAll(() => gateway.stop());

it('no page of a user is kept by any cache, and neither is where it leads', async () => {
  const visitor = await gateway.signIn();
  const replies = {
    page: await visitor.get('/queues'),
    'unknown page': await visitor.get('/nothing'),
    'sign-in': await gateway.ask('/sign-in'),
    'signed out': await gateway.ask('/queues'),
    'done action': await visitor.post('/queues/processes/resume'),
    'part of a page': await visitor.get('/queues', { 'HX-Request': 'true' }),
  };
  for (const [name, { headers }] of Object.entries(replies)) {
    expect(headers['cache-control'], name).toBe('no-store');
    expect(headers.etag, name).toBe(undefined);
  }
});

it('a session that has ended gets nothing of its pages any more, as a whole or in part', async () => {
  const visitor = await gateway.signIn();
  await visitor.post('/sign-out');
  expect((await visitor.get('/queues')).status).toBe(303);
  const part = await visitor.get('/queues', { 'HX-Request': 'true' });
  expect(part.status).toBe(401);
  expect(part.text).not.toContain('query-runs');
  expect((await visitor.get('/live?topics=queues')).status).toBe(401);
});

it('the files of the console may be kept, and nothing else is below their path', async () => {
  const page = (await gateway.ask('/sign-in')).text;
  for (const [, path = ''] of page.matchAll(/(?:src|href)="\/console(\/assets\/[^"]+)"/g)) {
    const { status, headers } = await gateway.ask(path);
    expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  }
  for (const path of [
    '/assets/',
    '/assets/../index.js',
    '/assets/%2e%2e/index.js',
    '/assets/console.js',
    '/assets/__proto__',
  ])
    expect((await gateway.ask(path)).status, path).not.toBe(200);
});
