import { describe, expect, it } from 'vitest';
import { parseTypeWord } from '../../src/load/document/field-type.ts';
import { fitValue } from '../../src/load/document/fit.ts';
import { restrictionBroken, spelled } from '../../src/load/document/restriction.ts';
import type { ScalarType } from '../../src/model/field.ts';
import { isDate } from '../../src/wire/lexical.ts';
import { compilePattern } from '../../src/wire/pattern.ts';

function typeOf(text: string): ScalarType {
  const word = parseTypeWord(text);
  if (word.kind !== 'scalar') throw new TypeError(text);
  return word.type;
}

const taken = (type: string, value: string | number | boolean, written = String(value)): unknown => {
  const fitted = fitValue({ value, written }, typeOf(type));
  return fitted.fits ? fitted.value : undefined;
};

describe('a value of a definition', () => {
  it.each([
    ['string(3)', 'abc', 'abc'],
    ['string(1)', '😀', '😀'],
    ['text', '', ''],
    ['integer', 5, 5],
    ['integer', 2 ** 53, '9007199254740992'],
    ['big-integer', '-18446744073709551616', '-18446744073709551616'],
    ['big-integer', 7, 7],
    ['boolean', true, true],
    ['flag', 'Y', 'Y'],
    ['date', '2024-02-29', '2024-02-29'],
    ['time', '23:59:59.5', '23:59:59.5'],
    ['datetime', '2024-02-29T00:00:00+0100', '2024-02-29T00:00:00+01:00'],
    ['datetime', '2024-02-29T00:00:00', '2024-02-29T00:00:00'],
    ['uuid', '0F8FAD5B-D9CB-469F-A165-70867728950E', '0f8fad5b-d9cb-469f-a165-70867728950e'],
    ['uri', 'HTTPS://example.com/a#b', 'HTTPS://example.com/a#b'],
    ['json', '{"a":1}', '{"a":1}'],
  ])('%s takes %s', (type, value, expected) => {
    expect(taken(type, value)).toBe(expected);
  });

  it('keeps what is written where YAML took it for a number', () => {
    expect(taken('string(5)', 1234, '01234')).toBe('01234');
    expect(taken('decimal(10.2)', 10.5, '10.50')).toBe('10.50');
    expect(taken('string', true, 'true')).toBe('true');
  });

  it.each([
    ['string(3)', 'abcd'],
    ['string(1)', '😀😀'],
    ['integer', 1.5],
    ['integer', '5'],
    ['big-integer', '5'],
    ['big-integer', '18446744073709551616.5'],
    ['big-integer', 'x'],
    ['decimal(5.2)', 123456],
    ['decimal(5.2)', 1.234],
    ['decimal', 'x'],
    ['boolean', 'true'],
    ['flag', 'y'],
    ['date', '2023-02-29'],
    ['date', '2023-00-10'],
    ['time', '24:00:00'],
    ['datetime', '2024-02-29 00:00:00'],
    ['datetime', '2024-02-29T00:00:00+15:00'],
    ['decimal', `${'0'.repeat(1000)}1`],
    ['json', '{'],
    ['json', '-1e999'],
    ['json', '{"a\\u0000": 1}'],
    ['json', '["\\udfff"]'],
    ['string', 'a\0'],
    ['text', '\ud800'],
    ['binary', 'AAAA'],
  ])('%s does not take %s', (type, value) => {
    expect(taken(type, value)).toBeUndefined();
  });

  it('counts the years that are leap years', () => {
    expect(['2000-02-29', '1900-02-29', '2024-02-29', '2023-02-29'].map(isDate)).toEqual([true, false, true, false]);
  });
});

describe('what restricts a value', () => {
  const broken = (value: string | number, by: Parameters<typeof restrictionBroken>[2], type = 'string') =>
    restrictionBroken(value, typeOf(type), by);

  it('is its enum, in any case where that is said', () => {
    expect(broken('a', { anyCase: false, enum: ['A'] })).toBe('it is not one of A');
    expect(spelled('a', { anyCase: true, enum: ['B', 'A'] })).toBe('A');
    expect(spelled('a', { anyCase: false, enum: ['A'] })).toBe('a');
    expect(spelled('c', { anyCase: true, enum: ['A'] })).toBe('c');
  });

  it('is its pattern, on the whole value', () => {
    expect(broken('abc', { anyCase: false, patterns: [compilePattern('b|abc')] })).toBeUndefined();
    expect(broken('abcd', { anyCase: false, patterns: [compilePattern('b|abc')] })).toBe('it does not match b|abc');
  });

  it('is its bounds: of a number, or of the characters of a text', () => {
    expect(broken(5, { anyCase: false, range: { minimum: '6' } }, 'integer')).toBe('it is less than 6');
    expect(broken('10.5', { anyCase: false, range: { maximum: '10' } }, 'decimal')).toBe('it is more than 10');
    expect(broken('abc', { anyCase: false, maximum: 2 })).toBe('it is more than 2 characters');
    expect(broken('😀', { anyCase: false, maximum: 1 })).toBeUndefined();
  });
});
