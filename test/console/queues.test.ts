import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleGateway, startConsole } from './support.ts';

describe('the queues in the console', () => {
  let gateway: ConsoleGateway;
  beforeAll(async () => {
    gateway = await startConsole();
  });
  afterAll(() => gateway.stop());

  it('are listed with what waits in them', async () => {
    const visitor = await gateway.signIn();
    const { status, text } = await visitor.get('/queues');
    expect(status).toBe(200);
    for (const queue of ['events', 'processes', 'query-runs']) expect(text).toContain(`>${queue}</a>`);
  });

  it('have the columns that the command prints, and its word for a queue that runs', async () => {
    const { text } = await (await gateway.signIn()).get('/queues');
    const [list = ''] = text.split('</table>');
    const titles = Array.from(list.matchAll(/<th scope="col"[^>]*>([^<]*)</g), ([, title]) => title);
    expect(titles.join(' ').toUpperCase()).toBe('QUEUE WAITING RUNNING DELAYED HELD DEAD OLDEST DONE/MIN STATE');
    expect(list).toMatch(/events<\/a>.*● ?<\/span> active/s);
  });

  it('are paused and resumed, which is reported, in the trail and in the audit log', async () => {
    const visitor = await gateway.signIn();
    const paused = await visitor.post('/queues/processes/pause');
    expect(paused.status).toBe(303);
    const { text } = await visitor.get(String(paused.headers.location).replace('/console', ''));
    expect(text).toContain('processes is paused.');
    expect(text).toContain('console:demo');
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({ action: 'queue.pause', target: 'processes', user: 'demo' }),
    );
    await visitor.post('/queues/processes/resume');
    expect((await visitor.get('/queues/processes')).text).toContain('>Pause…<');
  });

  it('of an unknown name are not found', async () => {
    const visitor = await gateway.signIn();
    const { status, text } = await visitor.get('/queues/none');
    expect(status).toBe(404);
    expect(text).toContain('There is no queue none.');
  });

  it('that are not found lead back to the list, and a page that does not exist to the overview', async () => {
    const visitor = await gateway.signIn();
    expect((await visitor.get('/queues/none')).text).toContain('<a href="/console/queues">← Queues</a>');
    const { status, text } = await visitor.get('/queuesque');
    expect(status).toBe(404);
    expect(text).toContain('<a href="/console/overview">← Overview</a>');
  });

  it('have no list of jobs in a state while there are none, and say where to go', async () => {
    const { text } = await (await gateway.signIn()).get('/queues?state=dead');
    expect(text).toContain('aria-current="page">dead 0</a>');
    expect(text).toContain('No job is dead. <a href="/console/queues">Show all queues</a>');
  });
});
