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
