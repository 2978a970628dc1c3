import type { RetryRule } from './port.ts';

/**
 * Milliseconds before the attempt that follows a failed one: doubled each time up to the longest, of which a random half
 * to whole is taken, so that what failed together does not come back together.
 * @param attempt the one that failed, from 1
 */
export function retryPause({ first, longest }: RetryRule, attempt: number, random = Math.random()): number {
  const whole = Math.min(longest, first * 2 ** Math.min(attempt - 1, 52));
  return Math.ceil(whole * (0.5 + random / 2));
}
