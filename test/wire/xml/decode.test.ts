import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { XmlDecoder } from '../../../src/wire/xml/encoding.ts';
import { XmlError } from '../../../src/wire/xml/read-xml.ts';

const UTF_8_MARK = [0xef, 0xbb, 0xbf];
const LE_MARK = [0xff, 0xfe];
const BE_MARK = [0xfe, 0xff];

const utf8 = (text: string): number[] => [...Buffer.from(text, 'utf8')];
const utf16le = (text: string): number[] => [...Buffer.from(text, 'utf16le')];
const utf16be = (text: string): number[] => [...Buffer.from(text, 'utf16le').swap16()];

/** Decodes bytes that come in pieces of one size. */
function decode(bytes: readonly number[], charset?: string, size = bytes.length || 1): string {
  const decoder = new XmlDecoder(charset);
  let text = '';
  for (let from = 0; from < bytes.length; from += size)
    text += decoder.write(Uint8Array.from(bytes.slice(from, from + size)));
  return text + decoder.end();
}

function reasonOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    expect([error.line, error.column, error.message]).toEqual([0, 0, error.reason]);
    return error.reason;
  }
  throw new Error('nothing was refused');
}

const DECLARED = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?><a>é</a>`;

describe('XmlDecoder', () => {
  const text = '<é a="\u{1d11e}">\u20ac</é>';

  it.each<[string, number[], string | undefined]>([
    ['UTF-8', utf8(text), undefined],
    ['UTF-8 with a mark', [...UTF_8_MARK, ...utf8(text)], undefined],
    ['UTF-16LE', [...LE_MARK, ...utf16le(text)], undefined],
    ['UTF-16BE', [...BE_MARK, ...utf16be(text)], undefined],
    ['UTF-8 as said', utf8(text), 'utf-8'],
    ['UTF-8 as said, in capitals, with a mark', [...UTF_8_MARK, ...utf8(text)], 'UTF-8'],
    ['UTF-8 said to be ASCII', utf8(text), 'US-ASCII'],
    ['UTF-16LE as said', [...LE_MARK, ...utf16le(text)], 'utf-16'],
    ['UTF-16BE as said', [...BE_MARK, ...utf16be(text)], 'UTF-16'],
    ['UTF-16LE as said exactly', [...LE_MARK, ...utf16le(text)], 'utf-16le'],
    ['UTF-16BE as said exactly', [...BE_MARK, ...utf16be(text)], 'utf-16be'],
  ])('reads %s, however it comes', (_, bytes, charset) => {
    for (const size of [bytes.length, 1, 2, 3, 5]) expect(decode(bytes, charset, size)).toBe(text);
  });

  it.each([
    [[], ''],
    [utf8('<'), '<'],
    [utf8('<a>'), '<a>'],
    [UTF_8_MARK, ''],
    [LE_MARK, ''],
    [[...LE_MARK, ...utf16le('<')], '<'],
    [[...UTF_8_MARK, ...UTF_8_MARK], '\ufeff'],
    [[...utf8('<a>'), ...UTF_8_MARK], '<a>\ufeff'],
  ])('reads what is short: %j', (bytes, expected) => {
    for (const size of [10, 1]) expect(decode(bytes, undefined, size)).toBe(expected);
  });

  it.each<[string, number[], string | undefined, string]>([
    ['UTF-16LE without a mark', utf16le(text), undefined, 'it is UTF-16 without a byte order mark'],
    ['UTF-16BE without a mark', utf16be(text), undefined, 'it is UTF-16 without a byte order mark'],
    ['UTF-16 without a mark, as said', utf16le(text), 'utf-16', 'it is UTF-16 without a byte order mark'],
    ['UTF-32LE', [...LE_MARK, 0, 0, 0x3c, 0, 0, 0], undefined, 'it is UTF-32, and only UTF-8 and UTF-16 are read'],
    ['UTF-32BE', [0, 0, ...BE_MARK, 0, 0, 0, 0x3c], undefined, 'it is UTF-32, and only UTF-8 and UTF-16 are read'],
    [
      'UTF-16 said to be UTF-8',
      [...LE_MARK, ...utf16le(text)],
      'utf-8',
      'its Content-Type says charset utf-8, and its byte order mark is that of UTF-16LE',
    ],
    [
      'UTF-16LE said to be UTF-16BE',
      [...LE_MARK, ...utf16le(text)],
      'utf-16be',
      'its Content-Type says charset utf-16be, and its byte order mark is that of UTF-16LE',
    ],
    [
      'UTF-8 said to be UTF-16',
      [...UTF_8_MARK, ...utf8(text)],
      'UTF-16',
      'its Content-Type says charset UTF-16, and its byte order mark is that of UTF-8',
    ],
    [
      'UTF-8 without a mark said to be UTF-16',
      utf8(text),
      'utf-16',
      'its Content-Type says charset utf-16, and it has no byte order mark',
    ],
    ['Latin-1', [...utf8('<a>'), 0xe9, ...utf8('</a>')], undefined, 'byte 5 of it is not UTF-8'],
    ['a byte of no encoding', [...utf8('<a>é'), 0xff, ...utf8('</a>')], undefined, 'byte 6 of it is not UTF-8'],
    ['a byte of none behind a mark', [...UTF_8_MARK, ...utf8('<a>'), 0xff], undefined, 'byte 7 of it is not UTF-8'],
    ['an overlong form', [...utf8('<a>'), 0xc0, 0xbc], undefined, 'byte 4 of it is not UTF-8'],
    ['half a surrogate pair in UTF-8', [...utf8('<a>'), 0xed, 0xa0, 0x80], undefined, 'byte 5 of it is not UTF-8'],
    ['a continuation alone', [...utf8('<a>>'), 0x80], undefined, 'byte 5 of it is not UTF-8'],
    ['a character cut short', [...utf8('<a>'), 0xe2, 0x82], undefined, 'it ends in the middle of a character'],
    [
      'half a unit at the end',
      [...LE_MARK, ...utf16le('<a>'), 0x3c],
      undefined,
      'it ends in the middle of a character',
    ],
    [
      'half a pair in UTF-16',
      [...LE_MARK, ...utf16le('<\ud800a>')],
      undefined,
      'it holds half of a surrogate pair of UTF-16',
    ],
  ])('refuses %s', (_, bytes, charset, reason) => {
    expect(reasonOf(() => decode(bytes, charset))).toBe(reason);
  });

  it.each(['utf-7', '', 'x'.repeat(1000)])('refuses charset %s before anything is read', (charset) => {
    expect(reasonOf(() => new XmlDecoder(charset))).toBe(`charset "${charset.slice(0, 40)}" is not known`);
  });

  it.each<[string, Buffer, string | undefined, string]>([
    ['a charset', Buffer.from('<a>é</a>', 'latin1'), 'ISO-8859-1', '<a>é</a>'],
    ['a declaration', Buffer.from(DECLARED('ISO-8859-1'), 'latin1'), undefined, DECLARED('ISO-8859-1')],
    [
      'the charset before a declaration of Latin-1',
      Buffer.from(DECLARED('ISO-8859-1')),
      'utf-8',
      DECLARED('ISO-8859-1'),
    ],
    [
      'the charset before a declaration of UTF-8',
      Buffer.from(DECLARED('utf-8'), 'latin1'),
      'latin1',
      DECLARED('utf-8'),
    ],
    ['windows-1252', Buffer.from([0x3c, 0x61, 0x3e, 0x80, 0x9f, 0xe9]), 'windows-1252', '<a>€Ÿé'],
    ['US-ASCII', Buffer.from(DECLARED('US-ASCII')), 'us-ascii', DECLARED('US-ASCII')],
  ])('takes the encoding of %s, in pieces of any size', (_, bytes, charset, expected) => {
    for (const size of [1, 7, 1000]) expect(decode([...bytes], charset, size)).toBe(expected);
  });

  it('refuses a declared encoding that is not known, with its name', () => {
    expect(reasonOf(() => decode([...Buffer.from(DECLARED('x-none'))], undefined))).toContain('says x-none');
  });

  it('names a wrong byte in whatever piece it comes', () => {
    const bytes = fc.string({ unit: fc.constantFrom('a', 'é', '\u20ac', '\u{1d11e}'), maxLength: 30 });
    fc.assert(
      fc.property(bytes, bytes, fc.integer({ min: 1, max: 9 }), (before, after, size) => {
        const start = utf8(`<a>.${before}`);
        const given = [...start, 0xff, ...utf8(after)];
        expect(reasonOf(() => decode(given, undefined, size))).toBe(`byte ${start.length + 1} of it is not UTF-8`);
      }),
    );
  });
});
