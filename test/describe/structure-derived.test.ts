import { describe, expect, it } from 'vitest';
import { NAMESPACE, structureOf } from './structure.ts';

// Structures of XML Schema in documents that derive from others: what the codec reads and writes is what the contracts permit.

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

/** The attributes of an element with a type other than the declared one. */
const typed = (type: string): string => ` xmlns:xsi="${XSI}" xmlns:t="${NAMESPACE}" xsi:type="t:${type}"`;

const root = (content: string): string => `<DOC xmlns="${NAMESPACE}">${content}</DOC>`;

describe('a document that extends another', () => {
  it('has one name in XML Schema and in xsi:type where one of another family has its name', () => {
    const doc = structureOf(`
document: DOC
fields: { PARTY: PARTY, PET: PET }
---
document: PARTY
fields: { NAME: string }
---
document: PERSON
xml-type: One
extends: PARTY
fields: { BORN: date }
---
document: PET
fields: { NAME: string }
---
document: DOG
xml-type: One
extends: PET
fields: { BREED: string }
`);
    doc.expectSame(root(`<PARTY${typed('One')}><NAME>n</NAME></PARTY><PET${typed('One_2')}><BREED>b</BREED></PET>`), {
      PARTY: { type: 'PERSON', NAME: 'n' },
      PET: { type: 'DOG', BREED: 'b' },
    });
  });

  it('is unqualified as that is, and has its inline fields and wildcards', () => {
    const doc = structureOf(`
document: DOC
fields: { PARTY: PARTY }
---
document: PARTY
unqualified: true
by: kind
fields:
  NAME: string
  PAY: { inline: true, required: true, named: true, one-of: { card: string, cash: integer } }
  MORE: { type: map of text, attribute: true }
---
document: PERSON
xml-type: person_type
extends: PARTY
fields:
  BORN: date
  AT: { inline: true, named: true, one-of: { home: string, work: string } }
  REST: { type: list of xml, flat: true, any: "##other" }
---
document: ALIEN
extends: PERSON
fields: {}
`);
    const content = '<NAME xmlns="">n</NAME><cash xmlns="">1</cash>';
    const own = '<BORN xmlns="">2000-01-31</BORN><work xmlns="">w</work><x xmlns="urn:x"/>';
    doc.expectSame(root(`<PARTY a="b">${content}</PARTY>`), {
      PARTY: { kind: 'PARTY', NAME: 'n', PAY: { cash: 1 }, MORE: { a: 'b' } },
    });
    for (const [kind, type] of [
      ['PERSON', 'person_type'],
      ['ALIEN', 'ALIEN'],
    ] as const)
      doc.expectSame(root(`<PARTY${typed(type)} a="b">${content}${own}</PARTY>`), {
        PARTY: {
          kind,
          NAME: 'n',
          PAY: { cash: 1 },
          MORE: { a: 'b' },
          BORN: '2000-01-31',
          AT: { work: 'w' },
          REST: ['<x xmlns="urn:x"/>'],
        },
      });
    doc.expectExamples();
    expect(doc.schema).toContain('<xs:extension base="tns:PARTY">');
    expect(doc.schema).toContain('<xs:extension base="tns:person_type"/>');
    expect(() => doc.read(root(`<PARTY${typed('person_type')}>${content}<BORN>x</BORN></PARTY>`))).toThrow(
      'PARTY.BORN',
    );
  });

  it('adds attributes to its text', () => {
    const doc = structureOf(`
document: DOC
fields: { P: PRICE }
---
document: PRICE
fields: { VALUE: { type: decimal, content: true, required: true, minimum: 1 } }
---
document: FOREIGN
extends: PRICE
fields: { CURRENCY: { type: string, attribute: true } }
---
document: SMALL
restricts: PRICE
fields: { VALUE: { type: decimal, content: true, required: true, minimum: 1, maximum: 9 } }
`);
    doc.expectSame(root('<P>1.5</P>'), { P: { type: 'PRICE', VALUE: '1.5' } });
    doc.expectSame(root(`<P${typed('FOREIGN')} CURRENCY="EUR">10</P>`), {
      P: { type: 'FOREIGN', VALUE: '10', CURRENCY: 'EUR' },
    });
    doc.expectSame(root(`<P${typed('SMALL')}>9</P>`), { P: { type: 'SMALL', VALUE: '9' } });
    doc.expectExamples();
    expect(doc.invalid(root(`<P${typed('SMALL')}>10</P>`))).toContain('maxInclusive');
  });

  it('adds nothing to mixed content but attributes', () => {
    const doc = structureOf(`
document: DOC
fields: { P: TEXT }
---
document: TEXT
fields: { VALUE: { type: xml, content: true } }
---
document: NOTE
extends: TEXT
fields: { LANG: { type: string, attribute: true } }
`);
    doc.expectSame(root(`<P${typed('NOTE')} LANG="en">a <b xmlns="">b</b></P>`), {
      P: { type: 'NOTE', VALUE: 'a <b>b</b>', LANG: 'en' },
    });
    doc.expectExamples();
  });
});

describe('a document that restricts another', () => {
  it('has narrower patterns, step by step, of fields that the other has from its own base too', () => {
    const doc = structureOf(`
document: DOC
fields: { P: BASE }
---
document: BASE
fields: { A: { type: string, pattern: ["[a-z]+", ".{2,}"] } }
---
document: MORE
extends: BASE
fields: { B: integer }
---
document: LESS
restricts: MORE
fields: { A: { type: string, pattern: ["[a-z]+", ".{2,}", "a.*"], required: true }, B: { type: integer, above: 0 } }
`);
    doc.expectSame(root(`<P${typed('LESS')}><A>ab</A><B>1</B></P>`), { P: { type: 'LESS', A: 'ab', B: 1 } });
    doc.expectExamples();
    expect(doc.invalid(root(`<P${typed('LESS')}><A>bb</A></P>`))).toContain('pattern');
    expect(doc.invalid(root(`<P${typed('LESS')}><A>a</A></P>`))).toContain('pattern');
  });
});
