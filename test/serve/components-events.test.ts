import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Reply } from '../support/gateway.ts';
import { eventually } from '../support/project.ts';
import { type ComponentsGateway, ENGINES, startComponents } from './components-project.ts';

const BASE = '/gateway/RESTListeningConnector/Places.v1';

describe.each(ENGINES)('events of components, on %s', (kind) => {
  let box: ComponentsGateway;

  beforeAll(async () => {
    box = await startComponents(kind);
  });
  afterAll(() => box.stop());

  const send = (method: string, path: string, body?: object): Promise<Reply> =>
    box.call(`${BASE}/${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const fault = ({ status, text }: Reply): unknown[] => [status, JSON.parse(text).CODE];
  /** What the classes have written of a region's saves, once there is so much. */
  const audited = (region: string, count: number): Promise<Record<string, unknown>[]> =>
    eventually(`${count} rows of audit`, async () => {
      const like = `%"REGION":"${region}"%`;
      const rows = await box.rows(`select * from audit where was like '${like}' or now like '${like}' order by n`);
      return rows.length >= count ? rows : undefined;
    });

  it('runs the classes after each save in the order of their sequence, with what was and what is', async () => {
    const path = 'places/A/1';
    await send('PUT', path, { NAME: 'a1' });
    await send('PATCH', path, { CHECKED: 'Y' });
    await send('DELETE', path);
    const rows = await audited('A', 6);
    expect(rows.map((row) => [row.class, row.action, row.oprid])).toEqual([
      ['audit', 'created', 'demo'],
      ['second', 'created', 'demo'],
      ['audit', 'updated', 'demo'],
      ['second', 'updated', 'demo'],
      ['audit', 'deleted', 'demo'],
      ['second', 'deleted', 'demo'],
    ]);
    const first = { REGION: 'A', ID: 1, NAME: 'a1', STATUS: 'A', REVISION: 1 };
    const second = { ...first, CHECKED: 'Y', REVISION: 2 };
    const states = rows.map(({ was, now }) => [was, now].map((text) => text && JSON.parse(text as string)));
    expect(states[0]).toEqual([null, first]);
    expect(states[2]).toEqual([first, second]);
    expect(states[4]).toEqual([second, null]);
    const saves = rows.map(({ save }) => save);
    expect(saves[0]).toBe(saves[1]);
    expect(new Set(saves).size).toBe(3);
  });

  it('tells the log of a class that who saves may not use, and does not run it', async () => {
    await send('PUT', 'places/B/1', { NAME: 'b1' });
    const rows = await audited('B', 2);
    expect(rows.map((row) => row.class)).toEqual(['audit', 'second']);
    const line = box
      .log()
      .find(({ service, msg }) => service === 'GUARDED' && /user demo is not permitted to use it/.test(`${msg}`));
    expect(line).toMatchObject({ component: 'PLACES', event: 'SavePostChange' });
  });

  it('tries a class again that failed, without what its first attempt wrote, and keeps the order', async () => {
    await send('PUT', 'places/C/1', { NAME: 'fails' });
    await send('PUT', 'places/C/1', { NAME: 'c1' });
    const rows = await audited('C', 4);
    expect(rows.map((row) => [row.class, row.action])).toEqual([
      ['audit', 'created'],
      ['second', 'created'],
      ['audit', 'updated'],
      ['second', 'updated'],
    ]);
    expect(await box.rows("select * from audit where class = 'lost'")).toEqual([]);
    const line = box.log().find(({ msg }) => msg === 'the first attempt fails');
    expect(line).toMatchObject({ component: 'PLACES', service: 'AUDIT', attempt: 1 });
  });

  it('lets a class before the save refuse it, with all that it wrote', async () => {
    const path = 'places/D/1';
    expect(fault(await send('PUT', path, { NAME: '!fault' }))).toEqual([409, 'NOT_TODAY']);
    const broken = await send('PUT', path, { NAME: '!error' });
    expect(fault(broken)).toEqual([500, 'INTERNAL']);
    expect(broken.text).not.toContain('secret');
    expect(fault(await send('PUT', path, { NAME: '!change' }))).toEqual([500, 'INTERNAL']);
    expect((await send('GET', path)).status).toBe(404);
    expect(await box.rows("select * from audit where class = 'refuses'")).toEqual([]);
    const line = box.log().find(({ err }) => /secret detail/.test(JSON.stringify(err ?? '')));
    expect(line).toBeDefined();
  });

  it('asks a class before the save once of a save that its table refuses', async () => {
    await send('PUT', 'places/D/1', { NAME: '!same' });
    await send('PUT', 'places/D/2', { NAME: 'd2' });
    expect((await send('PUT', 'places/D/2', { NAME: '!same' })).status).toBe(409);
    expect(box.log().flatMap(({ msg }) => (`${msg}`.startsWith('asked of ') ? msg : []))).toEqual([
      'asked of 1',
      'asked of 2',
    ]);
  });

  it('saves another record in the same transaction where a class does', async () => {
    expect((await send('PUT', 'places/E/7', { NAME: '!note' })).status).toBe(201);
    expect(JSON.parse((await send('GET', 'notes/n7')).text)).toEqual({ ID: 'n7', TEXT: 'by a class' });
    const tooLong = await send('PUT', 'places/E/70000', { NAME: '!note' });
    expect(tooLong.status).toBe(400);
    expect((await send('GET', 'places/E/70000')).status).toBe(404);
  });

  it('ends a class that saves what it is registered at', async () => {
    expect(fault(await send('PUT', 'places/F/1', { NAME: '!loop' }))).toEqual([500, 'INTERNAL']);
    expect((await send('GET', 'places/F/1')).status).toBe(404);
    expect(JSON.stringify(box.log())).toContain('saves of PLACES by classes are nested more than 8 levels deep');
  });

  it('runs each class once a save, in the order of the saves, whoever saves at the same time', async () => {
    const saves = Array.from({ length: 30 }, (_, n) => send('PUT', `places/G/${n % 3}`, { NAME: `g${n % 3}` }));
    for (const { status } of await Promise.all(saves)) expect([200, 201]).toContain(status);
    const rows = await audited('G', 60);
    for (const id of [0, 1, 2]) {
      const own = rows
        .map(({ class: name, now }) => ({ name, ...JSON.parse(now as string) }))
        .filter(({ ID }) => ID === id);
      const expected = Array.from({ length: 10 }, (_, n) => ['audit', 'second'].map((name) => [name, n + 1])).flat();
      expect(own.map(({ name, REVISION }) => [name, REVISION])).toEqual(expected);
    }
  });
});
