import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compilePattern, propertyRanges } from '../../../src/wire/pattern.ts';
import { processorMs } from '../../support/duration.ts';

const reference = (source: string): RegExp => new RegExp(`^(?:${source})$`, 'u');

describe('a pattern says what RegExp says', () => {
  // Where the dialects of ECMA-262 and RE2 part.
  test.each([
    ['a$', ['a', 'a\n', 'a\r\n']],
    ['.*', ['a\u2028', 'a\r', '\u0085', '\n', '🚂', '']],
    ['\\s', [...'\v\f\u00a0\ufeff\u2003\u2028\u0085\u180e \t']],
    ['\\S', [...'\u0085\ufeff a']],
    ['[\\S]', [...'\u00a0a']],
    ['\\d+', ['12', '\u0661']],
    ['\\w', ['_', 'é', 'a', 'ſ', 'K']],
    ['[^]', ['\n', '🚂']],
    ['[]?', ['', 'a']],
    ['\\p{L}+', ['éßЖ中', '\u{1E900}', 'ǅ', '1']],
    ['\\P{Lu}', ['A', 'a', '🚂']],
    ['[^\\p{Lu}\\d]', ['A', '1', 'a']],
    ['[\\P{ASCII}x]', ['x', 'y', 'é']],
    ['\\p{Script=Greek}\\p{sc=Grek}', ['αβ', 'ab']],
    ['\\p{Emoji_Presentation}', ['🚂', 'a']],
    ['\\p{Cn}|\\p{Co}', ['\u{5ffff}', '\u{50000}', '\u{f0000}', '\u{fffff}', '\u{e0fff}', '\u{10ffff}', 'a']],
    ['\\u0041\\x42\\u{1F682}\\uD83D\\uDE82\\cJ\\0\\t', ['AB🚂🚂\n\0\t', 'AB']],
    ['[\\uD83D\\uDE82-\\u{1F685}\\b\\-]', ['🚃', '\b', '-', '\u{1F686}']],
    ['\\/\\$\\^\\|\\{', ['/$^|{', '/']],
    ['a{0}b{2}c{1,}d{0,2}?', ['bbcdd', 'abbc', 'bbc', 'bbcddd']],
    ['a^b|^c$|d$e', ['c', 'ab', 'de']],
    ['\\bword\\b|\\B-\\B', ['word', '-', 'words']],
    ['(?<year>\\d{4})(?:-(\\d\\d))?', ['2026', '2026-01', '2026-1']],
    ['(?:|a)+(?:b*)*', ['aaabb', '', 'ba']],
    ['i', ['I', 'i', 'İ']],
    ['[\\x41-\\x43]', ['A', 'C', 'D']],
    ['Q\\{E|#.*|\'"', ['Q{E', '#x', '\'"']],
  ] as const)('%s', (source, texts) => {
    const pattern = compilePattern(source);
    const all = ['', ...texts];
    expect(all.map((text) => pattern.test(text))).toEqual(all.map((text) => reference(source).test(text)));
  });

  const characters = fc.constantFrom(...'abAZ09_-. \n\r\u2028éǅ🚂\u0661\ufeff/$^');
  const patterns = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
    atom: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('a', 'b', '0', '_', '-', '🚂', 'é', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '.', '\\b', '\\B'),
      fc.constantFrom('^', '$', '[a-c]', '[^a-c]', '[\\W\\d]', '[^\\s\\p{L}]', '\\.', '\\p{Lu}', '\\P{L}', '[]', '[^]'),
      fc.tuple(fc.constantFrom('(', '(?:'), tie('pattern')).map(([open, inner]) => `${open}${inner})`),
    ),
    pattern: fc
      .array(fc.tuple(tie('atom'), fc.constantFrom('', '', '*', '+', '?', '??', '{2}', '{1,3}', '{2,}?', '{0}')), {
        maxLength: 4,
      })
      .chain((pieces) => {
        // An assertion can't be repeated.
        const texts = pieces.map(([atom, times]) => (/^(?:\\[bB]|[$^])$/.test(atom) ? atom : atom + times));
        return fc.constantFrom(texts.join(''), texts.join('|'));
      }),
  }));

  test('of any pattern and text', () => {
    const texts = fc.array(fc.string({ unit: characters, maxLength: 6 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(patterns.pattern, texts, (source, each) => {
        // RegExp tries every way through repetitions inside each other, so that more of them might never end.
        fc.pre((source.match(/[*+?]|\{[123]/g) ?? []).length <= 3);
        const pattern = compilePattern(source);
        const whole = reference(source);
        for (const text of each) expect(pattern.test(text), `${source} ${JSON.stringify(text)}`).toBe(whole.test(text));
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    'L',
    'Cn',
    'ASCII',
    'Any',
    'Noncharacter_Code_Point',
    'Script_Extensions=Latin',
  ])('about every character with the property %s', (name) => {
    const ranges = propertyRanges(name);
    const one = new RegExp(`\\p{${name}}`, 'u');
    const inRanges = new Uint8Array(0x110000);
    for (const [from, to] of ranges) inRanges.fill(1, from, to + 1);
    const wrong: number[] = [];
    // Every character of the first planes, and the ends and a sample of each plane.
    for (let code = 0; code < 0x110000; code += code < 0x20000 ? 1 : 97) {
      for (const each of new Set([code, code | 0xffff, code | 0xfffe])) {
        if (each >= 0xd800 && each <= 0xdfff) continue;
        if (one.test(String.fromCodePoint(each)) !== (inRanges[each] === 1)) wrong.push(each);
      }
      if (code < 0x20000 && code % 64 > 2) code += 5;
    }
    expect(wrong).toEqual([]);
  });
});

describe('a pattern is refused that', () => {
  test.each([
    ['a(?=b)', 'looks ahead or behind'],
    ['(?!a)b', 'looks ahead or behind'],
    ['(?<=a)b', 'looks ahead or behind'],
    ['(?<!a)b', 'looks ahead or behind'],
    ['(a)\\1', 'refers back to a group'],
    ['(?<x>a)\\k<x>', 'refers back to a group'],
    ['(?i:a)', 'sets flags inside'],
    ['[', 'is not a regular expression: '],
    ['a)(b', 'is not a regular expression: '],
    ['[a-z]{1001}', 'is longer than 1000 characters'],
    ['((a{100}){100}){100}', 'is longer than 1000 characters'],
    ['(){100000000}', 'is longer than 1000 characters'],
    ['\\p{L}'.repeat(101), 'has more than 50000 characters and ranges in its classes'],
    [`[${'\\P{Cn}'.repeat(101)}]`, 'has more than 50000 characters and ranges in its classes'],
    [`[${'a'.repeat(50_001)}]`, 'has more than 50000 characters and ranges in its classes'],
    [`${'('.repeat(101)}${')'.repeat(101)}`, 'nests more than 100 groups'],
    [`${'('.repeat(50_000)}a${')'.repeat(50_000)}`, ''],
  ])('%.30s: %s', (source, reason) => {
    expect(() => compilePattern(source)).toThrow(reason);
  });
});

describe('the worst of texts are tried in time that grows with their length', () => {
  const long = 'a'.repeat(100_000);
  test.each([
    '(a+)+b',
    '(a*)*b',
    '(a|a)*b',
    '(a|aa)+b',
    '(.*a){20}b',
    '([a-z]+)*[a-z]+b',
    '(\\w+\\s?)+b',
    '(?:(?:[ab]*a[ab]{50})*)x',
    '(\\p{L}|\\w|a?)*c',
  ])('%s', (source) => {
    const pattern = compilePattern(source);
    const length = Math.min(long.length, pattern.longest);
    const started = processorMs();
    expect(pattern.test(`${long.slice(0, length - 1)}!`)).toBe(false);
    expect(processorMs() - started).toBeLessThan(2000);
  });
});
