import { describe, expect, it } from 'vitest';
import { readXml, XML_LIMITS, XmlError, type XmlLimits, XmlReader } from '../../../src/wire/xml/read-xml.ts';
import { childrenOf, textOf } from '../../../src/wire/xml/tree.ts';
import { expectWithin } from '../../support/duration.ts';

function errorOf(work: () => unknown): XmlError {
  try {
    work();
  } catch (error) {
    if (error instanceof XmlError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('limits', () => {
  const small: Partial<XmlLimits> = { depth: 3, elements: 5, attributes: 2, name: 5, text: 10 };
  const long = 'x'.repeat(10);

  it.each([
    ['<a><a><a/></a></a>', '<a><a><a><a/></a></a></a>', 'elements are more than 3 levels deep'],
    ['<a><b/><b/><b/><b/></a>', '<a><b/><b/><b/><b/><b/></a>', 'there are more than 5 elements'],
    ['<a b="" c=""><a b="" c=""/></a>', '<a b="" c="" d=""/>', 'an element has more than 2 attributes'],
    ['<a xmlns="" c=""/>', '<a xmlns="" b="" c=""/>', 'an element has more than 2 attributes'],
    ['<abcde/>', '<abcdef/>', 'a name has more than 5 characters'],
    ['<a abcde=""/>', '<a abcdef=""/>', 'a name has more than 5 characters'],
    [`<a>${long}</a>`, `<a>${long}x</a>`, 'a text has more than 10 characters'],
    [`<a b="${long}"/>`, `<a b="${long}x"/>`, 'an attribute value has more than 10 characters'],
    [`<a><![CDATA[${long}]]><b/>${long}</a>`, `<a><![CDATA[${long}]]>x</a>`, 'a text has more than 10 characters'],
    ['<a>12345<!-- -->67890</a>', '<a>12345<!-- -->67890!</a>', 'a text has more than 10 characters'],
  ])('%s passes, %s does not', (passes, fails, reason) => {
    expect(() => readXml(passes, small)).not.toThrow();
    expect(errorOf(() => readXml(fails, small)).reason).toBe(reason);
  });

  it('leave what was not named at its default', () => {
    expect(() => readXml(`<a>${'<b/>'.repeat(10)}${long}${long}</a>`, { depth: 2 })).not.toThrow();
  });

  it.each([
    [
      '100,000 levels',
      `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`,
      `elements are more than ${XML_LIMITS.depth} levels deep`,
    ],
    [
      'a million attributes',
      `<r${' a="1"'.repeat(1_000_000)}/>`,
      `an element has more than ${XML_LIMITS.attributes} attributes`,
    ],
    ['a million elements', `<r>${'<a/>'.repeat(1_000_000)}</r>`, `there are more than ${XML_LIMITS.elements} elements`],
    ['a name of a megabyte', `<${'n'.repeat(1024 ** 2)}/>`, `a name has more than ${XML_LIMITS.name} characters`],
    [
      'an attribute with such a name',
      `<a ${'n'.repeat(1024 ** 2)}=""/>`,
      `a name has more than ${XML_LIMITS.name} characters`,
    ],
    [
      'an instruction with such a name',
      `<a><?${'n'.repeat(1024 ** 2)}?></a>`,
      `a name has more than ${XML_LIMITS.name} characters`,
    ],
  ])('stop %s', (_, xml, reason) => {
    expect(errorOf(() => readXml(xml)).reason).toBe(reason);
  });

  it('hold where others are none', () => {
    const unlimited = { depth: Infinity, elements: Infinity, attributes: Infinity };
    const levels = 100_000;
    let element = readXml(`${'<p:a xmlns:p="u">'.repeat(levels)}${'</p:a>'.repeat(levels)}`, unlimited);
    expect(element.namespaceOf('q')).toBeUndefined();
    let depth = 1;
    for (; element.content.length > 0; depth++) element = childrenOf(element)[0]!;
    expect(depth).toBe(levels);
    expect(element.namespaceOf('q')).toBeUndefined();
    const names = Array.from({ length: levels }, (_each, n) => ` a${n}=""`).join('');
    expect(readXml(`<a${names}/>`, unlimited).attributes).toHaveLength(levels);
    expect(errorOf(() => readXml(`<a${names} a77=""/>`, unlimited)).reason).toBe('duplicate attribute: a77');
  });

  it('refuse the piece that makes a document too long, before anything is read', () => {
    const reader = new XmlReader({ document: 10 });
    reader.write('<a>12345');
    const first = errorOf(() => reader.write('678'));
    expect(first.message).toBe('the document has more than 10 characters');
    expect([first.line, first.column]).toEqual([0, 0]);
    expect(errorOf(() => reader.end())).toBe(first);
    expect(textOf(readXml('<a>123</a>', { document: 10 }))).toBe('123');
  });

  it('count a text as it is read, not as it is written', () => {
    expect(textOf(readXml(`<a>${'&amp;'.repeat(10)}</a>`, { text: 10 }))).toBe('&'.repeat(10));
    expect(errorOf(() => readXml(`<a>${'&amp;'.repeat(11)}</a>`, { text: 10 })).reason).toBe(
      'a text has more than 10 characters',
    );
  });

  it('is read in time that grows as its length does', () => {
    const rows = '<p:row a="1"><p:x>text &amp; more</p:x>\r\n</p:row>'.repeat(5000);
    expectWithin(400, () => readXml(`<p:r xmlns:p="urn:p">${rows}</p:r>`));
    expectWithin(400, () => readXml(`<a>${']]'.repeat(50_000)}<![CDATA[${'] '.repeat(50_000)}]]></a>`));
    expectWithin(400, () => readXml(`<a>${'x<!-- -->'.repeat(20_000)}</a>`));
    expectWithin(400, () => readXml(`<a>${'<![CDATA[]]><?p?>&#38;'.repeat(20_000)}</a>`));
    expectWithin(400, () => readXml(`<a ${' '.repeat(500_000)}b${' '.repeat(500_000)}=""/>`));
    expectWithin(400, () => errorOf(() => readXml(`<a>${'&x'.repeat(500_000)}</a>`)));
    expectWithin(400, () => errorOf(() => readXml(`<?xml version="1.0"${' '.repeat(500_000)}`)));
  });

  it('tells the lines of all elements in time that grows as their number does', () => {
    const root = readXml(`<a>${'<b/>'.repeat(50_000)}\n<b/></a>`);
    let lines: Set<number> | undefined;
    expectWithin(400, () => {
      lines = new Set(childrenOf(root).map((each) => each.line));
    });
    expect(lines).toEqual(new Set([1, 2]));
  });
});
