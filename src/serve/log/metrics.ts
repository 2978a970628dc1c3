import { setTimeout } from 'node:timers/promises';
import type { Histogram, Registry } from 'prom-client';
import type { QueryPort } from '../../query/index.ts';
import type { JobQueue } from '../../store/index.ts';

type Library = typeof import('prom-client');

/** Counts and durations, in Prometheus' text form at `/metrics`. */
export interface Metrics {
  /** One exchange, in seconds. `operation` is empty when none was found. */
  observe(operation: string, status: number, seconds: number): void;
  /** The whole page: the totals of all gateways that share the port. */
  text(): Promise<string>;
  /** The counts of this gateway. */
  counted(): Promise<Counted>;
  readonly contentType: string;
}

type Counters = Omit<Metrics, 'contentType'>;

/** The counts of a gateway, in a form that can be sent to another process. */
export type Counted = readonly object[];

/** Sources of the metrics that are not about exchanges. */
export interface MetricsOptions {
  readonly queries?: Pick<QueryPort, 'status'>;
  readonly queue?: Pick<JobQueue, 'counts'>;
  /** The counts of the other gateways that share the port. */
  readonly others?: () => Promise<readonly Counted[]>;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Milliseconds for the database to count its queues; after that the page is sent without them. */
const QUEUES_WITHIN = 1_000;

/** Prometheus' text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Metrics of one gateway, separate from those of any other in the process. The library is imported at the first exchange,
 * because it would take a tenth of the start-up time.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  let counters: Counters | undefined;
  let loading: Promise<Counters> | undefined;
  const early: Parameters<Metrics['observe']>[] = [];
  const load = async (): Promise<Counters> => {
    counters = createCounters(await import('prom-client'), options);
    for (const each of early.splice(0)) counters.observe(...each);
    return counters;
  };
  const loaded = (): Promise<Counters> => {
    loading ??= load();
    return loading;
  };
  return {
    observe(...exchange) {
      if (counters !== undefined) return counters.observe(...exchange);
      early.push(exchange);
      loaded().catch(() => undefined);
    },
    text: async () => (await loaded()).text(),
    counted: async () => (await loaded()).counted(),
    contentType: CONTENT_TYPE,
  };
}

function createCounters(library: Library, { queries, queue, others }: MetricsOptions): Counters {
  const registry = new library.Registry();
  library.collectDefaultMetrics({ register: registry });
  if (queries !== undefined) addReaders(library, registry, queries);
  return {
    observe: createDurations(library, registry),
    counted: () => registry.getMetricsAsJSON(),
    async text() {
      const [own, queues] = await Promise.all([
        others === undefined
          ? registry.metrics()
          : sumsOf(library, [await registry.getMetricsAsJSON(), ...(await others())]),
        queue === undefined ? '' : queuesText(library, queue),
      ]);
      return own + queues;
    },
  };
}

function createDurations({ Histogram }: Library, registry: Registry): Counters['observe'] {
  const durations = new Histogram({
    name: 'signalbox_request_duration_seconds',
    help: 'Time from a request to the end of its reply, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  // The child for a pair of labels is looked up once, not hashed for each request.
  const children = new Map<string, Map<number, Histogram.Internal<'operation' | 'status'>>>();
  return (operation, status, seconds) => {
    let byStatus = children.get(operation);
    if (byStatus === undefined) {
      byStatus = new Map();
      children.set(operation, byStatus);
    }
    let child = byStatus.get(status);
    if (child === undefined) {
      child = durations.labels(operation, String(status));
      byStatus.set(status, child);
    }
    child.observe(seconds);
  };
}

function addReaders({ Gauge }: Library, registry: Registry, queries: NonNullable<MetricsOptions['queries']>): void {
  new Gauge({
    name: 'signalbox_query_readers',
    help: 'Processes that run stored queries, by what they are doing.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { readers } = queries.status();
      const busy = readers.filter((reader) => reader.busy).length;
      this.set({ state: 'busy' }, busy);
      this.set({ state: 'idle' }, readers.length - busy);
    },
  });
  new Gauge({
    name: 'signalbox_query_waiting',
    help: 'Stored queries that wait to be run.',
    registers: [registry],
    collect() {
      this.set(queries.status().waiting);
    },
  });
}

/** Aggregated by the rule of each metric; most are sums. */
function sumsOf({ AggregatorRegistry }: Library, counted: readonly Counted[]): Promise<string> {
  return AggregatorRegistry.aggregate([...counted]).metrics();
}

/** The queues are in the shared database, so every gateway reports the same numbers. */
async function queuesText({ Gauge, Registry }: Library, queue: NonNullable<MetricsOptions['queue']>): Promise<string> {
  const within = new AbortController();
  const none = setTimeout(QUEUES_WITHIN, [], { signal: within.signal }).catch(() => []);
  const counts = await Promise.race([queue.counts().catch(() => []), none]);
  within.abort();
  const registry = new Registry();
  const jobs = new Gauge({
    name: 'signalbox_queue_jobs',
    help: 'Jobs in the queues of the database, by queue and state.',
    labelNames: ['queue', 'state'],
    registers: [registry],
  });
  for (const { queue: name, ...states } of counts)
    for (const state of ['waiting', 'running', 'dead'] as const) jobs.set({ queue: name, state }, states[state]);
  return registry.metrics();
}
