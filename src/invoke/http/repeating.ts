import { setTimeout as delay } from 'node:timers/promises';
import { CALL_RETRY, isRetried, longestAsked, type Retry, retryAfter } from '../../model/retry.ts';
import { duration } from '../../wire/duration.ts';
import { InvokeError } from '../error.ts';
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
  if (asked === undefined || asked <= 0) return reply;
  return {
    ...reply,
    hint: `The target asks callers to wait ${duration(1000 * Math.ceil(asked / 1000))} before the next call.`,
  };
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
