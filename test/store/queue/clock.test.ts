import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../../src/store/index.ts';
import type { Claim, QueueEngine } from '../../../src/store/queue/engine.ts';
import { sqliteEngine } from '../../../src/store/queue/sqlite.ts';
import { sqlitePlace } from '../engines.ts';
import { QUEUE } from './support.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2027, 0, 1);

/** The queue of SQLite with a clock that is set by hand; that of PostgreSQL goes by the clock of the database. */
async function clocked() {
  const store = await (await sqlitePlace()).migrated();
  const clock = { now: START };
  const engine = sqliteEngine(store, () => clock.now);
  await engine.begin([], { wake() {}, report() {} });
  onTestFinished(() => engine.end(false));
  const enter = (after?: Date, key?: string): Promise<string> => {
    const id = randomUUID();
    const job = { queue: QUEUE, id, data: {}, ...(after && { after }), ...(key !== undefined && { key }) };
    return store.transaction(async (tx) => {
      await engine.insert(tx, [job]);
      return id;
    });
  };
  return { store, clock, engine, enter };
}

async function taken(engine: QueueEngine): Promise<readonly string[]> {
  return (await engine.claim(QUEUE, 10, [], 'gateway-1')).map(({ id }) => id);
}

/** A job that has failed, and is to wait for a minute. */
async function failed(store: Store, engine: QueueEngine): Promise<void> {
  const [claim] = await engine.claim(QUEUE, 1, [], 'gateway-1');
  expect(await store.transaction((tx) => engine.postpone(tx, claim as Claim, 60_000))).toBe(true);
}

it('a job that failed waits for its pause and no longer, though the clock is set back by an hour meanwhile', async () => {
  const { store, clock, engine, enter } = await clocked();
  const id = await enter();
  await failed(store, engine);
  clock.now += 59_999;
  expect(await taken(engine)).toEqual([]);
  clock.now -= HOUR;
  expect(await taken(engine)).toEqual([id]);
});

it('a job that failed while another look for jobs was under way keeps its pause', async () => {
  const { store, clock, engine, enter } = await clocked();
  await enter();
  await failed(store, engine);
  // The other look read the clock before.
  clock.now -= 1;
  expect(await taken(engine)).toEqual([]);
});

it('a job that failed is tried again at once where the clock is set forward over its pause', async () => {
  const { store, clock, engine, enter } = await clocked();
  const id = await enter();
  await failed(store, engine);
  clock.now += HOUR;
  expect(await taken(engine)).toEqual([id]);
});

it('jobs that were entered before the clock was set back are taken, and those of a key in their order', async () => {
  const { store, clock, engine, enter } = await clocked();
  const free = await enter();
  const first = await enter(undefined, 'k');
  clock.now += 1;
  const second = await enter(undefined, 'k');
  clock.now -= HOUR;
  const third = await enter(undefined, 'k');
  const claims = await engine.claim(QUEUE, 10, [], 'gateway-1');
  expect(claims.map(({ id }) => id)).toEqual([free, first]);
  await store.transaction((tx) => engine.finish(tx, claims));
  const next = await engine.claim(QUEUE, 10, [], 'gateway-1');
  expect(next.map(({ id }) => id)).toEqual([second]);
  await store.transaction((tx) => engine.finish(tx, next));
  expect(await taken(engine)).toEqual([third]);
});

it.each([
  undefined,
  'k',
])('a job that waits for a time of the day waits until the clock says it (key %s)', async (key) => {
  const { clock, engine, enter } = await clocked();
  const id = await enter(new Date(START + HOUR), key);
  expect(await taken(engine)).toEqual([]);
  clock.now -= HOUR;
  expect(await taken(engine)).toEqual([]);
  clock.now = START + HOUR - 1;
  expect(await taken(engine)).toEqual([]);
  clock.now = START + HOUR;
  expect(await taken(engine)).toEqual([id]);
});
