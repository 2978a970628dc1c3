import type { MadeCall } from '../../invoke/index.ts';
import { compileRecorded, type EndedCall, preciseNow, type RecordCall } from '../../messaging/run/index.ts';
import { Fault } from '../../model/fault.ts';
import type { Outcome } from '../../model/handler.ts';
import { isSecretName, MASK, type Redactor } from '../../model/redactor.ts';
import type { LogLevel, Registry, Routing } from '../../model/registry.ts';
import { finalAnswer, type Operation } from '../../model/service.ts';
import type { DocumentValue } from '../../model/value.ts';
import type { Account } from '../../model/work.ts';
import type { Caller } from '../../security/security-port.ts';
import type { CallCounter, Statistics } from '../../store/index.ts';
import { endTrace, idsOf, type Span, type Trace } from '../../trace/trace.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** The result of an exchange. */
interface Result {
  readonly operation: Operation | undefined;
  readonly caller: Caller | undefined;
  readonly status: number;
  readonly bytes: number;
  /** Whether the whole reply was sent. */
  readonly complete: boolean;
  /** The fault, if the reply is one. */
  readonly fault?: Fault | undefined;
  /** The decoded part of the request, and the reply, if the log keeps payloads. */
  readonly input?: DocumentValue | undefined;
  readonly outcome?: Outcome | undefined;
  /** Set once the operation's own code or query was entered: it masks the secrets of the request. */
  readonly call?: { readonly redactor: Redactor } | undefined;
  /** The reply is the first answer, sent again. */
  readonly repeated?: true;
  /** What a user of the console did. */
  readonly action?: { readonly name: string; readonly target: string } | undefined;
}

/** Writes one line of the audit log and one metrics observation per exchange, and records the call if its routing says so. */
export type Recorder = (exchange: Exchange, result: Result) => void;

/** What is kept about calls of one operation. */
interface RecordingRules {
  readonly level: LogLevel;
  /** Names of headers to mask in addition to those that are always masked. */
  readonly masked: ReadonlySet<string>;
  /** Renders payloads, if they are recorded. */
  readonly payload?: ReturnType<typeof compileRecorded>;
  /** A variable of the path is sensitive. */
  readonly hidesPath: boolean;
  readonly counter: CallCounter | undefined;
}

interface RecorderPorts {
  /** The audit log. */
  readonly log: Log;
  readonly metrics: Metrics;
  readonly redactor: Redactor;
  /** Takes the calls to record; absent for a mock. */
  readonly recordCall?: RecordCall | undefined;
  /** Counts the calls by minute; absent for a mock. */
  readonly statistics?: Pick<Statistics, 'counter'> | undefined;
}

/**
 * One JSON line per exchange: the caller, the operation, the address, the decision with the reason for a refusal, and the
 * cost. Query strings are never kept. A path that may contain the value of a sensitive field is cut after the service, even
 * if it matches no operation. The log level of the operation's routing decides whether the message store has the call, too.
 */
export function createRecorder(registry: Registry, ports: RecorderPorts): Recorder {
  const { log, metrics, redactor, recordCall, statistics } = ports;
  const credentials = credentialHeaders(registry);
  const counterOf = ({ id }: Operation): CallCounter | undefined => statistics?.counter('served', id);
  const kept = new Map(
    registry.routings.map((routing) => [
      routing.operation,
      { ...keptOf(routing, credentials), counter: counterOf(routing.operation) },
    ]),
  );
  const guarded = new Set(registry.routings.filter(hidesPath).flatMap(({ operation }) => namesOf(operation)));
  const replies = `/${registry.gateway.context}/${REPLY_CONNECTOR}/`;
  const settle = (): void => log.settle();
  return (exchange, result) => {
    const { operation, caller, status, fault } = result;
    const ms = performance.now() - exchange.started;
    metrics.observe(operation?.id ?? '', status, ms / 1000, exchange.bytesRead, result.bytes);
    if (fault !== undefined) metrics.refused(fault);
    exchange.over();
    const rules = operation === undefined ? undefined : kept.get(operation);
    // Over SOAP 1.1 the status of every fault is 500.
    rules?.counter?.count(fault?.status ?? status, result.complete, ms);
    const hidden = operation === undefined ? guarded.size > 0 : rules?.hidesPath === true;
    const path = hidden ? withoutValues(exchange.path, guarded) : withoutSecret(exchange.path, replies);
    endExchange(exchange, result, path);
    if (exchange.refused) return;
    if (recordCall !== undefined && rules !== undefined && isRecorded(rules, exchange, result))
      recordCall(() => callOf(exchange, result, { rules, path, ms, redactor: result.call?.redactor ?? redactor }));
    if (!log.isLevelEnabled('info')) return;
    const { decision, reason } = decide(fault, exchange.admitted);
    const { requestId, traceId, spanId } = exchange.trace;
    log.event({
      requestId,
      traceId,
      spanId,
      decision,
      reason,
      method: exchange.method,
      path,
      operation: operation?.id,
      service: operation?.service.id,
      // What is public has no caller, but who used it here is known.
      user: (caller ?? exchange.vouched?.caller)?.user.id,
      // Of refused credentials, the scheme that they were shown for.
      scheme: (caller ?? exchange.vouched?.caller)?.scheme.id ?? fault?.scheme,
      via: exchange.vouched?.via,
      as: operation?.as?.id,
      action: result.action?.name,
      target: result.action?.target,
      remote: exchange.remote,
      status,
      fault: fault?.code,
      ms: rounded(ms),
      bytesIn: exchange.bytesRead,
      bytes: result.bytes,
      complete: result.complete,
      repeated: result.repeated,
    });
    exchange.settle = settle;
  };
}

/** Counts calls to other systems by minute. The other system refused a call if it replied so; every other error is a failure. */
export function callCounter(statistics: Pick<Statistics, 'counter'>): (call: MadeCall) => void {
  return ({ operation, status = 0, ms, error }) => {
    const counter = statistics.counter('called', operation.id);
    if (error === undefined) counter.count(200, true, ms);
    else counter.count(status, status >= 400, ms);
  };
}

/** Ends the trace of an exchange. */
function endExchange(exchange: Exchange, result: Result, path: string): void {
  const { trace } = exchange;
  const { status, fault } = result;
  if (trace.span !== undefined) describeExchange(trace.span, exchange, result, path);
  endTrace(trace, status >= 500 ? (fault?.code ?? String(status)) : undefined);
}

/** The span of an HTTP server, by the semantic conventions. */
function describeExchange(span: Span, exchange: Exchange, { operation, status }: Result, path: string): void {
  const { route, method, secure, remote } = exchange;
  const known = METHODS.has(method);
  span.set(
    {
      'http.request.method': known ? method : '_OTHER',
      'http.request.method_original': known ? undefined : method,
      'http.route': route,
      'http.response.status_code': status,
      'url.path': path,
      'url.scheme': secure ? 'https' : 'http',
      'client.address': remote,
      'signalbox.operation': operation?.id,
    },
    [known ? method : 'HTTP', route].filter((part) => part !== undefined).join(' '),
  );
}

/** RFC 9110 section 9, and PATCH (RFC 5789). */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
  'PATCH',
]);

function keptOf(routing: Routing, credentials: ReadonlySet<string>): Omit<RecordingRules, 'counter'> {
  const { operation, log: level } = routing;
  const sensitive = operation.requestHeaders.filter(({ field }) => field.sensitive);
  const masked = new Set([...credentials, ...sensitive.map(({ header }) => header.toLowerCase())]);
  const payload = level === 'full' ? { payload: compileRecorded(operation) } : {};
  return { level, hidesPath: hidesPath(routing), masked, ...payload };
}

/**
 * Whether a call is recorded. One that has published a message is that message. Of failures, refusals before the call was
 * permitted are in the audit log only: anyone can cause any number of them.
 */
function isRecorded({ level }: RecordingRules, exchange: Exchange, { operation, status, complete }: Result): boolean {
  if (level === 'none') return false;
  const failed = status >= 400 || !complete;
  if (failed) return level !== 'failures' || exchange.admitted;
  return level !== 'failures' && (operation === undefined || finalAnswer(operation).kind !== 'queue');
}

/** The record of a call. */
function callOf(
  exchange: Exchange,
  { operation, caller, status, bytes, complete, fault, input, outcome, repeated }: Result,
  about: { readonly rules: RecordingRules; readonly path: string; readonly ms: number; readonly redactor: Redactor },
): EndedCall {
  const { rules, path, ms, redactor } = about;
  const { method, remote, bytesRead: bytesIn } = exchange;
  const { requestId, traceId } = exchange.trace;
  const ended = preciseNow();
  const { payload } = rules;
  // Payloads are rendered now: code may change them, and they may be large.
  const request = input === undefined ? undefined : payload?.request(input, redactor);
  const reply = outcome === undefined ? undefined : payload && replyOf(outcome, payload.reply, redactor);
  const isMasked = (name: string): boolean => isSecretName(name) || rules.masked.has(name);
  return {
    operation: operation?.id ?? '',
    connector: CONNECTORS[path.split('/', 3)[2] ?? ''] ?? 'rest',
    status: status === 504 ? 'Timeout' : status >= 400 || !complete ? 'Error' : 'Done',
    began: ended - ms,
    ended,
    user: caller?.user,
    requestId,
    trace: traceId,
    code: status,
    reason: fault === undefined ? undefined : `${fault.code}: ${fault.message}`,
    size: bytesIn,
    parts: () => ({
      call: {
        ...{ method, path, remote, scheme: caller?.scheme.id, via: exchange.vouched?.via, as: operation?.as?.id },
        ...{ ms: rounded(ms), bytesIn, bytes, complete, repeated },
        headers: redactor.value(exchange.headers(isMasked)),
      },
      request,
      reply,
    }),
  };
}

/** The connectors by the segment of the path after the context. */
const CONNECTORS: Readonly<Record<string, EndedCall['connector']>> = {
  PeopleSoftServiceListeningConnector: 'soap',
  HttpListeningConnector: 'http',
};

/** The value of a reply; of streamed content its type and length. */
function replyOf(outcome: Outcome, show: ReturnType<typeof compileRecorded>['reply'], redactor: Redactor): unknown {
  if (outcome.kind === 'value') return show(outcome.value, redactor);
  const { contentType, length } = outcome.bytes;
  return { contentType, length };
}

/** Milliseconds with three digits. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** Lower-case names of the headers that security schemes declare for credentials. */
export function credentialHeaders({ schemes }: Registry): ReadonlySet<string> {
  const declared = [...schemes.values()].flatMap((scheme) => {
    if (scheme.kind === 'webhook') return 'webhook-signature';
    return 'header' in scheme ? (scheme.header ?? []) : [];
  });
  return new Set(declared.map((header) => header.toLowerCase()));
}

function hidesPath({ operation }: Routing): boolean {
  const variables = operation.uris.flatMap((uri) => uri.variables);
  return variables.some(({ field, place }) => field.sensitive && place === 'path');
}

/** The path segment before an operation's templates, in both spellings. */
function namesOf({ pathName, service }: Operation): string[] {
  return [pathName, `${pathName}.${service.version}`];
}

/** The connector to which other systems send the replies that come later. The rest of its paths is secret. */
export const REPLY_CONNECTOR = 'ReplyListeningConnector';

function withoutSecret(path: string, replies: string): string {
  return path.startsWith(replies) ? `${replies}${MASK}` : path;
}

/** `/gateway/RESTListeningConnector/LOCAL/Locations.v1/***`: the part of a path before the templates of a guarded service. */
function withoutValues(path: string, guarded: ReadonlySet<string>): string {
  const segments = path.split('/');
  const service = segments.findIndex((each) => guarded.has(each));
  return service < 0 ? path : [...segments.slice(0, service + 1), MASK].join('/');
}

/**
 * Writes one line of the audit log for each attempt at background work, and counts it.
 * @param faultOf the fault with which the error of a call would be answered; other errors stay as they are
 */
export function createAccount(
  audit: Log,
  metrics: Pick<Metrics, 'attempted'>,
  faultOf: (error: unknown) => unknown,
): Account {
  return (work) => {
    const { kind, name, id, user, attempt, ms, error } = work;
    metrics.attempted(work);
    const failure = faultOf(error);
    const fault = failure instanceof Fault ? failure : undefined;
    audit.info({
      ...decide(fault, true),
      work: kind,
      name,
      id,
      user,
      attempt,
      fault: fault?.code ?? (error === undefined ? undefined : 'INTERNAL'),
      ms: rounded(ms),
      complete: error === undefined,
    });
    audit.settle();
  };
}

/** Whether a call was allowed, for the audit log. */
interface Decision {
  readonly decision: 'allowed' | 'refused';
  /** The reason for a refusal: `no grant`, `wrong password`, `rate of LOCATIONS_GET by caller`; or the fields of a conflict. */
  readonly reason?: string;
}

const ALLOWED: Decision = { decision: 'allowed' };

/** The reason why a caller is refused who is known, and to whom nothing grants what was called. */
export const NO_GRANT = 'no grant';

/** Faults that refuse a caller, even after the call was admitted. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['UNAUTHENTICATED', 'credentials missing or wrong'],
  ['FORBIDDEN', NO_GRANT],
  ['TOO_MANY_REQUESTS', 'rate'],
]);

/**
 * Decides whether an exchange was allowed. A failure within an admitted call is not a refusal.
 * @param admitted whether the caller is permitted to call the operation
 */
function decide(fault: Fault | undefined, admitted: boolean): Decision {
  if (fault === undefined) return ALLOWED;
  const reason = fault.reason ?? REASONS.get(fault.code);
  if (reason !== undefined) return { decision: fault.code === 'CONFLICT' ? 'allowed' : 'refused', reason };
  if (admitted) return ALLOWED;
  return { decision: 'refused', reason: fault.code.toLowerCase().replaceAll('_', ' ') };
}

/** The audit line for a request that was rejected before it was routed. */
export function refusedLine(
  fault: Fault,
  facts: {
    readonly trace: Trace;
    readonly method: string | undefined;
    readonly remote?: string | undefined;
    /** A trusted proxy whose report about the caller could not be used. */
    readonly proxy?: string | undefined;
    readonly bytes: number;
    readonly reason?: string | undefined;
  },
): object {
  const { trace, method, remote, proxy, bytes, reason = decide(fault, false).reason } = facts;
  const { status, code } = fault;
  return {
    ...idsOf(trace),
    decision: 'refused',
    ...{ reason, method, remote, proxy, status, fault: code, bytes, complete: true },
  };
}
