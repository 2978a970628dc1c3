import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches, matchesNone, parseEntityTags } from '../../src/wire/entity-tag.ts';

const tag = fc.record({
  weak: fc.boolean(),
  opaque: fc.stringMatching(/^[\x21\x23-\x7e]{0,8}$/),
});
const written = ({ weak, opaque }: { weak: boolean; opaque: string }): string => `${weak ? 'W/' : ''}"${opaque}"`;

describe('entity tags', () => {
  it('are read as they are written, with any spaces and empty entries between', () => {
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1 }), fc.constantFrom(',', ', ', ' , ,', ',,\t'), (tags, between) => {
        expect(parseEntityTags(tags.map(written).join(between))).toEqual(tags);
      }),
    );
    expect(parseEntityTags(' * ')).toBe('*');
  });

  it.each(['', ' ', ',', ' , ,\t'])('are a list of none in %j', (text) => {
    expect(parseEntityTags(text)).toEqual([]);
  });

  it.each([
    'abc',
    '1',
    '"a',
    'a"',
    '"a" "b"',
    'w/"a"',
    'W/a',
    '*, "a"',
    '"a"*',
    '"a b"',
    '"a\u0100"',
  ])('are none in %j', (text) => {
    expect(parseEntityTags(text)).toBeUndefined();
  });

  it('match by the strong comparison in If-Match, by the weak one in If-None-Match (RFC 9110, section 8.8.3.2)', () => {
    const list = parseEntityTags('"1", W/"2"')!;
    expect(['1', '2', '3', undefined].map((present) => matches(list, present))).toEqual([true, false, false, false]);
    expect(['1', '2', '3', undefined].map((present) => matchesNone(list, present))).toEqual([false, false, true, true]);
    expect(['1', undefined].map((present) => matches('*', present))).toEqual([true, false]);
    expect(['1', undefined].map((present) => matchesNone('*', present))).toEqual([false, true]);
  });
});
