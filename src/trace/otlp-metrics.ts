import { type HrTime, ValueType } from '@opentelemetry/api';
import { AggregationTemporality, type DataPoint, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import type { MetricFamily, MetricPoint } from '../model/metrics.ts';

/** Names of the semantic conventions, by those of Prometheus. */
const NAMES: Readonly<Record<string, { readonly name: string; readonly labels: Readonly<Record<string, string>> }>> = {
  signalbox_request_duration_seconds: {
    name: 'http.server.request.duration',
    labels: { operation: 'signalbox.operation', status: 'http.response.status_code' },
  },
  signalbox_call_duration_seconds: {
    name: 'http.client.request.duration',
    labels: { node: 'signalbox.node', status: 'http.response.status_code' },
  },
  signalbox_job_attempt_duration_seconds: {
    name: 'messaging.process.duration',
    labels: { queue: 'messaging.destination.name', name: 'signalbox.name' },
  },
};

/** Units by the last part of a name (UCUM). */
const UNITS: Readonly<Record<string, string>> = { seconds: 's', bytes: 'By', ratio: '1' };

/**
 * The metrics of a gateway as OpenTelemetry has them: what `/metrics` shows, in the names of the semantic conventions where
 * there are any, otherwise `signalbox.` and the name without its unit. Values are cumulative since the start.
 * @param started milliseconds since 1970
 */
export function metricsOf(families: readonly MetricFamily[], started: number, now: number): MetricData[] {
  const times = { startTime: hrTime(started), endTime: hrTime(now) };
  return families.map(({ name, help, type, bounds = [], points }): MetricData => {
    const convention = NAMES[name];
    const [, unit = ''] = /_(seconds|bytes|ratio)(?:_total)?$/.exec(name) ?? [];
    const descriptor = {
      name: convention?.name ?? nameOf(name, unit),
      description: help,
      unit: UNITS[unit] ?? '',
      valueType: ValueType.DOUBLE,
    };
    const pointOf = <T>({ labels }: MetricPoint, value: T): DataPoint<T> => {
      const named = Object.entries(labels).map(([label, text]) => [convention?.labels[label] ?? label, text]);
      return { ...times, attributes: Object.fromEntries(named), value };
    };
    const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
    const numbers = (): DataPoint<number>[] => points.map((point) => pointOf(point, point.value));
    if (type === 'counter')
      return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: numbers() };
    if (type === 'gauge') return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: numbers() };
    const histograms = points.map((point) => {
      const counts = [...(point.counts ?? [])];
      const count = counts.reduce((all, one) => all + one, 0);
      return pointOf(point, { buckets: { boundaries: [...bounds], counts }, sum: point.value, count });
    });
    return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms };
  });
}

/** `signalbox_query_readers`: `signalbox.query_readers`; `process_cpu_seconds_total`: `process.cpu`. */
function nameOf(name: string, unit: string): string {
  const bare = name.replace(/_total$/, '').replace(new RegExp(`_${unit}$`), '');
  return bare.replace('_', '.');
}

/** Seconds and nanoseconds. */
function hrTime(ms: number): HrTime {
  return [Math.floor(ms / 1000), (ms % 1000) * 1e6];
}
