import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Fault } from '../../src/model/fault.ts';
import type { Reading } from '../../src/model/metrics.ts';
import { createMetrics, type Metrics } from '../../src/serve/log/metrics.ts';
import { metricsFormat } from '../../src/serve/log/metrics-text.ts';
import { fleetSource } from '../../src/serve/log/readings.ts';
import { eventually } from '../support/project.ts';

/** The lines of a page that begin with a name. */
async function lines(metrics: Metrics, name: string, accept?: string): Promise<string[]> {
  const page = metricsFormat(accept).write(await metrics.families());
  return page.split('\n').filter((line) => line.startsWith(name));
}

/** The gauges of two readers. */
const readers = (busy: number, idle: number): Reading[] => [
  ['signalbox_query_readers', busy, { state: 'busy' }],
  ['signalbox_query_readers', idle, { state: 'idle' }],
];

describe('the metrics of a gateway', () => {
  it('count exchanges by operation and status, with their duration and the bytes of their bodies', async () => {
    const metrics = createMetrics();
    metrics.observe('A', 200, 0.002, 10, 100);
    metrics.observe('A', 200, 0.2, 0, 7);
    metrics.observe('A', 404, 31, 0, 0);
    const [, ...buckets] = await lines(metrics, 'signalbox_request_duration_seconds_bucket{operation="A",status="200"');
    expect(buckets[0]).toBe('signalbox_request_duration_seconds_bucket{operation="A",status="200",le="0.0025"} 1');
    expect(buckets.at(-1)).toBe('signalbox_request_duration_seconds_bucket{operation="A",status="200",le="+Inf"} 2');
    expect(await lines(metrics, 'signalbox_request_duration_seconds_count')).toEqual([
      'signalbox_request_duration_seconds_count{operation="A",status="200"} 2',
      'signalbox_request_duration_seconds_count{operation="A",status="404"} 1',
    ]);
    expect(await lines(metrics, 'signalbox_request_duration_seconds_sum{operation="A",status="404"}')).toEqual([
      'signalbox_request_duration_seconds_sum{operation="A",status="404"} 31',
    ]);
    // A value beyond the last bound is in no other bucket.
    expect(
      await lines(metrics, 'signalbox_request_duration_seconds_bucket{operation="A",status="404",le="30"}'),
    ).toEqual(['signalbox_request_duration_seconds_bucket{operation="A",status="404",le="30"} 0']);
    expect(await lines(metrics, 'signalbox_received_bytes_total')).toEqual(['signalbox_received_bytes_total 10']);
    expect(await lines(metrics, 'signalbox_sent_bytes_total')).toEqual(['signalbox_sent_bytes_total 107']);
    expect(await lines(metrics, 'process_resident_memory_bytes')).toHaveLength(1);
  });

  it('put a value on the bound of a bucket into that bucket', async () => {
    const metrics = createMetrics();
    metrics.observe('A', 200, 0.005, 0, 0);
    const [line] = await lines(
      metrics,
      'signalbox_request_duration_seconds_bucket{operation="A",status="200",le="0.005"}',
    );
    expect(line).toMatch(/ 1$/);
  });

  it('count refusals by the code of the fault, and neither failures nor the faults of handlers', async () => {
    const metrics = createMetrics();
    metrics.refused(Fault.of('FORBIDDEN', { user: 'JANE', what: 'A' }));
    metrics.refused(Fault.of('FORBIDDEN', { user: 'JOHN', what: 'A' }));
    metrics.refused(Fault.of('UNAVAILABLE', { reason: 'full' }));
    metrics.refused(Fault.of('INTERNAL', { operation: 'A' }));
    metrics.refused(Fault.of('UPSTREAM_FAILED', { operation: 'A' }));
    metrics.refused(Fault.custom('MY_OWN_4711', 400, 'no'));
    expect(await lines(metrics, 'signalbox_refusals_total')).toEqual([
      'signalbox_refusals_total{reason="forbidden"} 2',
      'signalbox_refusals_total{reason="unavailable"} 1',
    ]);
  });

  it('count attempts by name and result, under one name for all queries that users saved', async () => {
    const metrics = createMetrics({ jobs: new Set(['EXTRACT']) });
    const work = { id: 1, user: 'JANE', attempt: 1 };
    metrics.attempted({ ...work, kind: 'process', name: 'EXTRACT', ms: 70 });
    metrics.attempted({ ...work, kind: 'process', name: 'EXTRACT', ms: 70, error: new Error('no') });
    metrics.attempted({ ...work, kind: 'query', name: 'MINE_1', ms: 70 });
    metrics.attempted({ ...work, kind: 'query', name: 'MINE_2', ms: 70 });
    expect(await lines(metrics, 'signalbox_job_attempts_total')).toEqual([
      'signalbox_job_attempts_total{queue="processes",name="EXTRACT",result="done"} 1',
      'signalbox_job_attempts_total{queue="processes",name="EXTRACT",result="failed"} 1',
      'signalbox_job_attempts_total{queue="query-runs",name="private",result="done"} 2',
    ]);
    expect(await lines(metrics, 'signalbox_job_attempt_duration_seconds_count{queue="processes"')).toEqual([
      'signalbox_job_attempt_duration_seconds_count{queue="processes",name="EXTRACT"} 2',
    ]);
  });

  it('show the event loop when it was held up', async () => {
    const metrics = createMetrics();
    await lines(metrics, 'signalbox_event_loop');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const until = performance.now() + 120;
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const [line = ''] = await lines(metrics, 'signalbox_event_loop_lag_seconds{statistic="max"}');
    expect(Number(line.split(' ')[1])).toBeGreaterThan(0.09);
    // Who reads next sees it too.
    expect(await lines(metrics, 'signalbox_event_loop_lag_seconds{statistic="max"}')).toEqual([line]);
  });
});

describe('metrics of several gateways that share a port', () => {
  it('are combined as each says: sums, the longest, the earliest', async () => {
    const other = createMetrics();
    other.measure(() => [...readers(0, 1), ['signalbox_ready', 0, {}]]);
    other.observe('A', 200, 0.001, 0, 0);
    other.observe('B', 200, 0.001, 0, 0);
    other.circuit('PARTNER', 2);
    const metrics = createMetrics({ others: async () => [JSON.parse(JSON.stringify(await other.counted()))] });
    metrics.measure(() => [...readers(1, 1), ['signalbox_ready', 1, {}]]);
    metrics.observe('A', 200, 0.001, 0, 0);
    metrics.circuit('PARTNER', 0);
    expect(await lines(metrics, 'signalbox_request_duration_seconds_count')).toEqual([
      'signalbox_request_duration_seconds_count{operation="A",status="200"} 2',
      'signalbox_request_duration_seconds_count{operation="B",status="200"} 1',
    ]);
    expect(
      await lines(metrics, 'signalbox_request_duration_seconds_bucket{operation="A",status="200",le="30"}'),
    ).toEqual(['signalbox_request_duration_seconds_bucket{operation="A",status="200",le="30"} 2']);
    expect(await lines(metrics, 'signalbox_query_')).toEqual([
      'signalbox_query_readers{state="busy"} 1',
      'signalbox_query_readers{state="idle"} 2',
    ]);
    expect(await lines(metrics, 'signalbox_circuit_state')).toEqual(['signalbox_circuit_state{node="PARTNER"} 2']);
    expect(await lines(metrics, 'signalbox_ready')).toEqual(['signalbox_ready 0']);
    expect(await lines(metrics, 'process_resident_memory_bytes')).toHaveLength(1);
  });

  it('hold those of the fleet once', async () => {
    const depth = (): Reading[] => [['signalbox_queue_jobs', 3, { queue: 'events', state: 'waiting' }]];
    const other = createMetrics();
    other.measureFleet(depth);
    const metrics = createMetrics({ others: async () => [await other.counted()] });
    metrics.measureFleet(depth);
    expect(await lines(metrics, 'signalbox_queue_jobs')).toEqual([
      'signalbox_queue_jobs{queue="events",state="waiting"} 3',
    ]);
  });
});

describe('the metrics of the fleet', () => {
  const depths = [{ queue: 'events', waiting: 1, delayed: 0, running: 0, held: 0, dead: 0, oldest: 2 }];
  const retention = { removed: async () => new Map([['process-requests', 7]]) };

  it('are those of the gateway that holds the lease', async () => {
    const hold = vi.fn(async (_ms: number) => true);
    const queue = { depths: async () => depths };
    const source = fleetSource({ hold }, { queue, retention });
    expect(await source()).toEqual([
      ['signalbox_fleet_reporter', 1, {}],
      ['signalbox_queue_jobs', 1, { queue: 'events', state: 'waiting' }],
      ['signalbox_queue_jobs', 0, { queue: 'events', state: 'delayed' }],
      ['signalbox_queue_jobs', 0, { queue: 'events', state: 'running' }],
      ['signalbox_queue_jobs', 0, { queue: 'events', state: 'held' }],
      ['signalbox_queue_jobs', 0, { queue: 'events', state: 'dead' }],
      ['signalbox_queue_oldest_seconds', 2, { queue: 'events' }],
      ['signalbox_retention_removed_total', 7, { kind: 'process-requests' }],
    ]);
    hold.mockResolvedValueOnce(false);
    expect(await source()).toEqual([['signalbox_fleet_reporter', 0, {}]]);
  });

  it('are read from the database once in five seconds, and come later where that is slow', async () => {
    const { promise, resolve } = Promise.withResolvers<typeof depths>();
    const read = vi.fn(() => promise);
    const source = fleetSource({ hold: async () => true }, { queue: { depths: read }, retention });
    expect(await source()).toEqual([['signalbox_fleet_reporter', 1, {}]]);
    resolve(depths);
    await eventually('the depths', async () => ([...(await source())].length > 1 ? true : undefined));
    await source();
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('ask a database that does not answer for the lease once, however often they are read', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const hold = vi.fn((_ms: number) => promise);
    const source = fleetSource({ hold }, { queue: { depths: async () => depths }, retention });
    const pages = [source(), source(), source()];
    resolve(false);
    await Promise.all(pages);
    expect(hold).toHaveBeenCalledTimes(1);
    await source();
    expect(hold).toHaveBeenCalledTimes(2);
  });

  it('are held by a lease that lasts until they are asked for again, though somebody asks in between', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const hold = vi.fn(async (_ms: number) => false);
    const source = fleetSource({ hold }, { queue: { depths: async () => depths }, retention });
    for (const pause of [0, 30_000, 30_000, 10, 10]) {
      vi.advanceTimersByTime(pause);
      await source();
    }
    expect(hold.mock.calls.map(([ms]) => ms).slice(1)).toEqual([37_500, 37_500, 37_500, 37_500]);
  });
});

describe('a page of metrics', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('gone'))],
    ['does not answer', () => new Promise<never>(() => undefined)],
  ])('comes without what %s', async (_, source) => {
    const metrics = createMetrics();
    metrics.measure(source);
    metrics.measureFleet(source);
    metrics.observe('A', 200, 0.001, 0, 0);
    expect(await lines(metrics, 'signalbox_queue_jobs')).toEqual([]);
    expect(await lines(metrics, 'signalbox_request_duration_seconds_count')).toHaveLength(1);
  });

  it('is written by OpenMetrics for callers that prefer it', async () => {
    const metrics = createMetrics();
    metrics.refused(Fault.of('NOT_FOUND', { what: 'A' }));
    metrics.observe('A', 200, 0.7, 0, 0);
    const openMetrics = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3';
    expect(metricsFormat(openMetrics).contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    expect(await lines(metrics, '# TYPE signalbox_refusals', openMetrics)).toEqual([
      '# TYPE signalbox_refusals counter',
    ]);
    expect(await lines(metrics, 'signalbox_refusals', openMetrics)).toEqual([
      'signalbox_refusals_total{reason="not_found"} 1',
    ]);
    const unit = '# UNIT signalbox_request_duration_seconds seconds';
    expect(await lines(metrics, unit, openMetrics)).toEqual([unit]);
    const bucket = 'signalbox_request_duration_seconds_bucket{operation="A",status="200",le="1.0"}';
    expect(await lines(metrics, bucket, openMetrics)).toEqual([`${bucket} 1`]);
    expect(metricsFormat(openMetrics).write(await metrics.families())).toMatch(/\n# EOF\n$/);
  });

  it.each([
    undefined,
    '*/*',
    'text/html',
    'text/plain',
    'application/openmetrics-text;q=0.1,text/plain;q=0.5',
  ])("is Prometheus' text for %s", (accept) =>
    expect(metricsFormat(accept).contentType).toBe('text/plain; version=0.0.4; charset=utf-8'));

  it('escapes what its lines give a meaning', async () => {
    const metrics = createMetrics();
    metrics.measure(() => [['signalbox_definitions_info', 1, { hash: 'a"b\\c\nd' }]]);
    expect(await lines(metrics, 'signalbox_definitions_info')).toEqual([
      'signalbox_definitions_info{hash="a\\"b\\\\c\\nd"} 1',
    ]);
  });
});
