import { describe, expect, it } from 'vitest';
import { declaredOf, errorsOf, yamlOf } from '../support.ts';

const XS = 'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"';
const schemaOf = (content: string): string => `<xs:schema ${XS} elementFormDefault="qualified">${content}</xs:schema>`;

const STATUS = `
  <xs:simpleType name="Status">
    <xs:annotation><xs:documentation>How far an order is.</xs:documentation></xs:annotation>
    <xs:restriction base="xs:string">
      <xs:enumeration value="N"><xs:annotation><xs:documentation>New</xs:documentation></xs:annotation></xs:enumeration>
      <xs:enumeration value="S"><xs:annotation><xs:documentation>Sent</xs:documentation></xs:annotation></xs:enumeration>
      <xs:enumeration value="D"/>
    </xs:restriction>
  </xs:simpleType>`;

/** The types and documents of one schema, as YAML. */
async function imported(content: string): Promise<{ readonly types: string; readonly documents: string }> {
  const { declared } = await declaredOf({ 'a.xsd': schemaOf(content) });
  expect(errorsOf(declared)).toEqual([]);
  const { types = '', documents = '' } = yamlOf(declared);
  return { types, documents };
}

describe('named simple types of XML Schema', () => {
  it('are types that fields, attributes and lists refer to, with the labels of their values', async () => {
    const { types, documents } = await imported(`${STATUS}
      <xs:simpleType name="Code"><xs:restriction base="xs:token"><xs:pattern value="[A-Z]{3}"/></xs:restriction></xs:simpleType>
      <xs:simpleType name="Codes"><xs:list itemType="t:Code"/></xs:simpleType>
      <xs:element name="Order"><xs:complexType>
        <xs:sequence>
          <xs:element name="status" type="t:Status"/>
          <xs:element name="earlier" type="t:Status" minOccurs="0" maxOccurs="5"/>
          <xs:element name="codes" type="t:Codes" minOccurs="0"/>
        </xs:sequence>
        <xs:attribute name="code" type="t:Code" use="required"/>
      </xs:complexType></xs:element>`);
    expect(types).toBe(`type: Status
description: How far an order is.
base: string
enum: [ N, S, D ]
labels: { N: New, S: Sent }
namespace: urn:t
---
type: Code
base: string
space: collapse
pattern: "[A-Z]{3}"
namespace: urn:t
`);
    expect(documents).toContain('status: { type: Status, required: true }');
    expect(documents).toContain('earlier: { type: list of Status, flat: true, maximum: 5 }');
    expect(documents).toContain('codes: { type: list of Code, spaced: true }');
    expect(documents).toContain('code: { type: Code, attribute: true, required: true }');
  });

  it('are not those of what restricts them further in place', async () => {
    const { documents } = await imported(`${STATUS}
      <xs:element name="Order"><xs:complexType><xs:sequence>
        <xs:element name="any" type="t:Status"/>
        <xs:element name="open"><xs:simpleType><xs:restriction base="t:Status">
          <xs:enumeration value="N"/>
        </xs:restriction></xs:simpleType></xs:element>
        <xs:element name="gone" type="t:Status" fixed="D"/>
      </xs:sequence></xs:complexType></xs:element>`);
    expect(documents).toContain('any: { type: Status, required: true }');
    expect(documents).toContain('open: { type: string, enum: [ N ], labels: { N: New }, required: true }');
    expect(documents).toContain('gone: { type: string, required: true, fixed: D }');
  });

  it('have another id than a document, and the name of the contract in XML Schema', async () => {
    const { types, documents } = await imported(`${STATUS}
      <xs:element name="Status"><xs:complexType><xs:sequence>
        <xs:element name="value" type="t:Status"/>
      </xs:sequence></xs:complexType></xs:element>`);
    expect(documents).toContain('document: Status\n');
    expect(documents).toContain('value: { type: StatusType, required: true }');
    expect(types).toContain('type: StatusType\n');
    expect(types).toContain('xml-type: Status\n');
  });

  it('are named after the fields that repeat them, if these have one name', async () => {
    const size = `<xs:simpleType><xs:restriction base="xs:string">
      <xs:enumeration value="small"/><xs:enumeration value="large"/></xs:restriction></xs:simpleType>`;
    const holder = (name: string, field: string): string =>
      `<xs:element name="${name}"><xs:complexType><xs:sequence>
        <xs:element name="${field}">${size}</xs:element></xs:sequence></xs:complexType></xs:element>`;
    const often = await imported(['A', 'B', 'C'].map((name) => holder(name, 'size')).join(''));
    expect(often.types).toBe('type: Size\nbase: string\nenum: [ small, large ]\n');
    expect(often.documents.match(/size: \{ type: Size, required: true \}/g)).toHaveLength(3);
    const seldom = await imported([holder('A', 'size'), holder('B', 'size'), holder('C', 'width')].join(''));
    expect(seldom.types).toBe('');
  });

  it('keep the bounds of entries apart from their number', async () => {
    const { documents } = await imported(`
      <xs:simpleType name="Level"><xs:restriction base="xs:int">
        <xs:minInclusive value="-9"/><xs:maxInclusive value="9"/></xs:restriction></xs:simpleType>
      <xs:element name="A"><xs:complexType><xs:sequence>
        <xs:element name="levels" type="t:Level" maxOccurs="3"/></xs:sequence></xs:complexType></xs:element>`);
    expect(documents).toContain('levels: { type: list of Level, flat: true, minimum: 1, maximum: 3, required: true }');
  });
});

describe('component schemas of OpenAPI that are single values', () => {
  const schemas = {
    Status: {
      type: 'string',
      description: 'How far.',
      enum: ['N', 'S'],
      'x-enum-descriptions': ['New', 'Sent'],
      example: 'N',
    },
    Level: {
      oneOf: [
        { const: 1, title: 'Low' },
        { const: 2, title: 'High' },
      ],
    },
    Code: { type: 'string', pattern: '^[A-Z]{3}$', maxLength: 3 },
    Order: {
      type: 'object',
      properties: {
        status: { $ref: '#/components/schemas/Status' },
        before: { $ref: '#/components/schemas/Status', description: 'The one before.' },
        maybe: { anyOf: [{ $ref: '#/components/schemas/Status' }, { type: 'null' }] },
        level: { $ref: '#/components/schemas/Level' },
        codes: { type: 'array', maxItems: 5, items: { $ref: '#/components/schemas/Code' } },
        kind: { type: 'string', enum: ['a', 'b'], 'x-enumNames': ['Alpha', 'Beta'] },
      },
    },
  };
  const reply = (schema: object): object => ({
    responses: { 200: { description: 'Yes.', content: { 'application/json': { schema } } } },
  });
  const parameters = [{ name: 'status', in: 'query', schema: { $ref: '#/components/schemas/Status' } }];
  const contract = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    paths: {
      '/orders': { get: { operationId: 'listOrders', parameters, ...reply({ $ref: '#/components/schemas/Order' }) } },
      '/codes': {
        get: { operationId: 'codes', ...reply({ type: 'array', items: { $ref: '#/components/schemas/Code' } }) },
      },
    },
    components: { schemas },
  });

  it('are types that fields, parameters and messages refer to', async () => {
    const { declared, losses } = await declaredOf({ 'a.json': contract });
    expect(errorsOf(declared)).toEqual([]);
    expect(losses).toEqual([]);
    const { types, documents, service = '' } = yamlOf(declared);
    expect(types).toBe(`type: Status
description: How far.
base: string
enum: [ N, S ]
labels: { N: New, S: Sent }
example: N
---
type: Level
base: integer
enum: [ 1, 2 ]
labels: { "1": Low, "2": High }
---
type: Code
base: string(3)
pattern: "[A-Z]{3}"
`);
    expect(documents).toBe(`document: Order
fields:
  status: Status
  before: { type: Status, description: The one before. }
  maybe: { type: Status, nullable: true }
  level: Level
  codes: { type: list of Code, maximum: 5 }
  kind: { type: string, enum: [ a, b ], labels: { a: Alpha, b: Beta } }
`);
    expect(service).toContain('request: { fields: { status: Status } }');
    expect(service).toContain('application/json: list of Code');
  });
});

it('options of parameters of WADL have their documentation as labels, and types of its grammars are types', async () => {
  const { declared } = await declaredOf({
    'a.wadl': `<application xmlns="http://wadl.dev.java.net/2009/02" ${XS.replace('targetNamespace="urn:t"', '')}>
      <grammars>${schemaOf(STATUS)}</grammars>
      <resources base="http://shop.example/"><resource path="orders"><method name="GET" id="listOrders"><request>
        <param name="status" style="query" type="t:Status"/>
        <param name="size" style="query" type="xs:string">
          <option value="S"><doc title="Small"/></option><option value="L"><doc title="Large"/></option>
        </param>
      </request></method></resource></resources>
    </application>`,
  });
  expect(errorsOf(declared)).toEqual([]);
  const { service = '', types = '' } = yamlOf(declared);
  expect(service).toContain('status: Status');
  expect(service).toContain('size: { type: string, enum: [ S, L ], labels: { S: Small, L: Large } }');
  expect(types).toContain('labels: { N: New, S: Sent }');
});
