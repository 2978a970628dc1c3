import { describe, expect, it } from 'vitest';
import { cronProblem, nextTime } from '../../src/wire/cron.ts';

function times(cron: string, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  for (let at = nextTime(cron, zone, new Date(after)); at !== undefined && found.length < count; ) {
    found.push(at.toISOString().replace(':00.000Z', 'Z'));
    at = nextTime(cron, zone, at);
  }
  return found;
}

describe('the time after a moment', () => {
  it('is later than it, to the minute', () => {
    expect(times('*/15 * * * *', 'UTC', '2027-01-01T00:15:00Z', 2)).toEqual(['2027-01-01T00:30Z', '2027-01-01T00:45Z']);
    expect(times('0 6 1 * MON', 'Asia/Tokyo', '2027-01-01T00:00:00Z', 2)).toEqual([
      '2027-01-03T21:00Z',
      '2027-01-10T21:00Z',
    ]);
  });

  it.each([
    ['0 9 1 * 1', '2027-01-01T09:00Z', '2027-01-04T09:00Z', '2027-01-11T09:00Z'],
    ['0 0 13 * FRI', '2027-01-08T00:00Z', '2027-01-13T00:00Z', '2027-01-15T00:00Z'],
    ['0 0 1-31 * 1', '2027-01-02T00:00Z', '2027-01-03T00:00Z', '2027-01-04T00:00Z'],
    // With a `*` in one of them, both have to match.
    ['0 0 */2 * 1', '2027-01-11T00:00Z', '2027-01-25T00:00Z', '2027-02-01T00:00Z'],
    ['0 0 1 * */2', '2027-04-01T00:00Z', '2027-05-01T00:00Z', '2027-06-01T00:00Z'],
    ['0 0 ? * 1', '2027-01-04T00:00Z', '2027-01-11T00:00Z', '2027-01-18T00:00Z'],
  ])('%s joins day of month and day of week as crontab(5) says', (cron, ...expected) => {
    expect(times(cron, 'UTC', '2027-01-01T00:00:00Z', 3)).toEqual(expected);
  });

  it('is none where there is none any more', () => {
    expect(nextTime('0 0 30 2 *', 'UTC', new Date('2027-01-01'))).toBeUndefined();
  });

  it.each([
    ['30 2 * * *', 'Europe/Berlin', '2027-03-28T00:00:00Z', '2027-03-28T01:00Z', '2027-03-29T00:30Z'],
    ['*/20 2 * * *', 'Europe/Berlin', '2027-03-28T00:00:00Z', '2027-03-28T01:00Z', '2027-03-29T00:00Z'],
    ['30 2 * * *', 'America/New_York', '2027-03-14T06:00:00Z', '2027-03-14T07:00Z', '2027-03-15T06:30Z'],
    ['15 2 * * *', 'Australia/Lord_Howe', '2027-10-02T15:00:00Z', '2027-10-02T15:30Z', '2027-10-03T15:15Z'],
  ])('%s in %s is at the first moment after the hour that does not exist', (cron, zone, after, ...expected) => {
    expect(times(cron, zone, after, 2)).toEqual(expected);
  });

  it.each([
    ['30 2 * * *', 'Europe/Berlin', '2027-10-30T22:00:00Z', '2027-10-31T00:30Z', '2027-11-01T01:30Z'],
    ['*/30 2 * * *', 'Europe/Berlin', '2027-10-31T00:00:00Z', '2027-10-31T00:30Z', '2027-11-01T01:00Z'],
    ['30 1 * * *', 'America/New_York', '2027-11-07T04:00:00Z', '2027-11-07T05:30Z', '2027-11-08T06:30Z'],
    ['0,30 1 * * *', 'America/New_York', '2027-11-07T05:00:00Z', '2027-11-07T05:30Z', '2027-11-08T06:00Z'],
  ])('%s in %s is once in the hour that comes twice', (cron, zone, after, ...expected) => {
    expect(times(cron, zone, after, 2)).toEqual(expected);
  });

  it('goes by the time that passes where every hour is stepped through', () => {
    const through = ['2027-10-31T00:30Z', '2027-10-31T01:00Z', '2027-10-31T01:30Z', '2027-10-31T02:00Z'];
    expect(times('*/30 * * * *', 'Europe/Berlin', '2027-10-31T00:00:00Z', 4)).toEqual(through);
    expect(times('30 * * * *', 'Europe/Berlin', '2027-03-28T00:00:00Z', 2)).toEqual([
      '2027-03-28T00:30Z',
      '2027-03-28T01:30Z',
    ]);
  });
});

describe('the problem of an expression', () => {
  it.each([
    '* * * * *',
    '0 6 * * MON-FRI',
    '*/5 9-17 1,15 JAN-JUN *',
    '0 0 L * *',
    ' 0  6 * * * ',
  ])('is none in %j', (cron) => {
    expect(cronProblem(cron)).toBeUndefined();
  });

  it.each([
    ['', 'it has one field, not five'],
    ['@daily', 'it has one field, not five'],
    ['2027-01-01T00:00:00Z', 'it has one field, not five'],
    ['0 0 6 * * *', 'it has 6 fields, not five'],
    ['0 26 * * *', 'invalid value for hour: 26'],
    ['0 0 30 2 *', 'no such day ever comes'],
  ])('of %j is that %s', (cron, problem) => {
    expect(cronProblem(cron)).toBe(problem);
  });
});
