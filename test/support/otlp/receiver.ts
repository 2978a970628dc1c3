import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { parse, Root } from 'protobufjs';

/*
 * A receiver of OTLP over HTTP with protobuf. It reads messages by the definitions of the OpenTelemetry project in
 * `opentelemetry/`, which its package @opentelemetry/otlp-grpc-exporter-base 0.35.1 carries (github.com/open-telemetry/opentelemetry-proto,
 * Apache-2.0, see LICENSE), not by code of the exporters.
 */

type Message = Record<string, unknown>;

/** A span as it arrived, with its attributes as an object. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of a trace. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** `SPAN_KIND_SERVER`. */
  readonly kind: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  /** Nanoseconds. */
  readonly took: number;
}

export interface ReceivedLog {
  readonly service: string;
  readonly body: string;
  readonly severity: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: 'gauge' | 'sum' | 'histogram';
  readonly points: readonly Message[];
}

export interface Receiver {
  readonly url: string;
  readonly spans: ReceivedSpan[];
  readonly logs: ReceivedLog[];
  /** Those of the last export. */
  metrics: readonly ReceivedMetric[];
  /** Headers of all requests. */
  readonly headers: IncomingHttpHeaders[];
  /** All that came, as text: what is secret must be in none of it. */
  readonly bytes: Buffer[];
  stop(): Promise<void>;
}

const folder = fileURLToPath(new URL('opentelemetry/proto', import.meta.url));

/** The definitions, by the names that they import each other by. */
function definitions(): Root {
  const root = new Root();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.proto'),
  ))
    parse(readFileSync(join(folder, file), 'utf8'), root, { keepCase: false });
  return root;
}

const SIGNALS = { traces: 'trace', logs: 'logs', metrics: 'metrics' } as const;
const TYPES = {
  traces: 'ExportTraceServiceRequest',
  logs: 'ExportLogsServiceRequest',
  metrics: 'ExportMetricsServiceRequest',
} as const;

/** @param status of every reply */
export async function startReceiver(status = 200): Promise<Receiver> {
  const root = definitions();
  const typeOf = (signal: keyof typeof SIGNALS) =>
    root.lookupType(`opentelemetry.proto.collector.${SIGNALS[signal]}.v1.${TYPES[signal]}`);
  const received: Omit<Receiver, 'url' | 'stop'> = { spans: [], logs: [], metrics: [], headers: [], bytes: [] };
  const take = (signal: keyof typeof SIGNALS, body: Buffer): void => {
    const type = typeOf(signal);
    const message = type.toObject(type.decode(body), {
      enums: String,
      longs: Number,
      defaults: true,
      arrays: true,
      oneofs: true,
    }) as Message;
    if (signal === 'traces') received.spans.push(...spansIn(message));
    else if (signal === 'logs') received.logs.push(...logsIn(message));
    else received.metrics = metricsIn(message);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      received.headers.push(request.headers);
      received.bytes.push(body);
      const signal = /^\/v1\/(traces|logs|metrics)$/.exec(request.url ?? '')?.[1] as keyof typeof SIGNALS | undefined;
      if (signal !== undefined && status === 200) take(signal, body);
      response.writeHead(signal === undefined ? 404 : status, { 'Content-Type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(received, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}

const list = (of: Message, name: string): Message[] => (of[name] ?? []) as Message[];
const hex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString('hex');

/** A value, by the name of the member that is set. */
function anyValueOf(value: Message | null | undefined): unknown {
  return value?.value === undefined ? undefined : value[String(value.value)];
}

const attributesOf = (of: Message): Record<string, unknown> =>
  Object.fromEntries(list(of, 'attributes').map(({ key, value }) => [key, anyValueOf(value as Message)]));

const serviceOf = ({ resource }: Message): string => String(attributesOf(resource as Message)['service.name']);

function spansIn(message: Message): ReceivedSpan[] {
  return list(message, 'resourceSpans').flatMap((resource) =>
    list(resource, 'scopeSpans').flatMap((scope) =>
      list(scope, 'spans').map((span) => ({
        service: serviceOf(resource),
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        traceState: String(span.traceState),
        name: String(span.name),
        kind: String(span.kind),
        attributes: attributesOf(span),
        failed: (span.status as Message | null)?.code === 'STATUS_CODE_ERROR',
        took: Number(span.endTimeUnixNano) - Number(span.startTimeUnixNano),
      })),
    ),
  );
}

function logsIn(message: Message): ReceivedLog[] {
  return list(message, 'resourceLogs').flatMap((resource) =>
    list(resource, 'scopeLogs').flatMap((scope) =>
      list(scope, 'logRecords').map((record) => ({
        service: serviceOf(resource),
        body: String(anyValueOf(record.body as Message)),
        severity: String(record.severityText),
        traceId: hex(record.traceId),
        spanId: hex(record.spanId),
        attributes: attributesOf(record),
      })),
    ),
  );
}

function metricsIn(message: Message): ReceivedMetric[] {
  return list(message, 'resourceMetrics').flatMap((resource) =>
    list(resource, 'scopeMetrics').flatMap((scope) =>
      list(scope, 'metrics').map((metric) => {
        const kind = (['gauge', 'sum', 'histogram'] as const).find((each) => metric[each] != null) ?? 'gauge';
        const points = list(metric[kind] as Message, 'dataPoints').map((point) => ({
          ...point,
          attributes: attributesOf(point),
        }));
        return { name: String(metric.name), unit: String(metric.unit), kind, points };
      }),
    ),
  );
}
