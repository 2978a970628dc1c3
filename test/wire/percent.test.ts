import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalizePercent, PercentError, percentDecode, percentEncode } from '../../src/wire/percent.ts';
import { expectWithin } from '../support/duration.ts';

describe('percentDecode', () => {
  it.each([
    ['', ''],
    ['plain', 'plain'],
    ['a%20b', 'a b'],
    ['a+b', 'a+b'],
    ['%e2%82%ac', '€'],
    ['%F0%9D%84%9E', '\u{1d11e}'],
    ['%2541', '%41'],
    ['%2F%3f', '/?'],
    ['%EF%BB%BF', '\ufeff'],
  ])('reads %s', (raw, text) => {
    expect(percentDecode(raw, false)).toBe(text);
  });

  it('takes + for a space in a query only, and %2B for a plus', () => {
    expect(percentDecode('a+b%2Bc', true)).toBe('a b+c');
    expect(percentDecode('a+b%2Bc', false)).toBe('a+b+c');
    expect(percentDecode('+', true)).toBe(' ');
  });

  it.each([
    ['%', '% is not a percent-encoded octet'],
    ['abc%2', '%2 is not a percent-encoded octet'],
    ['%zz', '%zz is not a percent-encoded octet'],
    ['%u0041', '%u0 is not a percent-encoded octet'],
    ['%00', 'NUL'],
    ['a%00b', 'NUL'],
    ['a\0b', 'NUL'],
    ['%C0%80', '%C0%80 is an overlong UTF-8 sequence'],
    ['%c0%af', '%c0%af is an overlong UTF-8 sequence'],
    ['%C1%BF', 'overlong'],
    ['%E0%80%AF', '%E0%80%AF is an overlong UTF-8 sequence'],
    ['%F0%80%80%AF', 'overlong'],
    ['%ED%A0%80', 'surrogate'],
    ['%80', '%80 starts no UTF-8 sequence'],
    ['%F8%88%80%80%80', 'starts no UTF-8 sequence'],
    ['%FF', 'starts no UTF-8 sequence'],
    ['%E2%82', '%E2%82 is an incomplete UTF-8 sequence'],
    ['%E2%82x', 'incomplete'],
    ['%E2x%82', 'incomplete'],
    ['%F4%90%80%80', 'beyond the last Unicode character'],
    ['%F5%80%80%80', 'beyond the last Unicode character'],
    ['%41%E4', 'incomplete'],
  ])('refuses %s and says why', (raw, reason) => {
    expect(() => percentDecode(raw, false)).toThrow(PercentError);
    expect(() => percentDecode(raw, true)).toThrow(reason);
  });

  it('takes nothing else than what is encoded', () => {
    expect(() => percentEncode('a\0b')).toThrow('NUL');
  });

  it('gives back what was encoded, for any text', () => {
    const text = fc.string({ unit: 'binary' }).filter((t) => t.isWellFormed() && !t.includes('\0'));
    fc.assert(
      fc.property(text, fc.boolean(), (given, plus) => {
        expect(percentDecode(percentEncode(given), plus)).toBe(given);
      }),
    );
  });

  it('never ends in another error, whatever the octets', () => {
    const octets = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 6 });
    fc.assert(
      fc.property(octets, (given) => {
        const raw = given.map((octet) => `%${octet.toString(16).padStart(2, '0')}`).join('');
        const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
        let expected: string | undefined;
        try {
          expected = strict.decode(Uint8Array.from(given));
        } catch {
          expected = undefined;
        }
        if (expected === undefined || expected.includes('\0'))
          expect(() => percentDecode(raw, false)).toThrow(PercentError);
        else expect(percentDecode(raw, false)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('percentEncode', () => {
  it('leaves unreserved characters alone and encodes all others', () => {
    expect(percentEncode("AZaz09-._~ !'()*/?#[]@:&=+$,;%é")).toBe(
      'AZaz09-._~%20%21%27%28%29%2A%2F%3F%23%5B%5D%40%3A%26%3D%2B%24%2C%3B%25%C3%A9',
    );
  });

  it('refuses half of a surrogate pair', () => {
    expect(() => percentEncode('a\ud800')).toThrow(PercentError);
  });
});

describe('normalizePercent', () => {
  it.each([
    ['%4cocations', 'Locations'],
    ['%7Euser', '~user'],
    ['%2d%2E%5f', '-._'],
    ['%2f%3a', '%2F%3A'],
    ['%2541', '%2541'],
    ['%c3%a9', '%C3%A9'],
    ['%', '%'],
    ['%4', '%4'],
    ['%%41', '%A'],
    ['%zz%41', '%zzA'],
  ])('%s becomes %s', (raw, normal) => {
    expect(normalizePercent(raw)).toBe(normal);
  });

  it('changes nothing of what a text decodes to, and nothing the second time', () => {
    const raw = fc
      .array(fc.constantFrom('%41', '%2f', '%e2%82%ac', '%25', 'a', '/', '41', '%7e'))
      .map((p) => p.join(''));
    fc.assert(
      fc.property(raw, (given) => {
        const once = normalizePercent(given);
        expect(percentDecode(once, false)).toBe(percentDecode(given, false));
        expect(normalizePercent(once)).toBe(once);
      }),
    );
  });
});

it('decodes, normalises and refuses 64 KB in no time', () => {
  expectWithin(500, () => {
    const long = '%41'.repeat(22_000);
    expect(percentDecode(long, true)).toHaveLength(22_000);
    expect(normalizePercent(long)).toHaveLength(22_000);
    expect(normalizePercent('%'.repeat(65_536))).toHaveLength(65_536);
    expect(() => percentDecode(`${'%E2%82%AC'.repeat(7_000)}%`, false)).toThrow(PercentError);
  });
});
