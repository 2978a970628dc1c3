import fc from 'fast-check';
import { XMLParser } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { cdata, escapeAttribute, escapeText, isXmlName, wrapPsnonxml } from '../../../src/wire/xml/text.ts';
import { expectWithin } from '../../support/duration.ts';

/** Content of a wrapper or a run of CDATA sections and references, as an XML reader hands it over (2.7, 2.11, 4.1). */
function readBack(xml: string): string {
  return xml
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n')
    .split(/(<!\[CDATA\[[\s\S]*?\]\]>)/)
    .map((piece) => (piece.startsWith('<![CDATA[') ? piece.slice(9, -3) : piece.replaceAll('&#13;', '\r')))
    .join('');
}

describe('escapeText and escapeAttribute', () => {
  it.each([
    ['plain é \u{1d11e}', 'plain é \u{1d11e}', 'plain é \u{1d11e}'],
    [
      `<a b="c" d='e'>&</a>]]>`,
      `&lt;a b="c" d='e'&gt;&amp;&lt;/a&gt;]]&gt;`,
      '&lt;a b=&quot;c&quot; d=&apos;e&apos;&gt;&amp;&lt;/a&gt;]]&gt;',
    ],
    ['tab\tline\nreturn\r', 'tab\tline\nreturn&#13;', 'tab&#9;line&#10;return&#13;'],
    ['nul\0bell\x07fe\ufffeff\uffff', 'nul\ufffdbell\ufffdfe\ufffdff\ufffd', 'nul\ufffdbell\ufffdfe\ufffdff\ufffd'],
    ['half \ud800 pair \udc00', 'half \ufffd pair \ufffd', 'half \ufffd pair \ufffd'],
    ['\udc00\ud800', '\ufffd\ufffd', '\ufffd\ufffd'],
    ['del \x7f c1 \x85 \u2028', 'del \x7f c1 \x85 \u2028', 'del \x7f c1 \x85 \u2028'],
    ['', '', ''],
  ])('%j', (text, element, attribute) => {
    expect(escapeText(text)).toBe(element);
    expect(escapeAttribute(text)).toBe(attribute);
  });

  it('comes back from a reader as it was, for all that XML carries', () => {
    const parser = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '',
      trimValues: false,
      parseTagValue: false,
      parseAttributeValue: false,
      htmlEntities: true,
    });
    const text = fc.string({
      unit: fc.constantFrom('<', '>', '&', '"', "'", ']', 'a', ' ', 'é', '\u{1d11e}'),
      minLength: 1,
    });
    fc.assert(
      fc.property(text, (given) => {
        const read = parser.parse(`<r a="${escapeAttribute(given)}">${escapeText(given)}</r>`);
        expect(read.r).toEqual({ a: given, '#text': given });
      }),
    );
  });
});

describe('cdata', () => {
  it.each([
    ['', '<![CDATA[]]>'],
    ['a<b>&', '<![CDATA[a<b>&]]>'],
    [']]>', '<![CDATA[]]]]><![CDATA[>]]>'],
    [']]>]]>', '<![CDATA[]]]]><![CDATA[>]]]]><![CDATA[>]]>'],
    [']]]>', '<![CDATA[]]]]]><![CDATA[>]]>'],
    ['a\rb', '<![CDATA[a]]>&#13;<![CDATA[b]]>'],
    ['a\0\ud800b', '<![CDATA[a\ufffd\ufffdb]]>'],
  ])('%j', (text, xml) => {
    expect(cdata(text)).toBe(xml);
  });

  it('carries any text that XML can', () => {
    const text = fc.string({ unit: fc.constantFrom(']', '>', '<', '\r', '\n', 'a', '&', '\u{1d11e}') });
    fc.assert(
      fc.property(text, (given) => {
        expect(readBack(cdata(given))).toBe(given);
      }),
      { numRuns: 150 },
    );
  });
});

describe('wrapPsnonxml', () => {
  it('is the wrapper of the specification, without a declaration', () => {
    expect(wrapPsnonxml('{"a":1}')).toBe(`<data psnonxml='Yes'><![CDATA[{"a":1}]]></data>`);
  });

  it('splits ]]> over two sections', () => {
    expect(wrapPsnonxml('["]]>"]')).toBe(`<data psnonxml='Yes'><![CDATA[["]]]]><![CDATA[>"]]]></data>`);
    expect(wrapPsnonxml('[[]]')).toBe(`<data psnonxml='Yes'><![CDATA[[[]]]]></data>`);
  });

  it('loses no value to the characters that XML can not carry', () => {
    const values = fc.anything({
      values: [fc.string({ unit: 'binary' }), fc.constantFrom(']]>', '\uffff', '\ufffe', '\ud800', '\0', '\r')],
    });
    fc.assert(
      fc.property(values, (value) => {
        const json = JSON.stringify(value) ?? 'null';
        const wrapped = wrapPsnonxml(json);
        expect([...wrapped].filter((c) => c < ' ' || c === '\ufffe' || c === '\uffff')).toEqual([]);
        expect(wrapped.isWellFormed()).toBe(true);
        const content = readBack(wrapped.slice("<data psnonxml='Yes'>".length, -'</data>'.length));
        expect(JSON.parse(content)).toEqual(JSON.parse(json));
      }),
    );
    expect(wrapPsnonxml('"\ud800\uffff"')).toContain('"\\ud800\\uffff"');
  });

  it('costs next to nothing for a large text', () => {
    const json = JSON.stringify(Array.from({ length: 50_000 }, (_, i) => ({ i, text: 'x'.repeat(20) })));
    expectWithin(200, () => wrapPsnonxml(json));
  });
});

describe('isXmlName', () => {
  it.each(['a', 'LOC_DATA', '_x', 'é', 'a-1.b', 'a·', '名前', '\u{10000}'])('%s can be one', (name) => {
    expect(isXmlName(name)).toBe(true);
  });

  it.each([
    '',
    '1a',
    '-a',
    '.a',
    'a b',
    'a:b',
    ':a',
    'a=',
    'queryname=',
    'a\n',
    '×',
    '·a',
    '\ud800',
    'a\u{f0000}',
  ])('%j can not', (name) => {
    expect(isXmlName(name)).toBe(false);
  });
});
