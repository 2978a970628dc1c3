import { describe, expect, it } from 'vitest';
import type { DocumentValue } from '../../src/model/value.ts';
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
