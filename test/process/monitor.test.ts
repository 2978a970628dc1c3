import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../../src/model/security.ts';
import type { LogPage } from '../../src/process/index.ts';
import { createDatabase, hasPostgres, type TestDatabase } from '../support/postgres.ts';
import { openTestScheduler, registryOf, type TestScheduler } from './support.ts';

const registry = registryOf(`recurs: DAILY
run-as: demo
---
process: SECRETIVE
type: SQR Report
permission: P
parameters:
  PIN: { type: string, sensitive: true }
  NOTE: string
---
permission-list: NOBODY
---
process: HIDDEN
type: SQR Report
permission: NOBODY
---
recurrence: DAILY
cron: 0 6 * * *
zone: Europe/Berlin`);

/** Noon of a day in winter. */
const NOW = Date.UTC(2026, 0, 15, 12);

describe.each(['SQLite', 'PostgreSQL'])('what operators see of processes on %s', (engine) => {
  const isPostgres = engine === 'PostgreSQL';
  const inEngine = it.skipIf(isPostgres && !hasPostgres);
  let database: TestDatabase | undefined;
  let test: TestScheduler;
  let other: User;

  beforeAll(async () => {
    if (isPostgres && !hasPostgres) return;
    database = isPostgres ? await createDatabase({ migrated: true }) : undefined;
    const url = database === undefined ? {} : { url: database.url };
    test = await openTestScheduler({ ...url, registry, start: false, now: () => NOW });
    other = registry.users.get('other') as User;
  });
  afterAll(async () => {
    await test?.close();
    await database?.drop();
  });

  /** Requests of another system, at these hours of a day. */
  const enterForeign = async (first: number, name: string, times: readonly string[], more = {}) => {
    const tables = await test.store.tables();
    await tables
      .insertInto('psprcsrqst')
      .values(
        times.map((rundttm, index) => ({
          ...{ prcsinstance: first + index, prcstype: 'SQR Report', prcsname: name, oprid: 'VP1', rundttm },
          ...{ jobinstance: 0, mainjobinstance: 0, prcsjobseq: 0, prcsjobname: '', mainjobname: '', runlocation: '2' },
          ...{ opsys: '4', servernamerqst: '', servernamerun: '', recurname: '', runcntlid: '', runstatus: '9' },
          ...{ diststatus: '0', rqstdttm: null, begindttm: null, enddttm: null },
          ...more,
        })),
      )
      .execute();
  };

  inEngine('requests can be found by the hours since they ran', async () => {
    await enterForeign(7_000_001, 'FOREIGN', ['2026-01-15 11:30:00', '2026-01-15 08:00:00', '2026-01-15 13:00:00']);
    const found = await test.scheduler.find({ name: 'FOREIGN', since: NOW - 3_600_000 }, test.demo);
    expect(found.map(({ instance }) => instance)).toEqual([7_000_003, 7_000_001]);
  });

  inEngine('the load counts what ran by process and hour, and nothing that a user may not see', async () => {
    await enterForeign(7_100_001, 'LOAD', ['2026-01-15 08:10:00', '2026-01-14 08:59:59', '2026-01-10 23:00:00']);
    // Not yet, and too long ago.
    await enterForeign(7_100_011, 'LOAD', ['2026-01-15 12:00:01', '2026-01-08 11:59:59']);
    await enterForeign(7_100_021, 'HIDDEN', ['2026-01-15 08:10:00']);
    await enterForeign(7_100_031, 'MY_QUERY', ['2026-01-15 08:10:00'], { prcstype: 'PSQuery' });
    const { processes, truncated } = await test.scheduler.load(test.demo);
    const load = processes.find(({ name }) => name === 'LOAD');
    expect(load).toMatchObject({ type: 'SQR Report', total: 3 });
    expect(load?.hours.flatMap((count, hour) => (count === 0 ? [] : [[hour, count]]))).toEqual([
      [8, 2],
      [23, 1],
    ]);
    expect(truncated).toBe(false);
    expect(processes.map(({ name }) => name)).not.toContain('HIDDEN');
    expect(processes.map(({ name }) => name)).not.toContain('MY_QUERY');
    expect((await test.scheduler.load(other)).processes).toEqual([]);
    await enterForeign(7_100_041, 'LOAD', ['2026-01-15 09:00:00'], { oprid: 'other' });
    expect((await test.scheduler.load(other)).processes).toMatchObject([{ name: 'LOAD', total: 1 }]);
  });

  inEngine('a request has its parameters without secrets, and what may be done with it', async () => {
    const parameters = [
      { Name: 'PIN', Value: '4711' },
      { Name: 'NOTE', Value: 'the pin is 4711' },
    ];
    const instance = await test.enter({ type: 'SQR Report', name: 'SECRETIVE', parameters });
    const detail = await test.scheduler.detail(instance, test.demo);
    expect(detail.parameters).toEqual([
      { name: 'PIN', value: '***' },
      { name: 'NOTE', value: 'the pin is ***' },
    ]);
    expect(detail.actions).toEqual(['Hold', 'Cancelled', 'Deleted']);
    await test.scheduler.update(instance, 'Hold', test.demo, 'demo');
    expect((await test.scheduler.detail(instance, test.demo)).actions).toEqual(['Cancelled', 'Restart', 'Deleted']);
    await expect(test.scheduler.detail(instance, other)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  inEngine('a request of another system can be seen, and not used', async () => {
    await enterForeign(7_200_001, 'ELSEWHERE', ['2026-01-15 08:10:00']);
    expect(await test.scheduler.detail(7_200_001, test.demo)).toMatchObject({ mayUse: false, actions: [] });
  });

  inEngine('the log of a request has each action once, between its lines, in whatever parts it is read', async () => {
    const instance = await test.enter();
    const db = await test.store.tables();
    const at = (ms: number): string => new Date(NOW + ms).toISOString();
    // All within a second, and the last two of one moment.
    const lines = [100, 300, 500, 700, 700].map((ms, index) => ({
      ...{ instance, sequence: index + 1, level: 'info', text: `line ${index + 1}`, said: at(ms) },
    }));
    await db.insertInto('signalbox_process_message').values(lines).execute();
    const deeds = [50, 400, 500, 700, 900].map((ms, index) => ({
      ...{ id: `${instance}-${index}`, at: at(ms), actor: `a${index}`, action: 'hold', queue: 'processes' },
      ...{ job: null, request: instance },
    }));
    await db.insertInto('signalbox_job_audit').values(deeds).execute();
    const inParts = async (count: number): Promise<string[]> => {
      const all: string[] = [];
      for (let from: number | undefined = 1; from !== undefined; ) {
        const { entries, next }: LogPage = await test.scheduler.log(instance, { from, count }, test.demo);
        all.push(...entries.map(({ text }) => text));
        from = next;
      }
      return all;
    };
    const held = (n: number): string => `Put on hold by a${n}.`;
    const whole = [...[held(0), 'line 1', 'line 2', held(1), 'line 3', held(2), 'line 4', 'line 5', held(3), held(4)]];
    for (const count of [1, 2, 3, 4, 5, 100]) expect(await inParts(count), `parts of ${count}`).toEqual(whole);
    await expect(test.scheduler.log(instance, { from: 1, count: 9 }, other)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  inEngine('processes are listed with what a request for them takes', async () => {
    const names = (await test.scheduler.programs(test.demo)).map(({ name }) => name);
    expect(names).toContain('WORK');
    expect(names).not.toContain('HIDDEN');
    expect(await test.scheduler.programs(other)).toEqual([]);
    const program = await test.scheduler.program('SQR Report', 'SECRETIVE', test.demo);
    expect(program.parameters.map(({ name }) => name)).toEqual(['PIN', 'NOTE']);
    expect(program).toMatchObject({ destinations: ['WEB', 'FILE', 'WINDOW', 'NONE'], formats: [] });
    for (const user of [test.demo, other])
      await expect(test.scheduler.program('SQR Report', 'HIDDEN', user)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  inEngine('recurrences have their next times', async () => {
    const [daily] = await test.scheduler.recurrences(test.demo);
    expect(daily?.recurrence.id).toBe('DAILY');
    expect(daily?.next).toEqual(['2026-01-16T05:00:00.000Z', '2026-01-17T05:00:00.000Z', '2026-01-18T05:00:00.000Z']);
    expect(daily?.processes).toMatchObject([{ name: 'WORK', runAs: 'demo' }]);
    expect((await test.scheduler.recurrences(other))[0]?.processes).toEqual([]);
  });

  inEngine('the pulse changes with each request that is entered or moves', async () => {
    const before = await test.scheduler.pulse();
    expect(await test.scheduler.pulse()).toBe(before);
    const instance = await test.enter();
    const entered = await test.scheduler.pulse();
    expect(entered).not.toBe(before);
    await test.scheduler.update(instance, 'Hold', test.demo, 'demo');
    expect(await test.scheduler.pulse()).not.toBe(entered);
  });
});
