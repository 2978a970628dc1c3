import { durationMeant, readDuration } from '../wire/duration.ts';

/** The longest delay of a reply, in milliseconds. */
export const LONGEST_DELAY = 3_600_000;

/**
 * Reads the delay of a reply, in the notation of the language.
 * @returns milliseconds; for any other text, or a longer time, the delays that it can mean
 */
export function readDelay(text: string): number | { readonly meant: readonly string[] } {
  const ms = readDuration(text);
  if (ms === undefined) return { meant: durationMeant(text).filter((each) => typeof readDelay(each) === 'number') };
  return ms <= LONGEST_DELAY ? ms : { meant: [] };
}
