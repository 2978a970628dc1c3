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

/** The longest Retry-After that every call and every delivery waits for, in milliseconds. */
const ALWAYS_WAITED = 60_000;

/** The longest Retry-After that is waited for: a minute, or the longest pause if that is more. In milliseconds. */
export function longestAsked({ longest }: Pick<Retry, 'longest'>): number {
  return Math.max(ALWAYS_WAITED, longest);
}

/** Retry-After in milliseconds from now: it gives seconds or a date (RFC 9110 section 10.2.3). */
export function retryAfter(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  // The oldest date format names no time zone; it means UTC too.
  const time = Date.parse(/GMT|UTC|[+-]\d{4}$/.test(header) ? header : `${header} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

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
export function queueRule(retry: Retry): Omit<Retry, 'on'> & { readonly on: (error: Error) => boolean } {
  return { ...retry, on: (error) => isRetried(retry, statusOf(error)) };
}
