import { describe, expect, test } from 'vitest';
import { declaredOf, errorsOf } from '../support.ts';
import { inOut, message, service, types, wsdl } from '../wsdl/wsdl-text.ts';

const PARTY =
  '<xs:complexType name="Party"><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType>';
const NAMED =
  '<xs:complexType name="Firm"><xs:complexContent><xs:extension base="t:Party"><xs:sequence><xs:element name="tax" type="xs:string"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>';
const extension = (inside: string) =>
  `<xs:complexType><xs:complexContent><xs:extension base="t:Party"><xs:sequence>${inside}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>`;
const BUYER = `<xs:element name="buyer">${extension('<xs:element name="since" type="xs:date"/>')}</xs:element>`;

/** A contract whose request has a party, and whose reply is an element. */
const contract = (schema: string, reply: string, field = '<xs:element name="party" type="t:Party"/>') =>
  wsdl(`${types(`${PARTY}${schema}<xs:element name="ask"><xs:complexType><xs:sequence>${field}</xs:sequence></xs:complexType></xs:element>`)}
${message('in', 'element="t:ask"')}${message('out', `element="t:${reply}"`)}${service({ Ask: inOut('in', 'out') })}`);

const documentsOf = async (text: string) => {
  const { declared } = await declaredOf({ 'a.wsdl': text });
  expect(errorsOf(declared)).toEqual([]);
  return new Map(declared.filter(({ kind }) => kind === 'document').map(({ id, keys }) => [id, keys]));
};

describe('documents of elements, and of types without a name', () => {
  test('do not stand for their base, since no xsi:type can name them: they have its fields', async () => {
    const documents = await documentsOf(contract(BUYER, 'buyer'));
    expect(documents.get('Party')).toEqual({ fields: { name: { type: 'string', required: true } } });
    expect(documents.get('buyer')).toMatchObject({ fields: { name: {}, since: {} } });
    expect(documents.get('buyer')).not.toHaveProperty('extends');
  });

  test('of which several elements have one type, too', async () => {
    const elements = '<xs:element name="one" type="t:Party"/><xs:element name="two" type="t:Party"/>';
    const documents = await documentsOf(contract(elements, 'one'));
    expect(documents.get('one')).toMatchObject({ fields: { name: {} } });
    expect(documents.get('one')).not.toHaveProperty('extends');
  });

  test('types with a name still do', async () => {
    const documents = await documentsOf(contract(BUYER + NAMED, 'buyer'));
    expect(documents.get('Firm')).toMatchObject({ extends: 'Party' });
  });

  test('derive from a base that is the type of nothing', async () => {
    const documents = await documentsOf(contract(BUYER, 'buyer', '<xs:element name="party" type="xs:string"/>'));
    expect(documents.get('buyer')).toMatchObject({ extends: 'Party' });
  });
});
