import { TIMES } from '../wire/words.ts';

/** The longest time that something takes. */
export interface Longest {
  readonly ms: number;
  readonly words: string;
}

/**
 * Reads a time of a test: `2 h`, `500 ms`; a number is in milliseconds.
 * @param what begins the sentence about any other, which `why` ends: `the clock can be moved`
 * @returns milliseconds
 * @throws TypeError for any other text, and for a time that is longer
 */
export function readTime(time: string | number, longest: Longest, what: string, why = ''): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?(ms|s|min|h|d)$/.exec(String(time)) ?? [];
  const ms = typeof time === 'number' ? time : Number(amount) * (TIMES[unit] ?? Number.NaN);
  if (ms >= 0 && ms <= longest.ms) return ms;
  const given = typeof time === 'string' ? `'${time}'` : String(time);
  throw new TypeError(`${what} by '2 h', '30 min' or '90 d', at most ${longest.words}, not by ${given}${why}`);
}
