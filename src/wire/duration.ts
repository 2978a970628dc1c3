// Lengths of time as text: the only notation of definitions, commands, the console and messages.

/** The units, in milliseconds: the shortest first. */
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The notation as a pattern without its ends: a whole number and a unit. Only the space between them is optional. */
export const DURATION = `[0-9]+ ?(?:${Object.keys(UNITS).join('|')})`;

const WHOLE = new RegExp(`^(?:${DURATION})$`);

/** Reads `10 m`. @returns milliseconds; `undefined` for a text that is not in the notation */
export function readDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  const [, number, unit] = /^(\d+) ?(\w+)$/.exec(text) as unknown as [string, string, string];
  return Number(number) * (UNITS[unit] as number);
}

/** Writes a length exactly, in the largest unit of which it is a multiple: `1 h`, `90 s`; none at all is `0 s`. */
export function duration(ms: number): string {
  if (ms === 0) return '0 s';
  const [unit, length] = Object.entries(UNITS).findLast(([, each]) => ms % each === 0) ?? ['ms', 1];
  return `${ms / length} ${unit}`;
}

/**
 * Writes a length that was measured, in the largest unit of which it has two: `3.4 ms`, `340 ms`, `1.2 s`, `75 s`, `12 m`, `5 h`,
 * `3 d`.
 */
export function roughly(ms: number): string {
  if (ms < 1000) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
  if (ms < 10_000) return `${Number((ms / 1000).toFixed(1))} s`;
  const [unit, length] = Object.entries(UNITS).findLast(([, each]) => ms >= 2 * each) as [string, number];
  return `${Math.floor(ms / length)} ${unit}`;
}

/** Characters of the longest text that is taken for a length of time: people write no longer ones, and the search is quadratic. */
const LONGEST = 60;

/** Units as other programs and people write them. Their first letter is that of ours, but for milliseconds and weeks. */
const FOREIGN =
  /(\d+(?:\.\d+)?) ?(ms|msecs?|millis|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z])/gi;

/**
 * What a length of time in another notation means in ours: `10 min`, `1.5 hours`, `1h30m`, `PT10M`, `1 week`. A number without a
 * unit can mean any.
 * @returns the possible meanings; none for a text that is not a length of time
 */
export function durationMeant(text: string): readonly string[] {
  if (text.length > LONGEST) return [];
  if (/^\d+$/.test(text)) return Object.keys(UNITS).map((unit) => `${text} ${unit}`);
  const plain = text.trim().replace(/^P(?:(\d+W)|(\d+D)?(?:T(.+))?)$/, (_, w = '', d = '', t = '') => w + d + t);
  let ms = 0;
  const rest = plain.replace(FOREIGN, (_, number: string, word: string) => {
    const unit = word.toLowerCase();
    const length = unit.startsWith('w') ? 7 * 86_400_000 : UNITS[/^(?:ms|mil)/.test(unit) ? 'ms' : (unit[0] as string)];
    ms += Number(number) * (length as number);
    return '';
  });
  const isLength = plain !== rest && /^(?:[\s,]|and)*$/.test(rest) && Number.isSafeInteger(ms);
  return isLength ? [duration(ms)] : [];
}
