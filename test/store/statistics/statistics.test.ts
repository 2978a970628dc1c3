import { expect, it, onTestFinished, vi } from 'vitest';
import type { Store } from '../../../src/store/index.ts';
import { openRetention } from '../../../src/store/retention.ts';
import { openStatistics, retainedStatistics, type Statistics } from '../../../src/store/statistics/count.ts';
import { readStatistics } from '../../../src/store/statistics/read-statistics.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines, sqlitePlace } from '../engines.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-03-01T10:00:00.000Z');

/** A clock that a test sets. */
function clockAt(start: number) {
  const clock = { at: start, now: () => clock.at, elapsed: () => clock.at };
  return clock;
}

const COLUMNS = 'span, minute, kind, operation, calls, failures, refusals';

describeEngines('statistics of calls', ({ place }) => {
  async function start(at = START) {
    const { migrated, run } = await place();
    const store = await migrated();
    const clock = clockAt(at);
    const errors: Error[] = [];
    const gateway = (of: Pick<Store, 'kind' | 'tables'> = store): Statistics => {
      const opened = openStatistics({ store: of, clock, onError: (error) => errors.push(error) });
      onTestFinished(() => opened.close());
      return opened;
    };
    const rows = (where = 'span = 1') =>
      run(`select ${COLUMNS} from signalbox_statistics where ${where} order by span, minute, kind, operation, calls`);
    return { store, run, clock, errors, gateway, rows, reader: readStatistics(store) };
  }

  it('of the running minute are entered every ten seconds, and only what was called since', async () => {
    const { clock, gateway, rows } = await start(START + 9_980);
    const statistics = gateway();
    const get = statistics.counter('served', 'GET');
    statistics.counter('served', 'NEVER');
    get.count(200, true, 5);
    const counted = (calls: number) => async () => {
      const found = await rows("span = 1 and operation = 'GET'");
      return found[0]?.calls === calls ? found : undefined;
    };
    expect(await eventually('the first call', counted(1))).toMatchObject([{ minute: START / MINUTE, calls: 1 }]);
    get.count(200, true, 5);
    clock.at += 9_990;
    await statistics.flush();
    await eventually('the second call', counted(2));
    expect(await rows("operation = 'NEVER'")).toEqual([]);
  });

  it('are a row for each minute, operation and kind with calls, and for all operations of a kind together', async () => {
    const { clock, gateway, rows } = await start();
    const statistics = gateway();
    const [get, out] = [statistics.counter('served', 'GET'), statistics.counter('called', 'OUT')];
    statistics.counter('served', 'NEVER');
    get.count(200, true, 5);
    statistics.counter('served', 'PUT').count(201, true, 5);
    out.count(200, true, 7);
    clock.at += MINUTE;
    await statistics.flush();
    clock.at += 3 * MINUTE;
    await statistics.flush();
    get.count(200, true, 5);
    await statistics.flush();
    const minute = START / MINUTE;
    const row = (at: number, kind: string, operation: string, calls: number, span = 1) => ({
      ...{ span, minute: at, kind, operation, calls, failures: 0, refusals: 0 },
    });
    expect(await rows()).toEqual([
      row(minute, 'called', '', 1),
      row(minute, 'called', 'OUT', 1),
      row(minute, 'served', '', 2),
      row(minute, 'served', 'GET', 1),
      row(minute, 'served', 'PUT', 1),
      row(minute + 4, 'served', '', 1),
      row(minute + 4, 'served', 'GET', 1),
    ]);
    expect(await rows("span = 60 and kind = 'served'")).toEqual([
      row(minute, 'served', '', 3, 60),
      row(minute, 'served', 'GET', 2, 60),
      row(minute, 'served', 'PUT', 1, 60),
    ]);
  });

  it('tell failures from refusals', async () => {
    const { gateway, reader } = await start();
    const statistics = gateway();
    const counter = statistics.counter('served', 'GET');
    for (const status of [200, 304, 399]) counter.count(status, true, 1);
    for (const status of [400, 404, 429, 499]) counter.count(status, true, 1);
    for (const status of [408, 500, 599]) counter.count(status, true, 1);
    for (const status of [200, 404]) counter.count(status, false, 1);
    await statistics.flush();
    const { operations } = await reader.byOperation({ since: START, until: START + MINUTE });
    expect(operations).toEqual([expect.objectContaining({ calls: 12, failures: 5, refusals: 4 })]);
  });

  it('are entered after each minute without being asked', async () => {
    const { clock, gateway, rows } = await start(START + MINUTE - 20);
    gateway().counter('served', 'GET').count(200, true, 1);
    clock.at = START + MINUTE;
    await eventually('the rows', async () => ((await rows()).length === 2 ? true : undefined));
  });

  it('of an hour end with it', async () => {
    const { clock, gateway, rows } = await start(START + 59 * MINUTE);
    const statistics = gateway();
    for (const status of [200, 500]) {
      statistics.counter('served', 'GET').count(status, true, 1);
      clock.at += MINUTE;
      await statistics.flush();
    }
    const hour = START / MINUTE;
    const common = { span: 60, kind: 'served', operation: 'GET', calls: 1, refusals: 0 };
    expect(await rows("span = 60 and operation = 'GET'")).toEqual([
      { ...common, minute: hour, failures: 0 },
      { ...common, minute: hour + 60, failures: 1 },
    ]);
  });

  it('of several gateways, and of one that was started again within the minute, are put together', async () => {
    const { gateway, rows, reader } = await start();
    for (const durations of [[10, 10, 10], [10], [1000]]) {
      const statistics = gateway();
      for (const ms of durations) statistics.counter('served', 'GET').count(200, true, ms);
      await statistics.close();
    }
    expect((await rows("span = 1 and operation = 'GET'")).map(({ calls }) => calls)).toEqual([1, 1, 3]);
    const [entry] = await reader.series({ since: START, until: START + MINUTE, step: MINUTE });
    expect(entry).toMatchObject({ at: START, calls: 5 });
    const { p50, p95, p99 } = entry as Record<'p50' | 'p95' | 'p99', number>;
    expect(Math.abs(p50 - 10) / 10).toBeLessThan(0.06);
    expect(Math.abs(p95 - 1000) / 1000).toBeLessThan(0.06);
    expect(p99).toBe(p95);
  });

  it('that could not be entered are kept, reported once, and entered later as they are then', async () => {
    const { store, clock, errors, gateway, rows } = await start();
    let isAway = true;
    const tables = vi.fn(async () => {
      if (isAway) throw new Error('away');
      return store.tables();
    });
    const statistics = gateway({ kind: store.kind, tables });
    const counter = statistics.counter('served', 'GET');
    for (let each = 0; each < 3; each += 1) {
      counter.count(200, true, 1);
      await statistics.flush();
      counter.count(200, true, 1);
      clock.at += MINUTE;
      await statistics.flush();
    }
    expect(errors.map(({ message }) => message)).toEqual(['away']);
    expect(await rows()).toEqual([]);
    isAway = false;
    await statistics.flush();
    expect((await rows("span = 1 and operation = 'GET'")).map(({ calls }) => calls)).toEqual([2, 2, 2]);
    expect((await rows("span = 60 and operation = ''")).map(({ calls }) => calls)).toEqual([6]);
    tables.mockClear();
    await statistics.flush();
    expect(tables).not.toHaveBeenCalled();
    isAway = true;
    counter.count(200, true, 1);
    await statistics.flush();
    expect(errors).toHaveLength(2);
  });

  it('replace no earlier ones where the clock was set back', async () => {
    const { clock, gateway, rows } = await start();
    const statistics = gateway();
    for (const at of [START, START + MINUTE, START]) {
      clock.at = at;
      await statistics.flush();
      statistics.counter('served', 'GET').count(200, true, 1);
    }
    await statistics.flush();
    expect((await rows("span = 1 and operation = 'GET'")).map(({ minute }) => Number(minute) - START / MINUTE)).toEqual(
      [0, 0, 1],
    );
    const hours = await rows("span = 60 and operation = 'GET'");
    expect(hours.map(({ calls }) => calls)).toEqual([1, 2]);
  });

  it('are read by step, with the steps that have no calls', async () => {
    const { clock, gateway, reader } = await start();
    const statistics = gateway();
    for (const minutes of [0, 4, 61]) {
      clock.at = START + minutes * MINUTE;
      await statistics.flush();
      statistics.counter('served', 'GET').count(200, true, 100);
      statistics.counter('called', 'GET').count(500, true, 100);
    }
    await statistics.flush();
    const calls = async (step: number, since: number, until: number, of: object = {}) =>
      (await reader.series({ since, until, step, ...of })).map((each) => [(each.at - START) / MINUTE, each.calls]);
    const [since, until] = [START + MINUTE / 2, START + 6 * MINUTE + 1];
    expect(await calls(2 * MINUTE, since, until)).toEqual([
      [0, 2],
      [2, 0],
      [4, 2],
      [6, 0],
    ]);
    expect(await calls(HOUR, START, START + 2 * HOUR)).toEqual([
      [0, 4],
      [60, 2],
    ]);
    expect(await calls(HOUR, START, START + 2 * HOUR, { kind: 'served' })).toEqual([
      [0, 2],
      [60, 1],
    ]);
    expect(await calls(HOUR, START, START + 2 * HOUR, { operation: 'GET', kind: 'called' })).toEqual([
      [0, 2],
      [60, 1],
    ]);
    expect(await calls(HOUR, START, START + HOUR, { operation: 'NONE' })).toEqual([[0, 0]]);
    const [none] = await reader.series({ since: 0, until: MINUTE, step: MINUTE });
    const percentiles = { p50: undefined, p95: undefined, p99: undefined };
    expect(none).toEqual({ at: 0, calls: 0, failures: 0, refusals: 0, ...percentiles });
  });

  it('are read by operation, those with most calls first and no more than asked for', async () => {
    const { clock, gateway, reader } = await start();
    const statistics = gateway();
    const busy: readonly (readonly [string, number])[] = [
      ['A', 1],
      ['B', 3],
      ['C', 2],
    ];
    for (const [operation, calls] of busy)
      for (let call = 0; call < calls; call += 1) statistics.counter('served', operation).count(200, true, 20);
    statistics.counter('called', 'B').count(503, true, 900);
    clock.at += 90 * MINUTE;
    await statistics.flush();
    const names = async (options: object, until = START + MINUTE) => {
      const { operations } = await reader.byOperation({ since: START, until, ...options });
      return operations.map(({ kind, operation, calls }) => `${kind} ${operation} ${calls}`);
    };
    expect(await names({})).toEqual(['served B 3', 'served C 2', 'served A 1', 'called B 1']);
    expect(await names({ most: 2 })).toEqual(['served B 3', 'served C 2']);
    expect(await names({ kind: 'called' })).toEqual(['called B 1']);
    expect(await names({ since: START + MINUTE }, START + 2 * MINUTE)).toEqual([]);
    // Longer than an hour: of whole hours.
    expect(await names({ since: START + 30 * MINUTE, most: 1 }, START + 95 * MINUTE)).toEqual(['served B 3']);
    const { since, until } = await reader.byOperation({ since: START + 30 * MINUTE, until: START + 95 * MINUTE });
    expect([since, until]).toEqual([START, START + 2 * HOUR]);
    expect(await reader.latest()).toBe(START);
  });

  it('have no latest minute as long as there is none', async () => {
    const { reader } = await start();
    expect(await reader.latest()).toBeUndefined();
  });

  it('are removed some time after their minute', async () => {
    const { store, clock, gateway, rows } = await start();
    const statistics = gateway();
    for (let minutes = 0; minutes < 5; minutes += 1) {
      clock.at = START + minutes * MINUTE;
      await statistics.flush();
      for (const operation of ['A', 'B']) statistics.counter('served', operation).count(200, true, 20);
    }
    await statistics.flush();
    const kinds = [retainedStatistics(HOUR)];
    const now = (): number => START + HOUR + 3 * MINUTE;
    const retention = openRetention({ store, kinds, now, most: 2 });
    await retention.sweep();
    expect((await rows('1 = 1')).map(({ minute }) => (Number(minute) * MINUTE - START) / MINUTE)).toEqual([
      3, 3, 3, 4, 4, 4,
    ]);
    expect(await retention.removed()).toEqual(new Map([['statistics', 12]]));
  });
});

it('statistics that wait for the database are at most 60,000 rows, the oldest of which are given up', async () => {
  const { migrated } = await sqlitePlace();
  const store = await migrated();
  const clock = clockAt(START);
  let isAway = true;
  const tables = async () => {
    if (isAway) throw new Error('away');
    return store.tables();
  };
  const statistics = openStatistics({ store: { kind: store.kind, tables }, clock, onError: () => {} });
  const counters = Array.from({ length: 1_500 }, (_, index) => statistics.counter('served', `OP${index}`));
  for (let minutes = 0; minutes < 40; minutes += 1) {
    for (const counter of counters) counter.count(200, true, 1);
    clock.at += MINUTE;
    await statistics.flush();
  }
  isAway = false;
  await statistics.close();
  const { operations } = await readStatistics(store).byOperation({ since: START, until: START + 2 * HOUR, most: 1 });
  expect(operations).toMatchObject([{ calls: 40 }]);
  const series = await readStatistics(store).series({ since: START, until: START + 40 * MINUTE, step: MINUTE });
  // 1,501 rows of each minute, and as many of the hour.
  expect(series.map(({ calls }) => calls)).toEqual([0, ...Array(39).fill(1_500)]);
});
