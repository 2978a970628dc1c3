import { describe, expect, it } from 'vitest';
import { duration, durationMeant, readDuration, roughly } from '../../src/wire/duration.ts';
import { readMoment } from '../../src/wire/moment.ts';

describe('a length of time', () => {
  it.each([
    ['500 ms', 500],
    ['10 s', 10_000],
    ['10 m', 600_000],
    ['1 h', 3_600_000],
    ['2 d', 172_800_000],
    ['0 s', 0],
  ])('is written as %s', (text, ms) => {
    expect(readDuration(text)).toBe(ms);
    expect(readDuration(text.replace(' ', ''))).toBe(ms);
    expect(duration(ms)).toBe(text);
  });

  it.each([
    '10 min',
    '10',
    '10  s',
    ' 10 s',
    '1.5 h',
    '-1 s',
    '10 M',
    's',
    'PT10M',
    '1 h 30 m',
  ])('is not written as %s', (text) => {
    expect(readDuration(text)).toBeUndefined();
  });

  it.each([
    ['10 min', ['10 m']],
    ['10min', ['10 m']],
    ['10 minutes', ['10 m']],
    ['10 M', ['10 m']],
    ['1 second', ['1 s']],
    ['250 msec', ['250 ms']],
    ['250 milliseconds', ['250 ms']],
    ['1.5 h', ['90 m']],
    ['1h30m', ['90 m']],
    ['1 hour and 30 minutes', ['90 m']],
    ['1 week', ['7 d']],
    ['PT10M', ['10 m']],
    ['P1D', ['1 d']],
    ['P1DT12H', ['36 h']],
    ['P2W', ['14 d']],
    ['30', ['30 ms', '30 s', '30 m', '30 h', '30 d']],
    ['1 month', []],
    ['2 y', []],
    ['noon', []],
    ['0.3 ms', []],
    ['in 10 min', []],
    ['', []],
    ['1'.repeat(61), []],
  ])('of another notation, %s, means %j', (text, meant) => {
    expect(durationMeant(text)).toEqual(meant);
  });

  it('is not looked for in a long text, which would take seconds', () => {
    const began = performance.now();
    expect(durationMeant(`${'1'.repeat(64_000)}x`)).toEqual([]);
    expect(performance.now() - began).toBeLessThan(200);
  });

  it.each([
    [0.04, '0 ms'],
    [3.44, '3.4 ms'],
    [340.4, '340 ms'],
    [1234, '1.2 s'],
    [75_000, '75 s'],
    [120_000, '2 m'],
    [7_199_000, '119 m'],
    [7_200_000, '2 h'],
    [172_800_000, '2 d'],
  ])('that was measured, %d ms, is shown as %s', (ms, text) => {
    expect(roughly(ms)).toBe(text);
  });
});

describe('a moment', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');

  it.each([
    ['90 m', '2026-03-01T10:30:00.000Z'],
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2026-02-28T06:00', '2026-02-28T06:00:00.000Z'],
    ['2026-02-28 06:00:30', '2026-02-28T06:00:30.000Z'],
    ['2026-02-28T06:00:30.5+02:00', '2026-02-28T04:00:30.500Z'],
  ])('is entered as %s', (text, at) => {
    expect(readMoment(text, now)?.toISOString()).toBe(at);
  });

  it.each(['2026-02-30', '2026-02-28T25:00', '90 min', '36501 d', 'noon'])('is not entered as %s', (text) => {
    expect(readMoment(text, now)).toBeUndefined();
  });
});
