import { describe, expect, it } from 'vitest';
import { declaredOf, errorsOf } from './support.ts';

// Schemas whose order of elements does not tell what each is: no validator takes them, and partners have them.

const HEAD =
  '<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t" elementFormDefault="qualified">';

const ANY = '<xs:any minOccurs="0" maxOccurs="unbounded" processContents="lax"/>';
const X = '<xs:element name="x" type="xs:string" minOccurs="0"/>';

const extension = (name: string, content: string): string =>
  `<xs:complexType name="${name}"><xs:complexContent><xs:extension base="t:Base"><xs:sequence>${content}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>`;

const restriction = (content: string): string =>
  `<xs:complexType name="Less"><xs:complexContent><xs:restriction base="t:Base"><xs:sequence>${content}</xs:sequence></xs:restriction></xs:complexContent></xs:complexType>`;

const base = (content: string): string =>
  `<xs:complexType name="Base"><xs:sequence>${content}</xs:sequence></xs:complexType>`;

async function read(schema: string) {
  const { declared, losses } = await declaredOf({ 'a.xsd': `${HEAD}${schema}</xs:schema>` });
  expect(errorsOf(declared)).toEqual([]);
  const fields = declared.filter(({ kind }) => kind === 'document').map(({ id, keys }) => [id, keys.fields]);
  const documents: Record<string, unknown> = Object.fromEntries(fields);
  return { documents, losses: losses.map(({ what, instead }) => `${what}: ${instead}`) };
}

describe('content whose order does not tell what an element is', () => {
  it('keeps elements of any name in other namespaces beside an element of its own', async () => {
    const { documents, losses } = await read(`${base(ANY)}${extension('More', X)}`);
    expect(documents.Base).toEqual({ any: { type: 'list of xml', flat: true, any: '##other' } });
    expect(losses).toEqual([
      'elements of any name beside the element "x" in "Base", which may be either: accepted in other namespaces only',
    ]);
  });

  it('has no elements of any name twice in succession', async () => {
    const { documents, losses } = await read(`${base(ANY)}${extension('More', ANY)}${restriction(ANY)}`);
    expect(documents).toMatchObject({ Base: {}, Less: {} });
    expect(losses).toHaveLength(1);
  });

  it('has no element a second time', async () => {
    const { documents, losses } = await read(`${base(X)}${extension('More', X)}`);
    expect(documents).toEqual({ Base: { x: 'string' }, More: {} });
    expect(losses).toEqual(['a second element "x", whose place is not clear: left out']);
  });

  it('takes elements of one name and different types as XML', async () => {
    const other =
      '<xs:element name="b" type="xs:int"/><xs:element name="x" type="xs:int" minOccurs="0" maxOccurs="4"/>';
    const { documents, losses } = await read(base(X + other));
    expect(documents.Base).toMatchObject({
      x: 'xml',
      b: { required: true },
      x_2: { type: 'list of xml', xml: 'x', flat: true, maximum: 4 },
    });
    expect(losses).toEqual(['elements "x" of different types in one content: taken as any XML']);
  });

  it('takes lists of one name and entries of different types as XML', async () => {
    const list = (name: string, item: string): string =>
      `<xs:simpleType name="${name}"><xs:list itemType="xs:${item}"/></xs:simpleType>`;
    const element = (type: string): string => `<xs:element name="x" type="t:${type}"/>`;
    const between = '<xs:element name="b" type="xs:int"/>';
    const { documents, losses } = await read(
      `${list('Words', 'string')}${list('Numbers', 'int')}${base(element('Words') + between + element('Numbers'))}`,
    );
    expect(documents.Base).toMatchObject({ x: { type: 'xml' }, x_2: { type: 'xml' } });
    expect(losses).toEqual(['elements "x" of different types in one content: taken as any XML']);
  });
});
