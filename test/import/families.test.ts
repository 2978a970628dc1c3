import { expect, it } from 'vitest';
import { declaredOf, errorsOf } from './support.ts';

// Types that derive from each other, as definitions.

const extension = (name: string, base: string, content: string): string =>
  `<xs:complexType name="${name}"><xs:complexContent><xs:extension base="${base}"><xs:sequence>${content}</xs:sequence></xs:extension></xs:complexContent></xs:complexType>`;

it('types that derive from each other keep their namespaces, and have a member with a name that is free', async () => {
  const { declared, losses } = await declaredOf({
    'a.xsd': `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a" targetNamespace="urn:a"><xs:import namespace="urn:b" schemaLocation="b.xsd"/><xs:complexType name="Base" abstract="true"><xs:sequence><xs:element name="type" type="xs:string"/></xs:sequence></xs:complexType><xs:complexType name="Alone" abstract="true"><xs:sequence><xs:element name="x" type="xs:string"/></xs:sequence></xs:complexType>${extension('Own', 'a:Base', '<xs:element name="kind" type="xs:string"/>')}</xs:schema>`,
    'b.xsd': `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a" targetNamespace="urn:b" elementFormDefault="qualified"><xs:import namespace="urn:a" schemaLocation="a.xsd"/>${extension('Other', 'a:Base', '')}</xs:schema>`,
  });
  const documents = new Map(declared.filter(({ kind }) => kind === 'document').map(({ id, keys }) => [id, keys]));
  expect(documents.get('Base')).toMatchObject({
    abstract: true,
    by: 'xsi-type',
    namespace: 'urn:a',
    unqualified: true,
  });
  expect(documents.get('Own')).toMatchObject({ extends: 'Base', namespace: 'urn:a' });
  expect(documents.get('Other')).toMatchObject({
    extends: 'Base',
    namespace: 'urn:b',
    unqualified: false,
    fields: {},
  });
  expect(documents.get('Alone')).not.toHaveProperty('abstract');
  expect(losses.map(({ what }) => what)).toContain('`abstract` of Alone');
  expect(errorsOf(declared)).toEqual([]);
});
