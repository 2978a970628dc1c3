import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { translatePattern } from '../../../src/import/openapi/patterns.ts';
import { compilePattern } from '../../../src/wire/pattern.ts';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';

const PATTERNS = [
  '^[A-Z]+$',
  '[A-Z]+',
  '^a',
  'a$',
  '^a|b$',
  '^(a|b)$',
  '(^a|b)',
  'a\\$',
  '\\$$',
  '^[|^$]$',
  '^$',
  '^',
  '$',
  '^\\^a$',
  '^a\\\\$',
  '[\\]a]$',
  '^a{1,2}b?$',
];

describe('a pattern of JSON Schema', () => {
  it.each(PATTERNS)('matches the same texts as %s as a pattern for whole values', (source) => {
    const translated = translatePattern(source);
    if (!('pattern' in translated)) throw new TypeError(translated.reason);
    const ours = compilePattern(translated.pattern);
    const theirs = new RegExp(source, 'u');
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '$', '^', '|', '\\', ']', '\n') });
    fc.assert(fc.property(texts, (text) => ours.test(text) === theirs.test(text)));
  });

  it('loses escapes that patterns with the flag u cannot have', () => {
    expect(translatePattern('^[\\w\\-]+\\@x\\-y$')).toEqual({ pattern: '[\\w\\-]+@x-y' });
  });

  it('is not translated when it can not be run in linear time', () => {
    expect(translatePattern('^(?!a)b')).toEqual({ reason: 'looks ahead or behind' });
    expect(translatePattern('(a')).toMatchObject({ reason: expect.stringMatching(/^is not a regular expression/) });
  });
});

describe('a pattern of another dialect', () => {
  it.each([
    ['(?i)^ab-[c-e]\\d$', /^ab-[c-e]\d$/iu],
    ['^(?i)[^a-c]b$', /^[^a-c]b$/iu],
    ['^a++b$', /^a+b$/u],
    ['^[ab]*+$', /^[ab]*$/u],
    ['^a{1,2}+-b$', /^a{1,2}-b$/u],
    ['^(?>ab)a$', /^(?:ab)a$/u],
    ['\\Aa|b\\z', /^a|b$/u],
    ['^(?P<first>a)b$', /^(a)b$/u],
  ])('%s matches the same texts', (source, theirs) => {
    const translated = translatePattern(source);
    if (!('pattern' in translated)) throw new TypeError(translated.reason);
    const ours = compilePattern(translated.pattern);
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', 'c', 'E', '-', '1', '\n'), maxLength: 6 });
    fc.assert(
      fc.property(texts, (text) => ours.test(text) === theirs.test(text)),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['^a++a$', 'possessive'],
    ['^(?:ab|a)++b$', 'possessive'],
    ['^a++b?a$', 'possessive'],
    ['^(?>a|ab)c$', 'atomic'],
    ['^(?i)ß$', 'ASCII'],
    ['^(?i)[A-z]$', 'range'],
    ['^(?=.*a)b$', 'look'],
    ['^a\\Z', 'escape'],
    ['^(?<!a)b$', 'look'],
  ])('%s is not translated where the same texts can not be said', (source, reason) => {
    expect(translatePattern(source)).toEqual({ reason: expect.stringContaining(reason) });
  });

  it.each([
    '2.0',
    '3.0.3',
    '3.1.0',
  ])('of a contract of OpenAPI %s is translated, or listed at its place, and left out', async (version) => {
    const text = `
${version === '2.0' ? "swagger: '2.0'" : `openapi: ${version}`}
info: { title: Parts, version: '1' }
paths: {}
${version === '2.0' ? 'definitions:' : 'components:\n schemas:'}
  Part: { type: object, properties: { a: { type: string, pattern: '(?i)^ab$' }, b: { type: string, pattern: '^a++a$' } } }
`;
    const { declared, losses } = await declaredOf({ 'parts.yaml': text });
    expect(errorsOf(declared)).toEqual([]);
    expect(Object.values(yamlOf(declared)).join('')).toContain('pattern: "[aA][bB]"');
    expect(losses.map(({ what, instead }) => `${what}: ${instead}`)).toContain(
      'the pattern ^a++a$ has a possessive quantifier, which ECMA-262 does not have: not checked',
    );
  });
});
