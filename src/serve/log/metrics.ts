import { type Fault, faults } from '../../model/fault.ts';
import {
  type CallObserver,
  type Combination,
  METRICS,
  type MetricDefinition,
  type MetricFamily,
  type MetricLabels,
  type MetricName,
  type MetricPoint,
  type MetricSource,
  type Reading,
} from '../../model/metrics.ts';
import type { Account } from '../../model/work.ts';
import { withinTime } from '../../wire/waiting.ts';
import { eventLoopLag, nodeMetrics } from './readings.ts';

/** What a gateway counts while it works, and what it reads when its metrics are requested. */
export interface Metrics extends CallObserver {
  /** One exchange. `operation` is empty when none was found. Sizes are those of the bodies, in bytes. */
  observe(operation: string, status: number, seconds: number, received: number, sent: number): void;
  /** The fault that a request was answered with. */
  refused(fault: Fault): void;
  /** The first answer of an operation was sent again. */
  repeated(operation: string): void;
  /** An attempt at queued work. */
  readonly attempted: Account;
  /** A message that was published. */
  published(operation: string): void;
  /** Adds gauges of this gateway. */
  measure(...sources: readonly MetricSource[]): void;
  /** Adds gauges of the fleet: the source returns nothing while another gateway reports them. */
  measureFleet(source: MetricSource): void;
  /** All metrics: of all gateways that share the port, and of the fleet where this gateway reports it. */
  families(): Promise<readonly MetricFamily[]>;
  /** Those of this gateway alone. */
  counted(): Promise<Counted>;
}

/** The metrics of a gateway, in a form that can be sent to another process. */
export type Counted = readonly MetricFamily[];

interface MetricsOptions {
  /** The names of processes, queries and classes in the definitions. */
  readonly jobs?: ReadonlySet<string>;
  /** The counts of the other gateways that share the port. */
  readonly others?: () => Promise<readonly Counted[]>;
}

/** Milliseconds for a source to answer. */
const SOURCE_WITHIN = 1_000;

/** Metrics of one gateway, separate from those of any other in the process. Counting costs an addition. */
export function createMetrics({ jobs, others }: MetricsOptions = {}): Metrics {
  const requests = new Series('signalbox_request_duration_seconds');
  const refusals = new Series('signalbox_refusals_total');
  const repeats = new Series('signalbox_repeated_requests_total');
  const attempts = new Series('signalbox_job_attempts_total');
  const durations = new Series('signalbox_job_attempt_duration_seconds');
  const published = new Series('signalbox_messages_published_total');
  const calls = new Series('signalbox_call_duration_seconds');
  const retries = new Series('signalbox_call_retries_total');
  const circuits = new Series('signalbox_circuit_state');
  const received = new Series('signalbox_received_bytes_total');
  const sent = new Series('signalbox_sent_bytes_total');
  const all = [
    ...[requests, received, sent, refusals, repeats, attempts, durations, published],
    ...[calls, retries, circuits],
  ];
  const [bytesIn, bytesOut] = [received.of({}), sent.of({})];
  // The series of a pair of labels is looked up without building its key for each request.
  const byOperation = new Map<string, Map<number, Point>>();
  const own: MetricSource[] = [eventLoopLag()];
  const fleet: MetricSource[] = [];

  const counted = async (): Promise<Counted> => {
    const readings = await Promise.all(own.map(readWithin));
    return [...all.map((series) => series.family()), ...gathered(readings.flat()), ...(await nodeMetrics())];
  };
  return {
    observe(operation, status, seconds, bytesRead, bytesSent) {
      let byStatus = byOperation.get(operation);
      if (byStatus === undefined) {
        byStatus = new Map();
        byOperation.set(operation, byStatus);
      }
      let point = byStatus.get(status);
      if (point === undefined) {
        point = requests.of({ operation, status: String(status) });
        byStatus.set(status, point);
      }
      requests.observe(point, seconds);
      bytesIn.value += bytesRead;
      bytesOut.value += bytesSent;
    },
    refused(fault) {
      if (isRefusal(fault)) refusals.of({ reason: fault.code.toLowerCase() }).value += 1;
    },
    repeated(operation) {
      repeats.of({ operation }).value += 1;
    },
    attempted({ kind, name: given, ms, error }) {
      const queue = kind === 'message' ? given : QUEUES[kind];
      const name = jobs?.has(given) === false ? 'private' : given;
      attempts.of({ queue, name, result: error === undefined ? 'done' : 'failed' }).value += 1;
      durations.observe(durations.of({ queue, name }), ms / 1000);
    },
    published(operation) {
      published.of({ operation }).value += 1;
    },
    called: (node, status, ms) => calls.observe(calls.of({ node, status: String(status) }), ms / 1000),
    retried(node) {
      retries.of({ node }).value += 1;
    },
    circuit(node, state) {
      circuits.of({ node }).value = state;
    },
    measure: (...sources) => void own.push(...sources),
    measureFleet: (source) => void fleet.push(source),
    counted,
    async families() {
      const [mine, theirs, ofFleet] = await Promise.all([
        counted(),
        others?.() ?? [],
        Promise.all(fleet.map(readWithin)),
      ]);
      return [...(others === undefined ? mine : combine([mine, ...theirs])), ...gathered(ofFleet.flat())];
    },
  };
}

const QUEUES = { process: 'processes', query: 'query-runs', event: 'events' } as const satisfies Record<
  Exclude<Parameters<Account>[0]['kind'], 'message'>,
  string
>;

/** Faults of these statuses are failures of the gateway, or the caller's own end, and not refusals. */
const FAILURES: ReadonlySet<number> = new Set([499, 500, 502, 504, 507]);

/** Whether the gateway refused a request, as opposed to code that did so with a fault of its own. */
function isRefusal({ code, status }: Fault): boolean {
  return Object.hasOwn(faults, code) && !FAILURES.has(status);
}

/** A series while it counts. */
interface Point extends MetricPoint {
  value: number;
  readonly counts?: number[];
}

/** The series of a counter or a histogram. */
class Series<N extends MetricName> {
  readonly #name: N;
  readonly #bounds: readonly number[];
  readonly #points = new Map<string, Point>();

  constructor(name: N) {
    const { bounds = [] }: MetricDefinition = METRICS[name];
    this.#name = name;
    this.#bounds = bounds;
  }

  of(labels: MetricLabels<N>): Point {
    const key = Object.values(labels).join('\n');
    const known = this.#points.get(key);
    if (known !== undefined) return known;
    const isHistogram = this.#bounds.length > 0;
    const point = { labels, value: 0, ...(isHistogram ? { counts: [...this.#bounds, Infinity].map(() => 0) } : {}) };
    this.#points.set(key, point);
    return point;
  }

  observe(point: Point, value: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    (point.counts as number[])[bucket] = ((point.counts as number[])[bucket] as number) + 1;
    point.value += value;
  }

  family(): MetricFamily {
    return familyOf(this.#name, [...this.#points.values()]);
  }
}

function familyOf(name: MetricName, points: readonly MetricPoint[]): MetricFamily {
  const { labels: _, of: __, ...definition }: MetricDefinition = METRICS[name];
  return { name, ...definition, points };
}

/** Readings by their metrics. */
function gathered(readings: readonly Reading[]): MetricFamily[] {
  const byName = Map.groupBy(readings, ([name]) => name);
  return [...byName].map(([name, those]) =>
    familyOf(
      name,
      those.map(([, value, labels]) => ({ value, labels })),
    ),
  );
}

/** One that fails, or takes too long, reports nothing. */
async function readWithin(source: MetricSource): Promise<readonly Reading[]> {
  const read = async (): Promise<readonly Reading[]> => [...(await source())];
  return withinTime(read(), SOURCE_WITHIN, () => new Error('late')).catch(() => []);
}

const COMBINED: Readonly<Record<Exclude<Combination, 'omit'>, (values: readonly number[]) => number>> = {
  sum: total,
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  average: (values) => total(values) / values.length,
  first: ([value = 0]) => value,
};

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Combines the metrics of gateways that share a port, each by its own rule. */
function combine(all: readonly Counted[]): MetricFamily[] {
  const families = Map.groupBy(all.flat(), ({ name }) => name).values();
  return [...families].flatMap((those) => {
    const [{ combined, ...family }] = those as [MetricFamily];
    if (combined === 'omit') return [];
    const series = Map.groupBy(
      those.flatMap(({ points }) => points),
      ({ labels }) => JSON.stringify(labels),
    ).values();
    const points = [...series].map((same) => {
      const [{ labels, counts }] = same as [MetricPoint];
      const value = COMBINED[combined](same.map((point) => point.value));
      const sums = counts?.map((_, bucket) => total(same.map((point) => point.counts?.[bucket] ?? 0)));
      return { labels, value, ...(sums === undefined ? {} : { counts: sums }) };
    });
    return [{ ...family, combined, points }];
  });
}
