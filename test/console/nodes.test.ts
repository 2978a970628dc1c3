import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AUTHORITY, EXPIRED } from '../support/certificates.ts';
import { eventually } from '../support/project.ts';
import { nodesProject, PUT, System } from './nodes-project.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';

const PASSWORD = 'hush-hush-hush';

describe('the nodes in the console', () => {
  let erp: System;
  let gateway: ConsoleGateway;
  let demo: Visitor;
  let guest: Visitor;
  beforeAll(async () => {
    erp = await System.start();
    gateway = await startConsole({
      files: { ...nodesProject(), 'ca.pem': AUTHORITY, 'old.pem': EXPIRED.certificate, 'old.key': EXPIRED.key },
      env: { ERP_URL: erp.url, ERP_PASSWORD: PASSWORD, SAFE_HOST: 'hidden.example', SIGNALBOX_SAMPLE_USERS: 'true' },
    });
    [demo, guest] = [await gateway.signIn('demo'), await gateway.signIn('guest')];
  });
  afterAll(async () => {
    await gateway?.stop();
    await erp?.stop();
  });

  const put = (id = 'A') =>
    gateway.call(PUT, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Id: id }),
    });
  /** A page, once it has a text. */
  const page = (path: string, text: string, visitor = demo): Promise<string> =>
    eventually(`${text} at ${path}`, async () => {
      const shown = (await visitor.get(path)).text;
      return shown.includes(text) ? shown : undefined;
    });
  const follow = async (reply: { readonly headers: Readonly<Record<string, unknown>> }) =>
    (await demo.get(String(reply.headers.location).replace('/console', ''))).text;

  it('are listed with where they are and what calls them, and without what is secret', async () => {
    const { status, text } = await guest.get('/nodes');
    expect(status).toBe(200);
    expect(text).toContain('${env:ERP_URL}');
    expect(text).toContain(`http://127.0.0.1:${erp.port}<`);
    expect(text).toContain('then 1 other');
    expect(text).toContain('1 operation, 1 subscription');
    expect(text).toContain('not shown: it refers to a secret');
    for (const path of ['/nodes', '/nodes/ERP', '/nodes/SAFE', '/nodes/OTHERS'])
      expect((await guest.get(path)).text, path).not.toMatch(/wordpass|hidden-path|hidden\.example|hush/);
  });

  it('have a page with their credential by name, their certificates, limits and operations', async () => {
    const { text } = await guest.get('/nodes/ERP');
    for (const shown of ['user and password (HTTP Basic)', 'ERP_PASSWORD', '10 in 1 s by each gateway'])
      expect(text).toContain(shown);
    for (const to of ['/registry/operations/ERP_PUT', '/registry/subscriptions/TO_ERP', '/queues/TO_ERP?state=dead'])
      expect(text).toContain(`href="/console${to}"`);
    expect(text).toContain('href="/console/registry/files/definitions%2Fall.yaml#L1"');
    const safe = (await guest.get('/nodes/SAFE')).text;
    expect(safe).toMatch(/Not set: <code>SAFE_TOKEN<\/code>/);
    expect(safe).toMatch(/CN=old partner[\s\S]*2021-01-01T00:00:00\.000Z[\s\S]*expired/);
    expect((await guest.get('/nodes/NONE')).status).toBe(404);
  });

  it('open a circuit when calls fail, which is closed by hand, in the audit log', async () => {
    erp.status = 503;
    erp.body = JSON.stringify({ error: `<script>alert(1)</script> ${PASSWORD}` });
    expect((await demo.get('/nodes/ERP')).text).not.toContain('Close circuit');
    await put();
    await put();
    await put();
    const open = await page('/nodes/ERP', '> Error</span>');
    expect(open).toContain('> open</span>');
    expect(open).toContain('Next trial');
    expect(open).toMatch(/href="\/console\/messages\/[0-9a-f-]{36}"/);
    expect(open).not.toMatch(/<script>alert|hush/);
    expect(await page('/nodes', 'Open since')).toMatch(
      /<td class="wide"[^>]*><a href="\/console\/messages\/[^>]*><time[^>]*>[^<]*<\/time><\/a><br>ERP_PUT: /,
    );
    expect((await guest.get('/nodes/ERP')).text).not.toContain('Close circuit');
    expect((await guest.post('/nodes/ERP/close-circuit')).status).toBe(403);
    erp.status = 200;
    const reply = await demo.post('/nodes/ERP/close-circuit');
    expect(await follow(reply)).toContain('The circuit of ERP in this gateway is closed.');
    expect((await put()).status).toBe(200);
    expect((await demo.get('/nodes/ERP')).text).toContain('> closed</span>');
    expect(await follow(await demo.post('/nodes/ERP/close-circuit'))).toContain('was already closed.');
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({ action: 'node.close-circuit', target: 'ERP', user: 'demo', status: 303 }),
    );
  });

  it('are tested, with the result of each address and phase, in the audit log', async () => {
    const { status, text } = await demo.post('/nodes/ERP/test');
    expect(status).toBe(200);
    expect(text).toContain('1 of 2 addresses failed. No request was sent.');
    expect(text).toContain(`127.0.0.1 accepts connections at port ${erp.port}`);
    expect(text).toContain('nothing listens at its address (connect ECONNREFUSED 127.0.0.1:1)');
    expect(text).not.toMatch(/wordpass|hidden-path|hush/);
    expect(gateway.log()).toContainEqual(expect.objectContaining({ action: 'node.test', target: 'ERP', user: 'demo' }));
    expect((await guest.get('/nodes/ERP')).text).not.toContain('Test connection');
    expect((await guest.post('/nodes/ERP/test')).status).toBe(403);
    expect((await demo.post('/nodes/127.0.0.1/test')).status).toBe(404);
  });

  it('are held and released for the fleet, in the trail of the queues', async () => {
    expect(await follow(await demo.post('/nodes/ERP/hold'))).toContain('Deliveries to ERP are held.');
    expect((await demo.get('/nodes')).text).toContain('by console:demo');
    expect((await demo.get('/nodes/ERP')).text).toContain('Its deliveries are held since');
    expect((await guest.post('/nodes/ERP/release')).status).toBe(403);
    expect(await follow(await demo.post('/nodes/ERP/release'))).toContain('Deliveries to ERP go on.');
    expect(await follow(await demo.post('/nodes/ERP/release'))).toContain('Deliveries to ERP were not held.');
    expect((await demo.get('/queues')).text).toContain('node ERP');
  });

  it('that are down for deliveries say since when, and what the delivery was told', async () => {
    erp.status = 503;
    const changed = PUT.replace('/put', '/changed');
    const headers = { 'content-type': 'application/json' };
    for (const id of ['A', 'B', 'C'])
      expect((await gateway.call(changed, { method: 'POST', headers, body: JSON.stringify({ Id: id }) })).status).toBe(
        202,
      );
    const shown = await page('/nodes/ERP', 'find it down since', guest);
    expect(shown).toMatch(/TO_ERP<\/a> find it down since <time/);
    expect(shown).toMatch(/> Retry<\/span>/);
    expect(await page('/nodes', '> down</span>', guest)).toContain('since <time');
  });
});
