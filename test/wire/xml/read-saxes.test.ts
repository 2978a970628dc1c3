import fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { describe, expect, it } from 'vitest';
import { readXml, XmlError } from '../../../src/wire/xml/read-xml.ts';
import { isXmlName } from '../../../src/wire/xml/text.ts';
import type { XmlElement } from '../../../src/wire/xml/tree.ts';

/** What both readers make of an element. */
interface Plain {
  readonly name: readonly string[];
  readonly place: readonly number[];
  readonly attributes: readonly (readonly string[])[];
  readonly content: (Plain | string)[];
}

function plain({ local, namespace, prefix, line, column, attributes, content }: XmlElement): Plain {
  return {
    name: [prefix, namespace, local],
    place: [line, column],
    attributes: attributes.map((each) => [each.prefix ?? '', each.namespace, each.local, each.value]),
    content: content.map((each) => (typeof each === 'string' ? each : plain(each))),
  };
}

function ours(xml: string): Plain | undefined {
  try {
    return plain(readXml(xml));
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return undefined;
  }
}

/** Reads by saxes, and refuses what is refused here by intent, or what saxes takes and shouldn't. */
function theirs(xml: string): Plain | undefined {
  // It takes the unit behind half of a pair for the other half.
  if (!xml.isWellFormed()) return undefined;
  const parser = new SaxesParser({ xmlns: true, position: false, forceXMLVersion: true, defaultXMLVersion: '1.0' });
  const open: Plain[] = [];
  let root: Plain | undefined;
  parser.on('doctype', () => {
    throw new Error('no document type is read');
  });
  parser.on('opentag', ({ prefix, uri, local, attributes }) => {
    const all = Object.values(attributes);
    for (const each of all) {
      // It takes white space away from namespaces.
      if (each.uri === XMLNS && each.value.trim() !== each.value) throw new Error('white space');
    }
    // It looks at the whole of a name, so that `a:1` is one (Namespaces 4).
    if (![local, ...all.map((each) => each.local)].every(isXmlName)) throw new Error('no NCName');
    const element: Plain = {
      name: [prefix, uri, local],
      place: [parser.line, parser.column],
      attributes: all
        .filter((each) => each.uri !== XMLNS)
        .map((each) => [each.prefix, each.uri, each.local, each.value]),
      content: [],
    };
    root ??= element;
    open.at(-1)?.content.push(element);
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  const addText = (text: string): void => {
    const content = open.at(-1)?.content;
    const last = content?.at(-1);
    if (content === undefined || text === '') return;
    if (typeof last === 'string') content[content.length - 1] = last + text;
    else content.push(text);
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  try {
    parser.write(xml).close();
  } catch {
    return undefined;
  }
  return root;
}

/** Where saxes takes a `?` for the end of a target, though more follows than a `>` (XML 2.6). */
const QUESTION = /<\?[^\s<>?]+\?[^>]/;

const XMLNS = 'http://www.w3.org/2000/xmlns/';

const DOCUMENTS = [
  '<?xml version="1.0" encoding="utf-8"?>\n<s:Envelope xmlns:s="urn:s"><s:Header/><s:Body><a xmlns="urn:a"><b>1 &amp; 2</b>\r\n</a></s:Body></s:Envelope>',
  "<?xml version='1.1' standalone='yes' ?><a xmlns:p=\"u\" xmlns:q='v' p:x='1' q:x=\"&lt;2&#10;\t3\" x=''><p:b xmlns:p='w'/><q:b/></a><!-- end -->\n",
  '\ufeff<!-- a - b --><?style x="y"?><a xml:lang="en">t<![CDATA[<b>]] ></b>]]><!---->&#x1D11E;\u{1d11e}<?p?>]]&gt;</a>\r\n',
  '<é><名 ü="é"/>\u0085<_-.1 a=">"></_-.1 ></é>',
  '<a xmlns="urn:a" xmlns:b="urn:b"><b xmlns="" b:c="" c=""><c/></b><b:b xmlns:b="urn:c">\r<![CDATA[]]>\r\n</b:b></a>',
];

const SNIPPETS = [
  ...[
    '<',
    '>',
    '/',
    '&',
    ';',
    '"',
    "'",
    '=',
    ' ',
    '\n',
    '\r',
    '\r\n',
    '\t',
    ':',
    '-',
    '--',
    ']',
    ']]>',
    '?',
    '!',
    '#',
    'x',
  ],
  ...[
    '<!--',
    '-->',
    '<![CDATA[',
    '<?',
    '?>',
    '<?p q?>',
    '<?xml version="1.0"?>',
    '<!DOCTYPE a>',
    '</a>',
    '<a>',
    '<b/>',
  ],
  ...[
    '&amp;',
    '&#38;',
    '&#x26;',
    '&#0;',
    '&#xD800;',
    '&#65',
    '&nbsp;',
    '&&',
    ' a=""',
    " b:c=''",
    ' c="d"',
    ' xmlns=""',
  ],
  ...[
    ' xmlns="urn:a"',
    ' xmlns:b="urn:b"',
    ' xmlns:p=""',
    ' xmlns:xml="u"',
    `${XMLNS}`,
    'xml',
    'xmlns',
    'xmlns:',
    '1',
    '.',
  ],
  ...[
    '\0',
    '\u0007',
    '\u0085',
    '\u00a0',
    '\u00b7',
    '\u00d7',
    '\u0300',
    '\u2028',
    '\ufeff',
    '\ufffd',
    '\ufffe',
    '\u{10ffff}',
  ],
  ...['\ud800', '\udc00', 'é', '\u{1d11e}', '(', '$', '\\', '`', '{', '0', 'A', 'encoding="utf-8"', ' standalone="no"'],
];

type Edit = readonly [
  kind: 'cut' | 'insert' | 'copy' | 'replace',
  behind: boolean,
  at: number,
  length: number,
  snippet: string,
];

const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.constantFrom('cut' as const, 'insert' as const, 'insert' as const, 'copy' as const, 'replace' as const),
  fc.boolean(),
  fc.nat(300),
  fc.nat(8),
  fc.constantFrom(...SNIPPETS),
);

/** @param behind whether it is done right behind a tag, where more is allowed */
function edited(xml: string, [kind, behind, place, length, snippet]: Edit): string {
  const anywhere = place % (xml.length + 1);
  const at = behind ? xml.indexOf('>', anywhere) + 1 : anywhere;
  const [before, piece, after] = [xml.slice(0, at), xml.slice(at, at + length), xml.slice(at + length)];
  if (kind === 'cut') return before + after;
  if (kind === 'insert') return before + snippet + piece + after;
  return kind === 'copy' ? before + piece + piece + after : before + snippet + after;
}

describe('beside saxes', () => {
  it.each(DOCUMENTS)('%j is the same', (xml) => {
    expect(ours(xml)).toBeDefined();
    expect(ours(xml)).toEqual(theirs(xml));
  });

  it('reads and refuses the same documents, whatever is done to them', () => {
    let read = 0;
    fc.assert(
      fc.property(fc.constantFrom(...DOCUMENTS), fc.array(edit, { minLength: 1, maxLength: 3 }), (xml, edits) => {
        const changed = edits.reduce(edited, xml);
        if (QUESTION.test(changed)) return;
        const found = ours(changed);
        if (found !== undefined) read += 1;
        expect(found).toEqual(theirs(changed));
      }),
      { numRuns: 2_500 },
    );
    // A tenth is still XML, or next to nothing was compared.
    expect(read).toBeGreaterThan(250);
  });
});
