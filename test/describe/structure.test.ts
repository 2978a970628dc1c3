import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { describeXsdFiles } from '../../src/describe/index.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import type { Service } from '../../src/model/service.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { compound, document, field, listOf, registry } from '../support/registry.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { NAMESPACE, structureOf } from './structure.ts';

// Structures of XML Schema in the definitions: what the codec reads and writes is what the contracts permit.

const root = (content: string, attributes = ''): string => `<DOC xmlns="${NAMESPACE}"${attributes}>${content}</DOC>`;

it('has attributes in the namespace of XML', () => {
  const doc = structureOf(`
document: DOC
fields:
  A: string
  lang: { type: string, attribute: true, namespace: http://www.w3.org/XML/1998/namespace }
`);
  doc.expectSame(root('<A>a</A>', ' xml:lang="en"'), { A: 'a', lang: 'en' });
});

describe('a document with `unqualified`', () => {
  const definitions = `
document: DOC
unqualified: true
fields:
  A: string
  B: { fields: { C: string, D: { type: string, namespace: urn:other } } }
  L: { list: { fields: { E: integer } } }
  M: map of integer
  P: PART
  K: { type: string, attribute: true }
---
document: PART
fields: { F: string }
`;

  it('has elements without a namespace in one that has one, in documents in place too', () => {
    const doc = structureOf(definitions);
    doc.expectSame(
      root(
        '<A xmlns="">a</A><B xmlns=""><C>c</C><D xmlns="urn:other">d</D></B><L xmlns=""><item><E>1</E></item></L>' +
          `<M xmlns=""><entry key="k">1</entry></M><P xmlns=""><F xmlns="${NAMESPACE}">f</F></P>`,
        ' K="k"',
      ),
      { A: 'a', B: { C: 'c', D: 'd' }, L: [{ E: 1 }], M: { k: 1 }, P: { F: 'f' }, K: 'k' },
    );
    doc.expectExamples();
    expect(() => doc.read(root('<A>a</A>'))).toThrow(`A is in namespace "${NAMESPACE}", and belongs to none`);
  });

  it('may be one of several documents', () => {
    const one = structureOf(`
document: DOC
unqualified: true
one-of: { a: A, b: B }
by: kind
---
document: A
fields: { F: string }
---
document: B
fields: { F: string }
`);
    one.expectSame(root(`<a xmlns=""><F xmlns="${NAMESPACE}">f</F></a>`), { a: { F: 'f' } });
  });
});

describe('`xml-type`', () => {
  it('is the name of the type in XML Schema', () => {
    const doc = structureOf(`
document: DOC
xml-type: doc_type
fields: { A: PART, B: doc_type }
---
document: PART
xml-type: "ObjectFactory"
fields: { F: string }
---
document: doc_type
fields: { F: string }
`);
    expect(doc.schema).toContain('<xs:complexType name="doc_type">');
    expect(doc.schema).toContain('<xs:element name="A" type="tns:ObjectFactory" minOccurs="0"/>');
    expect(doc.schema).toContain('<xs:element name="B" type="tns:doc_type_2" minOccurs="0"/>');
    doc.expectExamples();
  });
});

describe('a field with `content`', () => {
  const definitions = (content: string): string => `
document: DOC
fields: { P: PRICE, L: { type: list of PRICE, flat: true }, W: list of PRICE, M: map of PRICE }
---
document: PRICE
fields: { VALUE: ${content}, CURRENCY: { type: string, attribute: true } }
`;

  it('is the text of the element, beside attributes', () => {
    const doc = structureOf(definitions('{ type: decimal(6.2), content: true, required: true, minimum: 1 }'));
    doc.expectSame(
      root(
        '<P CURRENCY="EUR">1.50</P><L>2</L><L>3</L><W><PRICE CURRENCY="CHF">4</PRICE></W>' +
          '<M><entry key="a" CURRENCY="USD">5</entry></M>',
      ),
      {
        P: { VALUE: '1.50', CURRENCY: 'EUR' },
        L: [{ VALUE: '2' }, { VALUE: '3' }],
        W: [{ VALUE: '4', CURRENCY: 'CHF' }],
        M: { a: { VALUE: '5', CURRENCY: 'USD' } },
      },
    );
    doc.expectExamples();
    expect(() => doc.read(root('<P>x</P>'))).toThrow('P.VALUE is not a decimal');
    expect(() => doc.read(root('<P/>'))).toThrow('P.VALUE is not a decimal');
    expect(() => doc.read(root('<P>0</P>'))).toThrow('P.VALUE is less than 1');
    expect(() => doc.read(root('<P><A>1</A></P>'))).toThrow('P.VALUE holds an element "A", and is a single value');
    expect(() => doc.read(root('<P CURENCY="EUR">1</P>'))).toThrow('P.CURENCY is not a field of PRICE');
    expect(() => doc.write({ P: { CURRENCY: 'EUR' } })).toThrow('P.VALUE is missing');
    expect(doc.invalid(root('<P>0</P>'))).toContain('minInclusive');
  });

  it.each([
    ['{ type: string, content: true }', ' a  b ', ' a  b '],
    ['{ type: string, content: true }', '', ''],
    ['{ type: boolean, content: true, fixed: true }', 'true', true],
    ['{ type: string, content: true, required: true, enum: [a, b] }', 'b', 'b'],
    ['{ type: integer, content: true, fixed: 7 }', '7', 7],
    ['{ type: date, content: true, required: true }', '2026-01-31', '2026-01-31'],
  ])('may be %s', (content, text, value) => {
    const doc = structureOf(definitions(content));
    doc.expectSame(root(text === '' ? '<P/>' : `<P>${text}</P>`), { P: { VALUE: value } });
    doc.expectExamples();
  });

  it('may be bytes', async () => {
    const doc = structureOf(definitions('{ type: binary, content: true }'));
    const { P } = doc.read(root('<P CURRENCY="x">AQI=</P>')) as { P: DocumentValue };
    expect(doc.write({ P })).toBe(root('<P CURRENCY="x">AQI=</P>'));
  });

  it('is mixed content where it is xml: nothing of it is lost', () => {
    const doc = structureOf(definitions('{ type: xml, content: true }'));
    const markup = `a &lt; <b xmlns="">b</b> and <o:c xmlns:o="urn:o" o:k="o:v" l="&amp;">c<d xmlns="${NAMESPACE}"/></o:c>`;
    const xml = root(`<P CURRENCY="EUR">${markup.replace(` xmlns="${NAMESPACE}"/>`, '/>')}</P>`);
    const { P } = doc.read(xml) as { P: { VALUE: string } };
    expect(P.VALUE).toContain('a &lt; <b>b</b> and <o:c');
    expect(doc.read(doc.write({ P }))).toEqual({ P });
    expect(doc.invalid(xml, doc.write({ P }))).toBe('');
    doc.expectSame(root('<P>a &lt; b<E>e</E></P>'), { P: { VALUE: `a &lt; b<E xmlns="${NAMESPACE}">e</E>` } });
    doc.expectExamples();
  });

  it.each(['<a>', 'a</x><x>', '&nbsp;', '<!DOCTYPE x>', '<a:b/>'])('refuses %s, which is not markup', (VALUE) => {
    const doc = structureOf(definitions('{ type: xml, content: true }'));
    expect(() => doc.write({ P: { VALUE } })).toThrow('P.VALUE is not XML markup');
    expect(() => doc.readJson(JSON.stringify({ P: { VALUE } }))).toThrow('P.VALUE is not XML markup');
  });
});

describe('a field with `inline`', () => {
  it('has its elements among the others, and is a member like any other in JSON and code', () => {
    const doc = structureOf(`
document: DOC
fields:
  A: string
  NAME: { inline: true, fields: { FIRST: { type: string, required: true }, LAST: string } }
  PAY: { type: PAYMENT, inline: true, required: true }
  B: string
---
document: PAYMENT
one-of: { card: CARD, cash: CASH }
by: kind
---
document: CARD
fields: { NUMBER: string }
---
document: CASH
fields: { AMOUNT: integer }
`);
    doc.expectSame(root('<A>a</A><FIRST>f</FIRST><LAST>l</LAST><card><NUMBER>1</NUMBER></card><B>b</B>'), {
      A: 'a',
      NAME: { FIRST: 'f', LAST: 'l' },
      PAY: { card: { NUMBER: '1' } },
      B: 'b',
    });
    doc.expectSame(root('<cash><AMOUNT>1</AMOUNT></cash>'), { PAY: { cash: { AMOUNT: 1 } } });
    doc.expectExamples();
    expect(doc.toJson({ PAY: { cash: { AMOUNT: 1 } } })).toBe('{"PAY":{"kind":"cash","AMOUNT":1}}');
    // The order does not matter as long as names tell the field.
    expect(doc.read(root('<B>b</B><LAST>l</LAST><cash/><FIRST>f</FIRST>'))).toEqual({
      NAME: { FIRST: 'f', LAST: 'l' },
      PAY: { cash: {} },
      B: 'b',
    });
    expect(() => doc.read(root('<LAST>l</LAST><cash/>'))).toThrow('NAME.FIRST is missing');
    expect(() => doc.read(root('<A/>'))).toThrow('PAY has none of card, cash, and needs one of them');
    expect(() => doc.read(root('<cash/><card/>'))).toThrow(
      'PAY has card and cash, and can have only one of card, cash',
    );
    expect(() => doc.read(root('<cash/><cash/>'))).toThrow('PAY is given more than once');
    expect(() => doc.read(root('<cash/><LAST xmlns=""/>'))).toThrow('NAME has no namespace, and belongs to');
    expect(() => doc.read(root('<cash/><LASTS/>'))).toThrow('LASTS is not a field of DOC (did you mean LAST?)');
    expect(doc.schema).not.toContain('name="PAYMENT"');
  });

  it('may be a list: an element that is not behind the others of its entry begins the next', () => {
    const doc = structureOf(`
document: DOC
fields:
  HEAD: string
  PAIRS: { flat: true, inline: true, required: true, minimum: 1, maximum: 4, list: { fields: { A: string, B: { type: list of integer, flat: true }, C: string } } }
  TAIL: string
`);
    doc.expectSame(
      root('<HEAD>h</HEAD><A>1</A><B>1</B><B>2</B><C>c</C><B>3</B><A>4</A><A>5</A><C>d</C><TAIL>t</TAIL>'),
      {
        HEAD: 'h',
        PAIRS: [{ A: '1', B: [1, 2], C: 'c' }, { B: [3] }, { A: '4' }, { A: '5', C: 'd' }],
        TAIL: 't',
      },
    );
    doc.expectExamples();
    expect(doc.read(root('<TAIL>t</TAIL><A>1</A><HEAD>h</HEAD><B>1</B>'))).toEqual({
      HEAD: 'h',
      PAIRS: [{ A: '1', B: [1] }],
      TAIL: 't',
    });
    expect(() => doc.read(root(''))).toThrow('PAIRS has fewer than 1 entry');
    expect(() => doc.read(root('<A/><A/><A/><A/><A/>'))).toThrow('PAIRS has more than 4 entries');
    expect(() => doc.read(root('<A/><A/><B>x</B>'))).toThrow('PAIRS[1].B[0] is not an integer');
    expect(() => doc.write({ PAIRS: [{ A: '1' }, {}] })).toThrow('PAIRS[1] has no element');
    expect(doc.invalid(root('<A/><A/><A/><A/><A/>'))).toContain('A');
  });

  it('may be a repeated choice, and what is inline may have fields that are inline', () => {
    const doc = structureOf(`
document: DOC
fields:
  ID: string
  PARTS: { type: list of PART, flat: true, inline: true }
  LAST: { inline: true, required: true, fields: { X: string, Y: { type: GROUP, inline: true, required: true } } }
---
document: PART
one-of: { text: TEXT, break: BREAK }
by: kind
---
document: TEXT
fields: { T: string, SUB: { type: list of GROUP, flat: true, inline: true } }
---
document: BREAK
fields: { N: integer }
---
document: GROUP
fields: { G: { type: string, required: true }, H: { type: list of GROUP_H, flat: true, inline: true } }
---
document: GROUP_H
fields: { I: { type: string, required: true }, J: string }
`);
    doc.expectSame(
      root(
        '<ID>i</ID><text><T>t</T><G>1</G><I>2</I><J>3</J><I>4</I><G>5</G></text><break/><break><N>1</N></break><text/>' +
          '<X>x</X><G>g</G><I>i</I><I>i</I>',
      ),
      {
        ID: 'i',
        PARTS: [
          { text: { T: 't', SUB: [{ G: '1', H: [{ I: '2', J: '3' }, { I: '4' }] }, { G: '5' }] } },
          { break: {} },
          { break: { N: 1 } },
          { text: {} },
        ],
        LAST: { X: 'x', Y: { G: 'g', H: [{ I: 'i' }, { I: 'i' }] } },
      },
    );
    doc.expectExamples();
    expect(() => doc.read(root('<X/>'))).toThrow('LAST.Y.G is missing');
    expect(() => doc.read(root('<text><G/><J/></text><G/>'))).toThrow('PARTS[0].text.SUB[0].H[0].I is missing');
  });

  it('tells elements of one name by their order', () => {
    const doc = structureOf(`
document: DOC
fields:
  A: { type: string, required: true }
  PAIRS: { flat: true, inline: true, list: { fields: { B: { type: string, required: true }, PA: { type: string, xml: A } } } }
  C: { type: string, required: true }
  LAST: { type: list of string, xml: A, flat: true }
`);
    doc.expectSame(root('<A>1</A><B>b</B><A>2</A><B>b</B><C>c</C><A>3</A><A>4</A>'), {
      A: '1',
      PAIRS: [{ B: 'b', PA: '2' }, { B: 'b' }],
      C: 'c',
      LAST: ['3', '4'],
    });
    doc.expectSame(root('<A>1</A><C>c</C>'), { A: '1', C: 'c' });
    doc.expectExamples();
  });

  it('may be of another namespace, and stand in several documents', () => {
    const doc = structureOf(`
document: DOC
fields: { G: { type: GROUP, inline: true }, IN: INNER }
---
document: INNER
namespace: urn:inner
fields: { G: { type: list of GROUP, flat: true, inline: true } }
---
document: GROUP
namespace: urn:group
unqualified: true
fields: { A: string, B: { type: string, namespace: urn:b } }
`);
    doc.expectSame(
      root(
        '<A xmlns="">a</A><B xmlns="urn:b">b</B><IN><A xmlns="">1</A><B xmlns="urn:b">2</B><B xmlns="urn:b">3</B></IN>',
      ),
      { G: { A: 'a', B: 'b' }, IN: { G: [{ A: '1', B: '2' }, { B: '3' }] } },
    );
    doc.expectExamples();
  });

  it('counts as a level of nesting, as it does in JSON', () => {
    const doc = structureOf(`
document: DOC
fields: { I: { inline: true, fields: { D: DOC } } }
`);
    const nested = (levels: number): string => `${'<D>'.repeat(levels)}${'</D>'.repeat(levels)}`;
    expect(doc.read(root(nested(49)))).toBeDefined();
    expect(() => doc.read(root(nested(51)))).toThrow('is nested more than 100 levels deep');
  });
});

describe.skipIf(!hasXmllint)('inline documents of every shape (needs xmllint)', () => {
  let names = 0;
  const fresh = (): string => `E${names++}`;

  /** A document whose elements begin with one that is always there, so that entries of lists are told apart. */
  const group = (depth: number): fc.Arbitrary<Shape> =>
    fc.array(member(depth), { minLength: 0, maxLength: 4 }).map((members) => {
      const id = fresh();
      const first = field(`${id}_FIRST`, 'integer', { required: true });
      return {
        document: document(id, [first, ...members.map(({ field }) => field)], { inPlace: true }),
        value: fc
          .tuple(fc.integer(), ...members.map(({ value }) => value))
          .map(([number, ...values]) => compact([first.name, number], ...values)),
      };
    });

  const choice = (depth: number): fc.Arbitrary<Shape> =>
    fc.array(group(depth - 1), { minLength: 2, maxLength: 3 }).map((branches) => {
      const id = fresh();
      // Branches are inline in turn, or have elements of their own.
      const fields = branches.map(({ document: branch }, index) =>
        field(`${id}_${index}`, compound(branch), index === 1 ? { inline: true } : {}),
      );
      return {
        document: document(id, fields, { inPlace: true, choice: { tag: 'is' } }),
        value: fc
          .oneof(...branches.map(({ value }, index) => value.map((each) => [fields[index]!.name, each] as const)))
          .map((each) => compact(each)),
      };
    });

  const member = (depth: number): fc.Arbitrary<Member> => {
    const leaf = fc.tuple(fc.boolean(), fc.boolean()).map(([many, required]): Member => {
      const made = field(fresh(), many ? listOf('integer', true) : 'integer', { required });
      const value = many ? fc.array(fc.integer(), { minLength: 1, maxLength: 3 }) : fc.integer();
      return given(made, value);
    });
    if (depth === 0) return leaf;
    const inner = fc.tuple(fc.oneof(group(depth - 1), choice(depth)), fc.boolean(), fc.boolean());
    const nested = inner.map(([shape, many, required]): Member => {
      const type = many ? listOf(shape.document, true) : compound(shape.document);
      const value = many ? fc.array(shape.value, { minLength: 1, maxLength: 3 }) : shape.value;
      return given(field(fresh(), type, { inline: true, required }), value);
    });
    return fc.oneof(leaf, nested);
  };

  const given = (made: Field, value: fc.Arbitrary<unknown>): Member => ({
    field: made,
    value: (made.required ? value : fc.option(value, { nil: undefined })).map((each) => [made.name, each] as const),
  });

  const compact = (...members: readonly (readonly [string, unknown])[]): object =>
    Object.fromEntries(members.filter(([, value]) => value !== undefined));

  interface Shape {
    readonly document: Document;
    readonly value: fc.Arbitrary<object>;
  }

  interface Member {
    readonly field: Field;
    readonly value: fc.Arbitrary<readonly [string, unknown]>;
  }

  it('are valid as they are written, and read as the same value', () => {
    const shapes = group(3).chain(({ document: inner, value }) =>
      fc.array(value, { minLength: 1, maxLength: 5 }).map((values) => ({ inner, values })),
    );
    fc.assert(
      fc.property(shapes, ({ inner, values }) => {
        const doc = { ...inner, id: 'DOC', xmlName: 'DOC', inPlace: false };
        const built = registry({ 'Test.v1': { operations: { DOC_GET: { templates: ['doc'], response: doc } } } });
        const files = describeXsdFiles(built, built.services.get('Test.v1') as Service);
        const codec = compileDocument(doc, { namespace: 'urn:signalbox:test:Test.v1' });
        const written = values.map((each) => codec.toXml(each as DocumentValue));
        expect(validateXml({ name: 'Test.v1.xsd', files }, written)).toBe('');
        for (const [index, xml] of written.entries()) expect(codec.fromXml(readXml(xml))).toEqual(values[index]);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a field with `any`', () => {
  it('takes elements that no other field takes, and keeps their markup', () => {
    const doc = structureOf(`
document: DOC
fields:
  A: string
  B: { type: string, required: true }
  ONE: { type: xml, any: "##local" }
  MORE: { type: list of xml, flat: true, any: "##other", maximum: 3 }
`);
    const more = '<o:x xmlns:o="urn:o" o:k="o:v" l="1 &lt; 2">t<o:y/>&amp;<z>z</z></o:x>';
    doc.expectSame(root(`<A>a</A><B>b</B><n xmlns=""><B/></n>${more}<x xmlns="urn:b"/>`), {
      A: 'a',
      B: 'b',
      ONE: '<n><B/></n>',
      MORE: [more.replace(' o:k', ` xmlns="${NAMESPACE}" o:k`), '<x xmlns="urn:b"/>'],
    });
    doc.expectExamples();
    // In any order, and with what the element inherits.
    const inherited = `<p:DOC xmlns:p="${NAMESPACE}" xmlns:q="urn:q"><q:x><n/></q:x><p:B>q:b</p:B></p:DOC>`;
    expect(doc.read(inherited)).toEqual({ B: 'q:b', MORE: ['<q:x xmlns:q="urn:q"><n/></q:x>'] });
    expect(doc.write(doc.read(inherited))).toBe(root('<B>q:b</B><q:x xmlns:q="urn:q" xmlns=""><n/></q:x>'));
    expect(() => doc.read(root('<B/><C/>'))).toThrow('C is not a field of DOC');
    expect(() => doc.read(root('<B/><n xmlns=""/><m xmlns=""/>'))).toThrow('ONE is given more than once');
    expect(() => doc.read(root(`<B/>${'<x xmlns="urn:b"/>'.repeat(4)}`))).toThrow('MORE has more than 3 entries');
    const wrong = (MORE: string): (() => string) => {
      return () => doc.write({ B: 'b', MORE: [MORE] });
    };
    expect(wrong('x')).toThrow('MORE[0] is not an XML element');
    expect(wrong('<x xmlns="urn:x"/><y/>')).toThrow('MORE[0] is not an XML element');
    expect(wrong('<x/>')).toThrow('MORE[0] has no namespace, and takes elements of ##other');
    expect(wrong(`<x xmlns="${NAMESPACE}"/>`)).toThrow('MORE[0] is in namespace');
    expect(() => doc.readJson('{"B":"b","MORE":["<x>"]}')).toThrow('MORE[0] is not an XML element');
    expect(() => doc.readJson('{"B":"b","ONE":"<x xmlns=\\"urn:x\\"/>"}')).toThrow('ONE is in namespace "urn:x"');
    expect(doc.invalid(root('<B/><C/>'))).not.toBe('');
  });

  it('is in the order of declaration where that decides', () => {
    const doc = structureOf(`
document: DOC
fields:
  ONE: { type: xml, any: true, required: true }
  A: { type: string, required: true }
  GROUPS: { flat: true, inline: true, list: { fields: { G: { type: integer, required: true }, REST: { type: list of xml, flat: true, any: "urn:a ##local" } } } }
`);
    doc.expectSame(root('<A>1</A><A>2</A><G>1</G><x xmlns="urn:a"/><y xmlns=""/><G>2</G><G>3</G><x xmlns="urn:a"/>'), {
      ONE: `<A xmlns="${NAMESPACE}">1</A>`,
      A: '2',
      GROUPS: [{ G: 1, REST: ['<x xmlns="urn:a"/>', '<y/>'] }, { G: 2 }, { G: 3, REST: ['<x xmlns="urn:a"/>'] }],
    });
    doc.expectExamples();
  });

  it('may be in a choice, and in a document of another namespace', () => {
    const doc = structureOf(`
document: DOC
fields: { C: { type: list of CHOICE, flat: true, inline: true } }
---
document: CHOICE
one-of: { a: A, rest: REST }
by: kind
---
document: A
fields: { F: string }
---
document: REST
namespace: urn:rest
fields: { R: { type: xml, any: "##other" }, T: { type: xml, any: "##targetNamespace" } }
`);
    doc.expectSame(
      root(`<a/><rest><x xmlns="${NAMESPACE}"/><t xmlns="urn:rest"/></rest>`.replace(` xmlns="${NAMESPACE}"`, '')),
      { C: [{ a: {} }, { rest: { R: `<x xmlns="${NAMESPACE}"/>`, T: '<t xmlns="urn:rest"/>' } }] },
    );
  });

  it('takes attributes of any name as a map', () => {
    const doc = structureOf(`
document: DOC
fields:
  K: { type: string, attribute: true }
  REST: { type: map of text, attribute: true }
  P: PRICE
  O: { fields: { OTHERS: { type: map of text, attribute: true, any: "##other", required: true } } }
---
document: PRICE
fields: { V: { type: integer, content: true, required: true }, MORE: { type: map of text, attribute: true } }
`);
    doc.expectSame(
      root('<P a="b">1</P><O xmlns:b0="urn:o" b0:x="1"/>', ' K="k" l="&lt;" xmlns:b1="urn:b" b1:K="2" xml:lang="de"'),
      {
        K: 'k',
        REST: { l: '<', '{urn:b}K': '2', '{http://www.w3.org/XML/1998/namespace}lang': 'de' },
        P: { V: 1, MORE: { a: 'b' } },
        O: { OTHERS: { '{urn:o}x': '1' } },
      },
    );
    doc.expectSame(root('<O/>'), { O: { OTHERS: {} } });
    doc.expectExamples();
    expect(() => doc.read(root('<O x="1"/>'))).toThrow('O.x is not a field of DOC_O');
    const xsi = 'xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="a b"';
    expect(doc.read(root('', ` ${xsi}`))).toEqual({});
    const refused = (key: string, reason: string): void =>
      expect(() => doc.write({ REST: { [key]: 'x' } })).toThrow(`REST.${reason}`);
    refused('K', 'K is an attribute that has a field of its own');
    for (const key of ['', '1', 'a b', 'a:b', 'xmlns', '{}a', '{urn:a}', '{urn:a'])
      expect(() => doc.write({ REST: { [key]: 'x' } }), key).toThrow('is not the name of an attribute');
    expect(() => doc.write({ O: { OTHERS: { x: '1' } } })).toThrow(
      'O.OTHERS.x is not in a namespace that is taken: ##other',
    );
  });

  it('is xs:anyType together with `content`: nothing of an element is lost', () => {
    const doc = structureOf(`
document: DOC
fields: { D: { fields: { MARKUP: { type: xml, content: true }, ATTRIBUTES: { type: map of text, attribute: true } } } }
`);
    doc.expectSame(root('<D a="1" xmlns:b1="urn:b" b1:c="2">x &amp; <y xmlns="">z</y><E e="e"/></D>'), {
      D: { MARKUP: `x &amp; <y>z</y><E xmlns="${NAMESPACE}" e="e"/>`, ATTRIBUTES: { a: '1', '{urn:b}c': '2' } },
    });
    doc.expectExamples();
    const plain = structureOf('document: DOC\nfields: { D: xml }\n');
    expect(plain.read(root('<D>x<y xmlns="">z</y></D>'))).toEqual({ D: 'x<y>z</y>' });
    expect(() => plain.read(root('<D a="1"/>'))).toThrow('D has an attribute "a", which it can\'t have');
  });
});
