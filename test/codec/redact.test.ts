import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/codec/redact/redactor.ts';
import { percentEncode } from '../../src/wire/percent.ts';

const redacted = (text: string, secrets: readonly string[]): string => createRedactor(() => secrets).text(text);

const SECRET = 'a/b+c \'d"é&<𝄞';

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const asUnits = (text: string): string =>
  [...Array(text.length).keys()].map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');
const asEntities = (text: string): string => [...text].map((each) => `&#${each.codePointAt(0)};`).join('');

const SPELLINGS: readonly (readonly [name: string, spell: (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['in a URL', percentEncode],
  ['in a URL with small digits', (text) => percentEncode(text).replace(/%../g, (octet) => octet.toLowerCase())],
  ['as encodeURIComponent does', encodeURIComponent],
  ['in a form', (text) => String(new URLSearchParams([['', text]])).slice(1)],
  ['in JSON', inJson],
  ['in JSON that stands in JSON', (text) => inJson(inJson(text))],
  ['in JSON with slashes escaped', (text) => inJson(text).replaceAll('/', '\\/')],
  ['in JSON with all escaped', asUnits],
  ['in XML', (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
  ['in HTML with all escaped', asEntities],
];

describe('a secret', () => {
  it.each(SPELLINGS)('is masked %s', (_, spell) => {
    expect(redacted(`you sent ${spell(SECRET)}, twice: ${spell(SECRET)}.`, [SECRET])).toBe('you sent ***, twice: ***.');
  });

  it('is masked whatever it is, and what stands around it stays', () => {
    const secret = fc.string({ unit: 'binary', minLength: 4, maxLength: 12 }).filter((text) => {
      return text.isWellFormed() && !text.includes('\0') && !/[<>*]/.test(text);
    });
    fc.assert(
      fc.property(secret, fc.constantFrom(...SPELLINGS), (text, [, spell]) => {
        expect(redacted(`<${spell(text)}>`, [text])).toBe('<***>');
      }),
    );
  });

  it('that holds another is masked as one', () => {
    expect(redacted('1 abcdef 2 cdef 3', ['cdef', 'abcdef'])).toBe('1 *** 2 *** 3');
    expect(redacted('abcdefgh', ['abcdef', 'efgh'])).toBe('***');
  });

  it('that looks escaped itself is found, and one after what looks like the beginning of an escape', () => {
    expect(redacted('is a%41b\\n here', ['a%41b\\n'])).toBe('is *** here');
    expect(redacted('is a%2541b%5Cn here', ['a%41b\\n'])).toBe('is *** here');
    expect(redacted('C:\\name1', ['name1'])).toBe('C:\\***');
  });

  it('is found beside what is an escape in no such text', () => {
    expect(redacted('C:\\Temp\\U0041 \\Name', ['other'])).toBe('C:\\Temp\\U0041 \\Name');
    expect(redacted('C:\\Temp\\U0041 \\Name', ['Temp', 'Name'])).toBe('C:\\***\\U0041 \\***');
    expect(redacted('&LT;br&#X3E; %C3%A9', ['<br> é'])).toBe('***');
  });

  it('of few characters is masked where it stands alone', () => {
    expect(redacted('E7, 7 and 17: "7"', ['7'])).toBe('E7, *** and 17: "***"');
  });

  it('that is empty or not there changes nothing', () => {
    expect(redacted('text %zz &#x110000; \\', ['', 'other'])).toBe('text %zz &#x110000; \\');
  });
});
