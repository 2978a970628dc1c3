import { readDuration } from './duration.ts';

const LONGEST = 36_500 * 86_400_000;

/**
 * Reads a moment as operators enter it: how long ago it was (`1 h`), a day (`2026-03-01`), or a time (`2026-03-01T12:00Z`), in
 * UTC if it has no offset.
 * @param now in milliseconds since 1970
 * @returns `undefined` for any other text
 */
export function readMoment(text: string, now: number): Date | undefined {
  const ago = readDuration(text);
  if (ago !== undefined) return ago <= LONGEST ? new Date(now - ago) : undefined;
  const [, day, time = 'T00:00', offset = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:([T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return undefined;
  const at = new Date(day + time.replace(' ', 'T') + offset);
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** A day that there is, unlike February 30th, which `Date` takes for a day of March. */
export function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
