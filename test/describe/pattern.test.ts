import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { samplePattern } from '../../src/describe/example/pattern.ts';
import { readWholePattern } from '../../src/describe/field.ts';
import { xsdPattern } from '../../src/describe/xsd/types.ts';

const translate = (pattern: string): string | undefined => xsdPattern(readWholePattern(pattern));

describe('a pattern in the dialect of XML Schema', () => {
  test.each([
    ['[A-Z]{3}', '[A-Z]{3}'],
    ['^[A-Z]{3}$', '[A-Z]{3}'],
    ['a|b', 'a|b'],
    ['^a|b$', 'a|b'],
    ['(?:ab)+', '(ab)+'],
    ['(?<year>\\d{4})', '[0-9]{4}'],
    ['\\w+', '[0-9A-Z_a-z]+'],
    ['[\\w.-]+@x', '[0-9A-Z_a-z\\.\\-]+@x'],
    ['\\D', '[^0-9]'],
    ['.', '[^\\n\\r\u2028-\u2029]'],
    ['a{2,}b{0,3}c??', 'a{2,}b{0,3}c?'],
    ['x(a|b)y', 'x(a|b)y'],
    ['\\p{Lu}\\P{L}', '\\p{Lu}\\P{L}'],
    ['\\u0041\\x42\\u{1F682}', 'AB\u{1F682}'],
    ['a\\$', 'a$'],
    ['[^-\\]]', '[^\\-\\]]'],
    ['[\\D]', '[\\t-\\n\\r -/:-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]'],
    ['[\\p{Lu}_]', '[_\\p{Lu}]'],
    ['[^\\P{Lu}]', '\\p{Lu}'],
    ['', ''],
  ])('%s is %s', (ecma, xsd) => {
    expect(translate(ecma)).toBe(xsd);
  });

  test.each(['\\bword\\b', 'a^b', 'a$b', '[]', '\\p{Script=Greek}', '\\x00'])('%s has none', (ecma) => {
    expect(translate(ecma)).toBeUndefined();
  });
});

/** Patterns of the part that both dialects have. */
const patterns = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'Z', '0', '\\d', '\\w', '\\s', '.', '[a-c]', '[^a-c]', '\\.', '\\p{Lu}', '[\\d-]', '-'),
    tie('pattern').map((inner) => `(${inner})`),
  ),
  pattern: fc
    .array(fc.tuple(tie('atom'), fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '{2,}')), {
      minLength: 1,
      maxLength: 4,
    })
    .chain((pieces) =>
      fc.constantFrom(pieces.map((piece) => piece.join('')).join(''), pieces.map((piece) => piece.join('')).join('|')),
    ),
}));

describe('a sample of a pattern', () => {
  test('matches, at any length', () => {
    fc.assert(
      fc.property(patterns.pattern, fc.nat(8), (pattern, length) => {
        // JavaScript's engine tries every way through repetitions inside each other, so that more of them might never end.
        fc.pre((pattern.match(/[*+]|,\d?\}/g) ?? []).length <= 2);
        const sample = samplePattern(readWholePattern(pattern), length);
        expect(new RegExp(`^(?:${pattern})$`, 'u').test(sample), `${pattern} and ${sample}`).toBe(true);
      }),
    );
  });

  test('fills up a repetition to the wanted length', () => {
    expect(samplePattern(readWholePattern('[A-Z]{3}-\\d+'), 8)).toBe('AAA-1111');
  });
});
