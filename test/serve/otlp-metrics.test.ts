import { expect, it } from 'vitest';
import type { MetricFamily } from '../../src/model/metrics.ts';
import { metricsOf } from '../../src/trace/otlp-metrics.ts';

it('metrics are exported in the names, units and buckets of OpenTelemetry', () => {
  const labels = { operation: 'A', status: '200' };
  const families: MetricFamily[] = [
    {
      ...{ name: 'signalbox_request_duration_seconds', type: 'histogram', help: 'Time.', combined: 'sum' },
      bounds: [0.1, 1],
      points: [{ labels, value: 9, counts: [2, 1, 3] }],
    },
    {
      ...{ name: 'signalbox_sent_bytes_total', type: 'counter', help: 'Bytes.', combined: 'sum' },
      points: [{ labels: { queue: 'events' }, value: 4 }],
    },
  ];
  const times = { startTime: [1, 500_000_000], endTime: [3, 0] };
  expect(metricsOf(families, 1500, 3000)).toMatchObject([
    {
      descriptor: { name: 'http.server.request.duration', unit: 's', description: 'Time.' },
      dataPoints: [
        {
          ...times,
          attributes: { 'signalbox.operation': 'A', 'http.response.status_code': '200' },
          value: { buckets: { boundaries: [0.1, 1], counts: [2, 1, 3] }, sum: 9, count: 6 },
        },
      ],
    },
    {
      descriptor: { name: 'signalbox.sent', unit: 'By' },
      isMonotonic: true,
      dataPoints: [{ ...times, attributes: { queue: 'events' }, value: 4 }],
    },
  ]);
});
