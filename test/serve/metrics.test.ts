import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/serve/log/metrics.ts';

/** The lines of a page that begin with a name. */
async function lines(page: Promise<string>, name: string): Promise<string[]> {
  return (await page).split('\n').filter((line) => line.startsWith(name));
}

describe('the page of metrics', () => {
  it('counts exchanges from the first on, though what counts them is loaded with it', async () => {
    const metrics = createMetrics();
    metrics.observe('A', 200, 0.002);
    metrics.observe('A', 200, 0.2);
    await metrics.counted();
    metrics.observe('A', 404, 0.2);
    expect(await lines(metrics.text(), 'signalbox_request_duration_seconds_count')).toEqual([
      'signalbox_request_duration_seconds_count{operation="A",status="200"} 2',
      'signalbox_request_duration_seconds_count{operation="A",status="404"} 1',
    ]);
    expect(await lines(metrics.text(), 'process_resident_memory_bytes')).toHaveLength(1);
  });

  it('adds what other gateways have counted, as it comes from another process', async () => {
    const other = createMetrics({ queries: { status: () => ({ readers: [{ pid: 1, busy: false }], waiting: 0 }) } });
    other.observe('A', 200, 0.001);
    other.observe('B', 200, 0.001);
    const metrics = createMetrics({
      queries: {
        status: () => ({
          readers: [
            { pid: 2, busy: true },
            { pid: 3, busy: false },
          ],
          waiting: 4,
        }),
      },
      others: async () => [JSON.parse(JSON.stringify(await other.counted()))],
    });
    metrics.observe('A', 200, 0.001);
    expect(await lines(metrics.text(), 'signalbox_request_duration_seconds_count')).toEqual([
      'signalbox_request_duration_seconds_count{operation="A",status="200"} 2',
      'signalbox_request_duration_seconds_count{operation="B",status="200"} 1',
    ]);
    expect(await lines(metrics.text(), 'signalbox_query_')).toEqual([
      'signalbox_query_readers{state="busy"} 1',
      'signalbox_query_readers{state="idle"} 2',
      'signalbox_query_waiting 4',
    ]);
  });

  it('shows the jobs of the queues once, however many gateways there are', async () => {
    const counts = async () => [{ queue: 'events', waiting: 3, running: 1, dead: 2 }];
    const other = createMetrics({ queue: { counts } });
    const metrics = createMetrics({ queue: { counts }, others: async () => [await other.counted()] });
    expect(await lines(metrics.text(), 'signalbox_queue_jobs')).toEqual([
      'signalbox_queue_jobs{queue="events",state="waiting"} 3',
      'signalbox_queue_jobs{queue="events",state="running"} 1',
      'signalbox_queue_jobs{queue="events",state="dead"} 2',
    ]);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('gone'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('comes without the queues where the database %s', async (_, counts) => {
    const metrics = createMetrics({ queue: { counts } });
    metrics.observe('A', 200, 0.001);
    expect(await lines(metrics.text(), 'signalbox_queue_jobs')).toEqual([]);
    expect(await lines(metrics.text(), 'signalbox_request_duration_seconds_count')).toHaveLength(1);
  });
});
