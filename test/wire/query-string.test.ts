import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PercentError } from '../../src/wire/percent.ts';
import { parseQueryString, TooManyParametersError } from '../../src/wire/query-string.ts';
import { expectWithin } from '../support/duration.ts';

const entries = (raw: string, limit = 100) => [...parseQueryString(raw, limit)];

describe('parseQueryString', () => {
  it.each([
    ['', []],
    ['&', []],
    ['&&a=1&&', [['a', ['1']]]],
    ['a', [['a', ['']]]],
    ['a=', [['a', ['']]]],
    ['=b', [['', ['b']]]],
    ['=', [['', ['']]]],
    ['a=b=c', [['a', ['b=c']]]],
    [
      'a=1&b=2&a=3',
      [
        ['a', ['1', '3']],
        ['b', ['2']],
      ],
    ],
    ['%61=%41&a=%2C,', [['a', ['%41', '%2C,']]]],
    ['a+b=c+d', [['a b', ['c+d']]]],
    ['a?b=/c?', [['a?b', ['/c?']]]],
    ['a;b=1;c', [['a;b', ['1;c']]]],
  ])('cuts %s, values left as they came', (raw, expected) => {
    expect(entries(raw)).toEqual(expected);
  });

  it('counts repeated names too, and stops at the limit', () => {
    expect(parseQueryString('a=1&a=2&a=3', 3).get('a')).toHaveLength(3);
    expect(() => parseQueryString('a=1&a=2&a=3&', 2)).toThrow(TooManyParametersError);
    expect(() => parseQueryString('a=1', 0)).toThrow(expect.objectContaining({ limit: 0 }));
  });

  it('says which name can not be decoded', () => {
    expect(() => parseQueryString('a=1&%zz=2', 10)).toThrow(PercentError);
    expect(() => parseQueryString('a=1&%zz=2', 10)).toThrow(
      'in the name of query parameter 2, %zz is not a percent-encoded octet',
    );
    expect(() => parseQueryString('%00', 10)).toThrow('NUL');
  });

  it('leaves a value that can not be decoded to whoever uses it', () => {
    expect(parseQueryString('a=%zz', 10).get('a')).toEqual(['%zz']);
  });

  it('takes names of object properties for names', () => {
    const query = parseQueryString('__proto__=1&constructor=2&hasOwnProperty=3', 10);
    expect(query.get('__proto__')).toEqual(['1']);
    expect(query.get('constructor')).toEqual(['2']);
    expect(query.get('toString')).toBeUndefined();
    expect(({} as Record<string, unknown>)['1']).toBeUndefined();
  });

  it('agrees with URLSearchParams on every text that both can read', () => {
    const raw = fc.array(fc.constantFrom('a', 'b', '=', '&', '+', '%20', '%26', '%C3%A9')).map((p) => p.join(''));
    fc.assert(
      fc.property(raw, (given) => {
        const ours = entries(given).flatMap(([name, values]) =>
          values.map((value) => [name, decodeURIComponent(value.replaceAll('+', ' '))]),
        );
        const theirs = [...new URLSearchParams(given)];
        const byName = (a: readonly unknown[], b: readonly unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1);
        expect(ours.toSorted(byName).map(String).toSorted()).toEqual(theirs.toSorted(byName).map(String).toSorted());
      }),
    );
  });

  it.each([
    ['64 KB of one value', `a=${'x'.repeat(65_536)}`],
    ['64 KB of separators', '&'.repeat(65_536)],
    ['64 KB of equals signs', '='.repeat(65_536)],
    ['20,000 parameters of one name', 'a&'.repeat(20_000)],
    ['10,000 names', Array.from({ length: 10_000 }, (_, i) => `n${i}=1`).join('&')],
  ])('cuts %s in linear time', (_, raw) => {
    expectWithin(300, () => parseQueryString(raw, 100_000));
  });

  it('gives up at once where the limit is passed', () => {
    const raw = 'a&'.repeat(1_000_000);
    expectWithin(100, () => expect(() => parseQueryString(raw, 1_000)).toThrow(TooManyParametersError));
  });
});
