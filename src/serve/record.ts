import type { Registry } from '../model/registry.ts';
import type { Routing } from '../model/routing.ts';
import type { Operation } from '../model/service.ts';
import type { Exchange } from './exchange.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** What became of an exchange. */
export interface Result {
  readonly operation: Operation | undefined;
  readonly user: string | undefined;
  readonly status: number;
  readonly bytes: number;
  /** Whether all of the reply left. */
  readonly complete: boolean;
  /** Code of the fault, where the reply is one. */
  readonly fault?: string;
}

/** Keeps one log line and one observation an exchange. */
export type Recorder = (exchange: Exchange, result: Result) => void;

/** Request headers whose values never reach the log. */
const MASKED: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** What the log keeps of the calls of one operation. */
interface Kept {
  /** Names of the headers that are masked; undefined where headers are not kept. */
  readonly masked?: ReadonlySet<string>;
  /** A variable of the path is sensitive. */
  readonly hidesPath: boolean;
}

/**
 * One JSON line an exchange; with its request headers where the operation's routing says `log: header`. Query strings
 * are never kept, a path that may hold the value of a sensitive field only as far as the service, even where it leads
 * to no operation.
 */
export function createRecorder(registry: Registry, log: Log, metrics: Metrics): Recorder {
  const kept = new Map(registry.routings.map((routing) => [routing.operation, keptOf(routing)]));
  const guarded = new Set(registry.routings.filter(hidesPath).flatMap(({ operation }) => namesOf(operation)));
  return (exchange, { operation, user, status, bytes, complete, fault }) => {
    const ms = performance.now() - exchange.started;
    metrics.observe(operation?.id ?? '', status, ms / 1000);
    if (exchange.refused || !log.isLevelEnabled('info')) return;
    const rules = operation === undefined ? undefined : kept.get(operation);
    const hidden = operation === undefined ? guarded.size > 0 : rules?.hidesPath === true;
    const line: Record<string, unknown> = {
      requestId: exchange.requestId,
      method: exchange.method,
      path: hidden ? withoutValues(exchange.path, guarded) : exchange.path,
      operation: operation?.id,
      user,
      status,
      bytes,
      ms: Math.round(ms * 1000) / 1000,
      remote: exchange.remote,
    };
    if (fault !== undefined) line.fault = fault;
    if (!complete) line.complete = false;
    if (rules?.masked !== undefined) line.headers = exchange.headers(rules.masked);
    log.info(line);
  };
}

function keptOf(routing: Routing): Kept {
  const { operation, log } = routing;
  const kept = { hidesPath: hidesPath(routing) };
  if (log !== 'header') return kept;
  const sensitive = operation.requestHeaders.filter(({ field }) => field.sensitive);
  return { ...kept, masked: new Set([...MASKED, ...sensitive.map(({ header }) => header.toLowerCase())]) };
}

function hidesPath({ operation }: Routing): boolean {
  const variables = operation.uris.flatMap((uri) => uri.variables);
  return variables.some(({ field, place }) => field.sensitive && place === 'path');
}

/** The segment that an operation's paths stand behind, in both spellings. */
function namesOf({ pathName, service }: Operation): string[] {
  return [pathName, `${pathName}.${service.version}`];
}

/** `/gateway/RESTListeningConnector/LOCAL/Locations.v1/***`: what stands before the templates of a guarded service. */
function withoutValues(path: string, guarded: ReadonlySet<string>): string {
  const segments = path.split('/');
  const service = segments.findIndex((each) => guarded.has(each));
  return service < 0 ? path : [...segments.slice(0, service + 1), '***'].join('/');
}
