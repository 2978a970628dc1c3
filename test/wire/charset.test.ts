import { expect, it } from 'vitest';
import { CharsetError, decodeText } from '../../src/wire/charset.ts';

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const declared = '<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>';

it.each<[string, Buffer, string | undefined, boolean, string]>([
  ['nothing is said', Buffer.from('ü€'), undefined, false, 'ü€'],
  ['nothing is there', Buffer.alloc(0), undefined, true, ''],
  ['a charset is named', Buffer.from('ü', 'latin1'), 'ISO-8859-1', false, 'ü'],
  ['a mark says otherwise than the charset', Buffer.from('\ufeffü'), 'latin1', false, 'ü'],
  ['a mark of UTF-16 is there', utf16be('\ufeffü'), 'utf-16', true, 'ü'],
  ['UTF-16 has no mark', Buffer.from('ü', 'utf16le'), 'UTF-16LE', false, 'ü'],
  ['XML says it itself', Buffer.from(declared, 'latin1'), undefined, true, declared],
  ['XML says it, and the charset otherwise', Buffer.from(declared), 'utf-8', true, declared],
  ['what is no XML seems to say it', Buffer.from(declared), undefined, false, declared],
])('a text is decoded where %s', (_, bytes, charset, isXml, text) => {
  expect(decodeText(bytes, charset, isXml)).toBe(text);
});

it.each<[Buffer, string | undefined, string]>([
  [Buffer.from([0xff]), undefined, 'contains bytes that are not text in utf-8'],
  [Buffer.from([0xc0, 0x80]), 'UTF-8', 'contains bytes that are not text in UTF-8'],
  [Buffer.from('a'), 'martian', 'is in the charset "martian", which is not known'],
])('%s in %s is refused', (bytes, charset, reason) => {
  expect(() => decodeText(bytes, charset, false)).toThrow(new CharsetError(reason));
});
