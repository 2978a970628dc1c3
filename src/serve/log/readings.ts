import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Combination, MetricFamily, MetricSource, PoolStatus, Reading } from '../../model/metrics.ts';
import type { Registry } from '../../model/registry.ts';
import type { QueryPort } from '../../query/index.ts';
import type { JobQueue, Lease, QueueDepth, Retention } from '../../store/index.ts';
import { shared } from '../../wire/waiting.ts';

/** The parts of a gateway that have something to measure. */
interface MeasuredParts {
  readonly queries: Pick<QueryPort, 'status' | 'pools'>;
  /** Connections for the gateway's tables; `undefined` on SQLite. */
  readonly tables: () => PoolStatus | undefined;
  readonly queue: Pick<JobQueue, 'pool'>;
  readonly throttle: { limited(): Iterable<Limited> } | undefined;
  readonly auditFile: { readonly lost: number } | undefined;
  readonly calls: { readonly recorded: number; readonly dropped: number };
  readonly spool: { status(): { readonly memory: number; readonly file: number } };
  readonly readiness: { holds(): Promise<boolean> };
  readonly connections: { readonly busy: number };
  readonly tls: { readonly notAfter: number } | undefined;
}

/** How often a rate refused calls. */
export interface Limited {
  /** Id of the gateway or of the operation that has the rate. */
  readonly rule: string;
  readonly by: string;
  readonly count: number;
}

/** What is read of a gateway for each request for its metrics. Each part by itself: one that hangs hides no other. */
export function gatewaySources(parts: MeasuredParts): MetricSource[] {
  const { queries, tables, queue, throttle, auditFile, calls, spool, readiness, connections, tls } = parts;
  return [
    () => [['signalbox_requests_under_way', connections.busy, {}]],
    () =>
      tls === undefined ? [] : [['signalbox_tls_certificate_not_after_timestamp_seconds', tls.notAfter / 1000, {}]],
    () => readers(queries),
    () => [
      ...poolReadings('tables', tables()),
      ...poolReadings('queue', queue.pool()),
      ...queries.pools().flatMap(({ name, ...pool }) => poolReadings(name, pool)),
    ],
    () =>
      [...(throttle?.limited() ?? [])].map(
        ({ rule, by, count }): Reading => ['signalbox_rate_limited_total', count, { rule, by }],
      ),
    () => [['signalbox_audit_lost_lines_total', auditFile?.lost ?? 0, {}]],
    () => [
      ['signalbox_recorded_calls_total', calls.recorded, { result: 'recorded' }],
      ['signalbox_recorded_calls_total', calls.dropped, { result: 'dropped' }],
    ],
    () => Object.entries(spool.status()).map(([place, bytes]): Reading => ['signalbox_spool_bytes', bytes, { place }]),
    async () => [['signalbox_ready', (await Promise.race([readiness.holds(), no(ANSWER_WITHIN)])) ? 1 : 0, {}]],
  ];
}

/** Milliseconds for the database to answer: less than a source may take. */
const ANSWER_WITHIN = 700;

function no(afterMs: number): Promise<false> {
  return setTimeout(afterMs, false, { ref: false });
}

function readers(queries: Pick<QueryPort, 'status'>): Reading[] {
  const { readers: all, waiting } = queries.status();
  const busy = all.filter((reader) => reader.busy).length;
  return [
    ['signalbox_query_readers', busy, { state: 'busy' }],
    ['signalbox_query_readers', all.length - busy, { state: 'idle' }],
    ['signalbox_query_waiting', waiting, {}],
  ];
}

function poolReadings(pool: string, status: PoolStatus | undefined): Reading[] {
  if (status === undefined) return [];
  return [
    ['signalbox_pool_connections', status.busy, { pool, state: 'busy' }],
    ['signalbox_pool_connections', status.idle, { pool, state: 'idle' }],
    ['signalbox_pool_waiting', status.waiting, { pool }],
    ['signalbox_pool_limit', status.limit, { pool }],
  ];
}

/** Milliseconds for which the database is not read again: that reads all jobs. */
const READ_EVERY = 5_000;
/** Milliseconds for which they are reported when reading them takes longer than that. */
const OLDEST = 120_000;

/**
 * The queues of the database, and what was removed from it. The gateway that holds the lease reports them. Each request for its
 * metrics takes or keeps the lease, so that the holder is one whose metrics are read; another takes over when they no longer are.
 */
export function fleetSource(
  lease: Pick<Lease, 'hold'>,
  { queue, retention }: { readonly queue: Pick<JobQueue, 'depths'>; readonly retention: Pick<Retention, 'removed'> },
): MetricSource {
  const intervals = new Intervals();
  let last: { readonly at: number; readonly readings: readonly Reading[] } | undefined;
  // One at a time: requests for metrics must not use up the connections of a database that does not answer.
  const hold = shared((ms: number) => lease.hold(ms));
  const read = shared(async (): Promise<void> => {
    const [depths, removed] = await Promise.all([queue.depths(), retention.removed()]);
    const counts = [...removed].map(([kind, count]): Reading => ['signalbox_retention_removed_total', count, { kind }]);
    last = { at: performance.now(), readings: [...depths.flatMap(depthReadings), ...counts] };
  });
  return async () => {
    const now = performance.now();
    if (!(await hold(leaseFor(intervals.next(now))))) return [['signalbox_fleet_reporter', 0, {}]];
    // A database that takes longer is counted in the background: the figures of the time before are better than none.
    if (last === undefined || now - last.at > READ_EVERY) await Promise.race([read(), no(ANSWER_WITHIN)]);
    const known = last === undefined || performance.now() - last.at > OLDEST ? [] : last.readings;
    return [['signalbox_fleet_reporter', 1, {}], ...known];
  };
}

/** Milliseconds of the shortest lease: a person who reads the metrics again and again must not shorten it. */
const SHORTEST_LEASE = 8_000;

/** A lease outlasts the pause until the gateway is asked again by a quarter. */
function leaseFor(interval: number): number {
  return Math.max(SHORTEST_LEASE, 1.25 * interval);
}

/** How often the metrics are read. Further readers in between must not shorten a lease. */
class Intervals {
  readonly #last: number[] = [];
  #before: number | undefined;

  /** @returns the longest of the last pauses, in milliseconds */
  next(now: number): number {
    if (this.#before !== undefined) this.#last.push(now - this.#before);
    this.#before = now;
    if (this.#last.length > 4) this.#last.shift();
    return this.#last.length === 0 ? LONGEST : Math.min(LONGEST, Math.max(...this.#last));
  }
}

/** Milliseconds between two readings that are assumed as long as there was only one, and at most. */
const LONGEST = 60_000;

function depthReadings({ queue, oldest, ...depth }: QueueDepth): Reading[] {
  return [
    ...STATES.map((state): Reading => ['signalbox_queue_jobs', depth[state], { queue, state }]),
    ['signalbox_queue_oldest_seconds', oldest, { queue }],
  ];
}

const STATES = ['waiting', 'delayed', 'running', 'held', 'dead'] as const;

/** The names of all queued work in the definitions. */
export function jobNames({ processes, queries, components, subscriptions }: Registry): ReadonlySet<string> {
  const classes = [...components.values()].flatMap(({ id, events }) =>
    events.map(({ service }) => `${service.id} of ${id}`),
  );
  return new Set([...processes.keys(), ...queries.keys(), ...classes, ...subscriptions.keys()]);
}

/** What a gateway runs: its version, and its definitions. @param sources the texts of the definitions, by file */
export function identity(sources: ReadonlyMap<string, string>): MetricSource {
  const hash = definitionsHash(sources);
  const loaded = Date.now() / 1000;
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const readings: Reading[] = [
    ['signalbox_build_info', 1, { version: String(manifest.version), node: process.versions.node }],
    ['signalbox_definitions_info', 1, { hash }],
    ['signalbox_definitions_loaded_timestamp_seconds', loaded, {}],
  ];
  return () => readings;
}

/** Digits of a hash that people compare. */
const DIGITS = 16;

/** Names are hashed with the texts: two files that swap their contents are other definitions. */
export function definitionsHash(sources: ReadonlyMap<string, string>): string {
  const sorted = [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, DIGITS);
}

/** Milliseconds between two looks of the monitor at the event loop. */
const RESOLUTION = 10;
/** Milliseconds for which what it found is kept, so that two who read the metrics do not take it from each other. */
const LAG_OF = 10_000;

/** The process has one event loop, however many gateways. */
let lag: MetricSource | undefined;

/** The delay of the event loop. The monitor of Node costs a timer every 10 ms. */
export function eventLoopLag(): MetricSource {
  lag ??= monitorLag();
  return lag;
}

function monitorLag(): MetricSource {
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION });
  monitor.enable();
  let since = performance.now();
  let before: readonly Reading[] = [];
  return () => {
    const now = performance.now();
    const current = lagOf(monitor);
    if (now - since < LAG_OF) return worst(before, current);
    since = now;
    before = current;
    monitor.reset();
    return current;
  };
}

function lagOf(monitor: ReturnType<typeof monitorEventLoopDelay>): Reading[] {
  const seconds = (nanoseconds: number): number =>
    monitor.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - RESOLUTION / 1000);
  return (
    [
      ['median', monitor.percentile(50)],
      ['p99', monitor.percentile(99)],
      ['max', monitor.max],
    ] as const
  ).map(([statistic, value]) => ['signalbox_event_loop_lag_seconds', seconds(value), { statistic }]);
}

function worst(before: readonly Reading[], now: readonly Reading[]): Reading[] {
  return now.map(([name, value, labels], index) => [name, Math.max(value, before[index]?.[1] ?? 0), labels] as Reading);
}

let library: Promise<() => Promise<LibraryMetric[]>> | undefined;

async function openLibrary(): Promise<() => Promise<LibraryMetric[]>> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // They are gauges, so a name that ends with _total is wrong. nodejs_active_resources and its like have the same by type.
  for (const what of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${what}_total`);
  return async () => (await registry.getMetricsAsJSON()) as unknown as LibraryMetric[];
}

/** Node's own metrics. The library is imported when they are first read: it would take a tenth of the start-up time. */
export async function nodeMetrics(): Promise<MetricFamily[]> {
  library ??= openLibrary();
  return (await (await library)()).map(ofLibrary);
}

/** A metric as prom-client gives it. */
interface LibraryMetric {
  readonly name: string;
  readonly help: string;
  readonly type: MetricFamily['type'];
  readonly aggregator: Combination;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string;
  }[];
}

function ofLibrary({ name, help, type, aggregator, values }: LibraryMetric): MetricFamily {
  const family = { name, help, type, combined: aggregator };
  if (type !== 'histogram')
    return { ...family, points: values.map(({ value, labels }) => ({ value, labels: texts(labels) })) };
  const finite = values.flatMap(({ labels: { le } }) => (typeof le === 'number' ? [le] : []));
  const bounds = [...new Set(finite)].toSorted((a, b) => a - b);
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(texts(labels)));
  const points = [...series].map(([labels, those]) => {
    const end = (suffix: string): number => those.find(({ metricName }) => metricName === name + suffix)?.value ?? 0;
    const upTo = bounds.map((bound) => those.find(({ labels: { le } }) => le === bound)?.value ?? 0);
    const counts = [...upTo, end('_count')].map((count, bucket) => count - (upTo[bucket - 1] ?? 0));
    return { labels: JSON.parse(labels) as Record<string, string>, value: end('_sum'), counts };
  });
  return { ...family, bounds, points };
}

function texts(labels: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}
