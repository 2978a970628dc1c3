import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { translatePattern } from '../../../src/import/openapi/patterns.ts';
import { compilePattern } from '../../../src/wire/pattern.ts';

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
