import type { NodeTimeouts } from '../model/node.ts';
import { duration } from '../wire/duration.ts';
import { LONGEST_TIMER, untilAborted } from '../wire/waiting.ts';
import { bareMessage, type Called, InvokeError } from './error.ts';

/** How long each phase of a call may take, in milliseconds; `call` may be infinite. */
export type Timeouts = NodeTimeouts;

export const TIMEOUTS: Timeouts = {
  connect: 10_000,
  head: 60_000,
  idle: 30_000,
  reply: 300_000,
  call: Number.POSITIVE_INFINITY,
};

/** Bytes per second at which a reply must arrive on average, checked after twice the idle time. */
export const SLOWEST = 240;

/** Concurrent connections to one origin; further calls wait. */
export const CONNECTIONS = 100;

/** Bytes of the head of a reply. */
export const REPLY_HEAD = 64 * 1024;

/** Characters of a reply in an error message. */
export const SHOWN_BODY = 2048;

/** Bytes of an unwanted reply that are read to keep its connection usable; longer ones close it. */
export const DRAINED = 64 * 1024;

/** Bytes of a reply that are read to find out what it is. */
export const PEEKED = 64 * 1024;

/** Bytes of a token endpoint's reply. */
export const TOKEN_REPLY = 64 * 1024;

/** How long before its expiry a token or value is no longer used: the call takes time, and clocks differ. */
export function marginOf(milliseconds: number): number {
  return Math.min(milliseconds / 10, 30_000);
}

/** The time limit of a whole call. */
export interface Deadline {
  /** Aborts at the deadline, with the error of the call as its reason, or with the caller's own signal. */
  readonly signal: AbortSignal | undefined;
  /** Replaces the error of a call that the deadline has ended by a TIMEOUT. */
  errorOf(error: unknown): unknown;
  clear(): void;
}

/** @param most in milliseconds; no end where it is infinite, or beyond the 24 days that a timer can wait for */
export function deadline(signal: AbortSignal | undefined, most: number, called: Called): Deadline {
  if (most > LONGEST_TIMER) return { signal, errorOf: (error) => error, clear: () => undefined };
  const controller = new AbortController();
  const late = (where: Called, cause?: unknown): InvokeError =>
    new InvokeError('TIMEOUT', where, `the call took longer than ${duration(most)} and was stopped`, {
      retry: true,
      cause,
    });
  const timer = setTimeout(() => controller.abort(late(called)), most);
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    errorOf(error) {
      if (!controller.signal.aborted || signal?.aborted === true) return error;
      if (!(error instanceof InvokeError) || error.code !== 'ABORTED') return error;
      const { sent, attempts, uncertain, repeatable } = error;
      return Object.assign(late(error.called, error), { sent, attempts, uncertain, repeatable });
    },
    clear: () => clearTimeout(timer),
  };
}

/** The error for a call that a signal has ended: TIMEOUT for a deadline, else ABORTED. */
export function abortError(reason: unknown, called: Called): InvokeError {
  if (reason instanceof InvokeError && reason.code === 'TIMEOUT')
    return new InvokeError('TIMEOUT', called, bareMessage(reason), { retry: true, cause: reason });
  return new InvokeError('ABORTED', called, 'the call was ended before it replied', { cause: reason });
}

/** Waits for work that several calls share, until the call's own signal aborts. @throws InvokeError ABORTED, TIMEOUT; what the work throws */
export async function unlessEnded<T>(work: Promise<T>, signal: AbortSignal | undefined, called: Called): Promise<T> {
  if (signal === undefined) return work;
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    throw signal.aborted && error === signal.reason ? abortError(error, called) : error;
  }
}
