import { setTimeout as delay } from 'node:timers/promises';
import type { CallObserver } from '../../model/metrics.ts';
import { type Node, SUSPENDED } from '../../model/node.ts';
import { CALL_RETRY, isRetried, longestAsked, type Retry, retryAfter } from '../../model/retry.ts';
import { type Called, InvokeError } from '../error.ts';
import type { RawReply, Received } from './raw-reply.ts';
import { canResend, type Sending } from './sending.ts';
import { transportError } from './transport-error.ts';

/** Milliseconds to wait after an attempt: random below an amount that doubles each time (full jitter). */
const backOff = ({ first, longest }: Retry, attempt: number): number =>
  Math.random() * Math.min(first * 2 ** Math.min(attempt - 1, 52), longest);

/** RFC 9110 section 9.2.2. */
export const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']);

/** Failures that may be temporary. */
const TEMPORARY: ReadonlySet<string> = new Set(['CONNECTION', 'TIMEOUT', 'CUT', 'CREDENTIAL']);

/** The result of an attempt. */
type Outcome = { readonly reply: Received } | { readonly error: unknown };

/**
 * Makes a call, and repeats it until it succeeds, or its attempts or its time are used up.
 * @throws what the last attempt throws; InvokeError ABORTED, TIMEOUT when the signal ends a wait
 */
export async function repeating(attempt: () => Promise<Received>, retry: Retry, sending: Sending): Promise<RawReply> {
  const { attempts = Infinity, for: time = Infinity } = retry;
  const began = performance.now();
  for (let made = 1; ; made++) {
    let outcome: Outcome;
    try {
      const reply = await attempt();
      if (!isRetried(retry, statusOf(reply, sending))) return reply;
      outcome = { reply };
    } catch (error) {
      outcome = { error };
    }
    const reply = 'reply' in outcome ? outcome.reply : undefined;
    const asked = 'reply' in outcome ? retryAfter(outcome.reply.headers['retry-after']) : askedBy(outcome.error);
    const wait = Math.max(asked ?? 0, backOff(retry, made));
    const isOver = made >= attempts || performance.now() - began + wait > time;
    if (isOver || !canResend(sending.outgoing, sending) || !mayRepeat(outcome, asked, retry, sending))
      return endOf(outcome, asked);
    if ((asked ?? 0) > longestAsked(retry)) return endOf(outcome, asked);
    reply?.release();
    sending.observer?.retried(sending.node);
    await pause(wait, sending);
  }
}

/**
 * The status by which it is decided whether another attempt follows. A fault over SOAP has status 500, or 400 in SOAP 1.2, whatever
 * it reports (SOAP 1.1, section 6.2; SOAP 1.2 part 2, section 7.5.1): one with Retry-After is temporary.
 */
function statusOf({ status, headers }: Received, { outgoing }: Sending): number {
  const isFault = outgoing.soap !== undefined && (status === 500 || status === 400);
  return isFault && retryAfter(headers['retry-after']) !== undefined ? 503 : status;
}

/** For how long a token endpoint asks to wait, in milliseconds. */
function askedBy(error: unknown): number | undefined {
  const again = error instanceof InvokeError ? error.again : undefined;
  return again === undefined ? undefined : Math.max(0, again.getTime() - Date.now());
}

function endOf(outcome: Outcome, asked: number | undefined): RawReply {
  if ('error' in outcome) throw outcome.error;
  const { reply } = outcome;
  if (asked === undefined) return reply;
  return { ...reply, hint: `The target asks callers to wait ${Math.ceil(asked / 1000)} s before the next call.` };
}

function mayRepeat(
  outcome: Outcome,
  asked: number | undefined,
  retry: Retry,
  { outgoing, isUnsent, options }: Sending,
): boolean {
  const isHarmless = retry !== CALL_RETRY || IDEMPOTENT.has(outgoing.method);
  if ('reply' in outcome) return isHarmless || asked !== undefined;
  const { error } = outcome;
  if (!(error instanceof InvokeError) || !TEMPORARY.has(error.code) || options.signal?.aborted === true) return false;
  // Without a token nothing was sent: only the token endpoint's answer decides.
  if (error.code === 'CREDENTIAL') return error.responseStatus === 10;
  return isHarmless || isUnsent;
}

async function pause(duration: number, { called, node, timeouts, options, closed }: Sending): Promise<void> {
  const signal = options.signal === undefined ? closed : AbortSignal.any([options.signal, closed]);
  try {
    await delay(duration, undefined, { signal });
  } catch (error) {
    if (options.signal?.aborted !== true) throw new Error('the client is closed', { cause: error });
    throw transportError(error, { called, node, timeouts, signal: options.signal, phase: 'request' });
  }
}

/** A circuit breaker. */
export interface Circuit {
  /** @throws InvokeError CIRCUIT_OPEN, without calling; what the call throws */
  run(call: () => Promise<RawReply>, called: Called): Promise<RawReply>;
  state(): CircuitState;
  /** Lets calls through again, as after a trial that succeeded. @returns whether it was not closed */
  close(): boolean;
}

/** The state of a circuit breaker in this process. Times are milliseconds since 1970. */
export type CircuitState =
  /** Calls are made. */
  | { readonly kind: 'closed'; readonly failures: number }
  /** A trial call is under way; all others fail. */
  | { readonly kind: 'half-open'; readonly failures: number; readonly since: number }
  /** All calls fail. From `until` on, the next one is a trial. */
  | { readonly kind: 'open'; readonly failures: number; readonly since: number; readonly until: number };

/** Failures of a node that can't be used at all. */
const FAILURES: ReadonlySet<string> = new Set(['CONNECTION', 'TIMEOUT', 'CUT']);

/** Statuses of such a node (RFC 9110 section 15.6). */
const STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** As metrics report them. */
const [CLOSED, TRYING, OPEN] = [0, 1, 2] as const;

/**
 * After `failures` failed calls in a row, each with its retries, no other is made for `reset` milliseconds. The next call is
 * then a trial, during which all others still fail; only a reply closes the circuit again. A call that fails for another
 * reason, as one that its caller ends, counts neither way.
 */
export function createCircuit({ id, circuit: { failures, reset } }: Node, observer: CallObserver | undefined): Circuit {
  let state: typeof CLOSED | typeof TRYING | typeof OPEN = CLOSED;
  let until = 0;
  let since = 0;
  let inARow = 0;
  const enter = (next: typeof state): void => {
    // A trial that fails does not begin a new outage.
    if (next === OPEN && state === CLOSED) since = Date.now();
    state = next;
    if (next === OPEN) until = Date.now() + reset;
    observer?.circuit(id, next);
  };
  const failed = (isTrial: boolean): void => {
    inARow++;
    if (isTrial || (state === CLOSED && inARow >= failures)) enter(OPEN);
  };
  const open = (called: Called, next: string, again?: Date): InvokeError => {
    const reason = `${failures} calls to node ${id} failed in a row, so ${SUSPENDED}; ${next}`;
    const hint = `circuit: of node ${id} sets after how many failures, and for how long.`;
    return new InvokeError('CIRCUIT_OPEN', called, reason, { retry: true, hint, again });
  };
  enter(CLOSED);
  return {
    state() {
      if (state === CLOSED) return { kind: 'closed', failures: inARow };
      const known = { failures: inARow, since };
      return state === TRYING ? { kind: 'half-open', ...known } : { kind: 'open', ...known, until };
    },
    close() {
      const isClosed = state === CLOSED;
      inARow = 0;
      if (!isClosed) enter(CLOSED);
      return !isClosed;
    },
    async run(call, called) {
      if (state === TRYING) throw open(called, 'a trial call is under way');
      if (state === OPEN && Date.now() < until) {
        const again = new Date(until);
        throw open(called, `the next trial is at ${again.toISOString()}`, again);
      }
      const isTrial = state === OPEN;
      if (isTrial) enter(TRYING);
      let reply: RawReply;
      try {
        reply = await call();
      } catch (error) {
        if (isTrial || (error instanceof InvokeError && FAILURES.has(error.code))) failed(isTrial);
        throw error;
      }
      if (STATUSES.has(reply.status)) failed(isTrial);
      else {
        inARow = 0;
        if (isTrial) enter(CLOSED);
      }
      return reply;
    },
  };
}
