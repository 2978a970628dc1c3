import { durationMeant, readDuration } from '../wire/duration.ts';

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
  const ms = typeof time === 'number' ? time : (readDuration(time) ?? Number.NaN);
  if (ms >= 0 && ms <= longest.ms) return ms;
  const given = typeof time === 'string' ? `'${time}'` : String(time);
  const [meant] = typeof time === 'string' ? durationMeant(time) : [];
  const next = meant === undefined || Number.isFinite(ms) ? why : `: write '${meant}'`;
  throw new TypeError(`${what} by '2 h', '30 m' or '90 d', at most ${longest.words}, not by ${given}${next}`);
}
