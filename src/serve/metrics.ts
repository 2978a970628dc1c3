import { collectDefaultMetrics, Histogram, Registry as PromRegistry } from 'prom-client';

/** Counts and durations, in Prometheus' text form at `/metrics`. */
export interface Metrics {
  /** One exchange, in seconds. `operation` is empty where none was found. */
  observe(operation: string, status: number, seconds: number): void;
  /** The whole page. */
  text(): Promise<string>;
  readonly contentType: string;
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of one gateway, apart from those of any other in the process. */
export function createMetrics(): Metrics {
  const registry = new PromRegistry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'signalbox_request_duration_seconds',
    help: 'Time from a request to the end of its reply, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  // A child with its labels is looked up once for each pair, not hashed for each request.
  const children = new Map<string, Map<number, Histogram.Internal<'operation' | 'status'>>>();
  return {
    observe(operation, status, seconds) {
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
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
