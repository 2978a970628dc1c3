/** What is known of a metric. Names follow https://prometheus.io/docs/practices/naming/. */
export interface MetricDefinition {
  readonly type: MetricType;
  /** The unit, with which the name ends; a counter's name has `_total` after it. Other metrics count things. */
  readonly unit?: 'seconds' | 'bytes';
  readonly help: string;
  /** The values of each label, for people. All are from the definitions or from a fixed list, so that series are few. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * `fleet`: it describes the database that all gateways share. One gateway reports it at a time, so that sums over gateways
   * are right.
   */
  readonly of: 'gateway' | 'fleet';
  readonly combined: Combination;
  /** The upper bounds of a histogram's buckets, in its unit. */
  readonly bounds?: readonly number[];
}

export type MetricType = 'counter' | 'gauge' | 'histogram';

/** How the values of several gateways that share a port become one. */
export type Combination = 'sum' | 'max' | 'min' | 'average' | 'first' | 'omit';

const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const SLOW = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600] as const;

const OPERATION = 'the id, `Locations.v2.LOCATIONS_GET` if an older version has the same name; empty without operation';
const QUEUE = '`events`, `processes`, `query-runs`, or the id of a subscription';
const JOB =
  'the process, the query (`private` if a user saved it), or the class and its component: `Audit of CUSTOMER`';
const POOL =
  '`tables`, `queries`, `queue`, or `datasource` and its id; for stored queries on a replica, `replica` and its number after it';
const NODE = 'the id of the node';

/**
 * Every metric of the gateway. `/metrics`, the page docs/operating.md and OpenTelemetry's metrics are built from this table;
 * the names in deploy/ are checked against it. Node's own metrics (`process_...`, `nodejs_...`) are those of prom-client.
 */
export const METRICS = {
  signalbox_request_duration_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time from a request to the end of its reply, by operation and status.',
    labels: { operation: OPERATION, status: 'of HTTP' },
    of: 'gateway',
    combined: 'sum',
    bounds: FAST,
  },
  signalbox_requests_under_way: {
    type: 'gauge',
    help: 'Requests that are being answered.',
    labels: {},
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_received_bytes_total: {
    type: 'counter',
    unit: 'bytes',
    help: 'Bytes of the bodies of requests.',
    labels: {},
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_sent_bytes_total: {
    type: 'counter',
    unit: 'bytes',
    help: 'Bytes of the bodies of replies.',
    labels: {},
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_refusals_total: {
    type: 'counter',
    help: 'Requests that the gateway refused, by reason.',
    labels: { reason: 'the code of the fault in lower case: `unauthenticated`, `forbidden`, `body_too_large`' },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_repeated_requests_total: {
    type: 'counter',
    help: 'Requests that were answered with the first answer to the same call, by operation.',
    labels: { operation: OPERATION },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_rate_limited_total: {
    type: 'counter',
    help: 'Requests beyond a rate, by the rule that refused them.',
    labels: {
      rule: 'the id of the gateway or of the operation that has the rate',
      by: '`address`, `caller` or `all`',
    },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_job_attempts_total: {
    type: 'counter',
    help: 'Attempts at queued work that ended, by queue, name and result.',
    labels: { queue: QUEUE, name: JOB, result: '`done` or `failed`' },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_messages_published_total: {
    type: 'counter',
    help: 'Messages that were published, by operation.',
    labels: { operation: 'Id of the operation' },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_job_attempt_duration_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Duration of attempts at queued work, by queue and name.',
    labels: { queue: QUEUE, name: JOB },
    of: 'gateway',
    combined: 'sum',
    bounds: SLOW,
  },
  signalbox_queue_jobs: {
    type: 'gauge',
    help: 'Jobs in the queues of the database, by queue and state.',
    labels: {
      queue: QUEUE,
      state: '`waiting` (due), `delayed` (not due yet), `running`, `held` (until it is released) or `dead`',
    },
    of: 'fleet',
    combined: 'max',
  },
  signalbox_queue_oldest_seconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Time for which the job that has been due for longest waits, by queue; 0 if none waits.',
    labels: { queue: QUEUE },
    of: 'fleet',
    combined: 'max',
  },
  signalbox_retention_removed_total: {
    type: 'counter',
    help: 'Entries of expired data that were removed since the database was created, by kind.',
    labels: { kind: 'as in the table of [what grows](#what-grows-and-what-bounds-it): `process-requests`' },
    of: 'fleet',
    combined: 'max',
  },
  signalbox_fleet_reporter: {
    type: 'gauge',
    help: 'Whether this gateway reports the metrics of the whole fleet: 1 for one gateway of a database.',
    labels: {},
    of: 'gateway',
    combined: 'max',
  },
  signalbox_query_readers: {
    type: 'gauge',
    help: 'Processes that run stored queries, by what they are doing.',
    labels: { state: '`busy` or `idle`' },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_query_waiting: {
    type: 'gauge',
    help: 'Stored queries that wait to be run.',
    labels: {},
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_pool_connections: {
    type: 'gauge',
    help: 'Connections to databases, or readers of SQLite, by pool and state.',
    labels: { pool: POOL, state: '`busy` or `idle`' },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_pool_waiting: {
    type: 'gauge',
    help: 'Work that waits for a connection of a pool.',
    labels: { pool: POOL },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_pool_limit: {
    type: 'gauge',
    help: 'The most connections that a pool may open.',
    labels: { pool: POOL },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_call_duration_seconds: {
    type: 'histogram',
    unit: 'seconds',
    help: 'Time from a request to another system to the head of its reply, by node and status.',
    labels: { node: NODE, status: 'of HTTP, or the error: `CONNECTION`, `TLS`, `TIMEOUT`, `CUT`' },
    of: 'gateway',
    combined: 'sum',
    bounds: FAST,
  },
  signalbox_call_retries_total: {
    type: 'counter',
    help: 'Calls of other systems that were repeated after a failure, by node.',
    labels: { node: NODE },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_circuit_state: {
    type: 'gauge',
    help: 'State of the circuit breaker of a node: 0 closed, 1 half-open, 2 open.',
    labels: { node: NODE },
    of: 'gateway',
    combined: 'max',
  },
  signalbox_audit_lost_lines_total: {
    type: 'counter',
    help: 'Lines that the audit log lost while it could not be written.',
    labels: {},
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_recorded_calls_total: {
    type: 'counter',
    help: 'Calls that the message store was to record, by what became of their records.',
    labels: { result: '`recorded`, or `dropped` where the database did not take them as fast as they came' },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_spool_bytes: {
    type: 'gauge',
    unit: 'bytes',
    help: 'Content of attachments that is held in memory or in temporary files.',
    labels: { place: '`memory` or `file`' },
    of: 'gateway',
    combined: 'sum',
  },
  signalbox_event_loop_lag_seconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'Delay of the event loop in the last ten seconds or more, beyond the 10 ms between two looks.',
    labels: { statistic: '`median`, `p99` or `max`' },
    of: 'gateway',
    combined: 'max',
  },
  signalbox_ready: {
    type: 'gauge',
    help: 'Whether the gateway can work: 1 where /health/ready answers 200.',
    labels: {},
    of: 'gateway',
    combined: 'min',
  },
  signalbox_tls_certificate_not_after_timestamp_seconds: {
    type: 'gauge',
    unit: 'seconds',
    help: "End of the validity of the gateway's own TLS certificate, in seconds since 1970.",
    labels: {},
    of: 'gateway',
    combined: 'min',
  },
  signalbox_build_info: {
    type: 'gauge',
    help: 'The version of the gateway and of Node; 1.',
    labels: { version: 'of the package', node: 'of Node' },
    of: 'gateway',
    combined: 'first',
  },
  signalbox_definitions_info: {
    type: 'gauge',
    help: 'The definitions that the gateway runs; 1.',
    labels: { hash: 'of their content: the same for all gateways with the same definitions' },
    of: 'gateway',
    combined: 'max',
  },
  signalbox_definitions_loaded_timestamp_seconds: {
    type: 'gauge',
    unit: 'seconds',
    help: 'When the gateway loaded its definitions, in seconds since 1970.',
    labels: {},
    of: 'gateway',
    combined: 'min',
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof METRICS;

/** The labels of a metric, each with its value. */
export type MetricLabels<N extends MetricName> = { readonly [L in keyof (typeof METRICS)[N]['labels']]: string };

/** The value of a gauge or a counter when it is read. */
export type Reading = {
  readonly [N in MetricName]: readonly [name: N, value: number, labels: MetricLabels<N>];
}[MetricName];

/** Reads gauges. What fails, or does not answer in time, is left out. */
export type MetricSource = () => Iterable<Reading> | Promise<Iterable<Reading>>;

/** The connections, or the readers, of a pool. */
export interface PoolStatus {
  readonly busy: number;
  readonly idle: number;
  /** Work that waits for one. */
  readonly waiting: number;
  /** The most that it may open. */
  readonly limit: number;
}

/** Receives what happens in calls to other systems. `node` is the id of a node. */
export interface CallObserver {
  /** A request that was answered, with the status of HTTP, or that failed, with the code of the error. */
  called(node: string, status: number | string, ms: number): void;
  /** A call is made again after a failure. */
  retried(node: string): void;
  /** The state of the node's circuit breaker: closed, half-open, open. */
  circuit(node: string, state: 0 | 1 | 2): void;
}

/** One series. */
export interface MetricPoint {
  readonly labels: Readonly<Record<string, string>>;
  /** The value; of a histogram, the sum of what was observed. */
  readonly value: number;
  /** Of a histogram: how often it observed a value in each bucket, not cumulated; the last has no upper bound. */
  readonly counts?: readonly number[];
}

/** All series of a metric. It is plain data: gateways that share a port send it to one another. */
export interface MetricFamily extends Pick<MetricDefinition, 'type' | 'help' | 'combined' | 'bounds' | 'unit'> {
  readonly name: string;
  readonly points: readonly MetricPoint[];
}
