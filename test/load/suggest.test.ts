import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, distance, nearest } from '../../src/load/diagnostic/suggest.ts';

describe('the nearest word', () => {
  it.each([
    ['respone', ['request', 'response', 'requires'], 'response'],
    ['permision', ['permission', 'public'], 'permission'],
    ['gte', ['get', 'put'], 'get'],
    ['LOC_REQEUST', ['LOC_REQUEST', 'LOC_RESPONSE'], 'LOC_REQUEST'],
    ['loc_request', ['LOC_REQUEST'], 'LOC_REQUEST'],
    ['int', ['string', 'integer'], 'integer'],
    ['xyz', ['request', 'response'], undefined],
    ['', ['a'], 'a'],
  ])('to %s', (given, known, expected) => {
    expect(nearest(given, known)).toBe(expected);
  });

  it('is listed with the others where none is near and they are few', () => {
    expect(didYouMean('xyz', ['get', 'post'], 'Keys here:')).toBe('Keys here: get, post.');
    expect(didYouMean('xyz', [])).toBeUndefined();
    expect(
      didYouMean(
        'zzzz',
        Array.from({ length: 41 }, (_, index) => `word${index}`),
      ),
    ).toBeUndefined();
  });
});

describe('the distance', () => {
  it('is zero for the same word only, and the same both ways', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(distance(a, b)).toBe(distance(b, a));
        expect(distance(a, b) === 0).toBe(a === b);
        expect(distance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });

  it('counts a swap of neighbours once', () => {
    expect(distance('gte', 'get')).toBe(1);
    expect(distance('abcd', 'badc')).toBe(2);
  });
});
