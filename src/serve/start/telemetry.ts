import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { MASK, type Redactor } from '../../model/redactor.ts';
import type { ExportSettings, Signal, Telemetry } from '../../trace/otlp.ts';
import { codeOf } from '../../wire/error.ts';
import { GatewayError } from '../gateway-error.ts';
import type { Environment } from './settings.ts';

/** The packages that export, which only those install who want it. */
const PACKAGES = [
  'api',
  'resources',
  'sdk-trace-base',
  'sdk-metrics',
  'sdk-logs',
  'exporter-trace-otlp-proto',
  'exporter-metrics-otlp-proto',
  'exporter-logs-otlp-proto',
].map((name) => `@opentelemetry/${name}`);

const SIGNALS: readonly Signal[] = ['traces', 'metrics', 'logs'];

/**
 * Opens the export by OTLP that the variables `OTEL_*` ask for. Without them, nothing of it is loaded.
 * @param warn logs what goes wrong with the export
 * @throws GatewayError for a variable with a wrong value, and when the packages are not installed
 */
export async function openTelemetry(
  env: Environment,
  redactor: Redactor,
  warn: (words: string) => void,
): Promise<Telemetry | undefined> {
  const settings = readExport(env);
  if (settings === undefined) return undefined;
  const { openOtlp } = await import('../../trace/otlp.ts').catch((cause: unknown) => {
    if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(codeOf(cause))) throw cause;
    throw new GatewayError('The variables OTEL_* ask for an export by OTLP, but its packages are not installed', {
      hint: `Run \`npm install ${PACKAGES.join(' ')}\`, or set OTEL_SDK_DISABLED=true.`,
      cause,
    });
  });
  return openOtlp(settings, redactor, rarely(warn));
}

/** Milliseconds for which the same problem is not logged again. */
const QUIET = 60_000;

/** A collector that does not answer is a problem of every batch. */
function rarely(warn: (words: string) => void): (words: string) => void {
  const said = new Map<string, number>();
  return (words) => {
    const line = `The export by OTLP: ${reasonOf(words).split('\n', 1)[0]}`;
    const kind = line.replace(/\d+/g, '#').slice(0, 100);
    const now = performance.now();
    if (now - (said.get(kind) ?? Number.NEGATIVE_INFINITY) < QUIET) return;
    if (said.size > 100) said.clear();
    said.set(kind, now);
    warn(line);
  };
}

/** What went wrong, without its stack: the SDK reports an error as the JSON of its properties. */
function reasonOf(words: string): string {
  try {
    const { message, code } = JSON.parse(words) as { readonly message?: string; readonly code?: string };
    if (!message) return code ?? words;
    return code === undefined || message.includes(code) ? message : `${message} (${code})`;
  } catch {
    return words;
  }
}

/**
 * Reads the variables of the OpenTelemetry specification (Environment Variable Specification; OTLP Exporter Configuration).
 * @returns `undefined` when nothing is exported
 * @throws GatewayError
 */
export function readExport(env: Environment): ExportSettings | undefined {
  const of = (name: string): string | undefined => {
    const text = env[`OTEL_${name}`]?.trim();
    return text === '' ? undefined : text;
  };
  if (of('SDK_DISABLED')?.toLowerCase() === 'true') return undefined;
  const signals = Object.fromEntries(
    SIGNALS.flatMap((signal) => (isExported(of, signal) ? [[signal, destinationOf(of, signal)]] : [])),
  );
  if (Object.keys(signals).length === 0) return undefined;
  const interval = number(of, 'METRIC_EXPORT_INTERVAL', 60_000);
  return {
    signals,
    resource: resourceOf(of),
    sampler: samplerOf(of),
    spans: batchOf(of, 'BSP', 5000),
    logs: batchOf(of, 'BLRP', 1000),
    metrics: { interval, timeout: number(of, 'METRIC_EXPORT_TIMEOUT', 30_000) },
  };
}

type Read = (name: string) => string | undefined;

/** By its own variable; without that, when there is an endpoint that it can be sent to. */
function isExported(of: Read, signal: Signal): boolean {
  const name = `${signal.toUpperCase()}_EXPORTER`;
  const exporter = of(name);
  if (exporter === 'otlp') return true;
  if (exporter === 'none') return false;
  if (exporter !== undefined) throw wrong(name, exporter, 'otlp or none');
  return endpointOf(of, signal) !== undefined;
}

function endpointOf(of: Read, signal: Signal): string | undefined {
  return of(`EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`) ?? of('EXPORTER_OTLP_ENDPOINT');
}

const PROTOCOL = 'http/protobuf';

function destinationOf(of: Read, signal: Signal) {
  const either = (name: string): readonly [name: string, value: string | undefined] => {
    const own = `EXPORTER_OTLP_${signal.toUpperCase()}_${name}`;
    return of(own) === undefined ? [`EXPORTER_OTLP_${name}`, of(`EXPORTER_OTLP_${name}`)] : [own, of(own)];
  };
  const [protocolName, protocol = PROTOCOL] = either('PROTOCOL');
  if (protocol !== PROTOCOL)
    throw wrong(protocolName, protocol, `${PROTOCOL}, at the collector's port for HTTP, which is usually 4318`);
  const [endpointName, endpoint = 'http://localhost:4318'] = either('ENDPOINT');
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw wrong(endpointName, endpoint.replace(/\/\/[^@/]*@/, `//${MASK}@`), 'a URL of http or https');
  const isOwn = endpointName !== 'EXPORTER_OTLP_ENDPOINT';
  const [headersName, headers = ''] = either('HEADERS');
  const [timeoutName] = either('TIMEOUT');
  return {
    url: isOwn ? endpoint : `${endpoint.replace(/\/$/, '')}/v1/${signal}`,
    headers: pairsOf(headersName, headers),
    timeoutMillis: number(of, timeoutName, 10_000),
  };
}

/** `key=value` pairs with commas between them, percent-encoded as in W3C Baggage. */
function pairsOf(name: string, text: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const pair of text.split(',').filter((each) => each.trim() !== '')) {
    const mark = pair.indexOf('=');
    try {
      if (mark < 1) throw new URIError('no key');
      pairs[decodeURIComponent(pair.slice(0, mark).trim())] = decodeURIComponent(pair.slice(mark + 1).trim());
    } catch {
      // The value may be a secret.
      throw new GatewayError(`OTEL_${name} is not a list of pairs such as key=value,key2=value2`, {
        hint: 'Commas and percent signs in values are written as %2C and %25.',
      });
    }
  }
  return pairs;
}

function resourceOf(of: Read): Record<string, string> {
  const given = pairsOf('RESOURCE_ATTRIBUTES', of('RESOURCE_ATTRIBUTES') ?? '');
  const named = of('SERVICE_NAME');
  return {
    'service.name': 'signalbox',
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': String(process.pid),
    ...given,
    ...(named === undefined ? {} : { 'service.name': named }),
  };
}

/** The samplers of the specification: whether they heed the caller's decision, and what share of new traces they record. */
const SAMPLERS: Readonly<Record<string, { readonly parentBased: boolean; readonly ratio: number | 'arg' }>> = {
  always_on: { parentBased: false, ratio: 1 },
  always_off: { parentBased: false, ratio: 0 },
  traceidratio: { parentBased: false, ratio: 'arg' },
  parentbased_always_on: { parentBased: true, ratio: 1 },
  parentbased_always_off: { parentBased: true, ratio: 0 },
  parentbased_traceidratio: { parentBased: true, ratio: 'arg' },
};

function samplerOf(of: Read): ExportSettings['sampler'] {
  const name = of('TRACES_SAMPLER') ?? 'parentbased_always_on';
  const sampler = Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name] : undefined;
  if (sampler === undefined) throw wrong('TRACES_SAMPLER', name, `one of ${Object.keys(SAMPLERS).join(', ')}`);
  const { parentBased, ratio } = sampler;
  if (ratio !== 'arg') return { parentBased, ratio };
  const text = of('TRACES_SAMPLER_ARG') ?? '1';
  const share = Number(text);
  if (!(share >= 0 && share <= 1)) throw wrong('TRACES_SAMPLER_ARG', text, 'a number from 0 to 1');
  return { parentBased, ratio: share };
}

function batchOf(of: Read, prefix: 'BSP' | 'BLRP', delay: number): ExportSettings['spans'] {
  const maxQueueSize = number(of, `${prefix}_MAX_QUEUE_SIZE`, 2048);
  return {
    maxQueueSize,
    maxExportBatchSize: Math.min(maxQueueSize, number(of, `${prefix}_MAX_EXPORT_BATCH_SIZE`, 512)),
    scheduledDelayMillis: number(of, `${prefix}_SCHEDULE_DELAY`, delay),
    exportTimeoutMillis: number(of, `${prefix}_EXPORT_TIMEOUT`, 30_000),
  };
}

function number(of: Read, name: string, otherwise: number): number {
  const text = of(name);
  if (text === undefined) return otherwise;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw wrong(name, text, 'a whole number from 1 on');
  return Number(text);
}

function wrong(name: string, value: string, right: string): GatewayError {
  return new GatewayError(`OTEL_${name} is ${JSON.stringify(value)}`, { hint: `It must be ${right}.` });
}
