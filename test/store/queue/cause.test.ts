import { expect, it } from 'vitest';
import { continueTrace, currentTrace, inTrace } from '../../../src/trace/trace.ts';
import { eventually } from '../../support/project.ts';
import { describeEngines } from '../engines.ts';
import { controlOf, drained, enter, QUEUE, queueOver, worker } from './support.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const request = () =>
  continueTrace({ requestId: 'R-1', traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, tracestate: 'a=1,b=2' });

describeEngines('the cause of a job', ({ place }) => {
  it('is the request that entered it: its worker runs in the same trace, and so do the jobs that it enters', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async ({ data, cause }) => {
        ran.push([data.n, cause, currentTrace()]);
        if (data.n !== 3)
          await enter(store, queue, { data: { n: Number(data.n) + 1 }, ...(data.n === 1 && { key: 'k' }) });
      }),
    );
    await queue.start();
    const trace = request();
    await inTrace(trace, () => enter(store, queue, { data: { n: 1 } }));
    await drained(queue);
    const spans = [trace, ...ran.map((each) => (each as [unknown, unknown, typeof trace])[2])];
    const of = { requestId: 'R-1', traceId: TRACE, flags: 1, state: 'a=1,b=2', ended: true };
    expect(ran).toEqual(
      [1, 2, 3].map((n) => [
        n,
        { requestId: 'R-1', traceparent: `00-${TRACE}-${spans[n - 1]?.spanId}-01`, tracestate: 'a=1,b=2' },
        { ...of, spanId: expect.stringMatching(/^[0-9a-f]{16}$/) },
      ]),
    );
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4);
  });

  it('stays with a job that failed for good, and with the one that it is entered as again', async () => {
    const store = await (await place()).migrated();
    const reported: unknown[] = [];
    const queue = await queueOver(store, { onError: () => reported.push(currentTrace()?.requestId) });
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async ({ cause }) => {
        ran.push(cause);
        if (ran.length === 1) throw new Error('broken');
      }),
    );
    await queue.start();
    const trace = request();
    const id = await inTrace(trace, () => enter(store, queue, { key: 'k' }));
    const [letter] = await eventually('it to die', async () => {
      const letters = await queue.deadLetters();
      return letters.length > 0 ? letters : undefined;
    });
    const cause = { requestId: 'R-1', traceparent: `00-${TRACE}-${trace.spanId}-01`, tracestate: 'a=1,b=2' };
    expect(letter).toMatchObject({ id, cause });
    expect(reported).toEqual(['R-1']);
    expect(await controlOf(queue).get(id)).toMatchObject({
      cause: { requestId: 'R-1', traceparent: cause.traceparent },
    });
    await inTrace(continueTrace({ requestId: 'R-2' }), () => controlOf(queue).resubmit(id, 'ada'));
    await drained(queue);
    expect(ran).toEqual([cause, cause]);
  });

  it('is absent where nothing but its time caused it: its trace begins with it', async () => {
    const store = await (await place()).migrated();
    const queue = await queueOver(store);
    const ran: unknown[] = [];
    queue.work(
      QUEUE,
      worker(async (job) => void ran.push([job.cause, currentTrace()?.requestId])),
    );
    await queue.start();
    const id = await enter(store, queue);
    await drained(queue);
    expect(ran).toEqual([[undefined, id]]);
  });

  it('is another one each time for what recurs', async () => {
    const store = await (await place()).migrated();
    let now = Date.UTC(2027, 0, 1, 0, 30);
    const queue = await queueOver(store, { now: () => now });
    const traces: unknown[] = [];
    queue.recur({
      name: 'HOURLY',
      cron: '0 * * * *',
      zone: 'UTC',
      due: async () => async () => void traces.push(currentTrace()?.traceId),
    });
    await queue.start();
    for (const times of [1, 2]) {
      now += 3_600_000;
      await eventually(`the time number ${times}`, async () => (traces.length === times ? true : undefined));
    }
    expect(new Set(traces).size).toBe(2);
    expect(traces).not.toContain(undefined);
  });
});
