import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readExport } from '../../src/serve/start/telemetry.ts';
import { startTestGateway } from '../support/gateway.ts';

const AT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('the variables of OpenTelemetry', () => {
  it.each([
    {},
    { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' },
    { ...AT, OTEL_SDK_DISABLED: 'true' },
    { ...AT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
  ])('%j export nothing', (env) => {
    expect(readExport(env)).toBeUndefined();
  });

  it('export all signals to an endpoint, each below its path', () => {
    const { signals, sampler, resource, spans, metrics } =
      readExport({ ...AT, OTEL_RESOURCE_ATTRIBUTES: 'a=1%2C2,service.name=s' }) ?? {};
    expect(signals).toMatchObject({
      traces: { url: 'http://collector:4318/v1/traces', headers: {}, timeoutMillis: 10_000 },
      metrics: { url: 'http://collector:4318/v1/metrics' },
      logs: { url: 'http://collector:4318/v1/logs' },
    });
    expect(sampler).toEqual({ parentBased: true, ratio: 1 });
    expect(resource).toMatchObject({ a: '1,2', 'service.name': 's', 'process.pid': String(process.pid) });
    expect(spans).toEqual({
      maxQueueSize: 2048,
      maxExportBatchSize: 512,
      scheduledDelayMillis: 5000,
      exportTimeoutMillis: 30_000,
    });
    expect(metrics).toEqual({ interval: 60_000, timeout: 30_000 });
  });

  it('of one signal go before those of all', () => {
    const env = {
      ...AT,
      OTEL_EXPORTER_OTLP_HEADERS: 'a=1',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/in',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer%20x',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '5',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_SERVICE_NAME: 'named',
      OTEL_BSP_MAX_QUEUE_SIZE: '100',
    };
    const { signals, sampler, resource, spans } = readExport(env) ?? {};
    expect(signals).toEqual({
      traces: { url: 'https://traces/in', headers: { authorization: 'Bearer x' }, timeoutMillis: 5 },
    });
    expect(sampler).toEqual({ parentBased: false, ratio: 0.25 });
    expect(resource).toMatchObject({ 'service.name': 'named' });
    expect(spans).toMatchObject({ maxQueueSize: 100, maxExportBatchSize: 100 });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"', /http\/protobuf, .* 4318/],
    [{ OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: 'http/json' }, 'OTEL_EXPORTER_OTLP_LOGS_PROTOCOL is "http/json"', /protobuf/],
    [{ OTEL_TRACES_EXPORTER: 'console' }, 'OTEL_TRACES_EXPORTER is "console"', /otlp or none/],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318"',
      /http or https/,
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'ftp://me:secret@x' },
      'OTEL_EXPORTER_OTLP_ENDPOINT is "ftp://***@x"',
      /http or https/,
    ],
    [
      { OTEL_EXPORTER_OTLP_HEADERS: 'secret' },
      'OTEL_EXPORTER_OTLP_HEADERS is not a list of pairs such as key=value,key2=value2',
      /%2C/,
    ],
    [{ OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER is "jaeger_remote"', /parentbased_traceidratio/],
    [
      { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' },
      'OTEL_TRACES_SAMPLER_ARG is "2"',
      /from 0 to 1/,
    ],
    [{ OTEL_METRIC_EXPORT_INTERVAL: '1m' }, 'OTEL_METRIC_EXPORT_INTERVAL is "1m"', /whole number/],
  ])('%j are refused, by their names and with the remedy', (env, message, hint) => {
    expect(() => readExport({ ...AT, ...env })).toThrow(
      expect.objectContaining({ name: 'GatewayError', message, hint: expect.stringMatching(hint) }),
    );
  });

  it('that are wrong keep a gateway from its start', async () => {
    await expect(startTestGateway({ env: { ...AT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' } })).rejects.toThrow(
      'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"',
    );
  });

  it('that only the libraries read are warned of when they are wrong, and the gateway starts', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', 'brotli');
    onTestFinished(() => void vi.unstubAllEnvs());
    const env = { ...AT, OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' };
    const gateway = await startTestGateway({ env });
    onTestFinished(() => gateway.stop());
    const warned = gateway.log().filter(({ level, msg }) => level === 'warn' && /OTLP|OTEL/.test(String(msg)));
    expect(warned).toEqual([expect.objectContaining({ msg: expect.stringMatching(/OTLP: .*brotli/) })]);
  });
});
