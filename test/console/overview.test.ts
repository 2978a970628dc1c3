import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { type ConsoleGateway, startConsole } from './support.ts';

describe('the overview of the console', () => {
  let gateway: ConsoleGateway;
  beforeAll(async () => {
    gateway = await startConsole();
  });
  afterAll(() => gateway.stop());

  it('is the first page, and shows the work in the background with links to it', async () => {
    const visitor = await gateway.signIn();
    const { status, text } = await visitor.get('');
    expect(status).toBe(200);
    expect(text).toContain('<h1>Overview</h1>');
    expect(text).toContain('href="/console/queues"');
    expect(text).toContain('dead letters');
  });

  it('has the same twelve numbers whatever happens, each a link', async () => {
    const visitor = await gateway.signIn();
    const cards = async (): Promise<readonly string[]> => {
      const { text } = await visitor.get('/overview');
      expect(text).not.toContain('<div class="card"');
      return [...text.matchAll(/<a class="card" href="([^"]+)"/g)].map(([, to]) => to as string);
    };
    const before = await cards();
    expect(before).toHaveLength(12);
    await visitor.post('/queues/events/pause');
    expect(await cards()).toHaveLength(12);
    await visitor.post('/queues/events/resume');
  });

  it('leads from the refused calls to the calls that were refused, and to no other', async () => {
    const path = '/gateway/RESTListeningConnector/Locations.v1/Locations/';
    for (const region of ['NORTH', 'SOUTH', 'N'])
      await gateway.call(`${path}?region=${region}`, { headers: { Authorization: DEMO } });
    await gateway.gateway.background.hurry();
    const visitor = await gateway.signIn();
    const [, to = ''] = /<a class="card" href="\/console([^"]*reply=refused)"/.exec((await visitor.get('')).text) ?? [];
    const shown = (path: string) =>
      eventually(path, async () => {
        const { status, text } = await visitor.get(path);
        expect(status).toBe(200);
        return text.includes('2 messages') ? text : undefined;
      });
    const text = await shown(to.replaceAll('&amp;', '&'));
    expect(text.match(/is longer than 1 character/g)).toHaveLength(2);
    expect((await visitor.get('/messages?kind=call&reply=failed')).text).toContain('No message matches.');
    expect((await visitor.get('/messages?reply=lost')).status).toBe(400);
  });

  it('has charts for an hour, a day and a week, also without any call', async () => {
    const visitor = await gateway.signIn();
    for (const [period, points] of [
      ['hour', 60],
      ['day', 288],
      ['week', 168],
    ] as const) {
      const { text } = await visitor.get(`/overview?period=${period}`);
      const [chart = ''] = /data-chart="([^"]+)"/.exec(text)?.slice(1) ?? [];
      const { series } = JSON.parse(chart.replaceAll('&quot;', '"')) as { series: { values: unknown[] }[] };
      expect(series[0]?.values.length, period).toBeGreaterThanOrEqual(points);
      expect(series[0]?.values.length, period).toBeLessThanOrEqual(points + 2);
    }
    expect((await visitor.get('/overview?period=__proto__')).text).toContain('The last day');
  });

  it('names the definitions that were loaded', async () => {
    await gateway.gateway.background.hurry();
    const visitor = await gateway.signIn();
    const { text } = await visitor.get('');
    expect(text).toMatch(/<code>[0-9a-f]{16}<\/code>/);
  });

  it('that fails is a page too, with the id by which the log has the error', async () => {
    const visitor = await gateway.signIn();
    const database = new Database(join(gateway.folder, 'test.db'));
    database.exec('alter table signalbox_definitions rename to gone');
    try {
      const { status, text, headers } = await visitor.get('/overview');
      expect([status, headers['content-type']]).toEqual([500, 'text/html; charset=utf-8']);
      const id = headers['x-request-id'];
      expect(text).toContain(`request ${id}`);
      expect(text).not.toContain('signalbox_definitions');
      expect(gateway.log()).toContainEqual(expect.objectContaining({ level: 'error', requestId: id }));
    } finally {
      database.exec('alter table gone rename to signalbox_definitions');
      database.close();
    }
  });
});
