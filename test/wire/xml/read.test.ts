import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml, XmlError, XmlReader } from '../../../src/wire/xml/read-xml.ts';
import { attributeOf, childrenOf, textOf, type XmlElement } from '../../../src/wire/xml/tree.ts';

/** What the text says about an element, without where it stood. */
function plain({ local, namespace, prefix, attributes, content }: XmlElement): unknown {
  return {
    name: [prefix, namespace, local],
    attributes: attributes.map((each) => [each.prefix, each.namespace, each.local, each.value]),
    content: content.map((each) => (typeof each === 'string' ? each : plain(each))),
  };
}

function errorOf(work: () => unknown): XmlError {
  try {
    work();
  } catch (error) {
    if (error instanceof XmlError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

const inPieces = (text: string, cuts: readonly number[]): XmlElement => {
  const reader = new XmlReader();
  let from = 0;
  for (const cut of [...cuts.map((each) => each % (text.length + 1)).sort((a, b) => a - b), text.length]) {
    reader.write(text.slice(from, cut));
    from = cut;
  }
  return reader.end();
};

describe('the tree', () => {
  it('has names, attributes and content in their order', () => {
    const root = readXml(
      '<?xml version="1.0" encoding="UTF-8"?>\n<!-- c --><s:a xmlns:s="urn:s" xmlns="urn:d" s:x="1" x="2">t<b/>u<?pi?><s:b>v</s:b></s:a>\n',
    );
    expect(plain(root)).toEqual({
      name: ['s', 'urn:s', 'a'],
      attributes: [
        ['s', 'urn:s', 'x', '1'],
        ['', '', 'x', '2'],
      ],
      content: [
        't',
        { name: ['', 'urn:d', 'b'], attributes: [], content: [] },
        'u',
        { name: ['s', 'urn:s', 'b'], attributes: [], content: ['v'] },
      ],
    });
    expect(childrenOf(root).map((each) => each.local)).toEqual(['b', 'b']);
    expect(textOf(root)).toBe('tu');
    expect(attributeOf(root, 'x')).toBe('2');
    expect(attributeOf(root, 'x', 'urn:s')).toBe('1');
    expect(attributeOf(root, 'y')).toBeUndefined();
  });

  it.each([
    ['neighbouring text and CDATA are one', '<a>x<![CDATA[<y>&]]><![CDATA[]]>z<!-- c -->!<?p i?>?</a>', 'x<y>&z!?'],
    ['references', '<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1D11E;&#13;</a>', `<>&"'A\u{1d11e}\r`],
    ['line ends (2.11)', '<a>1\r\n2\r3\n4<![CDATA[\r\n]]></a>', '1\n2\n3\n4\n'],
    ['white space', '<a> \t\n </a>', ' \t\n '],
    ['nothing', '<a></a>', ''],
    ['an empty CDATA section', '<a><![CDATA[]]></a>', ''],
    ['brackets', '<a>]] ]> <![CDATA[]]]]></a>', ']] ]> ]]'],
    ['a byte order mark inside', '<a>\ufeff</a>', '\ufeff'],
  ])('text: %s', (_, xml, text) => {
    expect(readXml(xml).content).toEqual(text === '' ? [] : [text]);
  });

  it('has attribute values as section 3.3.3 normalises them', () => {
    const root = readXml('<a b=" 1\t2\n3\r\n4&#9;&#10;&#13;&lt;&quot;\'" c=\'"\'/>');
    expect(root.attributes.map(({ value }) => value)).toEqual([' 1 2 3 4\t\n\r<"\'', '"']);
  });

  it.each([
    ['\ufeff<a/>'],
    ['<?xml version="1.0"?><a/>'],
    ['<?xml version="1.1" encoding="utf-16" standalone="yes"?><a/>'],
    ["<?xml version='1.0' encoding='us-ascii' ?>\n<a/>"],
    ['<?xml version="1.0" encoding="Utf-8"?><?style x?><!---->\n<a/><!-- b --> <?c?>\n'],
    ['<é\u00b7-1.名/>'],
    ['<a xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:lang="en"/>'],
    ['<a xmlns="urn:a"><b xmlns=""/></a>'],
    ['<a xmlns:p="urn:a" xmlns:q="urn:b" p:x="" q:x="" x=""/>'],
  ])('%s is well-formed', (xml) => {
    expect(() => readXml(xml)).not.toThrow();
  });

  it('reads XML 1.1 as 1.0 (2.8), where NEL is no line end and control characters are none', () => {
    expect(textOf(readXml('<?xml version="1.1"?><a>\u0085</a>'))).toBe('\u0085');
    expect(errorOf(() => readXml('<?xml version="1.1"?><a>&#1;</a>')).reason).toBe('malformed character entity');
  });

  it('knows the namespaces of every place', () => {
    const root = readXml(
      '<a xmlns="urn:a" xmlns:p="urn:p"><b/><p:c xmlns:p="urn:q" xmlns=""><d xmlns:r="urn:r"/></p:c><e/></a>',
    );
    const [b, c, e] = childrenOf(root);
    const [d] = childrenOf(c!);
    const seen = [root, b, c, d, e].map((each) => ['', 'p', 'r', 'xml', 'xmlns', 'x'].map((p) => each!.namespaceOf(p)));
    const xml = ['http://www.w3.org/XML/1998/namespace', 'http://www.w3.org/2000/xmlns/', undefined];
    expect(seen).toEqual([
      ['urn:a', 'urn:p', undefined, ...xml],
      ['urn:a', 'urn:p', undefined, ...xml],
      ['', 'urn:q', undefined, ...xml],
      ['', 'urn:q', 'urn:r', ...xml],
      ['urn:a', 'urn:p', undefined, ...xml],
    ]);
    expect([root, b, c, d, e].map((each) => each?.namespace)).toEqual(['urn:a', 'urn:a', 'urn:q', '', 'urn:a']);
    expect(readXml('<a/>').namespaceOf('')).toBe('');
    expect(root.namespaceOf('constructor')).toBeUndefined();
  });

  it('says where start tags end', () => {
    const root = readXml('<a\n b="1"\n><c/>\r\n \u{1d11e}<d>\n</d></a>');
    expect([root, ...childrenOf(root)].map(({ line, column }) => [line, column])).toEqual([
      [3, 1],
      [3, 5],
      [4, 5],
    ]);
  });
});

describe('what is refused', () => {
  it.each([
    ['', 'document must contain a root element'],
    [' \n', 'document must contain a root element'],
    ['<!-- c -->', 'document must contain a root element'],
    ['a', 'text data outside of root node'],
    ['<a/>b', 'text data outside of root node'],
    ['&amp;<a/>', 'text data outside of root node'],
    ['<a/><![CDATA[]]>', 'text data outside of root node'],
    ['<a/><b/>', 'documents may contain only one root'],
    ['<a>', 'unclosed tag: a'],
    ['<a', 'a tag has no end'],
    ['<a ', 'a tag has no end'],
    ['<a b="1"', 'a tag has no end'],
    ['<a b="1', 'an attribute value has no end'],
    ['<a><', 'disallowed character in tag name'],
    ['<a></a', 'an end tag is not that of a'],
    ['<a/><!-- c', 'a comment has no end'],
    ['<a><![CDATA[ ]]', 'a CDATA section has no end'],
    ['<a/><?p ', 'a processing instruction has no end'],
    ['<a></b>', 'an end tag is not that of a'],
    ['<a><b></a></b>', 'an end tag is not that of b'],
    ['<a></ab>', 'an end tag is not that of a'],
    ['<ab></a>', 'an end tag is not that of ab'],
    ['<a></a b="">', 'an end tag is not that of a'],
    ['<a></ a>', 'an end tag is not that of a'],
    ['<a xmlns="u" xmlns:p="u"></p:a>', 'an end tag is not that of a'],
    ['<a/></a>', 'end tag outside of root node'],
    ['<a></A>', 'an end tag is not that of a'],
    ['<a b="1" b="2"/>', 'duplicate attribute: b'],
    ['<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>', 'duplicate attribute: {u}b'],
    ['<a xmlns="u" xmlns="v"/>', 'duplicate attribute: xmlns'],
    ['<p:a/>', 'unbound namespace prefix: "p"'],
    ['<a p:b=""/>', 'unbound namespace prefix: "p"'],
    ['<a><b xmlns:p="u"/><p:c/></a>', 'unbound namespace prefix: "p"'],
    ['<a xmlns:p=""/>', 'invalid attempt to undefine prefix in XML 1.0'],
    ['<a xmlns:p=" u"/>', 'the namespace of xmlns:p has white space around it'],
    ['<a xmlns:xml="u"/>', 'xml prefix must be bound to http://www.w3.org/XML/1998/namespace'],
    [
      '<a xmlns:p="http://www.w3.org/XML/1998/namespace"/>',
      'xmlns:p may not be bound to http://www.w3.org/XML/1998/namespace, which has a prefix of its own',
    ],
    ['<a xmlns:xmlns="u"/>', 'the prefix xmlns may not be declared'],
    ['<a xmlns:xmlns="http://www.w3.org/2000/xmlns/"/>', 'the prefix xmlns may not be declared'],
    [
      '<a xmlns="http://www.w3.org/2000/xmlns/"/>',
      'xmlns may not be bound to http://www.w3.org/2000/xmlns/, which has a prefix of its own',
    ],
    ['<xmlns:a/>', 'tags may not have "xmlns" as prefix'],
    ['<:a/>', 'malformed name: :a'],
    ['<a:/>', 'malformed name: a:'],
    ['<a:b:c xmlns:a="u"/>', 'malformed name: a:b:c'],
    ['<a:1 xmlns:a="u"/>', 'malformed name: a:1'],
    ['<a xmlns:-p="u"/>', 'malformed name: xmlns:-p'],
    ['<1/>', 'malformed name: 1'],
    ['<a\u00d7/>', 'malformed name: a\u00d7'],
    ['</>', 'end tag outside of root node'],
    ['<>', 'disallowed character in tag name'],
    ['< a/>', 'disallowed character in tag name'],
    ['<a $=""/>', 'disallowed character in attribute name'],
    ['<a b/>', 'attribute without value'],
    ['<a b c=""/>', 'attribute without value'],
    ['<a b>', 'attribute without value'],
    ['<a b=1/>', 'unquoted attribute value'],
    ['<a b="<"/>', '"<" is disallowed in an attribute value'],
    ['<a b="1"c="2"/>', 'no whitespace between attributes'],
    ['<a / >', '"/" in a start tag is not followed by ">"'],
    ['<a/', '"/" in a start tag is not followed by ">"'],
    ['<a>R&D</a>', 'a reference has no semicolon'],
    ['<a>& </a>;', 'a reference has no semicolon'],
    ['<a b="&"/>', 'a reference has no semicolon'],
    ['<a b="&">;</a>', 'a reference has no semicolon'],
    ['<a>& b;</a>', 'disallowed character in entity name'],
    ['<a>&nbsp;</a>', 'undefined entity'],
    ['<a>&constructor;</a>', 'undefined entity'],
    ['<a>&__proto__;</a>', 'undefined entity'],
    ['<a>&;</a>', 'empty entity name'],
    ['<a>&#0;</a>', 'malformed character entity'],
    ['<a>&#xD800;</a>', 'malformed character entity'],
    ['<a>&#x110000;</a>', 'malformed character entity'],
    ['<a>&#xFFFE;</a>', 'malformed character entity'],
    ['<a>&#X41;</a>', 'malformed character entity'],
    ['<a>\0</a>', 'disallowed character'],
    ['<a>\x0b</a>', 'disallowed character'],
    ['<a b="\x1f"/>', 'disallowed character'],
    ['<a>\ufffe</a>', 'disallowed character'],
    ['<a>\ud800<b/></a>', 'half of a surrogate pair'],
    ['<a>\udc00</a>', 'half of a surrogate pair'],
    ['<a/>\ud800', 'half of a surrogate pair'],
    ['<a>]]></a>', 'the string "]]>" is disallowed in char data'],
    ['<a><!-- -- --></a>', 'malformed comment'],
    ['<a><!-- ---></a>', 'malformed comment'],
    ['<a><!x></a>', 'neither a comment nor a CDATA section'],
    ['<a><!ELEMENT></a>', 'neither a comment nor a CDATA section'],
    ['<a><!doctype></a>', 'neither a comment nor a CDATA section'],
    ['<a><!-></a>', 'neither a comment nor a CDATA section'],
    ['<a><? p?></a>', 'disallowed character in processing instruction name'],
    ['<a><?p:q?></a>', 'malformed name: p:q'],
    ['<a><?p?q?></a>', 'disallowed character in processing instruction name'],
    ['<a><?XML?></a>', 'an XML declaration must be at the start of the document'],
    ['<a><?xml version="1.0"?></a>', 'an XML declaration must be at the start of the document'],
    [' <?xml version="1.0"?><a/>', 'an XML declaration must be at the start of the document'],
    [
      '<?xml version="1.0" version="1.0"?><a/>',
      'XML declaration: version where encoding or standalone or its end is expected',
    ],
    ['<?xml encoding="utf-8"?><a/>', 'XML declaration: encoding where version is expected'],
    ['<?xml?><a/>', 'XML declaration: version is expected'],
    ['<?xml ', 'XML declaration: version is expected'],
    ['<?xml version="2.0"?><a/>', 'XML declaration: malformed version'],
    ['<?xml version="1.0" encoding=""?><a/>', 'XML declaration: malformed encoding'],
    ['<?xml version="1.0" standalone="maybe"?><a/>', 'XML declaration: malformed standalone'],
    ['<?xml version="1.0"encoding="utf-8"?><a/>', 'XML declaration: encoding or standalone or its end is expected'],
    ['<?xml version="1.0" standalone="no" ><a/>', 'XML declaration: its end is expected'],
    [
      '<?xml version="1.0" standalone="no" encoding="utf-8"?><a/>',
      'XML declaration: encoding where its end is expected',
    ],
    ['<!DOCTYPE a><a/>', 'it has a DOCTYPE, which is not read here'],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 'it has a DOCTYPE, which is not read here'],
    [
      '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d SYSTEM "http://example.com/">]><a>&b;&d;</a>',
      'it has a DOCTYPE, which is not read here',
    ],
    ['<a/><!DOCTYPE a>', 'it has a DOCTYPE, which is not read here'],
  ])('%j: %s', (xml, reason) => {
    expect(errorOf(() => readXml(xml)).reason).toBe(reason);
    // One character at a time makes no difference.
    expect(
      errorOf(() =>
        inPieces(
          xml,
          [...xml].map((_, at) => at),
        ),
      ).reason,
    ).toBe(reason);
  });

  it.each([
    ['<a>\n  <b>\u{1d11e}&x;</b></a>', 2, 7],
    ['<a>\r\n\r<b></c></a>', 3, 4],
    ['\ufeff<a>\n<b c="1"\n\td = "&lt;&nbsp;"/></a>', 3, 11],
    ['<a>\n<b p:x=""/></a>', 2, 4],
    ['<a><!-- \n --></a>\n<b/>', 3, 1],
    ['<a>\n]]></a>', 2, 1],
    ['<a>\n<b x="\n<"/></a>', 3, 1],
    ['<a>\n<b>', 2, 4],
    ['\u0001', 1, 1],
    ['', 1, 1],
    ['<a>\n\ud800</a>', 2, 1],
  ])('%j: says where, from 1 and in characters', (xml, line, column) => {
    const found = errorOf(() => readXml(xml));
    expect([found.line, found.column]).toEqual([line, column]);
    expect(found.message).toBe(`${found.reason} (line ${line}, column ${column})`);
  });

  it('says where elements of a long document are, in whatever order they are asked', () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `<b>${'\u{1F600}'.repeat(index % 7)}<c/></b>`);
    const root = readXml(`<a>\n${lines.join('\n')}</a>`);
    const found = childrenOf(root).map((each) => childrenOf(each)[0] as XmlElement);
    for (const index of [2999, 0, 1500, 1499, 2998, 3, 1500, 700]) {
      const { line, column } = found[index] as XmlElement;
      expect([line, column]).toEqual([index + 2, 7 + (index % 7)]);
    }
  });

  it('does not quote at length', () => {
    expect(errorOf(() => readXml(`<${'b'.repeat(999)}></a>`)).reason).toHaveLength(203);
    expect(errorOf(() => readXml(`<a>&${'b'.repeat(100_000)};</a>`)).reason).toBe('undefined entity');
  });

  it('stays refused', () => {
    const reader = new XmlReader();
    reader.write('<a></b>');
    const first = errorOf(() => reader.end());
    expect(errorOf(() => reader.write('</a>'))).toBe(first);
    expect(errorOf(() => reader.end())).toBe(first);
  });
});

describe('names', () => {
  const name = fc.stringMatching(/^[a-z_\u00e9\u{10000}][a-z0-9.\u00b7-]{0,80}$/u);

  it('are themselves, whichever were read before', () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 50 }), (names) => {
        const xml = `<p:r xmlns:p="u">${names.map((each) => `<${each} p:${each}=""><p:${each}/></${each}>`).join('')}</p:r>`;
        const root = readXml(xml);
        expect(childrenOf(root).map(({ local }) => local)).toEqual(names);
        expect(childrenOf(root).map((each) => [each.attributes[0]?.local, childrenOf(each)[0]?.local])).toEqual(
          names.map((each) => [each, each]),
        );
      }),
    );
  });

  it('differ where their hashes do not', () => {
    // Each pair has one hash of the kind that multiplies by 31.
    const names = ['Aa', 'BB', 'AaAa', 'BBBB', 'AaBB', 'BBAa', 'AaAaAa', 'AaAaBB', 'AaBBAa', 'BBAaAa'];
    for (let round = 0; round < 2; round++)
      expect(childrenOf(readXml(`<r>${names.map((each) => `<${each}/>`).join('')}</r>`)).map((e) => e.local)).toEqual(
        names,
      );
  });
});

describe('a document in pieces', () => {
  it('may be cut anywhere', () => {
    const xml = '<?xml version="1.0"?>\r\n<a b="\u{1d11e}">\r\n&amp;<![CDATA[\u{1d11e}]]><p:c xmlns:p="u"/></a>';
    const expected = plain(readXml(xml));
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
        expect(plain(inPieces(xml, cuts))).toEqual(expected);
      }),
    );
  });
});
