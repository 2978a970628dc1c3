import { expect, it } from 'vitest';
import type { JobQueue, Store } from '../../../src/store/index.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines } from '../engines.ts';
import { queueOver } from './support.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2027, 0, 1, 0, 30);

/** A clock that is set by hand. */
function clock(at: number): { now(): number; set(at: number): void } {
  let time = at;
  const set = (to: number): void => {
    time = to;
  };
  return { now: () => time, set };
}

const hourly = { name: 'HOURLY', cron: '0 * * * *', zone: 'UTC' };

async function next(store: Store): Promise<string | null | undefined> {
  const db = await store.tables();
  const row = await db.selectFrom('signalbox_recurring').select('next').where('name', '=', 'HOURLY').executeTakeFirst();
  return row?.next;
}

const nextIs = (store: Store, time: number): Promise<true> =>
  eventually(`${new Date(time).toISOString()} to be next`, async () =>
    (await next(store)) === new Date(time).toISOString() ? true : undefined,
  );

async function recurring(queue: JobQueue, ran: string[], of: Partial<typeof hourly> = {}): Promise<void> {
  queue.recur({ ...hourly, ...of, due: async (at) => async () => void ran.push(at.toISOString()) });
  await queue.start();
}

describeEngines('what recurs', ({ place }) => {
  it('is done in one of the gateways, once for all times that were missed, and in no time twice', async () => {
    const where = await place();
    const [store, elsewhere] = [await where.migrated(), await where.open()];
    const time = clock(START);
    const ran: string[] = [];
    await recurring(await queueOver(store, time), ran);
    await recurring(await queueOver(elsewhere, time), ran);
    await nextIs(store, START + HOUR / 2);
    expect(ran).toEqual([]);

    // Three times passed while nobody looked.
    time.set(START + 3 * HOUR);
    await nextIs(store, START + 3.5 * HOUR);
    expect(ran).toEqual([new Date(START + HOUR / 2).toISOString()]);

    // The clock was wrong: what it jumped over is still to come, but not what was done.
    time.set(START + HOUR / 4);
    await nextIs(store, START + 1.5 * HOUR);
    time.set(START + 0.75 * HOUR);
    await nextIs(store, START + 1.5 * HOUR);
    expect(ran).toHaveLength(1);
    time.set(START + 1.5 * HOUR);
    await nextIs(store, START + 2.5 * HOUR);
    expect(ran).toEqual([START + HOUR / 2, START + 1.5 * HOUR].map((at) => new Date(at).toISOString()));
  });

  it('is done with the transaction that notes it, is worked out anew when it changes, and rests when nobody names it', async () => {
    const where = await place();
    const store = await where.migrated();
    const time = clock(START);
    const ran: string[] = [];
    const errors: string[] = [];
    const first = await queueOver(store, { ...time, onError: (error) => errors.push(error.message) });
    let fails = true;
    first.recur({
      ...hourly,
      due: async (at) => async () => {
        if (fails) throw new Error('not now');
        ran.push(at.toISOString());
      },
    });
    await first.start();
    time.set(START + HOUR / 2);
    await eventually('an error', () => (errors.includes('not now') ? true : undefined));
    expect(await next(store)).toBe(new Date(START + HOUR / 2).toISOString());
    fails = false;
    await nextIs(store, START + 1.5 * HOUR);
    expect(ran).toEqual([new Date(START + HOUR / 2).toISOString()]);
    await first.close();

    const second = await queueOver(store, time);
    await recurring(second, ran, { cron: '15 5 * * *', zone: 'Europe/Berlin' });
    expect(await next(store)).toBe('2027-01-01T04:15:00.000Z');
    await second.close();

    const third = await queueOver(store, time);
    await recurring(third, ran, { name: 'ANOTHER' });
    time.set(START + 24 * HOUR);
    await eventually('the other', () => (ran.length > 1 ? true : undefined));
    expect(await next(store)).toBe('2027-01-01T04:15:00.000Z');
  });
});
