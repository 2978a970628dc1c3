import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { QueueEngine } from '../../../src/store/queue/engine.ts';
import { sqliteEngine } from '../../../src/store/queue/sqlite.ts';
import { Workforce } from '../../../src/store/queue/workforce.ts';
import { sqlitePlace } from '../engines.ts';
import { GATEWAY, QUEUE, queueOver, worker } from './support.ts';

it('whoever is woken while a look ends looks once more', async () => {
  const store = await (await sqlitePlace()).migrated();
  let looks = 0;
  const claim: QueueEngine['claim'] = async () => {
    looks += 1;
    return [];
  };
  const engine: QueueEngine = { ...sqliteEngine(store, Date.now), poll: 1_000_000, claim };
  const workforce = new Workforce({ ...GATEWAY, store, engine, now: Date.now, report: () => {}, unknown: 1000 });
  onTestFinished(() => workforce.close(0));
  workforce.add(
    QUEUE,
    worker(async () => {}),
  );
  await workforce.start();
  for (let steps = 0; steps < 12; steps++) {
    await turn();
    const before = looks;
    workforce.wake(QUEUE);
    for (let step = 0; step < steps; step++) await undefined;
    workforce.wake(QUEUE);
    await turn();
    expect([steps, looks - before]).toEqual([steps, 2]);
  }
});

it('a long transaction that enters a job is waited for without a word', async () => {
  const store = await (await sqlitePlace()).migrated();
  const errors: string[] = [];
  const queue = await queueOver(store, { onError: ({ message }) => void errors.push(message) });
  const { promise: ran, resolve } = Promise.withResolvers<void>();
  queue.work(
    QUEUE,
    worker(async () => resolve()),
  );
  await queue.start();
  await turn();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    await store.transaction(async (tx) => {
      await queue.send(tx, { queue: QUEUE, data: {} });
      await vi.advanceTimersByTimeAsync(6000);
    });
    await ran;
  } finally {
    vi.useRealTimers();
  }
  expect(errors).toEqual([]);
});
