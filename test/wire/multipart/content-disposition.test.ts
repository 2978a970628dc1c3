import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dispositionOf, fileNameOf } from '../../../src/wire/multipart/content-disposition.ts';

describe('the file name of a Content-Disposition', () => {
  it.each([
    ['a token', 'attachment; filename=report.pdf', 'report.pdf'],
    ['in quotes', 'attachment; filename="a \\"b\\" \\\\ ; c.pdf"', 'a "b" \\ ; c.pdf'],
    ['empty', 'attachment; filename=""', ''],
    ['in UTF-8, as bytes', 'attachment; filename="Gr\xc3\xbc\xc3\x9fe.txt"', 'Grüße.txt'],
    ['in ISO-8859-1', 'attachment; filename=Gr\xfc\xdfe.txt', 'Grüße.txt'],
    ['in characters that are no bytes', 'attachment; filename="Grüße €.txt"', 'Grüße €.txt'],
    ['names in any case, blanks', 'ATTACHMENT ;\t FileName = "a.pdf" ; size=3', 'a.pdf'],
    ['the first of two', 'attachment; filename=a; filename=b', 'a'],
    ['percent-encoded', "attachment; filename*=UTF-8'de'Gr%C3%BC%C3%9Fe.txt", 'Grüße.txt'],
    ['percent-encoded, before the plain one', 'attachment; filename="Gr__e.txt"; filename*=utf-8\'\'Gr%C3%BCn', 'Grün'],
    ['percent-encoded, in quotes', 'attachment; filename*="utf-8\'\'Gr%C3%BCn"', 'Grün'],
    ['in an unknown charset', "attachment; filename=a.txt; filename*=koi8-r''%C1", 'a.txt'],
    ['no UTF-8 after all', "attachment; filename=a.txt; filename*=utf-8''%FF", 'a.txt'],
    ['in pieces', 'attachment; filename*0="a b"; filename*1=".pdf"', 'a b.pdf'],
    [
      'in pieces that are percent-encoded, a character cut in two',
      "attachment; filename*0*=utf-8''Gr%C3; filename*1*=%BC%C3%9F; filename*2=e%20.txt",
      'Grüße%20.txt',
    ],
    ['in pieces, out of order', 'attachment; filename*1=b; filename*0=a', 'ab'],
    ['in pieces, up to the one that is missing', 'attachment; filename*0=a; filename*2=c', 'a'],
    ['in pieces without a first', 'attachment; filename*1=b; filename=c', 'c'],
    ['inside the quotes of another', 'attachment; name="a; filename=b"; filename=c', 'c'],
    ['quotes that are not closed', 'attachment; filename="a.pdf', 'a.pdf'],
    ['none', 'form-data; name="x"', undefined],
    ['no value', 'attachment; filename=; size=1', undefined],
    ['no header', '', undefined],
  ])('%s', (_what, header, name) => {
    expect(fileNameOf(header)).toBe(name);
  });

  it('is what was written', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(name, (text) => {
        const header = dispositionOf(text);
        expect(header).toMatch(/^[\x20-\x7e]*$/);
        expect(fileNameOf(header)).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});
