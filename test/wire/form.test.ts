import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeFormValues, formField } from '../../src/wire/form-values.ts';
import { percentDecode, percentEncode } from '../../src/wire/percent.ts';

it.each([
  ['', ''],
  ['a', 'a'],
  ['a=', 'a='],
  ['a=b c&d=e/f@g', 'a=b%20c&d=e%2Ff%40g'],
  ['a=b=c', 'a=b%3Dc'],
  ['a=100%', 'a=100%25'],
  ['a=%41', 'a=%2541'],
  ['a=ü&b=~._-', 'a=%C3%BC&b=~._-'],
])('%j becomes %j', (form, encoded) => {
  expect(encodeFormValues(form)).toBe(encoded);
});

it('what is written is what every reader of forms reads', () => {
  const text = fc.string({ unit: 'binary' }).filter((each) => each.isWellFormed() && !each.includes('\0'));
  const fields = fc.array(fc.tuple(text, text), { minLength: 1 });
  fc.assert(
    fc.property(fields, (given) => {
      const form = given.map(([name, value]) => formField(name, percentEncode(value))).join('&');
      expect([...new URLSearchParams(form)]).toEqual(given);
    }),
  );
});

it('a form whose values hold no & is encoded as field by field', () => {
  const value = fc.string({ unit: 'binary' }).filter((each) => each.isWellFormed() && !/[&\0]/.test(each));
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [first = '', second = ''] = encodeFormValues(`x=${a}&y=${b}`).split('&');
      expect([percentDecode(first.slice(2), false), percentDecode(second.slice(2), false)]).toEqual([a, b]);
    }),
  );
});

it('half a surrogate pair is refused', () => {
  expect(() => encodeFormValues('a=\ud800')).toThrow('half of a surrogate pair');
});
