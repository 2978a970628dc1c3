import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileZone, offsetText } from '../../src/wire/timezone.ts';

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Apia',
  'Africa/Casablanca',
];

/** What the runtime itself shows on the clock of a zone at an instant. */
function wallAt(zone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (instant) => {
    const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
    return `${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}`;
  };
}

describe('offsets', () => {
  it.each(zones)('of %s agree with the runtime for every local time that an instant shows', (name) => {
    const zone = compileZone(name);
    const wall = wallAt(name);
    const instants = fc.integer({ min: Date.UTC(1972, 0, 1) / 1000, max: Date.UTC(2037, 0, 1) / 1000 });
    const property = fc.property(instants, (seconds) => {
      const instant = seconds * 1000;
      const local = wall(instant);
      const minutes = zone.offsetAt(local);
      // The offset leads back to an instant that shows the same local time: this one, or the earlier of the two that do.
      const found = Date.parse(`${local}Z`) - minutes * 60_000;
      expect(wall(found)).toBe(local);
      expect(found).toBeLessThanOrEqual(instant);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it.each([
    ['Europe/Berlin', '2026-03-29T01:59:59', 60],
    ['Europe/Berlin', '2026-03-29T02:30:00', 60],
    ['Europe/Berlin', '2026-03-29T03:00:00', 120],
    ['Europe/Berlin', '2026-10-25T02:00:00', 120],
    ['Europe/Berlin', '2026-10-25T02:59:59', 120],
    ['Europe/Berlin', '2026-10-25T03:00:00', 60],
    ['Europe/Berlin', '2026-12-31T23:59:59', 60],
    ['America/New_York', '2026-03-08 02:30:00', -300],
    ['America/New_York', '2026-03-08 03:00:00', -240],
    ['America/New_York', '2026-11-01 01:30:00', -240],
    ['America/New_York', '2026-11-01 02:00:00', -300],
    ['America/New_York', '2026-01-01 00:00:00', -300],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', 660],
    ['Pacific/Apia', '2011-12-29T23:59:59', -600],
    ['Pacific/Apia', '2011-12-31T00:00:00', 840],
    ['Asia/Kolkata', '0001-01-01T00:00:00', 353],
    ['Etc/GMT+5', '9999-12-31T23:59:59', -300],
  ])('of %s at %s are %i minutes', (name, local, minutes) => {
    expect(compileZone(name).offsetAt(local)).toBe(minutes);
  });

  it('are refused for a name that is no zone', () => {
    expect(() => compileZone('Europe/Atlantis')).toThrow(RangeError);
  });

  it.each([
    [0, '+0000', '+00:00'],
    [90, '+0130', '+01:30'],
    [-210, '-0330', '-03:30'],
    [840, '+1400', '+14:00'],
  ])('of %i minutes are written %s and %s', (minutes, plain, colon) => {
    expect([offsetText(minutes, ''), offsetText(minutes, ':')]).toEqual([plain, colon]);
  });
});
