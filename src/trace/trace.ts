import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync, randomUUID } from 'node:crypto';
import {
  memberOf,
  RANDOM,
  readTraceparent,
  readTracestate,
  withMember,
  writeTraceparent,
} from '../wire/trace-context.ts';

/** What caused work that outlives a request. */
export interface Cause {
  /** Of the request from outside that began it all. */
  readonly requestId: string;
  /** W3C Trace Context: the trace, and the span that entered the work. */
  readonly traceparent: string;
  readonly tracestate?: string;
  /** The message during whose delivery it began, or that is delivered. */
  readonly message?: CausingMessage;
}

/** A message that causes work. */
export interface CausingMessage {
  readonly id: string;
  /** Number of messages that led to it, one during the delivery of the other. */
  readonly hops: number;
}

/** A place in a trace: a request, a job, or a call. */
export interface Trace {
  readonly requestId: string;
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Those of `traceparent`. */
  readonly flags: number;
  /** `tracestate`, as it arrived. */
  readonly state: string | undefined;
  /** The message whose delivery this is part of. */
  readonly message: CausingMessage | undefined;
  /** Records the spans of the gateway; `undefined` when nothing is exported. */
  readonly tracer: Tracer | undefined;
  /** Its own span, when that is recorded. */
  readonly span: Span | undefined;
  /** The work is over. What runs on in its context, as a connection that it opened, does not belong to it. */
  ended: boolean;
}

/** Names and values as the semantic conventions of OpenTelemetry define them. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** The beginning of a span. */
export interface SpanStart {
  /** Of few different values: without ids, and without what a caller chooses. */
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes?: Attributes;
  /** Milliseconds since 1970; now when absent. */
  readonly at?: number;
}

/** A span that is recorded. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
  /** Adds attributes. @param name replaces that of the start */
  set(attributes: Attributes, name?: string): void;
  /** @param failure why the work failed: an error, or the name of its kind */
  end(failure?: unknown): void;
}

/** Records spans. */
export interface Tracer {
  start(span: SpanStart, parent: Parent | undefined): Span;
}

/** The span that another one belongs to. */
export interface Parent extends Pick<Trace, 'traceId' | 'spanId' | 'flags' | 'state'> {
  /** It is one of another process. */
  readonly remote: boolean;
}

/** The end of the time in which someone waits for the database: a caller, or a probe of health. */
export interface Deadline {
  /** Milliseconds that are left, negative when it has passed; `undefined` when no one waits any more. */
  left(): number | undefined;
  /** Moves the end: so many milliseconds are left now, or more. */
  extend?(left: number): void;
}

/** What work passes on to all that it awaits. It is one context, because a second one costs a request three times as much. */
export interface Context {
  readonly trace?: Trace | undefined;
  /** `unhurried`: no one waits, and it may take long. */
  readonly deadline?: Deadline | 'unhurried' | undefined;
}

const current = new AsyncLocalStorage<Context>();

/** The context of the work that runs now; `undefined` outside of any. */
export function currentContext(): Context | undefined {
  return current.getStore();
}

/** Runs work in a context, which replaces the current one. */
export function inContext<T>(context: Context, work: () => T): T {
  return current.run(context, work);
}

/** The trace of the work that runs now; `undefined` outside of any. */
export function currentTrace(): Trace | undefined {
  return currentContext()?.trace;
}

/** Runs work in a trace. */
export function inTrace<T>(trace: Trace, work: () => T): T {
  return inContext({ trace, deadline: currentContext()?.deadline }, work);
}

/** Runs work that nothing but its time causes: it begins a trace, with a request id of its own. */
export function inNewTrace<T>(work: () => T): T {
  return inTrace(continueTrace({ requestId: randomUUID() }), work);
}

/** The members of a log line that say what it belongs to. */
export function idsOf({ requestId, traceId, spanId }: Trace): Pick<Trace, 'requestId' | 'traceId' | 'spanId'> {
  return { requestId, traceId, spanId };
}

/** Where a trace comes from. */
interface Origin {
  readonly requestId: string;
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly message?: CausingMessage | undefined;
}

/** Continues a trace with a new span; begins one when the `traceparent` is absent or invalid. */
export function continueTrace(
  { requestId, traceparent, tracestate, message }: Origin,
  tracer?: Tracer | undefined,
  start: SpanStart = INTERNAL,
): Trace {
  const sent = traceparent === undefined ? undefined : readTraceparent(traceparent);
  const state = sent === undefined || tracestate === undefined ? undefined : readTracestate(tracestate);
  if (tracer !== undefined) {
    const parent = sent && { traceId: sent.traceId, spanId: sent.parentId, flags: sent.flags, state, remote: true };
    return traceOf({ requestId, state, message }, tracer, tracer.start(start, parent));
  }
  const { traceId, flags } = sent ?? { traceId: newTraceId(), flags: RANDOM };
  return { requestId, traceId, spanId: newSpanId(), flags, state, message, tracer, span: undefined, ended: false };
}

const INTERNAL: SpanStart = { name: 'work', kind: 'internal' };

function traceOf(from: Pick<Trace, 'requestId' | 'state' | 'message'>, tracer: Tracer, span: Span): Trace {
  const { requestId, state, message } = from;
  const { traceId, spanId, flags } = span;
  return { requestId, traceId, spanId, flags, state, message, tracer, span, ended: false };
}

/** A new span below one of this process. @param start describes it, if it is recorded */
export function spanBelow(trace: Trace, start: () => SpanStart): Trace {
  const { requestId, traceId, flags, state, message, tracer } = trace;
  if (tracer !== undefined) return traceOf(trace, tracer, tracer.start(start(), { ...trace, remote: false }));
  return { requestId, traceId, spanId: newSpanId(), flags, state, message, tracer, span: undefined, ended: false };
}

/** Ends the span of a trace. @param failure why the work failed */
export function endTrace(trace: Trace, failure?: unknown): void {
  trace.ended = true;
  trace.span?.end(failure);
}

/** Runs work in a span of its own. Costs nothing when no spans are exported. */
export function inSpan<T>(start: () => SpanStart, work: () => Promise<T>): Promise<T> {
  const trace = currentTrace();
  if (trace?.tracer === undefined) return work();
  const below = spanBelow(trace, start);
  return inTrace(below, () => ending(below, work));
}

/** Runs work to the end of its trace. */
async function ending<T>(trace: Trace, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    endTrace(trace);
    return result;
  } catch (error) {
    endTrace(trace, error);
    throw error;
  }
}

/** Adds attributes to the span of the work that runs now. */
export function describeSpan(attributes: Attributes): void {
  currentTrace()?.span?.set(attributes);
}

/** What a trace leaves to the work that it causes. */
export function causeOf(trace: Trace): Cause {
  const { requestId, state, message } = trace;
  const traceparent = traceparentOf(trace);
  return {
    requestId,
    traceparent,
    ...(state === undefined ? {} : { tracestate: state }),
    ...(message === undefined ? {} : { message }),
  };
}

/** The cause of work about a message that was entered before: its trace goes on. */
export function causeFrom({
  requestId,
  traceId,
  message,
}: Pick<Cause, 'requestId' | 'message'> & { readonly traceId: string | null }): Cause {
  const traceparent = traceparentOf({ traceId: traceId ?? newTraceId(), spanId: newSpanId(), flags: RANDOM });
  return { requestId, traceparent, ...(message === undefined ? {} : { message }) };
}

/** The key of our member in a `tracestate`. Its value `h:3` means: 3 messages led to the one that causes the request. */
const MEMBER = 'signalbox';

/** The `tracestate` of what some work sends: as it arrived, and during the delivery of a message with its hops. */
export function tracestateOf({ state, message }: Trace): string | undefined {
  return message === undefined ? state : withMember(state, MEMBER, `h:${message.hops}`);
}

/** Number of messages that led to one that is published now, those before calls from gateways included. */
export function hopsTo({ state, message }: Trace): number {
  const arrived = /^h:(\d{1,4})$/.exec(memberOf(state, MEMBER) ?? '')?.[1];
  return 1 + Math.max(message?.hops ?? -1, arrived === undefined ? -1 : Number(arrived));
}

/** The `traceparent` of what a span sends. */
export function traceparentOf({ traceId, spanId, flags }: Pick<Trace, 'traceId' | 'spanId' | 'flags'>): string {
  return writeTraceparent({ traceId, parentId: spanId, flags });
}

/** Random digits are made for many ids at once: a call for each would cost a request more than all else about its trace. */
const pool = Buffer.allocUnsafeSlow(8192);
let digits = '';
let used = 0;

function newId(length: number): string {
  if (used + length > digits.length) {
    digits = randomFillSync(pool).toString('hex');
    used = 0;
  }
  const id = digits.slice(used, used + length);
  used += length;
  // Invalid, and as likely as any other.
  return id.startsWith('00000000') && /^0+$/.test(id) ? newId(length) : id;
}

export function newTraceId(): string {
  return newId(32);
}

export function newSpanId(): string {
  return newId(16);
}
