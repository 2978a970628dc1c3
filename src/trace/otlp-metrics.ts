import { type HrTime, ValueType } from '@opentelemetry/api';
import { AggregationTemporality, type DataPoint, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';

/** The counts of a gateway, in the JSON of prom-client. */
export type Counted = readonly object[];

/** A metric of {@link Counted}. */
interface CountedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly values: readonly CountedValue[];
}

interface CountedValue {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  /** Of a histogram: the name with `_bucket`, `_sum` or `_count`. */
  readonly metricName?: string;
}

/** Names of the semantic conventions, by those of Prometheus. */
const NAMES: Readonly<Record<string, { readonly name: string; readonly labels: Readonly<Record<string, string>> }>> = {
  signalbox_request_duration_seconds: {
    name: 'http.server.request.duration',
    labels: { operation: 'signalbox.operation', status: 'http.response.status_code' },
  },
};

/** Units by the last part of a name (UCUM). */
const UNITS: Readonly<Record<string, string>> = { seconds: 's', bytes: 'By', ratio: '1' };

/**
 * The metrics of a gateway as OpenTelemetry has them: what `/metrics` shows, in the names of the semantic conventions where
 * there are any, otherwise `signalbox.` and the name without its unit. Values are cumulative since the start.
 * @param started milliseconds since 1970
 */
export function metricsOf(counted: Counted, started: number, now: number): MetricData[] {
  const times = { startTime: hrTime(started), endTime: hrTime(now) };
  return (counted as readonly CountedMetric[]).flatMap((metric): MetricData[] => {
    const convention = NAMES[metric.name];
    const [, unit = ''] = /_(seconds|bytes|ratio)(?:_total)?$/.exec(metric.name) ?? [];
    const descriptor = {
      name: convention?.name ?? nameOf(metric.name, unit),
      description: metric.help,
      unit: UNITS[unit] ?? '',
      valueType: ValueType.DOUBLE,
    };
    const attributes = (labels: CountedValue['labels']) =>
      Object.fromEntries(Object.entries(labels).map(([name, value]) => [convention?.labels[name] ?? name, value]));
    const points = (): DataPoint<number>[] =>
      metric.values.map(({ value, labels }) => ({ ...times, attributes: attributes(labels), value }));
    const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
    switch (metric.type) {
      case 'counter':
        return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }];
      case 'gauge':
        return [{ ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() }];
      case 'histogram': {
        const dataPoints = histograms(metric).map(({ labels, value }) => ({
          ...times,
          attributes: attributes(labels),
          value,
        }));
        return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
      }
    }
    // Quantiles of a summary can't be added up, and OpenTelemetry has no instrument for them.
    return [];
  });
}

/** `signalbox_query_readers`: `signalbox.query_readers`; `process_cpu_seconds_total`: `process.cpu`. */
function nameOf(name: string, unit: string): string {
  const bare = name.replace(/_total$/, '').replace(new RegExp(`_${unit}$`), '');
  return bare.replace('_', '.');
}

interface Distribution {
  readonly labels: CountedValue['labels'];
  readonly value: { buckets: { boundaries: number[]; counts: number[] }; sum: number; count: number };
}

/** The distributions of a histogram, by their labels. Prometheus counts what is at most a boundary, OpenTelemetry what is between two. */
function histograms({ name, values }: CountedMetric): Distribution[] {
  const found = new Map<string, Distribution>();
  for (const { value, labels, metricName } of values) {
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    const known = found.get(key) ?? {
      labels: own,
      value: { buckets: { boundaries: [], counts: [] }, sum: 0, count: 0 },
    };
    found.set(key, known);
    const { buckets } = known.value;
    if (metricName === `${name}_sum`) known.value.sum = value;
    else if (metricName === `${name}_count`) known.value.count = value;
    else {
      const before = buckets.counts.reduce((sum, each) => sum + each, 0);
      buckets.counts.push(value - before);
      if (le !== undefined && le !== '+Inf') buckets.boundaries.push(Number(le));
    }
  }
  return [...found.values()];
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), (ms % 1000) * 1e6];
}
