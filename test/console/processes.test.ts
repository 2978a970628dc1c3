import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/project.ts';
import { PROJECT } from './process-project.ts';
import { type ConsoleGateway, startConsole, type Visitor } from './support.ts';

const FORM = '/processes/new/SQR%20Report/COUNTING';
const LATER = { runControl: 'RC', 'p.COUNT': '3', runs: '2099-01-02T03:04', zone: 'Europe/Berlin' };

describe('processes in the console', () => {
  let gateway: ConsoleGateway;
  let demo: Visitor;
  let reader: Visitor;
  beforeAll(async () => {
    gateway = await startConsole({ files: PROJECT });
    demo = await gateway.signIn();
    reader = await gateway.signIn('reader', 'demo');
  });
  afterAll(() => gateway.stop());

  /** Schedules a request, and returns its number. */
  const schedule = async (fields: Readonly<Record<string, string>> = LATER): Promise<number> => {
    const { status, headers, text } = await demo.post(FORM, fields);
    expect(status, text).toBe(303);
    return Number(/processes\/(\d+)/.exec(String(headers.location))?.[1]);
  };
  const shows = async (instance: number, words: string): Promise<string> =>
    eventually(`${words} of ${instance}`, async () => {
      const { text } = await demo.get(`/processes/${instance}`);
      return text.includes(words) ? text : undefined;
    });
  const instancesOf = (text: string): number[] =>
    [...text.matchAll(/href="\/console\/processes\/(\d+)"/g)].map(([, instance]) => Number(instance));

  it('are scheduled by a form, run, and have a log, a report and the user who asked', async () => {
    const instance = await schedule({ runControl: 'RC', 'p.COUNT': '3', 'p.MOOD': 'bad' });
    const text = await shows(instance, 'Success');
    expect(text).toContain('COUNTING');
    for (const words of ['COUNT', 'bad', 'SQR Report, requested by demo']) expect(text).toContain(words);
    const report = await demo.get(`/processes/${instance}/report`);
    expect(report).toMatchObject({ status: 200, text: expect.stringContaining('word 3 bad') });
    expect(report.headers['content-disposition']).toMatch(/^attachment; .*\.csv$/);
    const opened = await demo.get(`/processes/${instance}/report?open=1`);
    expect(opened.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(opened.headers['content-disposition']).toMatch(/^inline/);
    expect(gateway.log()).toContainEqual(
      expect.objectContaining({ action: 'process.schedule', target: `COUNTING ${instance}`, user: 'demo' }),
    );
  });

  it('are scheduled for a time in a zone', async () => {
    const instance = await schedule();
    const text = await shows(instance, 'Queued');
    expect(text).toContain('2099-01-02T03:04:00+01:00');
  });

  it.each([
    ['p.COUNT', '', 'COUNT is missing.'],
    ['p.COUNT', 'many', 'COUNT is not an integer'],
    ['p.COUNT', '5001', 'COUNT'],
    ['p.MOOD', 'sad', 'MOOD'],
    ['runs', 'tomorrow', 'The run date/time is not'],
    ['runs', '2026-02-31T10:00', 'The run date/time is not'],
    ['zone', 'Berlin', 'TimeZone is'],
    ['recurrence', 'NEVER', 'Recurrence is'],
    ['runControl', ' ', 'The run control is missing.'],
    ['destination', 'PRINTER', 'OutputDestinationType is'],
    ['format', 'PDF', 'OutputDestinationFormat is'],
  ])('are not scheduled with %s %j: the field says why, and nothing that was entered is lost', async (name, value, why) => {
    const fields = { ...LATER, 'p.SINCE': '2026-01-31', [name]: value };
    const { status, text } = await demo.post(FORM, fields);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    const problem = new RegExp(`<p class="problem bad" id="${name}-problem">.*?</p>`).exec(text)?.[0];
    expect(problem).toContain(why);
    expect(text).toContain('value="2026-01-31"');
  });

  it('are listed newest first in pages, by filters that are in the address', async () => {
    const own = [];
    for (let count = 0; count < 52; count += 1) own.unshift(await schedule({ ...LATER, recurrence: '' }));
    const first = (await demo.get('/processes')).text;
    expect(instancesOf(first)).toEqual(own.slice(0, 50));
    const older = /<a href="\/console(\/processes\?[^"]*before[^"]*)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(instancesOf((await demo.get(older)).text).slice(0, 2)).toEqual(own.slice(50));
    const range = (await demo.get(`/processes?from=${own[5]}&to=${own[3]}`)).text;
    expect(instancesOf(range)).toEqual(own.slice(3, 6));
    for (const nothing of ['name=NONE', 'type=PSJob', 'user=nobody', 'status=Error', 'hours=1&status=Queued&to=1'])
      expect(instancesOf((await demo.get(`/processes?${nothing}`)).text)).toEqual([]);
    expect((await demo.get('/processes?status=Nonsense')).status).toBe(400);
  });

  it('are held, restarted, cancelled and deleted, as far as their status allows', async () => {
    const instance = await schedule();
    const offers = async () =>
      [...(await demo.get(`/processes/${instance}`)).text.matchAll(/processes\/\d+\/([a-z]+)"/g)].map(
        ([, verb]) => verb,
      );
    expect(await offers()).toEqual(['hold', 'cancel', 'delete']);
    expect((await demo.post(`/processes/${instance}/hold`)).status).toBe(303);
    await shows(instance, 'Hold');
    expect(await offers()).toEqual(['restart', 'cancel', 'delete']);
    expect((await demo.post(`/processes/${instance}/restart`)).status).toBe(303);
    await shows(instance, 'Queued');
    expect((await demo.post(`/processes/${instance}/cancel`)).status).toBe(303);
    await shows(instance, 'Cancelled');
    const refused = await demo.post(`/processes/${instance}/hold`);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('can&#39;t be put on hold');
    expect((await demo.post(`/processes/${instance}/delete`)).status).toBe(303);
    await shows(instance, 'Deleted');
    for (const verb of ['hold', 'restart', 'cancel', 'delete'])
      expect(gateway.log()).toContainEqual(
        expect.objectContaining({ action: `process.${verb}`, target: String(instance), user: 'demo' }),
      );
    const words = ['Scheduled', 'Put on hold', 'Restarted', 'Cancelled', 'Deleted'].map(
      (each) => `${each} by console:demo.`,
    );
    const { text } = await demo.get(`/processes/${instance}`);
    expect(text.match(/[A-Z][a-z ]+ by console:demo\./g)).toEqual(words);
    const log = await demo.get(`/users/log?subject=${instance}`);
    const entries = log.text.match(/class="word">[a-z]+(?=<[\s\S]*?>request \d+<)/g) ?? [];
    expect(entries.map((each) => each.slice(13))).toEqual(['delete', 'cancel', 'restart', 'hold', 'schedule']);
    expect(log.text).toContain(`href="/console/processes/${instance}">request ${instance}</a>`);
  });

  it('of others are hidden from who lacks process-requests: all, and the page says so', async () => {
    const instance = await schedule();
    const { text } = await reader.get('/processes');
    expect(text).toContain('Your own requests only');
    expect(instancesOf(text)).toEqual([]);
    expect(text).not.toContain('id="user"');
    expect((await reader.get(`/processes/${instance}`)).status).toBe(404);
    expect((await demo.get('/processes')).text).toContain('and those of others');
  });

  it('can only be looked at by a reader', async () => {
    const instance = await schedule();
    expect((await reader.get('/processes')).text).not.toContain('Schedule a process');
    for (const path of ['/processes/new', FORM, `/processes/${instance}/report`])
      expect((await reader.get(path)).status, path).toBe(403);
    for (const path of [FORM, `/processes/${instance}/hold`])
      expect((await reader.post(path, LATER)).status, path).toBe(403);
    await shows(instance, 'Queued');
  });

  it('that a user may not run are neither offered nor taken', async () => {
    const { text } = await demo.get('/processes/new');
    expect(text).toContain('COUNTING');
    expect(text).not.toContain('FORBIDDEN');
    const path = '/processes/new/SQR%20Report/FORBIDDEN_PROCESS';
    expect((await demo.get(path)).status).toBe(404);
    expect((await demo.post(path, { runControl: 'RC' })).status).toBe(404);
    expect((await demo.get('/processes/new?q=night')).text).not.toContain('COUNTING');
  });

  it('recur at times that are shown', async () => {
    const { text } = await demo.get('/processes/recurrences');
    for (const words of ['AT_SIX', 'Every morning.', 'NIGHTLY', 'as demo']) expect(text).toContain(words);
    expect(text.match(/<time datetime="[^"]*T0[45]:00:00.000Z"/g)?.length).toBeGreaterThanOrEqual(4);
  });

  it('have a load by process and hour, of what the user may see', async () => {
    const instance = await schedule({ runControl: 'RC', 'p.COUNT': '1' });
    await shows(instance, 'Success');
    const { text } = await demo.get('/processes/load');
    expect(text).toMatch(/<th scope="row"><a [^>]*>COUNTING<\/a><\/th>.*heat-5/);
    expect((await reader.get('/processes/load')).text).toContain('No request ran in the last seven days.');
  });

  it('of unknown numbers are not found', async () => {
    for (const path of ['/processes/987654', '/processes/x', '/processes/99999999999999'])
      expect((await demo.get(path)).status, path).toBe(404);
  });
});
