import { Fault } from './fault.ts';

/**
 * When a call, a process or a class after a save that failed is attempted again (`retry:`). Whichever of attempts and time ends
 * first. Times in milliseconds.
 */
export interface Retry {
  /** All attempts, the first included; any number when absent. */
  readonly attempts?: number;
  /** No attempt begins later than this after the first one began; no limit when absent. */
  readonly for?: number;
  /** The first pause. Each is twice the one before, up to the longest, of which a random share is used. */
  readonly first: number;
  readonly longest: number;
  /** The statuses (400 to 599) after which another attempt follows: these, `failure` for all from 500, or `any`. */
  readonly on: ReadonlySet<number> | 'failure' | 'any';
}

/**
 * A call, unless its operation or its node declares `retry:`. This default only repeats calls without harm: those with an
 * idempotent method (RFC 9110 section 9.2.2), those of which nothing was sent, and those answered with Retry-After.
 */
export const CALL_RETRY: Retry & { readonly on: ReadonlySet<number> } = {
  attempts: 3,
  first: 200,
  longest: 5000,
  on: new Set([408, 429, 502, 503, 504]),
};

/** A process is not attempted again unless it declares so: it may be half done. */
export const PROCESS_RETRY: Retry = { attempts: 1, first: 10_000, longest: 600_000, on: 'failure' };

/** A class after a save, unless its registration declares `retry:`. */
export const CLASS_RETRY: Retry = { for: 86_400_000, first: 1000, longest: 3_600_000, on: 'any' };

/** The delivery of a message, unless its subscription or its queue's replies declare `retry:`. */
export const DELIVERY_RETRY: Retry = { for: 259_200_000, first: 1000, longest: 3_600_000, on: 'failure' };

/*
 * What may be attempted again, as a whole:
 *
 * 1. A call, by itself (`mayRepeat` in `invoke/http/repeating.ts`): after a status of `on` ({@link isRetried}), and after a
 *    failure of the connection, of time or of a token endpoint. With {@link CALL_RETRY}, the default, only if that is
 *    harmless: the method is idempotent, nothing was sent, or the target has asked for it by Retry-After. A declared `retry:`
 *    applies to every method. Neither repeats a body that could be read only once (`canResend` in `invoke/http/sending.ts`).
 * 2. Work of the queue that makes calls ({@link queueRule}; deliveries: `mayFollow` in `messaging/run/failure.ts`): after a
 *    status of `on`, but never where it {@link mightDouble} what the call has done. A call is `uncertain` once it was sent to
 *    its end and no status came (`invoke/http/exchange.ts`), and `repeatable` if its method is idempotent or each attempt
 *    has the same id or key (`invoke/calls.ts`). Deliveries are also made again after 408, 425 and 429, and never after a loop or
 *    the end of a subscription (410).
 * 3. All wait for Retry-After ({@link askedUntil}), a call up to {@link longestAsked}.
 */

/** The longest Retry-After that every call and every delivery waits for, in milliseconds. */
const ALWAYS_WAITED = 60_000;

/** The longest Retry-After that is waited for: a minute, or the longest pause if that is more. In milliseconds. */
export function longestAsked({ longest }: Pick<Retry, 'longest'>): number {
  return Math.max(ALWAYS_WAITED, longest);
}

/** A longer Retry-After counts as this one, ten years, in milliseconds: dates further away are not valid in every place. */
const FURTHEST = 10 * 366 * 86_400_000;

/** The three formats of a date in HTTP (RFC 9110 section 5.6.7), and an offset instead of GMT. */
const HTTP_DATE =
  /^[a-z]{3,9}(?:, ?\d{1,2}[- ][a-z]{3}[- ]\d{2,4} [\d:]{8} (?:gmt|utc|[+-]\d{4})| [a-z]{3} [ \d]\d [\d:]{8} \d{4})$/i;

/**
 * Retry-After in milliseconds from now, at most ten years: it gives seconds or a date (RFC 9110 section 10.2.3). A fraction of a second is
 * tolerated, and of several seconds, as the field was sent twice, the most count. @returns `undefined` for anything else
 */
export function retryAfter(header: string | undefined, now = Date.now()): number | undefined {
  const text = header?.trim();
  if (text === undefined) return undefined;
  if (/^\d+(?:\.\d+)?(?:[ \t]*,[ \t]*\d+(?:\.\d+)?)*$/.test(text))
    return Math.min(Math.max(...text.split(',').map(Number)) * 1000, FURTHEST);
  if (!HTTP_DATE.test(text)) return undefined;
  // The oldest date format names no time zone; it means UTC too.
  const time = Date.parse(/(?:gmt|utc|[+-]\d{4})$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.min(Math.max(0, time - now), FURTHEST);
}

/** An error and the errors that caused it, the outermost first. */
function causes(error: unknown): Error[] {
  const found: Error[] = [];
  for (let at = error; at instanceof Error && found.length < MOST_CAUSES && !found.includes(at); at = at.cause)
    found.push(at);
  return found;
}

const MOST_CAUSES = 16;

/**
 * When the work that ended with an error may be attempted again, in milliseconds since 1970: a called system has asked to wait
 * (Retry-After), calls to it are suspended, or a fault of this gateway has the header. `undefined` when nothing says so.
 */
export function askedUntil(error: unknown, now = Date.now()): number | undefined {
  for (const each of causes(error)) {
    if ('again' in each && each.again instanceof Date) return each.again.getTime();
    const wait = each instanceof Fault ? retryAfter(each.headers['Retry-After'], now) : undefined;
    if (wait !== undefined) return now + wait;
  }
  return undefined;
}

/** Whether a call was sent to its end and no status came: its target may have taken it. */
export function isUncertain(error: unknown): boolean {
  return causes(error).some((each) => 'uncertain' in each && each.uncertain === true);
}

/**
 * Whether a repetition might do twice what a call has done: it is uncertain, its method is not idempotent, and it had no id that
 * stays the same in each attempt.
 */
export function mightDouble(error: unknown): boolean {
  return causes(error).some(
    (each) => 'uncertain' in each && each.uncertain === true && 'repeatable' in each && each.repeatable === false,
  );
}

/** In front of the reason of an attempt whose call is uncertain. */
export const UNCERTAIN = 'uncertain: ';

/** Whether another attempt may follow one that ended with a status. */
export function isRetried({ on }: Retry, status: number): boolean {
  return typeof on === 'string' ? status >= (on === 'any' ? 400 : 500) : on.has(status);
}

/** An attempt at queued work took longer than it may. */
export class AttemptTimeout extends Error {
  override readonly name: string = 'AttemptTimeout';
}

/** The status of an error that ended an attempt at queued work: that of a fault, 504 for one that took too long, otherwise 500. */
function statusOf(error: unknown): number {
  if (error instanceof Fault) return error.status;
  return error instanceof AttemptTimeout ? 504 : 500;
}

/** The rule by which the queue attempts work again. */
export function queueRule(retry: Retry): Omit<Retry, 'on'> & QueueRule {
  return {
    ...retry,
    on: (error) => !mightDouble(error) && isRetried(retry, statusOf(error)),
    asked(error) {
      const until = askedUntil(error);
      return until === undefined ? undefined : until - Date.now();
    },
  };
}

interface QueueRule {
  /** Whether another attempt follows one that ended with an error. */
  readonly on: (error: Error) => boolean;
  /** For how many milliseconds none may follow; `undefined` when nothing says so. */
  readonly asked: (error: Error) => number | undefined;
}
