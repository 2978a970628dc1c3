import { LONGEST_TIMER, untilAborted } from '../wire/waiting.ts';
import { type Called, InvokeError, wordsOf } from './error.ts';

/** How long each phase of an exchange may take, in milliseconds. */
export interface Timeouts {
  /** Until there is a connection, with name resolution and TLS. */
  readonly connect: number;
  /** From the last piece of the request that was taken until the head of the reply; also of a target that takes none. */
  readonly head: number;
  /** Between two pieces of the reply. */
  readonly idle: number;
  /** From the head of a reply to its end, where all of it is read before there is a value. */
  readonly reply: number;
  /** All of it, repetitions with it, until the reply's value is there; no end where it is infinite. */
  readonly call: number;
}

export const TIMEOUTS: Timeouts = {
  connect: 10_000,
  head: 60_000,
  idle: 30_000,
  reply: 300_000,
  call: Number.POSITIVE_INFINITY,
};

/** Bytes a second that a reply must bring on average, once it was waited for for twice the idle time. */
export const SLOWEST = 240;

/** Connections to one origin at once; further calls wait for one. */
export const CONNECTIONS = 100;

/** Bytes of the head of a reply. */
export const REPLY_HEAD = 64 * 1024;

/** Characters of a reply that an error repeats. */
export const SHOWN_BODY = 2048;

/** Bytes of a reply that is passed over which are read for the sake of its connection. */
export const DRAINED = 64 * 1024;

/** Bytes of a reply which are read to see what it is, where no more is to be in memory. */
export const PEEKED = 64 * 1024;

/** Bytes of a token endpoint's reply. */
export const TOKEN_REPLY = 64 * 1024;

/** What is left of the time that a token or a value holds when it is shown no more: a call takes some, and clocks differ. */
export function marginOf(milliseconds: number): number {
  return Math.min(milliseconds / 10, 30_000);
}

/** The time that the whole of a call has. */
export interface Deadline {
  /** Ends with the time, its reason then being the error of the call, or with the caller's own signal. */
  readonly signal: AbortSignal | undefined;
  /** An error of the call: that the time is up, where that is what ended it. */
  told(error: unknown): unknown;
  clear(): void;
}

/** @param most in milliseconds; no end where it is infinite, or beyond the 24 days that a timer can wait for */
export function deadline(signal: AbortSignal | undefined, most: number, called: Called): Deadline {
  if (most > LONGEST_TIMER) return { signal, told: (error) => error, clear: () => undefined };
  const controller = new AbortController();
  const late = (where: Called, cause?: unknown): InvokeError =>
    new InvokeError('TIMEOUT', where, `the call took longer than ${most / 1000} s and was ended`, {
      retry: true,
      cause,
    });
  const timer = setTimeout(() => controller.abort(late(called)), most);
  return {
    signal: signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]),
    told(error) {
      if (!controller.signal.aborted || signal?.aborted === true) return error;
      if (!(error instanceof InvokeError) || error.code !== 'ABORTED') return error;
      const { sent, attempts } = error;
      return Object.assign(late(error.called, error), { sent, attempts });
    },
    clear: () => clearTimeout(timer),
  };
}

/** The error for a call that a signal ended. A time that is up is the reason itself. */
export function abortError(reason: unknown, called: Called): InvokeError {
  if (reason instanceof InvokeError && reason.code === 'TIMEOUT')
    return new InvokeError('TIMEOUT', called, wordsOf(reason), { retry: true, cause: reason });
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
