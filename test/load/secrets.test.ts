import { describe, expect, it } from 'vitest';
import { credentialsIn, isWrittenOut, secretInQuery } from '../../src/load/value/address.ts';
import { parseConfigText } from '../../src/load/value/config-text.ts';

const text = (source: string) => parseConfigText(source).text;

describe('a secret in an address', () => {
  it.each([
    'a?token=abc',
    'a?access_token=abc',
    'a?x=1&client_secret=abc',
    'a?x_api_key=abc',
  ])('is written out in the query of %s', (address) => {
    expect(secretInQuery(address)).toBe(true);
    expect(credentialsIn(text(`https://h/${address}`))).toBe(true);
  });

  it.each(['a?token=', 'a?tokens=abc', 'a?x=token', 'a?csrf_token=abc'])('is none in %s', (address) => {
    expect(secretInQuery(address)).toBe(false);
  });

  it('is none where it is a reference', () => {
    expect(credentialsIn(text('https://h/a?access_token=${secret:TOKEN}'))).toBe(false);
  });
});

describe('a text that is a secret', () => {
  it.each([
    ['${secret:S}', false],
    ['${env:S:-}', false],
    ['abc123${env:S}', true],
    ['${env:S:-abc}', true],
    ['abc', true],
  ])('%s: a part of it is written out: %s', (source, expected) => {
    expect(isWrittenOut(text(source))).toBe(expected);
  });
});
