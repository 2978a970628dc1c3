import type { MetricFamily, MetricPoint } from '../../model/metrics.ts';
import { compileOffers } from '../../wire/media-type.ts';

/** A format of metrics. */
export interface MetricsFormat {
  readonly contentType: string;
  write(families: readonly MetricFamily[]): string;
}

/** Prometheus' text format, which is also sent where nothing else fits. */
const PROMETHEUS: MetricsFormat = {
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  write: (families) => families.filter(hasPoints).map(prometheus).join(''),
};

/** https://prometheus.io/docs/specs/om/open_metrics_spec/ */
const OPEN_METRICS: MetricsFormat = {
  contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
  write: (families) => `${families.filter(hasPoints).map(openMetrics).join('')}# EOF\n`,
};

const FORMATS = [PROMETHEUS, OPEN_METRICS] as const;
const select = compileOffers(FORMATS.map(({ contentType }) => contentType));

/** The format that a caller prefers. */
export function metricsFormat(accept: string | undefined): MetricsFormat {
  return FORMATS[select(accept)?.index ?? 0] ?? PROMETHEUS;
}

/** A metric without series has no lines: OpenMetrics permits its head alone, but a reader gains nothing from it. */
function hasPoints({ points }: MetricFamily): boolean {
  return points.length > 0;
}

function prometheus(family: MetricFamily): string {
  const { name, type, help } = family;
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${samples(family, String)}`;
}

/** A counter is named without `_total` there, and its unit is stated. */
function openMetrics(family: MetricFamily): string {
  const { name, type, help, unit } = family;
  const base = type === 'counter' ? name.replace(/_total$/, '') : name;
  const head = `# TYPE ${base} ${type}\n${unit === undefined ? '' : `# UNIT ${base} ${unit}\n`}`;
  return `${head}# HELP ${base} ${escaped(help).replaceAll('"', '\\"')}\n${samples(family, canonical)}`;
}

/** @param number writes the bound of a bucket */
function samples({ name, points, bounds = [] }: MetricFamily, number: (bound: number) => string): string {
  const line = (suffix: string, labels: MetricPoint['labels'], value: number): string =>
    `${name}${suffix}${labelled(labels)} ${numberText(value)}\n`;
  return points
    .map(({ labels, value, counts }) => {
      if (counts === undefined) return line('', labels, value);
      let below = 0;
      const buckets = counts.map((count, bucket) => {
        below += count;
        const bound = bounds[bucket];
        return line('_bucket', { ...labels, le: bound === undefined ? '+Inf' : number(bound) }, below);
      });
      return `${buckets.join('')}${line('_sum', labels, value)}${line('_count', labels, below)}`;
    })
    .join('');
}

function labelled(labels: MetricPoint['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Backslash and line feed; quotes are escaped only where the text is quoted. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

/** A bound with a point or an exponent (OpenMetrics, considerations on canonical numbers). */
function canonical(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound);
}
