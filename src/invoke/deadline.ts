import { type Called, InvokeError } from './error.ts';

/** The time that the whole of a call has. */
interface Deadline {
  /** Ends with the time, its reason then being the error of the call, or with the caller's own signal. */
  readonly signal: AbortSignal | undefined;
  /** An error of the call: that the time is up, where that is what ended it. */
  told(error: unknown): unknown;
  clear(): void;
}

/** What a timer can wait for; it would take a longer time for no time at all. */
const LONGEST = 2 ** 31 - 1;

/** @param most in milliseconds; no end where it is infinite, or beyond the 24 days that a timer can wait for */
export function deadline(signal: AbortSignal | undefined, most: number, called: Called): Deadline {
  if (most > LONGEST) return { signal, told: (error) => error, clear: () => undefined };
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
