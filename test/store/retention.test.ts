import { expect, it } from 'vitest';
import { openRetention, type Retained, type Retention, retainedDead, type Store } from '../../src/store/index.ts';
import { describeEngines } from './engines.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-01T00:00:00.000Z');
const dayAfter = (days: number): string => new Date(START + days * 24 * HOUR).toISOString();

/** Dead letters, one of each day from the start. */
async function fill(store: Store, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, day) => ({
    queue: 'Q',
    id: `${String(day).padStart(8, '0')}-0000-4000-8000-000000000000`,
    key: null,
    data: '{}',
    attempts: 1,
    error: 'no',
    died: dayAfter(day),
  }));
  await (await store.tables()).insertInto('signalbox_dead_letter').values(rows).execute();
}

describeEngines('expired data', ({ place }) => {
  it('is removed in batches, oldest first, and counted', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    await fill(store, 25);
    const sizes: number[] = [];
    const dead = retainedDead(5 * 24 * HOUR);
    const watched: Retained = {
      ...dead,
      async remove(tx, batch) {
        const removed = await dead.remove(tx, batch);
        sizes.push(removed.count);
        return removed;
      },
    };
    const ended: [string, number][] = [];
    const now = () => START + 24 * 24 * HOUR;
    const onRemoved = (kind: string, count: number) => void ended.push([kind, count]);
    const retention = openRetention({ store, kinds: [watched], most: 7, now, onRemoved });
    await retention.sweep();
    expect(sizes).toEqual([7, 7, 5]);
    expect(ended).toEqual([['failed-jobs', 19]]);
    expect((await run('select id from signalbox_dead_letter order by id'))[0]).toEqual({
      id: '00000019-0000-4000-8000-000000000000',
    });
    expect(await retention.removed()).toEqual(new Map([['failed-jobs', 19]]));
    await retention.sweep();
    expect(ended, 'a sweep that removes nothing reports nothing').toHaveLength(1);
  });

  it('that was counted by a former name goes on being counted by the present one', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    await run("delete from signalbox_migration where name = '0028-retention-kinds'");
    await run(`insert into signalbox_retention (kind, removed, cursor, holder, until) values
      ('dead', 3, 'c', 'h', 5), ('requests', 4, null, null, 0), ('messages', 5, null, null, 0),
      ('process-requests', 10, 'own', 'h', 7), ('audit', 1, null, null, 0)`);
    await store.migrate();
    const rows = await run(
      'select kind, cast(removed as integer) as removed, cursor from signalbox_retention order by kind',
    );
    expect(rows).toEqual([
      { kind: 'audit', removed: 1, cursor: null },
      { kind: 'failed-jobs', removed: 3, cursor: 'c' },
      { kind: 'process-logs', removed: 5, cursor: null },
      { kind: 'process-requests', removed: 14, cursor: 'own' },
    ]);
  });

  it('that is kept for ever is not removed', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    await fill(store, 2);
    await openRetention({ store, kinds: [retainedDead('forever')] }).sweep();
    expect(await run('select id from signalbox_dead_letter')).toHaveLength(2);
  });

  it('is removed by one gateway at a time; another goes on when that one no longer does', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    await fill(store, 10);
    let now = START + 100 * 24 * HOUR;
    const clock = { store, most: 2, now: () => now };
    const { promise: hung, resolve: goOn } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const dead = retainedDead(HOUR);
    // It hangs between two of its batches, as a process that is stopped.
    const hanging: Retained = {
      ...dead,
      async remove(tx, batch) {
        const hang = async (): Promise<void> => {
          begin();
          await hung;
        };
        return { ...(await dead.remove(tx, batch)), afterwards: hang };
      },
    };
    const first = openRetention({ ...clock, kinds: [hanging] });
    const second = openRetention({ ...clock, kinds: [dead] });
    const left = async () => (await run('select id from signalbox_dead_letter')).length;
    const sweeping = first.sweep();
    await begun;
    await second.sweep();
    expect(await left(), 'the first is still at it').toBe(8);
    now += 121_000;
    await second.sweep();
    expect(await left()).toBe(0);
    await fill(store, 10);
    // The second holds it again while the first comes back.
    await run(`update signalbox_retention set holder = 'second', until = ${now + HOUR}`);
    goOn();
    await sweeping;
    expect(await left(), 'the first has noticed that it was replaced').toBe(10);
    expect(await second.removed()).toEqual(new Map([['failed-jobs', 10]]));
  });

  it('of one kind that fails does not keep the others', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    await fill(store, 1);
    const failing: Retained = { kind: 'failing', keep: 0, remove: () => Promise.reject(new Error('no such table')) };
    const retention: Retention = openRetention({ store, kinds: [failing, retainedDead(0)] });
    await expect(retention.sweep()).rejects.toThrow('no such table');
    expect(await run('select id from signalbox_dead_letter')).toEqual([]);
  });

  it('stays after the batch in which the gateway closes', async () => {
    const { migrated, run } = await place();
    const store = await migrated();
    await fill(store, 10);
    const dead = retainedDead(0);
    let closing: Promise<void> | undefined;
    const kinds: Retained[] = [
      {
        ...dead,
        remove(tx, batch) {
          closing = retention.close();
          return dead.remove(tx, batch);
        },
      },
    ];
    const retention = openRetention({ store, kinds, most: 3 });
    await retention.sweep();
    await closing;
    expect(await run('select id from signalbox_dead_letter')).toHaveLength(7);
    await retention.sweep();
    expect(await run('select id from signalbox_dead_letter')).toHaveLength(7);
  });
});
