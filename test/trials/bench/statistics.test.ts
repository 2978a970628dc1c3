import { describe, expect, it } from 'vitest';
import { type Figure, judge } from './figure.ts';
import { sumOfTree } from './memory.ts';
import { byRound, median, percentile, spread } from './statistics.ts';

describe('statistics of the bench', () => {
  it('refuses the median of nothing', () => {
    expect(() => median([])).toThrow(RangeError);
  });

  it.each([
    [[7], 7],
    [[9, 1, 5], 5],
    [[10, 9, 2, 1], 5.5],
    [[100, 20, 3], 20],
  ])('has %j lie round %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it.each([
    [50, 2],
    [75, 3],
    [99, 4],
    [100, 4],
    [0, 1],
  ])('has the percentile %d of four values', (percent, expected) => {
    expect(percentile([4, 1, 3, 2], percent)).toBe(expected);
    expect(() => percentile([], percent)).toThrow(RangeError);
  });

  it('leaves the order of the rounds alone', () => {
    const rounds = [3, 1, 2];
    expect(spread(rounds)).toEqual({ median: 2, min: 1, max: 3 });
    expect(rounds).toEqual([3, 1, 2]);
  });

  it('combines what belongs to one round, and refuses rounds without a partner', () => {
    expect(byRound([10, 1000], [20, 1000], (limit, ours) => ours / limit)).toEqual([2, 1]);
    expect(() => byRound([1, 2], [1], () => 0)).toThrow('2 rounds of the limit, but 1 of ours');
  });
});

describe('what a figure is judged by', () => {
  const figure = (limit: number[], ours: number[], target: Figure['target']): Figure => ({
    job: 'job',
    beside: 'limit',
    unit: 'ms',
    limit,
    ours,
    target,
  });

  it('is the median of the ratios, not the ratio of the medians', () => {
    const { ratio } = judge(figure([100, 10, 1], [50, 20, 2], { kind: 'at-least', ratio: 1 }));
    expect(ratio).toEqual({ median: 2, min: 0.5, max: 2 });
  });

  it.each([
    [{ kind: 'at-least', ratio: 0.9 }, 90, true],
    [{ kind: 'at-least', ratio: 0.9 }, 89, false],
    [{ kind: 'at-most', ratio: 2 }, 200, true],
    [{ kind: 'at-most', ratio: 2 }, 201, false],
    [{ kind: 'within', more: 300 }, 400, true],
    [{ kind: 'within', more: 300 }, 401, false],
  ] as const)('reaches %j with %d beside 100: %s', (target, ours, reached) => {
    expect(judge(figure([100], [ours], target)).reached).toBe(reached);
  });
});

describe('memory of a process and what it started', () => {
  it('counts children of children, in whatever order they are listed, and nobody else', () => {
    const listing = '  30    20   4\n  10     1 100\n  20    10  50\n  40     1 999\n';
    expect(sumOfTree(listing, 10)).toBe(154);
  });
});
