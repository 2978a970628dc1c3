import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { buildXml, buildXmlFragment, element, type XmlElement } from '../../../src/wire/xml/build.ts';

describe('buildXml', () => {
  test('writes the declaration, two spaces an indent and a last line end', () => {
    const text = buildXml(element('a', { x: '1', y: undefined }, [element('b', {}, ['t']), undefined, element('c')]));
    expect(text).toBe('<?xml version="1.0" encoding="UTF-8"?>\n<a x="1">\n  <b>t</b>\n  <c/>\n</a>\n');
  });

  test('keeps the order of elements of different names', () => {
    const children = ['a', 'b', 'a', 'c', 'b'].map((name) => element(name));
    expect(buildXmlFragment(element('r', {}, children))).toBe('<r><a/><b/><a/><c/><b/></r>');
  });

  test.each([
    [']]>', ']]&gt;'],
    ['<a href="x">&amp;', '&lt;a href="x"&gt;&amp;amp;'],
    ['\u{1F682}', '\u{1F682}'],
    ['a\u0000b\u0001\ufffe', 'a\ufffdb\ufffd\ufffd'],
    ['\ud800', '\ufffd'],
    ['a\r\nb', 'a&#13;\nb'],
  ])('escapes the text %j', (text, escaped) => {
    expect(buildXmlFragment(element('t', {}, [text]))).toBe(`<t>${escaped}</t>`);
  });

  test('escapes quotes and line ends of attributes, which a reader would change', () => {
    const text = buildXmlFragment(element('t', { a: `"'<&\n\t` }));
    expect(XMLValidator.validate(text)).toBe(true);
    expect(text).not.toMatch(/[\n\t]/);
    expect(text.match(/"/g)).toHaveLength(2);
  });

  test('a name that objects have by themselves is a name like any other', () => {
    const text = buildXmlFragment(element('__proto__', { constructor: '1' }, [element('toString')]));
    expect(text).toBe('<__proto__ constructor="1"><toString/></__proto__>');
  });

  test('the depth has no bound of its own', () => {
    const deep = Array.from({ length: 500 }).reduce<XmlElement>((inner) => element('a', {}, [inner]), element('b'));
    expect(buildXmlFragment(deep)).toContain('<a><b/></a>');
  });

  test('any text comes back', () => {
    const reader = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '',
      trimValues: false,
      parseTagValue: false,
      htmlEntities: true,
    });
    const legal = fc.string({
      unit: fc.oneof(fc.string({ unit: 'grapheme', maxLength: 1 }), fc.constantFrom(...'<>&"\']')),
    });
    fc.assert(
      fc.property(legal, legal, (text, attribute) => {
        const read = reader.parse(buildXml(element('r', { a: attribute, k: '1' }, [`x${text}`]))) as {
          r: { a: string; '#text': string };
        };
        expect(read.r.a).toBe(attribute);
        expect(read.r['#text']).toBe(`x${text}`);
      }),
    );
  });
});
