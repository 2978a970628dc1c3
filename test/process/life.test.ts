import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../src/model/fault.ts';
import { createClock } from '../../src/process/clock.ts';
import type { RequestAction, RunPorts } from '../../src/process/process-port.ts';
import { PRIVATE_KIND } from '../../src/process/program.ts';
import { DISTRIBUTION, digitsOf, RUN_STATUS, wordOf } from '../../src/process/status.ts';
import { begin, endRequest, failRequest, initiate, retryRequest, type Taken } from '../../src/process/steps.ts';
import { openTestScheduler, type TestScheduler } from './support.ts';

/** What a request knows of itself in the model. */
interface Model {
  status: string;
  /** An attempt has it, so that its worker may go on. */
  held: boolean;
}

/** One thing that may be done to a request: what the model says of it, and how it is really done. */
interface Command {
  readonly name: string;
  /** The status that follows; undefined where it is refused. */
  next(model: Model): Model | undefined;
  /** @returns whether it was taken */
  really(real: Real): Promise<boolean>;
}

interface Real {
  readonly test: TestScheduler;
  readonly ports: RunPorts;
  readonly instance: number;
  attempt: number;
  taken: Taken | undefined;
}

const clock = createClock('UTC', Date.now);
const line = { level: 'info', text: 'said', said: '2026-01-01T00:00:00.000Z' } as const;

function ask(action: RequestAction, next: (model: Model) => Model | undefined): Command {
  return {
    name: action,
    next,
    really: ({ test, instance }) =>
      test.scheduler.update(instance, action, test.demo, 'demo').then(
        () => true,
        (fault: Fault) => {
          expect(fault.code).toBe('CONFLICT');
          return false;
        },
      ),
  };
}

/** A step of the attempt that has the request. */
function step(name: 'succeed' | 'warn' | 'refuse' | 'end', from: string, to: string): Command {
  return {
    name,
    next: ({ status, held }) => (held && status === from ? { status: to, held: false } : undefined),
    async really({ test, taken, instance }) {
      if (taken === undefined) return false;
      const end = { step: name, instance, run: taken.run, reported: false };
      return test.store
        .transaction((tx) => endRequest(tx, clock, end, async () => {}))
        .then(
          () => true,
          () => false,
        );
    },
  };
}

const LIVE = ['Queued', 'Initiated', 'Processing'];

const commands: readonly Command[] = [
  ask('Hold', ({ status }) => (status === 'Queued' ? { status: 'Hold', held: false } : undefined)),
  ask('Cancelled', ({ status, held }) => {
    if (status === 'Queued' || status === 'Hold') return { status: 'Cancelled', held: false };
    return status === 'Initiated' || status === 'Processing' ? { status: 'Cancel', held } : undefined;
  }),
  ask('Restart', ({ status }) =>
    ['Error', 'Not Successful', 'Cancelled', 'Hold'].includes(status) ? { status: 'Queued', held: false } : undefined,
  ),
  ask('Deleted', ({ status }) =>
    ['Initiated', 'Processing', 'Cancel', 'Delete'].includes(status) ? undefined : { status: 'Delete', held: false },
  ),
  {
    name: 'initiate',
    next: ({ status }) => (LIVE.includes(status) ? { status: 'Initiated', held: true } : undefined),
    async really(real) {
      const { test, ports, instance, attempt } = real;
      const db = await test.store.tables();
      const row = await db
        .selectFrom('signalbox_process_request')
        .select(['job', 'attempt'])
        .where('instance', '=', instance)
        .executeTakeFirstOrThrow();
      const next = Math.max(attempt, row.attempt) + 1;
      const job = { id: row.job, attempt: next, instance, program: undefined, user: undefined, kind: PRIVATE_KIND };
      const taken = await test.store.transaction((tx) => initiate(tx, ports, job, randomUUID()));
      if (taken === undefined) return false;
      real.attempt = next;
      real.taken = taken;
      return true;
    },
  },
  {
    name: 'begin',
    next: ({ status, held }) => (held && status === 'Initiated' ? { status: 'Processing', held } : undefined),
    async really({ test, taken }) {
      if (taken === undefined) return false;
      return test.store
        .transaction((tx) => begin(tx, taken))
        .then(
          () => true,
          () => false,
        );
    },
  },
  step('succeed', 'Processing', 'Success'),
  step('warn', 'Processing', 'Success With Warning'),
  step('end', 'Cancel', 'Cancelled'),
  {
    name: 'refuse',
    next: ({ status, held }) =>
      held && (status === 'Initiated' || status === 'Processing')
        ? { status: 'Not Successful', held: false }
        : undefined,
    really: step('refuse', '', '').really,
  },
  {
    name: 'retry',
    next: ({ status }) => (LIVE.includes(status) ? { status: 'Queued', held: false } : undefined),
    really: (real) => changes(real, (tx) => retryRequest(tx, real.instance, line)),
  },
  {
    name: 'fail',
    next: ({ status }) => (LIVE.includes(status) ? { status: 'Error', held: false } : undefined),
    really: (real) => changes(real, (tx) => failRequest(tx, clock, real.instance, line)),
  },
];

/** What the queue says of an attempt leaves a line in the log where it is taken. */
async function changes(real: Real, work: Parameters<TestScheduler['store']['transaction']>[0]): Promise<boolean> {
  const { store, scheduler, demo } = real.test;
  const count = async () => (await scheduler.messages(real.instance, { from: 1, count: 1000 }, demo)).length;
  const before = await count();
  await store.transaction(work);
  return (await count()) > before;
}

describe('the life of a request', () => {
  let test: TestScheduler;
  beforeAll(async () => {
    test = await openTestScheduler({ start: false });
  });
  afterAll(() => test.close());

  it('takes every legal step, refuses every other, and is in no doubt in between', async () => {
    const { registry, store, queue } = test;
    const ports = { registry, store, queue, clock, server: 'TESTSRV' } as RunPorts;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...commands), { minLength: 1, maxLength: 25 }), async (all) => {
        const instance = await test.enter();
        const real: Real = { test, ports, instance, attempt: 0, taken: undefined };
        let model: Model = { status: 'Queued', held: false };
        for (const command of all) {
          const next = command.next(model);
          expect([command.name, model.status, await command.really(real)]).toEqual([
            command.name,
            model.status,
            next !== undefined,
          ]);
          model = next ?? model;
          expect(await test.status(instance)).toBe(model.status);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('begins with no more than one waiting job, however often it is held and restarted', async () => {
    const waiting = async () => {
      const depth = (await test.queue.depths()).find(({ queue }) => queue === 'processes');
      return depth === undefined ? 0 : depth.waiting + depth.delayed;
    };
    const before = await waiting();
    const instance = await test.enter();
    for (let round = 0; round < 3; round++) {
      await test.scheduler.update(instance, 'Hold', test.demo, 'demo');
      expect(await waiting()).toBe(before);
      await test.scheduler.update(instance, 'Restart', test.demo, 'demo');
      expect(await waiting()).toBe(before + 1);
    }
  });

  it('is not restarted where another system entered it', async () => {
    const db = await test.store.tables();
    const prcsinstance = (await test.enter()) + 1000;
    const row = { prcsinstance, prcstype: 'Application Engine', prcsname: 'WORK', oprid: 'VP1', runstatus: '3' };
    await db
      .insertInto('psprcsrqst')
      .values(row as never)
      .execute();
    await expect(test.scheduler.update(prcsinstance, 'Restart', test.demo, 'demo')).rejects.toThrow(
      `Process request ${prcsinstance} was entered by another system and can't be restarted.`,
    );
    await test.scheduler.update(prcsinstance, 'Deleted', test.demo, 'demo');
    expect(await test.status(prcsinstance)).toBe('Delete');
  });
});

describe('statuses', () => {
  it.each([
    ['run', RUN_STATUS],
    ['distribution', DISTRIBUTION],
  ])('of the %s have a word and digits, and either finds the other', (_, codes) => {
    for (const [word, digits] of Object.entries(codes)) {
      expect(wordOf(codes, digits)).toBe(word);
      expect([word.toUpperCase(), digits].map((given) => digitsOf(codes, given))).toEqual([digits, digits]);
    }
    expect(digitsOf(codes, '99')).toBeUndefined();
    expect(wordOf(codes, '99')).toBe('99');
  });
});
