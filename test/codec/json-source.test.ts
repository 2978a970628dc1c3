import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumberToken, parseWithDigits } from '../../src/codec/json/number-token.ts';

const digits = (maximum: number): fc.Arbitrary<string> => fc.stringMatching(new RegExp(`^\\d{1,${maximum}}$`));

/** Numbers as JSON writes them, many of them not as JavaScript does. */
const numbers = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(
      fc.constant('0'),
      digits(20).map((text) => text.replace(/^0*(?=\d)/, '')),
    ),
    fraction: fc.oneof(
      fc.constant(''),
      digits(10).map((text) => `.${text}`),
    ),
    exponent: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, fc.constantFrom('e1', 'E1', 'e+2', 'e-7')),
  })
  .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent);

/** What is kept of a number: itself where JavaScript writes it as it stands. */
function kept(source: string): number | NumberToken {
  const value = Number(source);
  const isSure = String(value) === source && (Number.isSafeInteger(value) || !Number.isInteger(value));
  return isSure ? value : new NumberToken(source, value);
}

describe('parsing with the digits of numbers', () => {
  it('keeps those that JavaScript would write otherwise, wherever they stand', () => {
    fc.assert(
      fc.property(fc.array(numbers, { minLength: 1 }), fc.boolean(), (sources, inObjects) => {
        const text = sources.map((source) => (inObjects ? `{ "n" :${source} }` : source)).join(', ');
        const expected = sources.map(kept).map((value) => (inObjects ? { n: value } : value));
        expect(parseWithDigits(`[${text}]`)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '1.50',
    '1e2',
    '0.0000001',
    '-0',
    '-0.0',
    '9007199254740993',
    '0.10000000000000001',
    '1E400',
  ])('keeps %s', (source) => {
    expect(parseWithDigits(source)).toEqual(new NumberToken(source, Number(source)));
  });

  it('takes no text for a number', () => {
    expect(parseWithDigits('{"1.50":"9007199254740993","\\"1.50":[true,false,null]}')).toEqual({
      '1.50': '9007199254740993',
      '"1.50': [true, false, null],
    });
  });
});
