import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSON_LIMITS, scanJson } from '../../src/codec/json/scan.ts';
import { messageOf } from './support.ts';

const LIMITS = { depth: 3, values: 6, names: 3 };
const scan = (text: string): boolean => scanJson(text, 'refuse', LIMITS);

describe('the limits of a JSON text', () => {
  it('are those of XML where XML has them', () => {
    expect(JSON_LIMITS).toEqual({ depth: 100, values: 500_000, names: 50_000 });
  });

  it.each([
    ['depth', '[[[]]]', '[[[[]]]]', 'is nested more than 3 levels deep'],
    ['depth in objects', '{"a":{"b":{}}}', '{"a":{"b":{"a":{', 'is nested more than 3 levels deep'],
    ['entries of a list', '[1,2,3,4,5]', '[1,2,3,4,5,6]', 'holds more than 6 values'],
    ['lists and objects', '[{},[],{},[], {}]', '[{},[],{},[],{},{}]', 'holds more than 6 values'],
    ['members', '{"a":[1,true,null],"b":"x"}', '{"a":[1,true,null],"b":"x","c":0}', 'holds more than 6 values'],
    ['names of one object', '{"a":1,"b":2,"c":3}', '{"a":1,"b":2,"c":3,"d":4}', 'holds more than 3 different names'],
    [
      'names of several objects',
      '[{"a":1},{"b":1},{"c":1}]'.replace(',{"c":1}', ''),
      '[{"a":[]},{"b":{"c":{}}},{"d":1}]',
      'more than',
    ],
  ])('%s', (_, within, beyond, words) => {
    expect(() => scan(within)).not.toThrow();
    expect(messageOf(() => scan(beyond))).toContain(words);
  });

  it('do not count what is inside strings, nor names that come again', () => {
    expect(() => scan('["[[[[{{{{,,,,,,,,", "\\"[[[[[", "\\\\", 5e-3]')).not.toThrow();
    expect(() => scan('[{"a":1},{"a":2}]')).not.toThrow();
  });

  it('are found at their place, however much follows', () => {
    expect(messageOf(() => scanJson(`${'['.repeat(101)}"`, 'pass'))).toContain('100 levels');
    expect(messageOf(() => scanJson(`[${'{},'.repeat(500_000)}`, 'pass'))).toContain('500000 values');
  });
});

describe('a name that an object has twice', () => {
  it.each([
    ['{"a":1,"a":2}', '"a" twice, at line 1, column 8'],
    ['{"a":1,"\\u0061":2}', '"a" twice'],
    ['{"a":1,\n"b":{"a":2},\n  "a":3}', '"a" twice, at line 3, column 3'],
    ['[{"a":{"b":{},"b":1}}]', '"b" twice'],
    ['{"":1,"":2}', '"" twice'],
    ['{"__proto__":1,"__proto__":2}', '"__proto__" twice'],
    ['{"\\"":1,"\\u0022":2}', '"\\"" twice'],
  ])('is refused in %s', (text, words) => {
    expect(messageOf(() => scanJson(text, 'refuse'))).toContain(words);
    expect(() => scanJson(text, 'pass')).not.toThrow();
  });

  it.each([
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"a","A":"a"}',
    '{"a":["a","a"]}',
    '"a"',
    '{"x":1,"y":{"x":1},"z":2}',
  ])('is not one in %s', (text) => {
    expect(() => scanJson(text, 'refuse')).not.toThrow();
  });
});

describe('any text', () => {
  const countValues = (value: unknown): number =>
    typeof value !== 'object' || value === null
      ? 1
      : Object.values(value).reduce<number>((sum, each) => sum + countValues(each), 1);

  it('has as many values as what JSON.parse returns', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (json, space) => {
        const parsed = JSON.parse(json) as unknown;
        const text = JSON.stringify(parsed, undefined, space);
        const values = countValues(parsed);
        expect(() => scanJson(text, 'refuse', { ...JSON_LIMITS, values })).not.toThrow();
        expect(() => scanJson(text, 'refuse', { ...JSON_LIMITS, values: values - 1 })).toThrow();
      }),
    );
  });

  it('that is not JSON ends in nothing but an error of a limit', () => {
    const pieces = fc.constantFrom('{', '}', '[', ']', ',', ':', '"', 'a', '\\', '\\u', ' ', '1', '"a"');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        try {
          scanJson(parts.join(''), 'refuse', LIMITS);
        } catch (error) {
          expect((error as Error).name).toBe('CodecError');
        }
      }),
      { numRuns: 2000 },
    );
  });
});
