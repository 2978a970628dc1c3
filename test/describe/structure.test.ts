import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { describeXsdFiles } from '../../src/describe/index.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import type { Service } from '../../src/model/service.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { readXml } from '../../src/wire/xml/read.ts';
import { compound, document, field, listOf, registry } from '../support/registry.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { NAMESPACE, structureOf } from './structure.ts';

// Structures of XML Schema in the definitions: what the codec reads and writes is what the contracts permit.

const root = (content: string, attributes = ''): string => `<DOC xmlns="${NAMESPACE}"${attributes}>${content}</DOC>`;

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
