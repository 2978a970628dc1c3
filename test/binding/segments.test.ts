import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeSegments } from '../../src/binding/soap/segments.ts';
import { CodecError } from '../../src/codec/index.ts';
import type { Attachment } from '../../src/model/value.ts';
import { escapeAttribute, escapeText } from '../../src/wire/xml/text.ts';

const segment = (name: string): Attachment => ({ contentType: 'text/plain', name, async *stream() {} });
const [first, second] = [segment('first'), segment('second')] as const;

/** The pieces with segments as `[name]`. */
const shown = (xml: string, segments: readonly Attachment[]): string =>
  placeSegments(xml, segments)
    .pieces.map((piece) => (typeof piece === 'string' ? piece : `[${(piece as Attachment).name}]`))
    .join('');

describe('a marker is found in every form that XML has for it', () => {
  it.each([
    '<Include SegmentNumber="1"/>',
    "<Include SegmentNumber='1' />",
    '<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" SegmentNumber="1"/>',
    '<i:Include\n  SegmentNumber = "1"\n></i:Include>',
    '<Include SegmentNumber=" 1 "> \n </Include >',
    '<Include other="a > b" SegmentNumber="1"/>',
  ])('%j', (marker) => {
    expect(shown(`<Document>${marker}</Document>`, [first])).toBe('<Document>[first]</Document>');
  });
});

describe('what is no marker stays as it is written', () => {
  it.each([
    '<!-- <Include SegmentNumber="1"/> -->',
    '<![CDATA[<Include SegmentNumber="1"/>]]>',
    '<?note <Include SegmentNumber="1"/>?>',
    '<a b="<Include SegmentNumber=\'1\'/>"/>',
    '<Include other=" SegmentNumber=\'1\'"/>',
    '<Included SegmentNumber="1"/>',
    '<Include href="cid:a"/><!-- SegmentNumber -->',
    '<Include p:SegmentNumber="1"/>',
    '&lt;Include SegmentNumber="1"/>',
  ])('%j', (text) => {
    const placed = placeSegments(`<Document>${text}</Document>`, [first]);
    expect(placed).toEqual({ pieces: [`<Document>${text}</Document>`], rest: [first] });
  });
});

it('segments stand where their numbers are, and the others are left in their order', () => {
  const third = segment('third');
  const xml = '<a><Include SegmentNumber="3"/><b/><Include SegmentNumber="1"/></a>';
  expect(shown(xml, [first, second, third])).toBe('<a>[third]<b/>[first]</a>');
  expect(placeSegments(xml, [first, second, third]).rest).toEqual([second]);
});

it('pieces are looked through as one text is, and attachments among them stay', () => {
  const pieces = ['<a>', second, '<Include SegmentNumber="1"/></a>'];
  expect(placeSegments(pieces, [first])).toEqual({ pieces: ['<a>', second, '', first, '</a>'], rest: [] });
});

describe('mistakes name the marker', () => {
  it.each([
    [
      '<a><Include SegmentNumber="2"/></a>',
      [first],
      'Include SegmentNumber="2" wants a segment that is not given: there is 1',
    ],
    ['<Include SegmentNumber="1"/>', [], 'Include SegmentNumber="1" wants a segment that is not given: there is none'],
    ['<Include SegmentNumber="3"/>', [first, second], 'there are 2'],
    [
      '<a><Include SegmentNumber="1"/><Include SegmentNumber="1"/></a>',
      [first],
      'Include SegmentNumber="1" stands twice',
    ],
    ['<Include SegmentNumber="0"/>', [first], 'Include SegmentNumber="0" has no number from 1 on'],
    ['<Include SegmentNumber=""/>', [first], 'has no number from 1 on'],
    ['<Include SegmentNumber="1e0"/>', [first], 'has no number from 1 on'],
    ['<Include SegmentNumber="1"><a/></Include>', [first], 'Include SegmentNumber="1" holds something'],
    ['<Include SegmentNumber="1">text</Include>', [first], 'Include SegmentNumber="1" holds something'],
  ] as const)('%j', (xml, segments, words) => {
    const place = () => placeSegments(xml, segments);
    expect(place).toThrow(CodecError);
    expect(place).toThrow(words);
  });
});

it('any markup around markers stays character by character', () => {
  const text = fc.string({ unit: 'grapheme' });
  const markup = fc.oneof(
    text.map(escapeText),
    text.map((value) => `<a b="${escapeAttribute(value)}" c='>'/>`),
    text.map((value) => `<b>${escapeText(value)}</b>`),
    text.map((value) => `<!--${value.replaceAll('-', ' ')}-->`),
    text.map((value) => `<![CDATA[${value.replaceAll(']', ' ')}]]>`),
  );
  fc.assert(
    fc.property(fc.array(markup, { maxLength: 5 }), fc.array(markup, { maxLength: 5 }), (before, after) => {
      const [left, right] = [`<r>${before.join('')}`, `${after.join('')}</r>`];
      expect(shown(`${left}<Include SegmentNumber="1"/>${right}`, [first])).toBe(`${left}[first]${right}`);
    }),
    { numRuns: 300 },
  );
});
