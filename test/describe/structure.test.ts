import { describe, expect, it } from 'vitest';
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
