// The files in deploy/ for Prometheus and Grafana name metrics and labels that there are.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { METRICS, type MetricDefinition } from '../../src/model/metrics.ts';
import { createMetrics } from '../../src/serve/log/metrics.ts';
import { repository } from '../cli/support.ts';
import { expressionsOf, type Panel } from './dashboard.ts';

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

const { groups } = parse(read('deploy/prometheus/signalbox.rules.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read('deploy/grafana/signalbox.json')) as {
  readonly panels: Panel[];
  readonly templating: { readonly list: { readonly name: string }[] };
};
const unitTests = read('deploy/prometheus/signalbox.test.yml');

/** Labels that Prometheus adds, or that its functions need. */
const ADDED = ['job', 'instance', 'le'];

/** The names of metrics in an expression, and those of labels. */
function namesIn(expression: string): { readonly metrics: string[]; readonly labels: string[] } {
  const unquoted = expression.replaceAll(/"[^"]*"/g, '""');
  const metrics = [...unquoted.matchAll(/\b(?:signalbox|process|nodejs)_\w+|\bup\b/g)].map(([name]) => name);
  const selectors = [...unquoted.matchAll(/\{([^}]*)\}/g)].flatMap(([, text = '']) =>
    [...text.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label as string),
  );
  const lists = [...unquoted.matchAll(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, text = '']) =>
    text.split(',').map((label) => label.trim()),
  );
  return { metrics, labels: [...selectors, ...lists] };
}

/** Our metric that a series belongs to: a histogram has three names. */
function metricOf(series: string): MetricDefinition | undefined {
  const all: Readonly<Record<string, MetricDefinition>> = METRICS;
  const base = series.replace(/_(?:bucket|sum|count)$/, '');
  return all[series]?.type === 'histogram'
    ? undefined
    : (all[series] ?? (all[base]?.type === 'histogram' ? all[base] : undefined));
}

/** What an expression names and the gateway does not have. */
async function unknownIn(expression: string): Promise<string[]> {
  const { metrics, labels } = namesIn(expression);
  const nodes = new Set((await createMetrics().families()).map(({ name }) => name));
  const known = new Set([...ADDED, ...metrics.flatMap((name) => Object.keys(metricOf(name)?.labels ?? {}))]);
  return [
    ...metrics.filter(
      (name) => name !== 'up' && metricOf(name) === undefined && !(nodes.has(name) && !name.startsWith('signalbox')),
    ),
    ...labels.filter((label) => !known.has(label)),
  ];
}

test('an expression with a metric or a label that does not exist is noticed', async () => {
  expect(
    await unknownIn('sum by (operation) (rate(signalbox_request_duration_seconds_count{status=~"5.."}[5m]))'),
  ).toEqual([]);
  expect(await unknownIn('signalbox_request_duration_seconds > 1')).toEqual(['signalbox_request_duration_seconds']);
  expect(await unknownIn('signalbox_queue_job{state="dead"}')).toEqual(['signalbox_queue_job', 'state']);
  expect(await unknownIn('max by (name) (signalbox_queue_jobs{status="dead"})')).toEqual(['status', 'name']);
  expect(await unknownIn('process_cpu_seconds_totals')).toEqual(['process_cpu_seconds_totals']);
});

test.each(rules.map((rule) => [rule.alert, rule] as const))('the alert %s', async (name, {
  expr,
  labels,
  annotations,
}) => {
  expect(await unknownIn(expr)).toEqual([]);
  expect(['critical', 'warning']).toContain(labels.severity);
  expect(annotations.summary).toMatch(/\.$/);
  expect(annotations.description).toMatch(/\.$/);
  expect(annotations.runbook_url).toBe(`docs/operating.md#${name.toLowerCase()}`);
  // Labels that its texts show are those of what it is about.
  const { labels: named } = namesIn(expr);
  const shown = [...`${annotations.summary} ${annotations.description}`.matchAll(/\$labels\.(\w+)/g)].map(
    ([, label]) => label,
  );
  const kept = / by \(/.test(expr)
    ? named
    : [...named, 'instance', ...namesIn(expr).metrics.flatMap((each) => Object.keys(metricOf(each)?.labels ?? {}))];
  expect(shown.filter((label) => !kept.includes(label as string))).toEqual([]);
  expect(unitTests).toContain(name);
});

test('every alert has its section in docs/operating.md, with its severity, and no other has', () => {
  const sections = [...read('docs/operating.md').matchAll(/^### (Signalbox\w+)\n\n\*(\w+)\.\*/gm)];
  expect(sections.map(([, name, severity]) => [name, severity])).toEqual(
    rules.map(({ alert, labels }) => [alert, labels.severity]),
  );
});

test('the unit tests of the rules give series that there are', async () => {
  const { tests } = parse(unitTests) as { tests: { input_series: { series: string }[] }[] };
  const unknown = await Promise.all(
    tests.flatMap(({ input_series }) => input_series.map(({ series }) => unknownIn(series))),
  );
  expect(unknown.flat()).toEqual([]);
});

test('every query of the dashboard names metrics and labels that there are', async () => {
  const expressions = dashboard.panels.flatMap(expressionsOf);
  expect(expressions.length).toBeGreaterThan(40);
  for (const expression of expressions) expect(await unknownIn(expression), expression).toEqual([]);
});

test('the dashboard shows every metric of ours that is not about who reports', () => {
  const shown = new Set(
    dashboard.panels.flatMap(expressionsOf).flatMap((expression) => namesIn(expression).metrics.map(metricOf)),
  );
  const names = Object.entries<MetricDefinition>(METRICS).filter(([, metric]) => !shown.has(metric));
  expect(names.map(([name]) => name)).toEqual([
    'signalbox_retention_removed_total',
    'signalbox_fleet_reporter',
    'signalbox_definitions_loaded_timestamp_seconds',
  ]);
});

test('the panels of the dashboard are as Grafana wants them: distinct, in a grid of 24 columns without overlaps', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const taken = new Map<string, string>();
  for (const { type, title, gridPos, targets = [], fieldConfig, datasource } of panels) {
    expect(['row', 'stat', 'timeseries'], title).toContain(type);
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.get(`${x} ${y}`), title).toBeUndefined();
        taken.set(`${x} ${y}`, title);
      }
    if (type === 'row') continue;
    expect(datasource, title).toEqual({ type: 'prometheus', uid: '${datasource}' });
    expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
    expect(fieldConfig?.defaults.unit, title).toMatch(/^(?:none|s|d|reqps|ops|percentunit|Bps|bytes)$/);
  }
  expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'job', 'instance']);
});
