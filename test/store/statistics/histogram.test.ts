import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addHistogram,
  addText,
  BUCKETS,
  bucketOf,
  histogramText,
  percentile,
} from '../../../src/store/statistics/histogram.ts';

const duration = fc.double({ min: 0.01, max: 3_600_000, noNaN: true });
const durations = fc.array(fc.oneof(duration, fc.double({ min: 0.01, max: 50, noNaN: true })), {
  minLength: 1,
  maxLength: 300,
});
const share = fc.double({ min: 0, max: 1, noNaN: true });

function histogramOf(all: readonly number[]): Uint32Array {
  const histogram = new Uint32Array(BUCKETS);
  for (const ms of all) {
    const bucket = bucketOf(ms);
    histogram[bucket] = (histogram[bucket] as number) + 1;
  }
  return histogram;
}

/** The nearest rank. */
function exact(all: readonly number[], of: number): number {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted[Math.max(1, Math.ceil(all.length * of)) - 1] as number;
}

describe('a histogram of durations', () => {
  it('has percentiles that are at most 5 % wrong, from 0.01 ms to an hour', () => {
    fc.assert(
      fc.property(durations, share, (all, of) => {
        const [found, wanted] = [percentile(histogramOf(all), of) as number, exact(all, of)];
        expect(Math.abs(found - wanted) / wanted).toBeLessThanOrEqual(0.05);
      }),
    );
  });

  it('is read from its text as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(BUCKETS - 1), fc.nat(2 ** 31))), (counts) => {
        const histogram = new Uint32Array(BUCKETS);
        for (const [bucket, count] of counts) histogram[bucket] = count;
        const read = new Uint32Array(BUCKETS);
        addText(read, histogramText(histogram));
        expect(read).toEqual(histogram);
      }),
    );
  });

  it('is the same whether durations, histograms or texts are put together', () => {
    fc.assert(
      fc.property(durations, durations, (some, others) => {
        const all = histogramOf([...some, ...others]);
        const added = histogramOf(some);
        addHistogram(added, histogramOf(others));
        expect(added).toEqual(all);
        const joined = new Uint32Array(BUCKETS);
        addText(joined, `${histogramText(histogramOf(some))} ${histogramText(histogramOf(others))}`);
        expect(joined).toEqual(all);
      }),
    );
  });

  it('takes what is shorter and longer than its buckets, and what is not a duration', () => {
    for (const ms of [0, -1, Number.NaN, 0.01]) expect(bucketOf(ms)).toBe(0);
    for (const ms of [4_000_000, Number.MAX_VALUE, Number.POSITIVE_INFINITY]) expect(bucketOf(ms)).toBe(BUCKETS - 1);
  });

  it('has no percentile without calls, and a short text with few', () => {
    expect(percentile(new Uint32Array(BUCKETS), 0.5)).toBeUndefined();
    expect(histogramText(new Uint32Array(BUCKETS))).toBe('');
    expect(histogramText(histogramOf([1, 1, 1, 250]))).toMatch(/^\w\w:3 \w\w$/);
  });
});
