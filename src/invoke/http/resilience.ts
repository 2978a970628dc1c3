import { setTimeout as delay } from 'node:timers/promises';
import type * as Cockatiel from 'cockatiel';
import type { Node, Retry } from '../../model/node.ts';
import { type Called, InvokeError } from '../error.ts';
import type { RawReply, Received } from './raw-reply.ts';
import { isRepeatable, type Sending } from './sending.ts';
import { transportError } from './transport-error.ts';

/** Milliseconds to wait after an attempt: random below an amount that doubles each time (full jitter). */
const backOff = (attempt: number): number => Math.random() * Math.min(200 * 2 ** (attempt - 1), 5000);

/** Longest wait that a target can ask for, in milliseconds. */
const LONGEST_WAIT = 60_000;

/** Methods that may be repeated without harm (RFC 9110 section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']);

/** Failures that the same request may not meet again. */
const PASSING: ReadonlySet<string> = new Set(['CONNECTION', 'TIMEOUT', 'CUT', 'CREDENTIAL']);

/** What an attempt came to. */
type Outcome = { readonly reply: Received } | { readonly error: unknown };

/**
 * Makes a call until it succeeds, as often as it may be made.
 * @throws what the last attempt throws; InvokeError ABORTED, TIMEOUT, where a wait is ended
 */
export async function repeating(attempt: () => Promise<Received>, retry: Retry, sending: Sending): Promise<RawReply> {
  for (let made = 1; ; made++) {
    let outcome: Outcome;
    try {
      const reply = await attempt();
      if (!retry.on.has(reply.status)) return reply;
      outcome = { reply };
    } catch (error) {
      outcome = { error };
    }
    const reply = 'reply' in outcome ? outcome.reply : undefined;
    const asked = reply === undefined ? undefined : retryAfter(reply.headers['retry-after']);
    const isLast = made >= retry.attempts || !isRepeatable(sending.outgoing, sending);
    if (isLast || !mayRepeat(outcome, asked, retry, sending) || (asked ?? 0) > LONGEST_WAIT)
      return endOf(outcome, asked);
    reply?.release();
    await pause(asked ?? backOff(made), sending);
  }
}

function endOf(outcome: Outcome, asked: number | undefined): RawReply {
  if ('error' in outcome) throw outcome.error;
  const { reply } = outcome;
  if (asked === undefined) return reply;
  return { ...reply, hint: `The target asks not to be called before another ${Math.ceil(asked / 1000)} s.` };
}

function mayRepeat(
  outcome: Outcome,
  asked: number | undefined,
  { declared }: Retry,
  { outgoing, isUnsent, options }: Sending,
): boolean {
  const isHarmless = declared || IDEMPOTENT.has(outgoing.method);
  if ('reply' in outcome) return isHarmless || asked !== undefined;
  const { error } = outcome;
  if (!(error instanceof InvokeError) || !PASSING.has(error.code) || options.signal?.aborted === true) return false;
  // Of what asks for a token nothing is sent either, and only what may pass is worth another.
  if (error.code === 'CREDENTIAL') return error.responseStatus === 10;
  return isHarmless || isUnsent;
}

/** Milliseconds that Retry-After asks for, in seconds or as a date (RFC 9110 section 10.2.3). */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  // The oldest of the forms of dates names no zone, and means UTC as well.
  const time = Date.parse(/GMT|UTC|[+-]\d{4}$/.test(header) ? header : `${header} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
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

/** Leaves a node alone that calls come to nothing at. */
export interface Circuit {
  /** @throws InvokeError CIRCUIT_OPEN, without calling; what the call throws */
  run(call: () => Promise<RawReply>, called: Called): Promise<RawReply>;
}

/** Failures that say that a node can't be used at all. */
const FAILURES: ReadonlySet<string> = new Set(['CONNECTION', 'TIMEOUT', 'CUT']);

/** Statuses that say so (RFC 9110 section 15.6). */
const STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/**
 * After `failures` calls in a row that came to nothing, repetitions and all, no other is made for `reset` milliseconds. The
 * next one then is a trial, during which the others fail as before; only a reply ends that.
 */
export function createCircuit(
  { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen }: typeof Cockatiel,
  { id, circuit: { failures, reset } }: Node,
): Circuit {
  let until = 0;
  const isFailure = (error: unknown): boolean =>
    policy.state === CircuitState.HalfOpen || (error instanceof InvokeError && FAILURES.has(error.code));
  const isFailed = (reply: unknown): boolean => STATUSES.has((reply as RawReply).status);
  const policy = circuitBreaker(handleWhen(isFailure).orWhenResult(isFailed), {
    breaker: new ConsecutiveBreaker(failures),
    halfOpenAfter: reset,
  });
  policy.onBreak(() => {
    until = Date.now() + reset;
  });
  const open = (called: Called, again: string): InvokeError => {
    const reason = `calls to node ${id} came to nothing ${failures} times in a row, so that it is left alone; ${again}`;
    const hint = `circuit: of node ${id} says after how many failures, and for how long.`;
    return new InvokeError('CIRCUIT_OPEN', called, reason, { retry: true, hint });
  };
  return {
    async run(call, called) {
      // Others would wait for the trial, however long that takes, and not end with their signals.
      if (policy.state === CircuitState.HalfOpen) throw open(called, 'it is being tried again right now');
      try {
        return await policy.execute(call);
      } catch (error) {
        if (!(error instanceof BrokenCircuitError)) throw error;
        throw open(called, `it is tried again at ${new Date(until).toISOString()}`);
      }
    },
  };
}
