import { readDuration } from '../../wire/duration.ts';
import { LONGEST_TIMER } from '../../wire/waiting.ts';
import type { Linking } from '../linking.ts';
import type { JsonSchema } from '../schema/json-schema.ts';

const SIZES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

export const size: JsonSchema = {
  title: 'a size',
  type: ['string', 'integer'],
  pattern: '^[0-9]+ ?(B|KiB|MiB|GiB)$',
  minimum: 1,
  examples: ['10 MiB', '64 KiB', 4096],
};

/**
 * `10 MiB` under a key, by default of `limits`, in bytes; a number is in bytes. `undefined` without a value.
 * @param name of the value in messages
 */
export function linkSize(
  linking: Linking,
  container: object,
  key: string,
  name = `limits.${key}`,
  most: Most = { amount: Number.MAX_SAFE_INTEGER, words: 'from 1 B to 8 PiB' },
): number | undefined {
  return linkAmount(linking, container, key, name, bytes, most);
}

/** The largest amount, as a number and in words; the smallest is 1 by default. */
interface Most {
  readonly least?: number;
  readonly amount: number;
  readonly words: string;
}

const TIMER: Most = { amount: LONGEST_TIMER, words: 'from 1 ms to 24 d' };
/** The bounds of a time that may also be none at all. */
export const TIMER_OR_NONE: Most = { least: 0, amount: LONGEST_TIMER, words: 'from 0 s to 24 d' };
/** The bounds of a TCP keepalive: it counts whole seconds, and Linux accepts up to 32767 (tcp(7)). */
export const KEEPALIVE: Most = { least: 1000, amount: 32_767_000, words: 'from 1 s to 9 h' };

/**
 * `30 s`, in milliseconds; `undefined` without a value. `name` is its name in messages and ends with its key in `container`:
 * `limits.timeout`.
 */
export function linkDuration(
  linking: Linking,
  container: object,
  name: string,
  most: Most = TIMER,
): number | undefined {
  const key = name.slice(name.lastIndexOf('.') + 1);
  return linkAmount(linking, container, key, name, milliseconds, most);
}

/** `1 m` in milliseconds, of the form that the JSON Schema requires. */
export const milliseconds = (text: string): number => readDuration(text) as number;

/** `10 MiB` in bytes, of the form that the JSON Schema requires. */
export function bytes(text: string): number {
  const [, number, unit] = /^(\d+) ?(\w+)$/.exec(text) as unknown as [string, string, string];
  return Number(number) * (SIZES[unit] as number);
}

/** An amount with its unit, of the form that the JSON Schema requires. One out of bounds is reported. */
function linkAmount(
  { report, places }: Linking,
  container: object,
  key: string,
  name: string,
  read: (text: string) => number,
  most: Most,
): number | undefined {
  const said = (container as Readonly<Record<string, string | number | undefined>>)[key];
  if (said === undefined) return undefined;
  const amount = typeof said === 'number' ? said : read(said);
  if (amount < (most.least ?? 1) || amount > most.amount)
    report.raise(
      'bad-value',
      { name, reason: `must be ${most.words}, not ${said}`, examples: [] },
      places.value(container, key),
    );
  return amount;
}

/** Whether a time zone of that name exists. */
export function isTimezone(name: string): boolean {
  // UTC and alias names are not in the list. Only a formatter knows them, but the first one takes 12 ms of a start.
  if (name === 'UTC' || Intl.supportedValuesOf('timeZone').includes(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
