import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentRange, parseRange } from '../../src/wire/byte-range.ts';

describe('Range (RFC 9110, section 14.1.2)', () => {
  it.each<[string, number, ReturnType<typeof parseRange>]>([
    ['bytes=0-499', 10_000, { start: 0, length: 500 }],
    ['bytes=9500-', 10_000, { start: 9500, length: 500 }],
    ['bytes=-500', 10_000, { start: 9500, length: 500 }],
    ['BYTES= 0-0 ,', 1, { start: 0, length: 1 }],
    ['bytes=0-1', 1, { start: 0, length: 1 }],
    ['bytes=1-', 1, 'unsatisfiable'],
    ['bytes=-0', 1, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-1', 0, undefined],
    ['bytes=1-0', 9, undefined],
    ['bytes=0-1,2-3', 9, undefined],
    ['bytes=+1-2', 9, undefined],
    ['bytes=', 9, undefined],
    ['pages=1-2', 9, undefined],
    [`bytes=${'9'.repeat(400)}-`, 9, 'unsatisfiable'],
  ])('%s of %i', (header, size, range) => {
    expect(parseRange(header, size)).toEqual(range);
  });

  it('is within the content, whatever is asked for', () => {
    const number = fc.option(fc.nat(50), { nil: '' });
    fc.assert(
      fc.property(number, number, fc.nat(40), (first, last, size) => {
        const range = parseRange(`bytes=${first}-${last}`, size);
        if (range === undefined || range === 'unsatisfiable') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.length).toBeGreaterThan(0);
        expect(range.start + range.length).toBeLessThanOrEqual(size);
        expect(contentRange(range, size)).toBe(`bytes ${range.start}-${range.start + range.length - 1}/${size}`);
      }),
    );
  });
});
