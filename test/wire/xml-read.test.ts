import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml, XML_LIMITS, XmlError, type XmlLimits, XmlReader } from '../../src/wire/xml-read.ts';
import { attributeOf, childrenOf, textOf, type XmlElement } from '../../src/wire/xml-tree.ts';
import { expectWithin } from '../support/duration.ts';

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

/** Writes the pieces until one is refused. @returns how many characters had been written by then */
function refusedAfter(pieces: Iterable<string>, limits?: Partial<XmlLimits>): { written: number; reason: string } {
  const reader = new XmlReader(limits);
  let written = 0;
  const { reason } = errorOf(() => {
    for (const piece of pieces) {
      written += piece.length;
      reader.write(piece);
    }
    reader.end();
  });
  return { written, reason };
}

function* repeated(text: string, times: number, start = '<r>'): Generator<string> {
  yield start;
  const piece = text.repeat(1000);
  for (let n = 0; n < times; n += 1000) yield piece;
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
    ['<a', 'document must contain a root element'],
    ['<a/><!-- c', 'unexpected end'],
    ['<a></b>', 'unexpected close tag'],
    ['<a><b></a></b>', 'unexpected close tag'],
    ['<a/></a>', 'unmatched closing tag: a'],
    ['<a></A>', 'unexpected close tag'],
    ['<a b="1" b="2"/>', 'duplicate attribute: b'],
    ['<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>', 'duplicate attribute: {u}b'],
    ['<a xmlns="u" xmlns="v"/>', 'duplicate attribute: xmlns'],
    ['<p:a/>', 'unbound namespace prefix: "p"'],
    ['<a p:b=""/>', 'unbound namespace prefix: "p"'],
    ['<a><b xmlns:p="u"/><p:c/></a>', 'unbound namespace prefix: "p"'],
    ['<a xmlns:p=""/>', 'invalid attempt to undefine prefix in XML 1.0'],
    ['<a xmlns:p=" u"/>', 'the namespace of xmlns:p has white space around it'],
    ['<a xmlns:xml="u"/>', 'xml prefix must be bound to http://www.w3.org/XML/1998/namespace'],
    ['<a xmlns:p="http://www.w3.org/XML/1998/namespace"/>', 'may not assign the xml namespace to another prefix'],
    ['<a xmlns:xmlns="u"/>', 'xmlns prefix must be bound to http://www.w3.org/2000/xmlns/'],
    [
      '<a xmlns="http://www.w3.org/2000/xmlns/"/>',
      'the default namespace may not be set to http://www.w3.org/2000/xmlns/',
    ],
    ['<xmlns:a/>', 'tags may not have "xmlns" as prefix'],
    ['<:a/>', 'malformed name: :a'],
    ['<a:/>', 'malformed name: a:'],
    ['<a:b:c xmlns:a="u"/>', 'malformed name: a:b:c'],
    ['<a:1 xmlns:a="u"/>', 'malformed name: a:1'],
    ['<a xmlns:-p="u"/>', 'malformed name: xmlns:-p'],
    ['<1/>', 'disallowed character in tag name'],
    ['< a/>', 'disallowed character in tag name'],
    ['<a b/>', 'disallowed character in attribute name'],
    ['<a b>', 'attribute without value'],
    ['<a b=1/>', 'unquoted attribute value'],
    ['<a b="<"/>', 'disallowed character'],
    ['<a b="1"c="2"/>', 'no whitespace between attributes'],
    ['<a / >', 'forward-slash in opening tag not followed by >'],
    ['<a>R&D</a>', 'unclosed tag: a'],
    ['<a>& </a>;', 'disallowed character in entity name'],
    ['<a b="&"/>', 'unexpected end'],
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
    ['<a><!x></a>', 'unclosed tag: a'],
    ['<a><!ELEMENT></a>', 'incorrect syntax'],
    ['<a><?xml version="1.0"?></a>', 'an XML declaration must be at the start of the document'],
    [' <?xml version="1.0"?><a/>', 'an XML declaration must be at the start of the document'],
    ['<?xml version="1.0" version="1.0"?><a/>', 'expected one of encoding, standalone'],
    ['<?xml encoding="utf-8"?><a/>', 'expected one of version'],
    ['<?xml version="2.0"?><a/>', 'version number must match /^1\\.[0-9]+$/'],
    [
      '<?xml version="1.0" encoding="ISO-8859-1"?><a/>',
      'its XML declaration says ISO-8859-1, and it is read in UTF-8 or UTF-16 only',
    ],
    ['<!DOCTYPE a><a/>', 'it has a DOCTYPE, which is not read here'],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', 'it has a DOCTYPE, which is not read here'],
    [
      '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d SYSTEM "http://example.com/">]><a>&b;&d;</a>',
      'it has a DOCTYPE, which is not read here',
    ],
    ['<a/><!DOCTYPE a>', 'inappropriately located doctype declaration'],
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

  it('says where, from 1 and in characters', () => {
    const places = ['<a>\n  <b>\u{1d11e}&x;</b></a>', '<a>\r\n\r<b></c></a>', '\u0001', '', '<a>\n\ud800</a>'].map(
      (xml) => {
        const { line, column, message, reason } = errorOf(() => readXml(xml));
        expect(message).toBe(`${reason} (line ${line}, column ${column})`);
        return [line, column];
      },
    );
    expect(places).toEqual([
      [2, 9],
      [3, 7],
      [1, 1],
      [1, 1],
      [2, 1],
    ]);
  });

  it('does not quote at length', () => {
    const { reason } = errorOf(() => readXml(`<a></${'b'.repeat(100_000)}>`));
    expect(reason).toBe('unexpected close tag');
    expect(errorOf(() => readXml(`<a/></${'b'.repeat(100_000)}>`)).reason).toHaveLength(203);
  });

  it('stays refused', () => {
    const reader = new XmlReader();
    const first = errorOf(() => reader.write('<a></b>'));
    expect(errorOf(() => reader.write('</a>'))).toBe(first);
    expect(errorOf(() => reader.end())).toBe(first);
  });
});

describe('pieces', () => {
  const piece = fc.constantFrom(
    ...[
      '<a>',
      '</a>',
      '<b x="1">',
      '</b>',
      '<c/>',
      'text',
      '&amp;',
      '&#x1F600;',
      '<![CDATA[',
      ']]>',
      ']',
      '\r\n',
      '\r',
    ],
    ...['\u{1d11e}', '\ud800', '<!-- c -->', '<p:d xmlns:p="u"/>', ' ', '<', '<?pi?>', "y='\n'", '\n'],
  );
  const outcome = (read: () => XmlElement): unknown => {
    try {
      const root = read();
      return [plain(root), root.line, root.column];
    } catch (error) {
      if (!(error instanceof XmlError)) throw error;
      // This is told where the text ends, or the piece.
      return error.reason.startsWith('text data outside') ? error.reason : error.message;
    }
  };

  it('may end anywhere: the tree, or the error and its place, are the same', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 6 }), (parts, cuts) => {
        const xml = `<a>${parts.join('')}</a>`;
        expect(outcome(() => inPieces(xml, cuts))).toEqual(outcome(() => readXml(xml)));
      }),
      { numRuns: 2000 },
    );
  });

  it('may be cut inside pairs and line ends where the parser is given slices', () => {
    for (const filling of [64 * 1024 - 4, 64 * 1024 - 3]) {
      const text = `${'x'.repeat(filling)}\u{1d11e}\r\n\u{1d11e}`;
      expect(textOf(readXml(`<a>${text}</a>`))).toBe(text.replace('\r\n', '\n'));
    }
  });
});

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
    [`<a>${long}</a>`, `<a>${long}x</a>`, 'a text, value or other piece has more than 10 characters'],
    [`<a b="${long}"/>`, `<a b="${long}x"/>`, 'a text, value or other piece has more than 10 characters'],
    [
      `<a><![CDATA[${long}]]><b/>${long}</a>`,
      `<a><![CDATA[${long}]]>x</a>`,
      'a text, value or other piece has more than 10 characters',
    ],
    [
      '<a>12345<!-- -->67890</a>',
      '<a>12345<!-- -->67890!</a>',
      'a text, value or other piece has more than 10 characters',
    ],
  ])('%s passes, %s does not', (passes, fails, reason) => {
    expect(() => readXml(passes, small)).not.toThrow();
    expect(errorOf(() => readXml(fails, small)).reason).toBe(reason);
  });

  it('leave what was not named at its default', () => {
    expect(() => readXml(`<a>${'<b/>'.repeat(10)}${long}${long}</a>`, { depth: 2 })).not.toThrow();
  });

  it.each([
    ['100,000 levels', '<a>', 100_000, 'elements are more than 100 levels deep'],
    ['a million attributes', ' a="1"', 1_000_000, 'an element has more than 250 attributes'],
    ['a million declarations', ' xmlns:a="u"', 1_000_000, 'an element has more than 250 attributes'],
    ['elements without end', '<a/>', 100_000_000, 'there are more than 500000 elements'],
  ])('stop %s on the way', (_, text, times, reason) => {
    const found = refusedAfter(repeated(text, times, text.startsWith(' ') ? '<r' : '<r>'));
    expect(found.reason).toBe(reason);
    expect(found.written).toBeLessThan(text.length * (XML_LIMITS.elements + 2000));
  });

  /** Each begins with what the parser collects in silence until it ends. */
  it.each([
    ['a text', '<r>'],
    ['an attribute value', '<r a="'],
    ['a CDATA section', '<r><![CDATA['],
    ['a comment', '<r><!--'],
    ['a processing instruction', '<r><?x '],
    ['a name', '<'],
    ['the name of an attribute', '<r '],
    ['the name of an end tag', '<r></'],
    ['an entity', '<r>&'],
    ['a DOCTYPE', '<!DOCTYPE '],
    ['a document type', '<!DOCTYPE a ['],
    ['an XML declaration', '<?xml version="'],
  ])('stop %s without end before memory is full of it', (_, start) => {
    const { written, reason } = refusedAfter(repeated('x', 100_000_000, start), { text: 200_000, name: 1000 });
    expect(reason).toBe('a text, value or other piece has more than 200000 characters');
    expect(written).toBeLessThan(300_000);
  });

  it('stop white space without end', () => {
    for (const start of ['', '<r ', '<r/>', '<r></r ']) {
      const { written } = refusedAfter(repeated(' ', 100_000_000, start), { text: 200_000 });
      expect(written).toBeLessThan(300_000);
    }
  });

  it('stop comments without end that nothing stands between', () => {
    expect(refusedAfter(repeated('<!-- -->', 100_000_000), { text: 200_000 }).written).toBeLessThan(300_000);
  });

  it('stop a text of references, which count as they are written', () => {
    const { written } = refusedAfter(repeated('&#x10FFFF;', 100_000_000), { text: 200_000 });
    expect(written).toBeLessThan(300_000);
  });

  it('refuse a name of a megabyte', () => {
    const name = 'n'.repeat(1024 ** 2);
    for (const xml of [`<${name}/>`, `<a ${name}=""/>`])
      expect(errorOf(() => readXml(xml)).reason).toBe('a name has more than 1000 characters');
  });

  it('is read in time that grows as its length does', () => {
    const rows = '<p:row a="1"><p:x>text &amp; more</p:x>\r\n</p:row>'.repeat(5000);
    expectWithin(400, () => readXml(`<p:r xmlns:p="urn:p">${rows}</p:r>`));
    expectWithin(400, () => readXml(`<a>${']]'.repeat(50_000)}<![CDATA[${'] '.repeat(50_000)}]]></a>`));
    expectWithin(400, () => readXml(`<a>${'x<!-- -->'.repeat(20_000)}</a>`));
  });
});
