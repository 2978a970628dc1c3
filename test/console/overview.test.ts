import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
