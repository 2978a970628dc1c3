import {
  type Context,
  createTraceState,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { MetricFamily } from '../model/metrics.ts';
import type { Redactor } from '../model/redactor.ts';
import { RANDOM } from '../wire/trace-context.ts';
import { withinTime } from '../wire/waiting.ts';
import { metricsOf } from './otlp-metrics.ts';
import { type Attributes, newSpanId, newTraceId, type Parent, type Span, type Tracer } from './trace.ts';

/** What is exported where. Times in milliseconds. */
export interface ExportSettings {
  /** By signal, when that is exported. */
  readonly signals: Readonly<Partial<Record<Signal, Destination>>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: { readonly parentBased: boolean; readonly ratio: number };
  readonly spans: BatchSettings;
  readonly logs: BatchSettings;
  readonly metrics: { readonly interval: number; readonly timeout: number };
}

export type Signal = 'traces' | 'metrics' | 'logs';

/** Where a signal is sent. */
interface Destination {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMillis: number;
}

/** A bounded queue: what does not fit is dropped and counted. */
interface BatchSettings {
  readonly maxQueueSize: number;
  readonly maxExportBatchSize: number;
  readonly scheduledDelayMillis: number;
  readonly exportTimeoutMillis: number;
}

/** The export of a gateway. */
export interface Telemetry {
  /** `undefined` when traces are not exported. */
  readonly tracer: Tracer | undefined;
  /** Exports a line of the log, which is JSON and holds no secrets any more; `undefined` when logs are not exported. */
  readonly line: ((line: string) => void) | undefined;
  /** Begins to export metrics, if they are exported. @param count reads them */
  measure(count: () => Promise<readonly MetricFamily[]>): void;
  /** Sends what waits, for at most so many milliseconds. */
  close(timeoutMs: number): Promise<void>;
}

/** @param onProblem is called with what the libraries report: a collector that does not answer, and what was dropped */
export function openOtlp(settings: ExportSettings, redactor: Redactor, onProblem: (words: string) => void): Telemetry {
  diag.setLogger(
    { error: onProblem, warn: onProblem, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const resource = resourceFromAttributes(settings.resource);
  const { traces, logs, metrics } = settings.signals;
  const spans = traces && createSpans(traces, settings, resource);
  const lines = logs && createLines(logs, settings, resource);
  let meters: MeterProvider | undefined;
  return {
    tracer: spans && tracerOf(spans, redactor),
    line: lines && lineExport(lines),
    measure(count) {
      if (metrics !== undefined) meters = createMeters(metrics, settings, resource, count);
    },
    async close(timeoutMs) {
      const ends = [spans, lines, meters].map((each) => each?.shutdown().catch((error) => onProblem(String(error))));
      // What was not sent by then is lost.
      await withinTime(Promise.all(ends), timeoutMs, () => new Error('late')).catch(() => {});
    },
  };
}

const SCOPE = 'signalbox';

function createSpans(to: Destination, { sampler, spans }: ExportSettings, resource: Resource): BasicTracerProvider {
  return new BasicTracerProvider({
    resource,
    sampler: samplerOf(sampler),
    idGenerator: { generateTraceId: newTraceId, generateSpanId: newSpanId },
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(to), spans)],
  });
}

function samplerOf({ parentBased, ratio }: ExportSettings['sampler']): Sampler {
  const root =
    ratio >= 1 ? new AlwaysOnSampler() : ratio <= 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
  return parentBased ? new ParentBasedSampler({ root }) : root;
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

function tracerOf(provider: BasicTracerProvider, redactor: Redactor): Tracer {
  const tracer = provider.getTracer(SCOPE);
  const shown = (attributes: Attributes): Attributes => withoutSecrets(attributes, redactor);
  return {
    start({ name, kind, attributes = {}, at }, parent) {
      const options = { kind: KINDS[kind], attributes: shown(attributes), ...(at !== undefined && { startTime: at }) };
      const span = tracer.startSpan(name, options, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      const end: Span['end'] = (failure) => {
        if (failure !== undefined) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttribute('error.type', failureName(failure));
        }
        span.end();
      };
      return {
        traceId,
        spanId,
        flags: traceFlags | (parent === undefined ? RANDOM : parent.flags & RANDOM),
        set(more, renamed) {
          span.setAttributes(shown(more));
          if (renamed !== undefined) span.updateName(renamed);
        },
        end,
      };
    },
  };
}

function contextOf(parent: Parent | undefined): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, flags, state, remote } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId, traceFlags: flags & 1, isRemote: remote },
    ...(state !== undefined && { traceState: createTraceState(state) }),
  });
}

function withoutSecrets(attributes: Attributes, redactor: Redactor): Attributes {
  const shown: Record<string, Attributes[string]> = {};
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) shown[name] = typeof value === 'string' ? redactor.text(value) : value;
  return shown;
}

/** The kind of a failure. Messages are in the log, where they are masked; they may quote data. */
function failureName(failure: unknown): string {
  if (typeof failure === 'string') return failure;
  if (!(failure instanceof Error)) return '_OTHER';
  return 'code' in failure && typeof failure.code === 'string' ? failure.code : failure.name;
}

function createLines(to: Destination, { logs }: ExportSettings, resource: Resource): LoggerProvider {
  const exporter = new OTLPLogExporter(to);
  return new LoggerProvider({ resource, processors: [new BatchLogRecordProcessor({ exporter, ...logs })] });
}

/** Severities by the levels of the log (OpenTelemetry, logs data model). */
const SEVERITIES = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const;

function lineExport(provider: LoggerProvider): (line: string) => void {
  const logger = provider.getLogger(SCOPE);
  return (line) => {
    const { level, time, msg, traceId, spanId, ...rest } = JSON.parse(line);
    const severity = level as keyof typeof SEVERITIES;
    logger.emit({
      timestamp: new Date(time),
      severityNumber: SEVERITIES[severity],
      severityText: severity,
      body: msg ?? (rest.decision === undefined ? '' : 'audit'),
      attributes: rest,
      ...(traceId !== undefined && {
        context: contextOf({ traceId, spanId, flags: 1, state: undefined, remote: false }),
      }),
    });
  };
}

function createMeters(
  to: Destination,
  { metrics: { interval, timeout } }: ExportSettings,
  resource: Resource,
  count: () => Promise<readonly MetricFamily[]>,
): MeterProvider {
  const started = Date.now();
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(to),
    exportIntervalMillis: interval,
    exportTimeoutMillis: Math.min(timeout, interval),
    metricProducers: [
      {
        async collect() {
          const metrics = metricsOf(await count(), started, Date.now());
          return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: SCOPE }, metrics }] }, errors: [] };
        },
      },
    ],
  });
  return new MeterProvider({ resource, readers: [reader] });
}
