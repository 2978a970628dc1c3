import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync, randomUUID } from 'node:crypto';
import { RANDOM, readTraceparent, readTracestate, writeTraceparent } from '../wire/trace-context.ts';

/** What caused work that outlives a request. */
export interface Cause {
  /** Of the request from outside that began it all. */
  readonly requestId: string;
  /** W3C Trace Context: the trace, and the span that entered the work. */
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** A place in a trace: a request, a job, or a call. It is a span of it, whether that is exported or not. */
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
}

const current = new AsyncLocalStorage<Trace>();

/** The trace of the work that runs now; `undefined` outside of any. */
export function currentTrace(): Trace | undefined {
  return current.getStore();
}

/** Runs work in a trace. */
export function inTrace<T>(trace: Trace, work: () => T): T {
  return current.run(trace, work);
}

/** Runs work that nothing but its time causes: it begins a trace, with a request id of its own. */
export function inNewTrace<T>(work: () => T): T {
  return inTrace(continueTrace(randomUUID(), undefined), work);
}

/** Continues a trace with a new span; begins one when the `traceparent` is absent or invalid. */
export function continueTrace(requestId: string, traceparent: string | undefined, tracestate?: string): Trace {
  const parent = traceparent === undefined ? undefined : readTraceparent(traceparent);
  if (parent === undefined)
    return { requestId, traceId: newTraceId(), spanId: newSpanId(), flags: RANDOM, state: undefined };
  const state = tracestate === undefined ? undefined : readTracestate(tracestate);
  return { requestId, traceId: parent.traceId, spanId: newSpanId(), flags: parent.flags, state };
}

/** What a trace leaves to the work that it causes. */
export function causeOf(trace: Trace): Cause {
  const { requestId, state } = trace;
  const traceparent = traceparentOf(trace);
  return state === undefined ? { requestId, traceparent } : { requestId, traceparent, tracestate: state };
}

/** The `traceparent` of what a span sends. */
function traceparentOf({ traceId, spanId, flags }: Trace): string {
  return writeTraceparent({ traceId, parentId: spanId, flags });
}

/** Random bytes are fetched for many ids at once: one call for each would cost a request more than all else about its trace. */
const pool = Buffer.allocUnsafeSlow(8192);
let used = pool.length;

function newId(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.toString('hex', used, used + bytes);
  used += bytes;
  // Invalid, and as likely as any other.
  return /^0+$/.test(id) ? newId(bytes) : id;
}

function newTraceId(): string {
  return newId(16);
}

function newSpanId(): string {
  return newId(8);
}
