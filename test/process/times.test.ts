import { afterEach, describe, expect, it } from 'vitest';
import { createClock } from '../../src/process/clock.ts';
import { enterNext } from '../../src/process/enter.ts';
import type { RunPorts } from '../../src/process/process-port.ts';
import { findProgram, kindOfProgram } from '../../src/process/program.ts';
import { initiate } from '../../src/process/steps.ts';
import { eventually } from '../support/project.ts';
import { openTestScheduler, registryOf, type TestScheduler } from './support.ts';

const iso = (instant: number): string => new Date(instant).toISOString();

describe('a time that a caller gives', () => {
  const clock = createClock('Europe/Berlin', Date.now);

  it.each([
    [
      'an offset of its own counts, whatever the zone',
      '2026-07-01T06:00:00-04:00',
      'Asia/Tokyo',
      '2026-07-01T10:00:00.000Z',
    ],
    ['Z is one', '2026-07-01T06:00:00Z', undefined, '2026-07-01T06:00:00.000Z'],
    ["the gateway's zone where none is named", '2026-07-01T06:00:00', undefined, '2026-07-01T04:00:00.000Z'],
    ['the zone that is named', '2026-07-01T06:00:00', 'America/New_York', '2026-07-01T10:00:00.000Z'],
    ['an offset for a zone', '2026-07-01T06:00:00', '+05:30', '2026-07-01T00:30:00.000Z'],
    ['Z for a zone', '2026-07-01T06:00:00.250', 'Z', '2026-07-01T06:00:00.250Z'],
    ['a time that the change of the clock leaves out', '2026-03-29T02:30:00', undefined, '2026-03-29T01:30:00.000Z'],
    ['a time that comes twice, the first time', '2026-10-25T02:30:00', undefined, '2026-10-25T00:30:00.000Z'],
  ])('is understood: %s', (_, text, zone, instant) => {
    expect(iso(clock.instantOf(text, zone))).toBe(instant);
  });

  it('is shown exactly in the hour that comes twice', () => {
    const [first, second] = ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'].map((text) => Date.parse(text));
    expect([clock.shown(first!), clock.shown(second!)]).toEqual([
      '2026-10-25T02:30:00+02:00',
      '2026-10-25T02:30:00+01:00',
    ]);
    expect([clock.local(first!), clock.local(second!)]).toEqual(['2026-10-25 02:30:00', '2026-10-25 02:30:00']);
    expect(clock.shownLocal('2026-01-05 06:00:00')).toBe('2026-01-05T06:00:00+01:00');
  });
});

describe('a request that recurs', () => {
  const registry = registryOf(`---
recurrence: NIGHTLY
cron: 30 2 * * *
zone: Europe/Berlin
---
recurrence: HOURLY
cron: 0 * * * *
`);
  let test: TestScheduler;
  afterEach(() => test.close());

  /** Takes up a request as a worker does, and returns when the one that follows it runs. */
  async function follow(instance: number, now: () => number, attempt = 1): Promise<string | undefined> {
    const { store, queue } = test;
    const ports = { registry, store, queue, server: 'TESTSRV', clock: createClock('UTC', now) } as RunPorts;
    const db = await store.tables();
    const { job } = await db
      .selectFrom('signalbox_process_request')
      .select('job')
      .where('instance', '=', instance)
      .executeTakeFirstOrThrow();
    const count = async () =>
      (await db.selectFrom('psprcsrqst').select('prcsinstance').orderBy('prcsinstance').execute()).map(
        (row) => row.prcsinstance,
      );
    const before = await count();
    const program = findProgram(registry, 'Application Engine', 'WORK');
    const kind = program && kindOfProgram(program, 'NIGHTLY');
    const wanted = { id: job, attempt, instance, program, user: test.demo, kind };
    await enterNext(store, (tx, number) => initiate(tx, ports, wanted, `run-${attempt}`, number));
    const [next] = (await count()).filter((each) => !before.includes(each));
    if (next === undefined) return undefined;
    return (await test.scheduler.get(next, test.demo)).runs;
  }

  it('is entered for its next time at once, and for the one after it when it is taken up, once', async () => {
    let now = Date.parse('2026-07-01T12:00:00Z');
    test = await openTestScheduler({ registry, start: false, now: () => now });
    const first = await test.enter({ recurrence: 'NIGHTLY' });
    expect(await test.scheduler.get(first, test.demo)).toMatchObject({
      recurrence: 'NIGHTLY',
      runs: '2026-07-02T00:30:00+00:00',
    });
    now = Date.parse('2026-07-02T00:30:01Z');
    expect(await follow(first, () => now)).toBe('2026-07-03T00:30:00+00:00');
    // Another attempt at the same request enters nothing more.
    expect(await follow(first, () => now, 2)).toBeUndefined();
  });

  it('runs after the hour that does not exist, and the day after at its usual time', async () => {
    let now = Date.parse('2026-03-28T12:00:00Z');
    test = await openTestScheduler({ registry, start: false, now: () => now });
    const gap = await test.enter({ recurrence: 'NIGHTLY' });
    expect((await test.scheduler.get(gap, test.demo)).runs).toBe('2026-03-29T01:00:00+00:00');
    now = Date.parse('2026-03-29T01:00:00Z');
    expect(await follow(gap, () => now)).toBe('2026-03-30T00:30:00+00:00');
  });

  it('never takes a time twice where the clock was set back, and leaves out what passed while nobody ran it', async () => {
    let now = Date.parse('2026-07-01T12:30:00Z');
    test = await openTestScheduler({ registry, start: false, now: () => now });
    const early = await test.enter({ recurrence: 'HOURLY' });
    expect((await test.scheduler.get(early, test.demo)).runs).toBe('2026-07-01T13:00:00+00:00');
    now = Date.parse('2026-07-01T09:00:00Z');
    expect(await follow(early, () => now)).toBe('2026-07-01T14:00:00+00:00');
    const late = await test.enter({ recurrence: 'HOURLY' });
    now = Date.parse('2026-07-04T09:20:00Z');
    expect(await follow(late, () => now)).toBe('2026-07-04T10:00:00+00:00');
  });

  it('is followed by none where it does not recur', async () => {
    test = await openTestScheduler({ registry, start: false });
    expect(await follow(await test.enter(), Date.now)).toBeUndefined();
  });
});

describe('a process that recurs by its definition', () => {
  it('is entered at its time in the name of its user, without a request', async () => {
    const registry = registryOf(`recurs: MINUTELY\nrun-as: demo\n---\nrecurrence: MINUTELY\ncron: "* * * * *"\n`);
    let now = Date.now();
    const test = await openTestScheduler({ registry, now: () => now });
    try {
      now += 60_000;
      const found = await eventually('its request', async () => (await test.scheduler.find({}, test.demo))[0]);
      expect(found).toMatchObject({ name: 'WORK', operator: 'demo', recurrence: 'MINUTELY', runControl: 'MINUTELY' });
      await test.reaches(found.instance, 'Success');
      expect(await test.scheduler.find({}, test.demo)).toHaveLength(1);
    } finally {
      await test.close();
    }
  });
});
