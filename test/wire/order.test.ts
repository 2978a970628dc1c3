import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { brokenBound, integersWithin, ORDERS } from '../../src/wire/order.ts';

const { decimal, double, time, datetime, duration, hex } = ORDERS;

describe('equal values in several forms', () => {
  it.each([
    ['decimal', '1.50', '1.5'],
    ['decimal', '0.0', '0'],
    ['double', '1e3', '1000'],
    ['double', 'INF', '1e999'],
    ['time', '08:00:00.500', '08:00:00.5'],
    ['datetime', '2026-01-01T00:00:00+02:00', '2025-12-31T22:00:00.0Z'],
    ['datetime', '0001-01-01T00:00:00-14:00', '0001-01-01T14:00:00Z'],
    ['hex', '0fAb', '0FaB'],
    ['duration', 'P1Y', 'P12M'],
    ['duration', 'P1DT1M', 'PT86460S'],
    ['duration', '-PT0.50S', '-PT.5S'],
    ['duration', '-P0D', 'PT0S'],
  ] as const)('of %s: %s and %s', (name, one, other) => {
    expect(ORDERS[name].same(one)).toBe(ORDERS[name].same(other));
  });

  it('are not those that differ by little', () => {
    expect(duration.same('P1M')).not.toBe(duration.same('P30D'));
    expect(duration.same('P1D')).not.toBe(duration.same('-P1D'));
    expect(datetime.same('2026-01-01T00:00:00')).not.toBe(datetime.same('2026-01-01T00:00:00Z'));
    expect(hex.same('0f')).not.toBe(hex.same('f0'));
  });
});

const instant = fc
  .tuple(fc.integer({ min: -62_000_000_000, max: 250_000_000_000 }), fc.integer({ min: -840, max: 840 }), fc.nat(999))
  .map(([second, minutes, fraction]) => {
    const local = new Date((second + minutes * 60) * 1000).toISOString().slice(0, 19);
    const size = Math.abs(minutes);
    const two = (number: number): string => String(number).padStart(2, '0');
    const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
    return { at: second * 1000 + fraction, text: `${local}.${String(fraction).padStart(3, '0')}${offset}` };
  });

describe('the order', () => {
  it('of datetimes with an offset is that of their instants', () => {
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        expect(Math.sign(datetime.compare(a.text, b.text))).toBe(Math.sign(a.at - b.at));
        expect(datetime.same(a.text) === datetime.same(b.text)).toBe(a.at === b.at);
      }),
    );
  });

  it('of datetimes of which one has an offset is certain beyond 14 hours', () => {
    expect(datetime.compare('2026-01-01T00:00:00', '2026-01-01T14:00:00Z')).toBeNaN();
    expect(datetime.compare('2026-01-01T00:00:00', '2026-01-01T14:00:00.1Z')).toBeLessThan(0);
    expect(datetime.compare('2026-01-01T14:00:01', '2026-01-01T00:00:00Z')).toBeGreaterThan(0);
    expect(datetime.compare('2026-01-01T14:00:00.1Z', '2026-01-01T00:00:00')).toBeGreaterThan(0);
  });

  it('of numbers is exact', () => {
    expect(decimal.compare('0.1000000000000000000001', '0.1')).toBeGreaterThan(0);
    expect(decimal.compare('-9007199254740993', '-9007199254740992')).toBeLessThan(0);
    expect(double.compare('INF', 'INF')).toBe(0);
    expect(double.compare('-INF', '-1e308')).toBeLessThan(0);
    expect(double.compare('NaN', '0')).toBeNaN();
    expect(time.compare('08:00:00', '08:00:00.000')).toBe(0);
  });
});

describe('bounds', () => {
  it('name the first that a value does not hold', () => {
    const range = { minimum: '1', below: '2' };
    expect(brokenBound('0.99', range, 'decimal')).toBe('minimum');
    expect(brokenBound('1.00', range, 'decimal')).toBeUndefined();
    expect(brokenBound('2.0', range, 'decimal')).toBe('below');
    expect(brokenBound('NaN', { above: '0' }, 'double')).toBe('above');
  });

  it('of integers are the least and the largest', () => {
    expect(integersWithin({ above: '9007199254740992', below: '9007199254740995' })).toEqual({
      least: 9007199254740993n,
      most: 9007199254740994n,
    });
    expect(integersWithin({ minimum: '-1' })).toEqual({ least: -1n });
  });
});
