import type { Counters, MetricsOptions } from './counters.ts';

/** Counts and durations, in Prometheus' text form at `/metrics`. */
export interface Metrics extends Counters {
  readonly contentType: string;
}

/** Prometheus' text format. */
const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Metrics of one gateway, apart from those of any other in the process. What counts is imported with the first exchange: it
 * would take a tenth of the start.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  let counters: Counters | undefined;
  let loading: Promise<Counters> | undefined;
  const early: Parameters<Metrics['observe']>[] = [];
  const load = async (): Promise<Counters> => {
    const { createCounters } = await import('./counters.ts');
    counters = createCounters(options);
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
