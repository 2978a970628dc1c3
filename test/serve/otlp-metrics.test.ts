import { expect, it } from 'vitest';
import { metricsOf } from '../../src/trace/otlp-metrics.ts';

const attributes = { 'signalbox.operation': 'A', 'http.response.status_code': '200' };
const labels = { operation: 'A', status: '200' };
const distribution = { buckets: { boundaries: [0.1, 1], counts: [2, 1, 3] }, sum: 9, count: 6 };

it.each([
  [
    'series',
    { bounds: [0.1, 1], points: [{ labels, value: 9, counts: [2, 1, 3] }] },
    { points: [{ labels: { queue: 'events' }, value: 4 }] },
  ],
  [
    'values of prom-client',
    {
      values: [
        ...[0.1, 1, '+Inf'].map((le, index) => ({
          metricName: 'signalbox_request_duration_seconds_bucket',
          labels: { le, ...labels },
          value: [2, 3, 6][index],
        })),
        { metricName: 'signalbox_request_duration_seconds_sum', labels, value: 9 },
        { metricName: 'signalbox_request_duration_seconds_count', labels, value: 6 },
      ],
    },
    { values: [{ labels: { queue: 'events' }, value: 4 }] },
  ],
])('metrics as %s are exported in the names, units and buckets of OpenTelemetry', (_, histogram, counter) => {
  const given = [
    { name: 'signalbox_request_duration_seconds', type: 'histogram', help: 'Time.', ...histogram },
    { name: 'signalbox_sent_bytes_total', type: 'counter', help: 'Bytes.', ...counter },
  ];
  const times = { startTime: [1, 500_000_000], endTime: [3, 0] };
  expect(metricsOf(given, 1500, 3000)).toMatchObject([
    {
      descriptor: { name: 'http.server.request.duration', unit: 's', description: 'Time.' },
      dataPoints: [{ ...times, attributes, value: distribution }],
    },
    {
      descriptor: { name: 'signalbox.sent', unit: 'By' },
      isMonotonic: true,
      dataPoints: [{ ...times, attributes: { queue: 'events' }, value: 4 }],
    },
  ]);
});
