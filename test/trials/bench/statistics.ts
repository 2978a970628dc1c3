/** The range of the figures of several rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The middle value, or the mean of the two in the middle. @throws RangeError if there are no values */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('the median of no values');
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2;
}

/** The smallest value that so many in a hundred do not exceed. @throws RangeError if there are no values */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new RangeError('a percentile of no values');
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] as number;
}

/** @throws RangeError if there are no values */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Combines measurements of the same round: if the machine is slow for a while, it is slow for both.
 * @throws RangeError if one has more rounds than the other
 */
export function byRound(
  limit: readonly number[],
  ours: readonly number[],
  combine: (limit: number, ours: number) => number,
): number[] {
  if (limit.length !== ours.length)
    throw new RangeError(`${limit.length} rounds of the limit, but ${ours.length} of ours`);
  return ours.map((value, round) => combine(limit[round] as number, value));
}
