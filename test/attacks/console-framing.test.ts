import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleGateway, type ConsoleReply, startConsole } from '../console/support.ts';

// A page of another site shows the console in a frame, under something that its user wants to click.

let gateway: ConsoleGateway;
beforeAll(async () => {
  gateway = await startConsole();
});
afterAll(() => gateway.stop());

it('no reply of the console can be shown in a frame, or run anything that is not its own', async () => {
  const visitor = await gateway.signIn();
  const asset = /\/console(\/assets\/console\.[^"]+\.js)/.exec((await visitor.get('/queues')).text)?.[1] ?? '';
  const replies: Readonly<Record<string, ConsoleReply>> = {
    page: await visitor.get('/queues'),
    'unknown page': await visitor.get('/nothing'),
    'signed out': await gateway.ask('/queues'),
    'sign-in': await gateway.ask('/sign-in'),
    asset: await gateway.ask(asset),
    'refused form': await gateway.ask('/queues/processes/pause', {
      method: 'POST',
      headers: { Cookie: visitor.cookie },
    }),
    'done action': await visitor.post('/queues/processes/resume'),
  };
  for (const [name, { headers }] of Object.entries(replies)) {
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy, name).toContain("frame-ancestors 'none'");
    expect(policy, name).toContain("default-src 'none'");
    expect(policy, name).toContain("base-uri 'none'");
    expect(policy, name).toContain("form-action 'self'");
    expect(policy.join(), name).not.toMatch(/unsafe|\*|data:|blob:|https?:/);
    expect(headers['x-frame-options'], name).toBe('DENY');
    expect(headers['x-content-type-options'], name).toBe('nosniff');
    expect(headers['referrer-policy'], name).toBe('same-origin');
    expect(headers['cross-origin-opener-policy'], name).toBe('same-origin');
  }
});

it('no page has a script, a style or a handler of its own', async () => {
  const visitor = await gateway.signIn();
  for (const path of ['/queues', '/queues/processes', '/nothing']) {
    const { text } = await visitor.get(path);
    expect(text).not.toMatch(/<script(?! src="\/console\/assets\/)/);
    expect(text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:|hx-on|hx-vals="js:/);
  }
});
