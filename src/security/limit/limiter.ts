import { createHash } from 'node:crypto';
import type { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Rate } from '../../model/rate.ts';

/** Where a caller stands after a call was counted. */
export interface Standing {
  /** There were too many: this one is not to be answered. */
  readonly exceeded: boolean;
  /** Calls that are left. */
  readonly remaining: number;
  /** Whole seconds until all of them are there again; at least 1. */
  readonly reset: number;
}

/** Counts the calls of one bound, each key by itself, in windows that begin with the first call. */
export interface RateLimiter {
  readonly rate: Rate;
  /** Counts a call. Never rejects: where the fleet's count can't be had, this gateway's own holds. */
  take(key: string): Promise<Standing>;
  /** Where a key stands that is known here to have had too many; undefined for any other. Nothing is counted. */
  shut(key: string): Standing | undefined;
}

/** Keys that are remembered as shut. */
const MOST_SHUT = 10_000;
/** Characters of a key that are kept as they are. */
const LONGEST_KEY = 200;

/**
 * @param name what is bounded: keys of two bounds are two
 * @param now milliseconds; a clock that only goes forward
 */
export function createLimiter(
  name: string,
  rate: Rate,
  counter: RateLimiterMemory | RateLimiterPostgres,
  now: () => number = performance.now.bind(performance),
): RateLimiter {
  const shutUntil = new Map<string, number>();

  function shut(key: string): Standing | undefined {
    const until = shutUntil.get(key);
    if (until === undefined) return undefined;
    const left = until - now();
    if (left > 0) return { exceeded: true, remaining: 0, reset: secondsOf(left) };
    shutUntil.delete(key);
    return undefined;
  }

  function remember(key: string, ms: number): void {
    const [oldest] = shutUntil.keys();
    if (shutUntil.size >= MOST_SHUT && oldest !== undefined) shutUntil.delete(oldest);
    shutUntil.set(key, now() + ms);
  }

  return {
    rate,
    shut,
    async take(key) {
      const known = shut(key);
      if (known !== undefined) return known;
      const { exceeded, found } = await consume(counter, fitting(`${name}:${key}`));
      // Gateways of a fleet, and a clock that was set, may differ about when a window ends; none is longer than itself.
      const left = Math.min(found.msBeforeNext, rate.per);
      if (exceeded) remember(key, left);
      return { exceeded, remaining: found.remainingPoints, reset: secondsOf(left) };
    },
  };
}

async function consume(
  counter: RateLimiterMemory | RateLimiterPostgres,
  key: string,
): Promise<{ exceeded: boolean; found: RateLimiterRes }> {
  try {
    return { exceeded: false, found: await counter.consume(key) };
  } catch (refused) {
    // What the library rejects with is where the key stands: its counter of last resort can't fail.
    return { exceeded: true, found: refused as RateLimiterRes };
  }
}

/** A long name, as tokens may give one, would not fit into the index. */
function fitting(key: string): string {
  return key.length <= LONGEST_KEY ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function secondsOf(ms: number): number {
  return Math.max(Math.ceil(ms / 1000), 1);
}
