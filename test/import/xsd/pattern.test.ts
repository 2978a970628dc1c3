import { describe, expect, it } from 'vitest';
import { ecmaPattern } from '../../../src/import/xsd/pattern.ts';
import { compilePattern } from '../../../src/wire/pattern.ts';
import { PatternError } from '../../../src/wire/pattern-syntax.ts';
import { escapeAttribute } from '../../../src/wire/xml/text.ts';
import { hasXmllint, validateXml } from '../../support/xmllint.ts';

// Patterns of XML Schema, the same ones as ECMA-262 writes them, and texts of which some match.
const patterns: readonly (readonly [xsd: string, ecma: string, ...texts: readonly string[]])[] = [
  ['[A-Z]{3}\\d{2,}', '[A-Z]{3}\\p{Nd}{2,}', 'ABC12', 'ABC1', 'abc12', 'ABC123', 'ABC١٢'],
  ['a|b(c|d)?', 'a|b(c|d)?', 'a', 'b', 'bc', 'bcd', ''],
  ['a.c', 'a[^\\n\\r]c', 'abc', 'a.c', 'ac'],
  ['^a$', '\\^a\\$', '^a$', 'a'],
  ['a{2}/b', 'a{2}/b', 'aa/b', 'a/b'],
  ['\\.\\\\\\-\\^', '\\.\\\\-\\^', '.\\-^', 'x\\-^'],
  ['[\\-+.,^]+', '[\\-+.,\\^]+', '-+.,^', 'a'],
  ['[a-z-[aeiou]]+', '[b-df-hj-np-tv-z]+', 'xyz', 'xay', 'a'],
  ['[^a-c-[x]]', '[\\u{0}-`d-wy-\\u{10FFFF}]', 'd', 'a', 'x', '-'],
  [
    '[\\i-[:]][\\c-[:]]*',
    '[_\\p{L}\\p{Nl}][\\-._·\\p{L}\\p{M}\\p{Nd}\\p{Nl}]*',
    'name',
    'a:b',
    '_1',
    '1a',
    'é-.',
    '-a',
  ],
  ['\\i\\c*', '[:_\\p{L}\\p{Nl}][\\-.:_·\\p{L}\\p{M}\\p{Nd}\\p{Nl}]*', 'a:b', ':', '.a'],
  ['\\w+', '[\\p{L}\\p{M}\\p{N}\\p{S}]+', 'ab1', 'a b', 'a-b', 'a+b', 'é', 'a_b'],
  ['\\W', '[\\p{P}\\p{Z}\\p{C}]', '-', 'a', '_'],
  ['[\\w.-]+', '[.\\-\\p{L}\\p{M}\\p{N}\\p{S}]+', 'a.b-c', 'a,b'],
  ['\\S\\s\\S', '[^\\t\\n\\r ][\\t\\n\\r ][^\\t\\n\\r ]', 'a b', 'ab', 'a  b'],
  ['[\\S]', '[\\u{0}-\\u{8}\\u{B}\\u{C}\\u{E}-\\u{1F}!-\\u{10FFFF}]', 'a', ' '],
  ['\\D\\P{L}', '\\P{Nd}\\P{L}', 'a1', '1a', 'aa'],
  ['\\p{Lu}\\p{Ll}+', '\\p{Lu}\\p{Ll}+', 'Éa', 'éa', 'A'],
  ['\\p{IsBasicLatin}+', '[\\u{0}-\\u{7F}]+', 'abc', 'é'],
  ['\\P{IsGreek}', '[^\\u{370}-\\u{3FF}]', 'a', 'α'],
  // libxml2 reads this one the other way round.
  ['[\\P{IsBasicLatin}a]', '[\\u{80}-\\u{10FFFF}a]'],
  ['x{0}', 'x{0}', '', 'x'],
  ['()|a', '()|a', '', 'a', 'b'],
  ['[+--]', '[+-\\-]', ',', '-', '.'],
];

describe('a pattern of XML Schema', () => {
  it.each(patterns)('%s is %s', (xsd, ecma) => {
    expect(ecmaPattern(xsd)).toBe(ecma);
  });

  it.runIf(hasXmllint)('matches what xmllint accepts', () => {
    const simple = patterns.map(
      ([xsd], i) =>
        `<xs:element name="e${i}"><xs:simpleType><xs:restriction base="xs:string"><xs:pattern value="${escapeAttribute(xsd)}"/></xs:restriction></xs:simpleType></xs:element>`,
    );
    const schema = {
      name: 'p.xsd',
      files: new Map([
        ['p.xsd', `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${simple.join('')}</xs:schema>`],
      ]),
    };
    const samples = patterns.flatMap(([xsd, , ...texts], i) => texts.map((text) => ({ xsd, text, name: `e${i}` })));
    const errors = validateXml(
      schema,
      samples.map(({ name, text }) => `<${name}>${text}</${name}>`),
    );
    const refused = new Set([...errors.matchAll(/\/(\d+)\.xml fails to validate/g)].map((found) => Number(found[1])));
    expect(refused.size).toBeGreaterThan(20);
    expect(samples.filter((_, i) => !refused.has(i))).toEqual(
      samples.filter(({ xsd, text }) => compilePattern(ecmaPattern(xsd)).test(text)),
    );
  });

  it.each([
    ['(a', 'does not close a group'],
    ['a)', 'closes a group that it does not open'],
    ['[a', 'ends inside an expression'],
    ['[]', 'has an empty class'],
    ['[z-a]', 'has a range whose ends are not in order'],
    ['*a', 'has a quantifier "*" that follows nothing'],
    ['a{x}', 'has a quantifier {x}, which is not valid'],
    ['(?:a)', 'uses "(?", which XML Schema does not have'],
    ['\\q', 'uses the unknown escape "\\q"'],
    ['\\p{Foo}', 'uses the unknown category "Foo"'],
    ['\\p{IsKlingon}', 'uses the unknown block "IsKlingon"'],
    ['(a{1000}){2}', 'is longer than 1000 characters when its repetitions are written out'],
    ['('.repeat(101) + ')'.repeat(101), 'nests more than 100 groups'],
  ])('%s is refused', (xsd, reason) => {
    expect(() => ecmaPattern(xsd)).toThrow(new PatternError(reason));
  });
});
