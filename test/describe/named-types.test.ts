import { describe, expect, it } from 'vitest';
import { describeOpenApi, describeWadl, describeWsdl, describeXsdFiles } from '../../src/describe/index.ts';
import { generate } from '../../src/generate/index.ts';
import type { Service } from '../../src/model/service.ts';
import { load } from '../load/linked.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';

const registry = load(`
type: STATUS
description: How far an order is.
base: string(1)
enum: [N, S]
labels: { N: New, S: Sent }
example: N
---
type: CODE
base: string(3)
pattern: "[A-Z]{3}"
---
document: ORDER
fields:
  state: { type: STATUS, required: true }
  before: { type: STATUS, description: The one before., default: S }
  maybe: { type: STATUS, nullable: true }
  only: { type: CODE, fixed: ABC }
  blank: { type: STATUS, absent: blank }
  codes: { type: list of CODE, maximum: 5 }
  size: { type: string, enum: [L, M], labels: { L: Large } }
---
service: Orders.v1
public: true
operations:
  ORDERS_GET: { get: "orders/{state}{?code}", request: { fields: { state: STATUS, code: CODE } }, response: ORDER }
`);
const service = registry.services.get('Orders.v1') as Service;

/** Declarations in every place that has a simple type. */
const shapes = load(`
type: STATE
xml-type: StateType
description: How far an order is.
base: string(1)
enum: [N, S]
labels: { N: New, S: Sent }
---
type: CODE
base: string(3)
pattern: "[A-Z]{3}"
---
document: CONTENT
fields: { value: { type: CODE, content: true, required: true }, of: { type: string, attribute: true, required: true } }
---
document: SHAPE
fields:
  plain: { type: STATE, required: true }
  own: { type: STATE, description: The one before., default: S }
  only: { type: CODE, fixed: ABC }
  codes: { type: list of CODE, maximum: 5 }
  spaced: { type: list of CODE, spaced: true }
  keyed: map of CODE
  content: CONTENT
  narrow: { type: CODE, minimum: 3 }
  mark: { type: CODE, attribute: true }
---
service: Shapes.v1
public: true
operations:
  SHAPE_GET: { get: x, response: SHAPE }
`);

/** A contract without the white space between its elements. */
function flat(xml: string): string {
  return xml.replaceAll(/>\s+</g, '><');
}

describe('named simple types', () => {
  it('are one schema in OpenAPI, with the labels of their values, that members and parameters refer to', () => {
    const { components, paths } = JSON.parse(describeOpenApi(registry, service, { base: 'http://localhost' }));
    const { STATUS, ORDER } = components.schemas;
    expect(STATUS).toEqual({
      type: 'string',
      maxLength: 1,
      enum: ['N', 'S'],
      'x-enum-descriptions': ['New', 'Sent'],
      description: 'How far an order is. N: New; S: Sent.',
      examples: ['N'],
    });
    const status = { $ref: '#/components/schemas/STATUS' };
    expect(ORDER.properties).toMatchObject({
      state: status,
      before: { ...status, description: 'The one before.', default: 'S' },
      maybe: { anyOf: [status, { type: 'null' }] },
      only: { type: 'string', maxLength: 3, const: 'ABC' },
      blank: { type: 'string', enum: ['N', 'S', ''] },
      codes: { type: 'array', maxItems: 5, items: { $ref: '#/components/schemas/CODE' } },
      size: { type: 'string', enum: ['L', 'M'], 'x-enum-descriptions': ['Large', ''], description: 'L: Large.' },
    });
    expect(ORDER.properties.state).toEqual(status);
    const [operation] = Object.values(paths as Record<string, { get: { parameters: { schema: object }[] } }>);
    expect(operation?.get.parameters.map(({ schema }) => schema)).toEqual([
      status,
      { $ref: '#/components/schemas/CODE' },
    ]);
  });

  it('are one type in TypeScript, with the labels in its comment', () => {
    const types = generate(registry, { schema: { $schema: 'x' } }).get('generated/types.ts') as string;
    expect(types).toContain(`/**
 * How far an order is.
 * \`string(1)\`, example \`N\`.
 * - \`N\`: New
 * - \`S\`: Sent
 */
export type STATUS = 'N' | 'S';
`);
    expect(types).toContain(
      '/**\n * Type CODE.\n * `string(3)`, pattern `[A-Z]{3}`.\n */\nexport type CODE = string;\n',
    );
    expect(types).toContain('  state: STATUS;\n');
    expect(types).toContain('   * The one before.\n   * Default `S`.\n   */\n  before?: STATUS | null | undefined;\n');
    expect(types).toContain("  only?: 'ABC' | null | undefined;\n");
    expect(types).toContain('  codes?: readonly CODE[] | null | undefined;\n');
    expect(types).toContain("  /** - `L`: Large */\n  size?: 'L' | 'M' | null | undefined;\n");
  });

  it('have labels of their values in XML Schema and in WADL', () => {
    const [xsd = ''] = describeXsdFiles(registry, service).values();
    expect(xsd.replaceAll(/>\s+</g, '><')).toContain(
      '<xs:enumeration value="S"><xs:annotation><xs:documentation>Sent</xs:documentation></xs:annotation></xs:enumeration>',
    );
    const wadl = describeWadl(registry, service, { base: 'http://localhost' });
    expect(wadl.replaceAll(/>\s+</g, '><')).toContain('<option value="S"><doc title="Sent"/></option>');
  });

  it('are one global type in XML Schema, which elements, attributes, list items, entries of maps and content refer to', () => {
    const [xsd = ''] = describeXsdFiles(shapes, shapes.services.get('Shapes.v1') as Service).values();
    const text = flat(xsd);
    expect(text.match(/<xs:enumeration /g)).toHaveLength(2);
    expect(text).toContain(
      '<xs:simpleType name="StateType"><xs:annotation><xs:documentation>How far an order is.</xs:documentation></xs:annotation>' +
        '<xs:restriction base="xs:string"><xs:maxLength value="1"/><xs:enumeration value="N">' +
        '<xs:annotation><xs:documentation>New</xs:documentation></xs:annotation></xs:enumeration>' +
        '<xs:enumeration value="S"><xs:annotation><xs:documentation>Sent</xs:documentation></xs:annotation></xs:enumeration>' +
        '</xs:restriction></xs:simpleType>',
    );
    expect(text).toContain('<xs:element name="plain" type="tns:StateType"/>');
    expect(text).toContain(
      '<xs:element name="own" type="tns:StateType" minOccurs="0"><xs:annotation><xs:documentation>The one before. Default: S.' +
        '</xs:documentation></xs:annotation></xs:element>',
    );
    expect(text).toContain('<xs:element name="only" type="tns:CODE" minOccurs="0" fixed="ABC"/>');
    expect(text).toContain('<xs:element name="item" type="tns:CODE" minOccurs="0" maxOccurs="5"/>');
    expect(text).toContain('<xs:simpleType><xs:list itemType="tns:CODE"/></xs:simpleType>');
    expect(text).toContain('<xs:simpleContent><xs:extension base="tns:CODE"><xs:attribute name="key"');
    expect(text).toContain('<xs:attribute name="mark" type="tns:CODE"/>');
    expect(text).toContain('<xs:simpleContent><xs:extension base="tns:CODE"><xs:attribute name="of"');
    expect(text).toMatch(
      /name="narrow" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string"><xs:minLength value="3"/,
    );
  });

  it.runIf(hasXmllint)('permit the same values in XML Schema as in place', () => {
    const service = shapes.services.get('Shapes.v1') as Service;
    const files = describeXsdFiles(shapes, service);
    const [name = ''] = files.keys();
    const shape = (content: string, attributes = ''): string =>
      `<SHAPE xmlns="${shapes.gateway.namespace}:Shapes.v1"${attributes}><plain>N</plain>${content}</SHAPE>`;
    const valid = [
      shape('<own>S</own><only>ABC</only><codes><item>XYZ</item></codes><spaced>ABC DEF</spaced>', ' mark="ABC"'),
      shape('<keyed><entry key="a">ABC</entry></keyed><content of="x">ABC</content><narrow>ABC</narrow>'),
    ];
    const invalid = [
      shape('<own>X</own>'),
      shape('<only>XYZ</only>'),
      shape('<codes><item>xyz</item></codes>'),
      shape('<spaced>ABC d</spaced>'),
      shape('<keyed><entry key="a">a</entry></keyed>'),
      shape('<content of="x">a</content>'),
      shape('', ' mark="a"'),
    ];
    expect(validateXml({ name, files }, valid)).toBe('');
    for (const each of invalid) expect(validateXml({ name, files }, [each]), each).toContain('fails to validate');
  });

  it('are restricted in place by documents that narrow a field of another, and remain the type of one that keeps it', () => {
    const derived = load(`
type: STATUS
base: string(1)
enum: [N, S]
---
document: BASE
fields: { kept: { type: STATUS, required: true }, narrowed: { type: STATUS, required: true }, free: { type: string(5), required: true } }
---
document: NARROW
restricts: BASE
fields: { kept: { type: STATUS, required: true }, narrowed: { type: string(1), enum: [N], required: true }, free: { type: STATUS, required: true } }
---
service: Derived.v1
public: true
operations:
  GET: { get: x, response: BASE }
`);
    const files = describeXsdFiles(derived, derived.services.get('Derived.v1') as Service);
    const [name = ''] = files.keys();
    const text = flat([...files.values()].join(''));
    expect(text.match(/name="kept" type="tns:STATUS"/g)).toHaveLength(2);
    expect(text).toContain('<xs:element name="narrowed" type="tns:STATUS"/>');
    expect(text).toMatch(/name="narrowed"><xs:simpleType><xs:restriction base="tns:STATUS">/);
    expect(text).toMatch(/name="free"><xs:simpleType><xs:restriction base="tns:BASE_free_value">/);
    const valid = (fields: string, type = ''): string =>
      `<BASE xmlns="${derived.gateway.namespace}:Derived.v1" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"${type}>${fields}</BASE>`;
    const fields = '<kept>N</kept><narrowed>S</narrowed><free>any</free>';
    const narrow = ' xsi:type="NARROW"';
    expect(validateXml({ name, files }, [valid(fields)])).toBe('');
    expect(validateXml({ name, files }, [valid('<kept>S</kept><narrowed>N</narrowed><free>S</free>', narrow)])).toBe(
      '',
    );
    expect(
      validateXml({ name, files }, [valid('<kept>S</kept><narrowed>N</narrowed><free>any</free>', narrow)]),
    ).toContain('fails to validate');
  });

  it('are in the namespace that they name, from which other schemas import them', () => {
    const own = load(`
type: COLOUR
base: string
enum: [red, blue]
xml-type: ColourType
namespace: urn:example:colours
---
document: CAR
fields: { colour: { type: COLOUR, required: true } }
---
service: Cars.v1
public: true
operations:
  CAR_GET: { get: x, response: CAR }
`);
    const files = describeXsdFiles(own, own.services.get('Cars.v1') as Service);
    const [main = '', other = ''] = files.values();
    expect(flat(main)).toContain('<xs:element name="colour" type="ns1:ColourType"/>');
    expect(flat(main)).toContain('<xs:import namespace="urn:example:colours" schemaLocation="Cars.v1.2.xsd"/>');
    expect(flat(other)).toContain('targetNamespace="urn:example:colours"');
    expect(flat(other)).toContain('<xs:simpleType name="ColourType">');
    const [name = ''] = files.keys();
    const car = (colour: string): string =>
      `<CAR xmlns="${own.gateway.namespace}:Cars.v1"><colour>${colour}</colour></CAR>`;
    expect(validateXml({ name, files }, [car('red')])).toBe('');
    expect(validateXml({ name, files }, [car('green')])).toContain('fails to validate');
  });

  it('are types of the schemas inside a WSDL, and of parts in rpc/literal', () => {
    const soap = load(`
type: STATUS
base: string(1)
enum: [N, S]
---
document: ASK
fields: { status: STATUS, state: STATUS }
---
document: REPLY
fields: { status: STATUS, state: string }
---
service: Soap.v1
public: true
operations:
  ASK_ONE: { soap: true, request: ASK, response: REPLY }
  ASK_RPC: { soap: true, style: rpc, request: ASK, response: REPLY }
`);
    const wsdl = flat(describeWsdl(soap, soap.services.get('Soap.v1') as Service, { base: 'http://localhost' }));
    expect(wsdl.match(/<xs:simpleType name="STATUS">/g)).toHaveLength(1);
    expect(wsdl.match(/<xs:enumeration /g)).toHaveLength(2);
    expect(wsdl).toContain('<xs:element name="status" type="tns:STATUS" minOccurs="0"/>');
    expect(wsdl).toContain('<wsdl:part name="status" type="tns:STATUS"/>');
    // The element state has two types, which can't be one parameter in Java.
    expect(wsdl).toContain('<jaxws:enableWrapperStyle>false</jaxws:enableWrapperStyle>');
  });

  it('are types of parameters in WADL, declared in its grammars', () => {
    const wadl = flat(describeWadl(registry, service, { base: 'http://localhost' }));
    expect(wadl).toContain('<param name="state" style="template" type="tns:STATUS" required="true">');
    expect(wadl).toContain('<param name="code" style="query" type="tns:CODE"/>');
    expect(wadl.match(/<xs:simpleType name="STATUS">/g)).toHaveLength(1);
    const params = load(`
type: CODE
base: string(3)
pattern: "[A-Z]{3}"
---
service: Params.v1
public: true
operations:
  CODE_GET: { get: "x{?code*}", request: { fields: { code: { type: list of CODE, maximum: 2 } } } }
`);
    const text = flat(describeWadl(params, params.services.get('Params.v1') as Service, { base: 'http://localhost' }));
    expect(text).toContain('<grammars><xs:schema');
    expect(text).toContain('<xs:simpleType name="CODE">');
    expect(text).toMatch(
      /<param name="code" style="query" type="tns:CODE" repeating="true"><doc>[^<]*At most 2 values\.<\/doc>/,
    );
  });
});
