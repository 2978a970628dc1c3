import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml } from '../../../src/wire/xml/read-xml.ts';
import { escapeAttribute, escapeText } from '../../../src/wire/xml/text.ts';
import { attributeOf, childrenOf, textOf, type XmlAttribute, type XmlElement } from '../../../src/wire/xml/tree.ts';
import { writeXml } from '../../../src/wire/xml/write-xml.ts';
import { expectWithin } from '../../support/duration.ts';

function plain({ local, namespace, prefix, attributes, content }: XmlElement): unknown {
  return {
    name: [prefix, namespace, local],
    attributes: attributes.map((each) => [each.prefix, each.namespace, each.local, each.value]),
    content: content.map((each) => (typeof each === 'string' ? each : plain(each))),
  };
}

const first = (xml: string): XmlElement => childrenOf(readXml(xml))[0]!;

/** An element that no reader made. */
function made(given: Partial<XmlElement>): XmlElement {
  return {
    local: 'a',
    namespace: '',
    prefix: '',
    attributes: [],
    content: [],
    line: 0,
    column: 0,
    namespaceOf: () => undefined,
    ...given,
  };
}

describe('writeXml', () => {
  it.each([
    ['nothing to declare', '<r><a b="1">x<c/>y</a></r>', '<a b="1">x<c/>y</a>'],
    ['a prefix of its name', '<r xmlns:p="u"><p:a><p:b/></p:a></r>', '<p:a xmlns:p="u"><p:b/></p:a>'],
    ['a prefix further inside, once', '<r xmlns:p="u"><a><p:b/><p:b/></a></r>', '<a xmlns:p="u"><p:b/><p:b/></a>'],
    ['a prefix of an attribute', '<r xmlns:p="u"><a p:b="1"/></r>', '<a xmlns:p="u" p:b="1"/>'],
    ['the default namespace', '<r xmlns="u"><a><b xmlns=""/></a></r>', '<a xmlns="u"><b xmlns=""/></a>'],
    [
      'what is declared inside',
      '<r><a xmlns:p="u"><p:b xmlns:p="v"/></a></r>',
      '<a xmlns:p="u"><p:b xmlns:p="v"/></a>',
    ],
    [
      'a prefix with two meanings',
      '<p:r xmlns:p="u"><p:a><p:b xmlns:p="v"/></p:a></p:r>',
      '<p:a xmlns:p="u"><p:b xmlns:p="v"/></p:a>',
    ],
    ['nothing that is not used', '<r xmlns:p="u" xmlns:q="v"><q:a/></r>', '<q:a xmlns:q="v"/>'],
    [
      'a QName in a text',
      '<s:r xmlns:s="u"><faultcode>s:Client</faultcode></s:r>',
      '<faultcode xmlns:s="u">s:Client</faultcode>',
    ],
    [
      'a QName in a value',
      '<r xmlns:i="i" xmlns:x="x"><a><b i:type="x:int"/></a></r>',
      '<a xmlns:i="i" xmlns:x="x"><b i:type="x:int"/></a>',
    ],
    [
      'QNames in an expression',
      '<r xmlns:p="u" xmlns:q="v"><a>//p:b[q:c]</a></r>',
      '<a xmlns:p="u" xmlns:q="v">//p:b[q:c]</a>',
    ],
    ['a colon of no QName', '<r xmlns:p="u"><a>http://x/ 10:30 p</a></r>', '<a>http://x/ 10:30 p</a>'],
    ['xml:lang', '<r><a xml:lang="en"/></r>', '<a xml:lang="en"/>'],
    [
      'what has to be escaped',
      '<r><a b="&lt;&quot;&#10;">&lt;&amp;&#13;</a></r>',
      '<a b="&lt;&quot;&#10;">&lt;&amp;&#13;</a>',
    ],
  ])('%s', (_, xml, written) => {
    expect(writeXml(first(xml))).toBe(written);
    expect(plain(readXml(written))).toEqual(plain(first(xml)));
  });

  it('keeps what QNames in content mean', () => {
    const written = writeXml(first('<r xmlns="d" xmlns:p="u"><p:a><p:b xmlns:p="v" t="c">p:c</p:b>p:c</p:a></r>'));
    const root = readXml(written);
    const [inner] = childrenOf(root);
    expect([root.namespaceOf('p'), root.namespaceOf('')]).toEqual(['u', 'd']);
    expect([inner?.namespaceOf('p'), inner?.namespaceOf('')]).toEqual(['v', 'd']);
  });

  const attribute = (given: Partial<XmlAttribute>): XmlAttribute => ({
    local: 'x',
    namespace: '',
    value: '1',
    ...given,
  });

  it.each([
    ['a namespace without a prefix', made({ namespace: 'u' }), '<a xmlns="u"/>'],
    ['a prefix without a namespace', made({ prefix: 'p' }), '<a/>'],
    ['a prefix that nobody declares', made({ prefix: 'p', namespace: 'u' }), '<p:a xmlns:p="u"/>'],
    [
      'an attribute without a prefix',
      made({ attributes: [attribute({ namespace: 'u' })] }),
      '<a xmlns:ns1="u" ns1:x="1"/>',
    ],
    [
      'attributes that share a prefix, and should not',
      made({ prefix: 'p', namespace: 'u', attributes: [attribute({ prefix: 'p', namespace: 'v' })] }),
      '<p:a xmlns:p="u" xmlns:ns1="v" ns1:x="1"/>',
    ],
    [
      'an attribute of the XML namespace',
      made({ attributes: [attribute({ local: 'lang', namespace: 'http://www.w3.org/XML/1998/namespace' })] }),
      '<a xml:lang="1"/>',
    ],
  ])('writes one that was made with %s', (_, element, written) => {
    expect(writeXml(element)).toBe(written);
    const read = readXml(written);
    expect([read.local, read.namespace]).toEqual([element.local, element.namespace]);
    for (const { local, namespace, value } of element.attributes)
      expect(attributeOf(read, local, namespace)).toBe(value);
  });

  it('writes what the reader reads as the same, and means the same', () => {
    const prefix = fc.constantFrom('', 'p', 'q');
    const uri = fc.constantFrom('urn:a', 'urn:b', 'urn:<&"c');
    const text = fc.string({
      unit: fc.constantFrom('p:', 'q:x', ':', 'a', ' ', '<', '&', '"', ']]>', '\r', '\n', '\t', 'é', '\u{1d11e}'),
      maxLength: 6,
    });
    const declarations = fc.dictionary(prefix, uri, { maxKeys: 3 }).map((each) =>
      Object.entries(each)
        .map(([name, value]) => ` ${name === '' ? 'xmlns' : `xmlns:${name}`}="${escapeAttribute(value)}"`)
        .join(''),
    );
    const name = (given: string, local: string): string => (given === '' ? local : `${given}:${local}`);
    const { node } = fc.letrec<{ node: string; content: string }>((tie) => ({
      content: fc.oneof({ depthSize: 'small' }, text.map(escapeText), tie('node')),
      node: fc
        .tuple(
          prefix,
          declarations,
          fc.array(fc.tuple(prefix, text), { maxLength: 3 }),
          fc.array(tie('content'), { maxLength: 3 }),
        )
        .map(([own, declared, values, content]) => {
          const attributes = values.map(([each, value], n) => ` ${name(each, `x${n}`)}="${escapeAttribute(value)}"`);
          return `<${name(own, 'a')}${declared}${attributes.join('')}>${content.join('')}</${name(own, 'a')}>`;
        }),
    }));
    const meaning = (element: XmlElement): unknown => [
      ...[
        '',
        ...(asName('p').test(allText(element)) ? ['p'] : []),
        ...(asName('q').test(allText(element)) ? ['q'] : []),
      ].map((each) => element.namespaceOf(each)),
      ...childrenOf(element).map(meaning),
    ];
    fc.assert(
      fc.property(node, (xml) => {
        const element = first(`<r xmlns:p="urn:p" xmlns:q="urn:q">${xml}</r>`);
        const again = readXml(writeXml(element));
        expect(plain(again)).toEqual(plain(element));
        expect(meaning(again)).toEqual(meaning(element));
        expect(writeXml(again)).toBe(writeXml(element));
      }),
      { numRuns: 300 },
    );
  });

  it('takes time that grows as the element does', () => {
    const row = '<p:row a="p:1"><x>10:30 http://example.com/ p:x</x></p:row>';
    const wide = readXml(`<r xmlns:p="u">${row.repeat(3000)}</r>`);
    expectWithin(400, () => writeXml(wide));
    const text = readXml(`<r>${'x'.repeat(1_000_000)}${'a:'.repeat(100_000)}</r>`);
    expectWithin(400, () => writeXml(text));
    const prefixes = Array.from({ length: 200 }, (_, n) => ` xmlns:p${n}="u" p${n}:a${n}="p${n}:x"`).join('');
    const nested = readXml(`<r><a${prefixes}>${'<b xmlns:q="v" q:x="q:y"/>'.repeat(5000)}</a></r>`, {
      attributes: 500,
    });
    expectWithin(400, () => writeXml(nested));
  });
});

/** A prefix before a colon, with nothing before it that could be part of its name. */
const asName = (prefix: string): RegExp => new RegExp(`(?<![\\w.\\-\\u0080-\\uffff])${prefix}:`);

/** What may hold QNames of an element itself. */
function allText(element: XmlElement): string {
  return [textOf(element), ...element.attributes.map(({ value }) => value)].join(' ');
}
