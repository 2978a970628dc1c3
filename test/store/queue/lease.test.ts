import { expect, it, onTestFinished } from 'vitest';
import { JobLost, type Worker } from '../../../src/store/index.ts';
import { retryPause } from '../../../src/store/queue/ending.ts';
import type { Claim, QueueEngine } from '../../../src/store/queue/engine.ts';
import { quietReport } from '../../../src/store/queue/open-queue.ts';
import { sqliteEngine } from '../../../src/store/queue/sqlite.ts';
import { Workforce } from '../../../src/store/queue/workforce.ts';
import { sqlitePlace } from '../engines.ts';
import { GATEWAY, gate, QUEUE, worker } from './support.ts';

it('a job stops by itself when its database did not answer for longer than it is held for', async () => {
  const store = await (await sqlitePlace()).migrated();
  const table = sqliteEngine(store, Date.now);
  const answer = gate();
  const silent = async (): Promise<ReadonlyMap<Claim, 'held' | 'cancelled'>> => {
    await answer.opened;
    return new Map();
  };
  const engine: QueueEngine = { ...table, lease: 50, held: silent };
  const workforce = new Workforce({ ...GATEWAY, store, engine, now: Date.now, report: () => {}, unknown: 1000 });
  const { opened, open } = gate();
  const reasons: unknown[] = [];
  const run: Worker['run'] = async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    reasons.push(signal.reason);
    open();
  };
  workforce.add(QUEUE, worker(run));
  await store.transaction((tx) => engine.insert(tx, [{ queue: QUEUE, id: 'one', data: {} }]));
  await workforce.start();
  onTestFinished(() => workforce.close(0));
  await opened;
  answer.open();
  expect(reasons).toEqual([expect.any(JobLost)]);
});

it('the pause before the next attempt doubles up to the longest, of which a half is left to chance', () => {
  const rule = { attempts: 9, first: 100, longest: 1000 };
  expect([1, 2, 3, 4, 5, 60].map((attempt) => retryPause(rule, attempt, 1))).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(retryPause(rule, 3, 0)).toBe(200);
});

it('an error that comes again at once is said once, another beside it', () => {
  const said: string[] = [];
  const report = quietReport((error) => void said.push(error.message));
  for (const message of ['away', 'away', 'broken', 'away']) report(new Error(message), {});
  expect(said).toEqual(['away', 'broken']);
});
