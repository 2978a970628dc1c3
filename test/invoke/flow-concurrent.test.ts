import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FlowError, InvokeError } from '../../src/invoke/error.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { flowsOf, LIBRARY, library, type Made, refused } from './flow-support.ts';
import { thrown } from './support.ts';

const INPUT = { Tenant: 'T1', Site: 'HR' };
const run = { requestId: 'run-1' };

/** A call whose answer a test gives when it wants to. */
interface Open {
  readonly made: Made;
  answer(value?: DocumentValue): void;
  fail(error: unknown): void;
}

/** Flows whose calls stay open until they are answered; one that is ended fails as a call does. */
function openFlows() {
  const open: Open[] = [];
  const flows = flowsOf(
    (made, count) =>
      new Promise<DocumentValue>((resolve, reject) => {
        const called = { operation: made.operation, requestId: 'r' };
        made.options.signal?.addEventListener('abort', () => reject(new InvokeError('ABORTED', called, 'ended')));
        const answer = (value?: DocumentValue): void => resolve(value ?? (library()(made, count) as DocumentValue));
        open.push({ made, answer, fail: reject });
      }),
  );
  /** The next call of an operation that is open. */
  async function next(operation: string): Promise<Open> {
    await vi.waitFor(() => expect(open.map((each) => each.made.operation)).toContain(operation));
    return open.splice(
      open.findIndex((each) => each.made.operation === operation),
      1,
    )[0]!;
  }
  return { ...flows, next };
}

/** Lets everything happen that needs no call. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('runs at the same time', () => {
  it('wait for one step rather than make it twice', async () => {
    const flows = openFlows();
    const runs = [1, 2, 3].map(() => flows.run(LIBRARY, INPUT, run));
    (await flows.next('TOKEN')).answer();
    (await flows.next('DIGEST')).answer();
    for (const _ of runs) (await flows.next('UPLOAD')).answer();
    const replies = await Promise.all(runs);
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD', 'UPLOAD', 'UPLOAD']);
    expect(replies.map(({ steps }) => steps.map(({ kept }) => kept))).toEqual([
      [false, false, false],
      [true, true, false],
      [true, true, false],
    ]);
  });

  it('with another input wait for nothing of each other', async () => {
    const flows = openFlows();
    const runs = ['T1', 'T2'].map((Tenant) => flows.run(LIBRARY, { ...INPUT, Tenant }, run));
    const [one, two] = [await flows.next('TOKEN'), await flows.next('TOKEN')];
    expect([one.made.input, two.made.input]).toEqual([{ Tenant: 'T1' }, { Tenant: 'T2' }]);
    for (const each of [two, one]) each.answer();
    for (const operation of ['DIGEST', 'DIGEST', 'UPLOAD', 'UPLOAD']) (await flows.next(operation)).answer();
    expect((await Promise.all(runs)).map(({ value }) => value.ACCESS_TOKEN)).toEqual([
      'token 1 of T1',
      'token 2 of T2',
    ]);
  });

  it('all fail with the step that they waited for, and the next one makes it anew', async () => {
    const flows = openFlows();
    const runs = [1, 2].map(() => thrown(flows.run(LIBRARY, INPUT, run)));
    (await flows.next('TOKEN')).fail(refused('TOKEN', 400));
    for (const error of await Promise.all(runs)) {
      expect(error).toBeInstanceOf(FlowError);
      expect(error).toMatchObject({ step: { index: 1 }, httpResponseCode: 400 });
    }
    const later = thrown(flows.run(LIBRARY, INPUT, run));
    (await flows.next('TOKEN')).fail(refused('TOKEN', 400));
    await later;
    expect(flows.calls()).toEqual(['TOKEN', 'TOKEN']);
  });

  it('take a value that does not hold for the run alone that it was made for', async () => {
    const flows = openFlows();
    const runs = [1, 2].map(() => flows.run(LIBRARY, INPUT, run));
    (await flows.next('TOKEN')).answer({ token: 'for one', expires: 0 });
    (await flows.next('TOKEN')).answer({ token: 'for another', expires: 0 });
    (await flows.next('DIGEST')).answer();
    for (const _ of runs) (await flows.next('UPLOAD')).answer();
    const replies = await Promise.all(runs);
    expect(new Set(replies.map(({ value }) => value.ACCESS_TOKEN))).toEqual(new Set(['for one', 'for another']));
  });

  it('renew a value that all of them were refused with once', async () => {
    const flows = openFlows();
    const runs = [1, 2, 3].map(() => flows.run(LIBRARY, INPUT, run));
    (await flows.next('TOKEN')).answer();
    (await flows.next('DIGEST')).answer();
    const [first, second, third] = [await flows.next('UPLOAD'), await flows.next('UPLOAD'), await flows.next('UPLOAD')];
    for (const each of [first, second]) each.fail(refused('UPLOAD', 401));
    (await flows.next('TOKEN')).answer();
    for (const each of [await flows.next('UPLOAD'), await flows.next('UPLOAD')]) each.answer();
    third.fail(refused('UPLOAD', 401));
    (await flows.next('UPLOAD')).answer();
    const replies = await Promise.all(runs);
    expect(replies.map(({ value }) => value.ACCESS_TOKEN)).toEqual(Array(3).fill('token 2 of T1'));
    expect(flows.calls().filter((each) => each === 'TOKEN')).toHaveLength(2);
  });
});

describe('a run that is ended', () => {
  it('leaves the step to those that wait for it too', async () => {
    const flows = openFlows();
    const [first, second] = [new AbortController(), new AbortController()];
    const onSent = vi.fn();
    const ended = thrown(flows.run(LIBRARY, INPUT, { ...run, signal: first.signal, onSent }));
    const other = flows.run(LIBRARY, INPUT, { ...run, signal: second.signal });
    const token = await flows.next('TOKEN');
    token.made.options.onSent?.(1, 2);
    first.abort();
    expect(await ended).toMatchObject({ code: 'ABORTED', step: { index: 1, operation: 'TOKEN' } });
    expect(token.made.options.signal?.aborted).toBe(false);
    token.made.options.onSent?.(2, 2);
    expect(onSent.mock.calls).toEqual([[1, 2]]);
    token.answer();
    for (const operation of ['DIGEST', 'UPLOAD']) (await flows.next(operation)).answer();
    await other;
    expect(flows.calls()).toEqual(['TOKEN', 'DIGEST', 'UPLOAD']);
  });

  it('ends the step where nobody else waits, and the next run makes it anew', async () => {
    const flows = openFlows();
    const controllers = [new AbortController(), new AbortController()];
    const runs = controllers.map(({ signal }) => thrown(flows.run(LIBRARY, INPUT, { ...run, signal })));
    const token = await flows.next('TOKEN');
    controllers[0]!.abort();
    await settled();
    expect(token.made.options.signal?.aborted).toBe(false);
    controllers[1]!.abort();
    expect(await Promise.all(runs)).toEqual([
      expect.objectContaining({ code: 'ABORTED' }),
      expect.objectContaining({ code: 'ABORTED' }),
    ]);
    expect(token.made.options.signal?.aborted).toBe(true);
    const later = flows.run(LIBRARY, INPUT, run);
    for (const operation of ['TOKEN', 'DIGEST', 'UPLOAD']) (await flows.next(operation)).answer();
    await later;
  });

  it('before it began makes nothing', async () => {
    const flows = flowsOf(library());
    const error = await thrown(flows.run(LIBRARY, INPUT, { ...run, signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'ABORTED', step: { index: 1 } });
    expect(flows.calls()).toEqual([]);
  });

  it('by its time says so, and which step it was', async () => {
    const flows = openFlows();
    const error = thrown(flows.run(LIBRARY, INPUT, { ...run, timeout: 20 }));
    const token = await flows.next('TOKEN');
    expect(await error).toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('step 1 of 3, TOKEN: the call took longer than 20 ms') as string,
      responseStatus: 10,
      sent: { operation: 'TOKEN', body: '{"Tenant":"T1"}' },
    });
    expect(token.made.options.signal?.aborted).toBe(true);
  });

  it('after its own steps were made ends the last one', async () => {
    const flows = openFlows();
    const controller = new AbortController();
    const error = thrown(flows.run(LIBRARY, INPUT, { ...run, signal: controller.signal }));
    for (const operation of ['TOKEN', 'DIGEST']) (await flows.next(operation)).answer();
    await flows.next('UPLOAD');
    controller.abort();
    expect(await error).toMatchObject({ code: 'ABORTED', step: { index: 3 } });
  });
});

describe('whatever the order in which things happen', () => {
  it('one token serves all runs while it holds', async () => {
    const scheduler = fc.scheduler();
    const delays = fc.array(fc.record({ ends: fc.boolean(), site: fc.constantFrom('HR', 'FIN') }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(scheduler, delays, async (s, runs) => {
        const flows = flowsOf((made, count) => s.schedule(Promise.resolve(library()(made, count)), made.operation));
        const all = runs.map(async ({ site, ends }) => {
          const controller = new AbortController();
          await s.schedule(Promise.resolve(), 'begin');
          const reply = flows.run(LIBRARY, { ...INPUT, Site: site }, { ...run, signal: controller.signal });
          // One run waits to the end, so that the step is never everybody's to leave.
          if (ends) void s.schedule(Promise.resolve(), 'end').then(() => controller.abort());
          return reply.catch((error: unknown) => error);
        });
        const stays = flows.run(LIBRARY, INPUT, run);
        await s.waitFor(Promise.all([stays, ...all]));
        const tokens = flows.made.filter((made) => made.operation === 'TOKEN');
        expect(tokens).toHaveLength(1);
        expect(flows.made.filter((made) => made.operation === 'DIGEST').length).toBeLessThanOrEqual(
          1 + runs.filter(({ site }) => site === 'FIN').length,
        );
        expect((await stays).value).toMatchObject({ ACCESS_TOKEN: 'token 1 of T1' });
      }),
      { numRuns: 200 },
    );
  });
});
