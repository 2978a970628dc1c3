const SIZES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
const TIMES: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };

/** `10 MiB` in bytes; a number is bytes already. */
export function parseSize(size: string | number): number {
  if (typeof size === 'number') return size;
  const [, number, unit = 'B'] = /^(\d+) ?(\w+)$/.exec(size) ?? [];
  return Number(number) * (SIZES[unit] ?? Number.NaN);
}

/** `30 s` in milliseconds. */
export function parseDuration(time: string): number {
  const [, number, unit = 's'] = /^(\d+) ?(\w+)$/.exec(time) ?? [];
  return Number(number) * (TIMES[unit] ?? Number.NaN);
}
