import { describe, expect, test } from 'vitest';
import { describeXsdFiles } from '../../src/describe/index.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Service } from '../../src/model/service.ts';
import { compound, decimal, document, field, listOf, registry, string } from '../support/registry.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { samples } from './samples.ts';

function serviceOf(built: Registry, id: string): Service {
  return built.services.get(id) as Service;
}

/** Schemas of a service that answers a document. */
function filesOf(response: Document, fault?: Document): ReadonlyMap<string, string> {
  const operation = { templates: ['x'], response, ...(fault === undefined ? {} : { fault }) };
  const built = registry({ 'Test.v1': { description: 'A test.', operations: { TEST_GET: operation } } });
  return describeXsdFiles(built, serviceOf(built, 'Test.v1'));
}

/** The declaration of one field, on one line. */
function declaration(given: Field): string {
  const [text = ''] = filesOf(document('DOC', [given])).values();
  const [, inner = ''] =
    /<xs:complexType name="DOC">(.*?)<\/xs:complexType>\n {2}<|<xs:complexType name="DOC">/s.exec(text) ?? [];
  const type = inner === '' ? (/<xs:complexType name="DOC">(.*)<\/xs:complexType>/s.exec(text)?.[1] ?? '') : inner;
  return type.replace(/\n\s*/g, '').replace(/^<xs:sequence>(.*)<\/xs:sequence>$/, '$1');
}

const restricted = (base: string, facets: string): string =>
  `<xs:element name="F" minOccurs="0"><xs:simpleType><xs:restriction base="${base}">${facets}</xs:restriction></xs:simpleType></xs:element>`;

describe('a field in XML Schema', () => {
  test.each([
    ['string', 'xs:string'],
    ['text', 'xs:string'],
    ['integer', 'xs:integer'],
    ['int', 'xs:int'],
    ['decimal', 'xs:decimal'],
    ['boolean', 'xs:boolean'],
    ['time', 'xs:time'],
    ['binary', 'xs:base64Binary'],
  ] as const)('%s is %s', (kind, type) => {
    expect(declaration(field('F', kind))).toBe(`<xs:element name="F" type="${type}" minOccurs="0"/>`);
  });

  test.each([
    ['a length', field('F', string(5)), 'xs:string', '<xs:maxLength value="5"/>'],
    [
      'bounds',
      field('F', string(5), { minimum: 2, maximum: 9 }),
      'xs:string',
      '<xs:minLength value="2"/><xs:maxLength value="5"/>',
    ],
    ['a pattern', field('F', 'string', { patterns: ['^\\d{2}$'] }), 'xs:string', '<xs:pattern value="[0-9]{2}"/>'],
    [
      'values',
      field('F', 'string', { enum: ['a', '<&"'] }),
      'xs:string',
      '<xs:enumeration value="a"/><xs:enumeration value="&lt;&amp;&quot;"/>',
    ],
    ['digits', field('F', decimal(10, 2)), 'xs:decimal', '<xs:totalDigits value="10"/><xs:fractionDigits value="2"/>'],
    [
      'small numbers',
      field('F', 'decimal', { minimum: 1e-7, maximum: 1e21 }),
      'xs:decimal',
      '<xs:minInclusive value="0.0000001"/><xs:maxInclusive value="1000000000000000000000"/>',
    ],
    ['Y and N', field('F', 'flag'), 'xs:string', '<xs:enumeration value="Y"/><xs:enumeration value="N"/>'],
  ])('has %s as facets', (_, given, base, facets) => {
    expect(declaration(given)).toBe(restricted(base, facets));
  });

  test.each([
    ['date', 'xs:date'],
    ['datetime', 'xs:dateTime'],
  ] as const)('%s stays a built-in type: clients convert by its name', (kind, type) => {
    expect(declaration(field('F', kind))).toBe(`<xs:element name="F" type="${type}" minOccurs="0"/>`);
  });

  test('what XML Schema can not say stands in the documentation', () => {
    const text = declaration(
      field('F', 'string', { patterns: ['\\bab'], default: 'ab', anyCase: true, description: 'Code.' }),
    );
    expect(text).toContain(
      '<xs:documentation>Code. Default: ab. Not case-sensitive. The value matches the regular expression (ECMA-262) \\bab</xs:documentation>',
    );
    expect(text).not.toContain('xs:pattern');
  });

  test('a default that a fault fills is not told', () => {
    expect(declaration(field('F', 'text', { default: '{fault.message}' }))).not.toContain('fault');
  });

  test('required, fixed and absent are told by the occurrence', () => {
    expect(declaration(field('F', 'string', { required: true, fixed: 'x' }))).toBe(
      '<xs:element name="F" type="xs:string" fixed="x"/>',
    );
    expect(declaration(field('F', 'date', { required: true, absent: 'blank' }))).toContain('minOccurs="0"');
  });

  test('an attribute is one, with its type in place', () => {
    expect(declaration(field('F', 'integer', { attribute: true, required: true }))).toBe(
      '<xs:attribute name="F" type="xs:integer" use="required"/>',
    );
    expect(declaration(field('F', 'flag', { attribute: true }))).toContain('<xs:attribute name="F"><xs:simpleType>');
  });

  test('a list is wrapped, or repeats where it is flat', () => {
    const bounds = { minimum: 1, maximum: 3, required: true };
    expect(declaration(field('F', listOf(string(2)), bounds))).toBe(
      '<xs:element name="F"><xs:complexType><xs:sequence><xs:element name="item" maxOccurs="3"><xs:simpleType>' +
        '<xs:restriction base="xs:string"><xs:maxLength value="2"/></xs:restriction></xs:simpleType></xs:element></xs:sequence></xs:complexType></xs:element>',
    );
    expect(declaration(field('F', listOf('integer', true), bounds))).toBe(
      '<xs:element name="F" type="xs:integer" maxOccurs="3"/>',
    );
    expect(declaration(field('F', listOf('integer', true)))).toBe(
      '<xs:element name="F" type="xs:integer" minOccurs="0" maxOccurs="unbounded"/>',
    );
  });

  test('entries have the name of their document, or item where that was made up', () => {
    const named = document('ROW_VW', [], { xmlName: 'row', inPlace: true });
    const derived = document('DOC.F', [], { inPlace: true });
    expect(declaration(field('F', listOf(named)))).toContain('<xs:element name="row" type="tns:ROW_VW"');
    expect(declaration(field('F', listOf(derived)))).toContain('<xs:element name="item" type="tns:DOC.F_item"');
  });
});

describe('schemas of a service', () => {
  test('the main one has the namespace of the service, and an element and a type for each document', () => {
    const { tools } = samples;
    const [text = ''] = describeXsdFiles(tools, serviceOf(tools, 'Locations.v1')).values();
    expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<xs:schema /);
    expect(text).toContain('targetNamespace="urn:signalbox:test:Locations.v1" elementFormDefault="qualified"');
    for (const id of ['LOC_REQUEST', 'LOC_RESPONSE', 'LOC_DTL_VW', 'EE_LIST_VW', 'LOC_FAULT']) {
      expect(text).toContain(`<xs:element name="${id}" type="tns:${id}"/>`);
      expect(text).toContain(`<xs:complexType name="${id}">`);
    }
  });

  test('other namespaces are files of their own, which the main one imports', () => {
    const inner = document('INNER', [field('A'), field('B', 'string', { namespace: 'urn:two' })], {
      namespace: 'urn:one',
    });
    const files = filesOf(
      document('DOC', [field('X', compound(inner))]),
      document('FAULT', [field('MESSAGE')], { namespace: '' }),
    );
    expect([...files.keys()]).toEqual(['Test.v1.xsd', 'Test.v1.2.xsd', 'Test.v1.none.xsd', 'Test.v1.4.xsd']);
    const main = files.get('Test.v1.xsd') as string;
    expect(main).toContain('<xs:import namespace="urn:one" schemaLocation="Test.v1.2.xsd"/>');
    expect(main).toContain('<xs:import schemaLocation="Test.v1.none.xsd"/>');
    expect(main).toContain('<xs:element name="X" type="ns1:INNER" minOccurs="0"/>');
    expect(files.get('Test.v1.2.xsd')).toContain('<xs:group ref="ns2:INNER.B"/>');
    expect(files.get('Test.v1.none.xsd')).toContain('<xs:element name="FAULT" type="FAULT"/>');
    expect(files.get('Test.v1.none.xsd')).not.toContain('targetNamespace');
  });

  test('a document in place has the namespace of the one around it, and no element of its own', () => {
    const inner = document('DOC.X', [field('A')], { inPlace: true });
    const files = filesOf(document('DOC', [field('X', compound(inner))], { namespace: '' }));
    expect([...files.keys()]).toEqual(['Test.v1.xsd']);
    const [text = ''] = files.values();
    expect(text).toContain('<xs:complexType name="DOC.X">');
    expect(text).not.toContain('<xs:element name="DOC.X"');
  });

  test('where two documents have one element name, the message keeps it', () => {
    const inner = document('INNER', [field('A')], { xmlName: 'root' });
    const [text = ''] = filesOf(document('OUTER', [field('X', compound(inner))], { xmlName: 'root' })).values();
    expect(text.match(/<xs:element name="root"/g)).toHaveLength(1);
    expect(text).toContain('<xs:element name="root" type="tns:OUTER"/>');
  });

  test('an open document takes what is not declared, without making a content model ambiguous', () => {
    const [qualified = ''] = filesOf(document('DOC', [field('A')], { open: true })).values();
    expect(qualified).toContain(
      '<xs:any namespace="##local" processContents="lax" minOccurs="0" maxOccurs="unbounded"/>',
    );
    const fields = [field('A', 'string', { required: true }), field('B'), field('C', 'string', { required: true })];
    const [bare = ''] = filesOf(document('DOC', fields, { open: true, namespace: '' })).values();
    expect(bare).toContain('<xs:element name="A" type="xs:string"/>');
    expect(bare).not.toContain('<xs:element name="B"');
    expect(bare).toContain('The elements that may follow include: B, C.');
  });

  test('a document that holds itself is declared once', () => {
    const tree: { -readonly [K in keyof Document]: Document[K] } = document('TREE', []);
    tree.fields = [field('NAME'), field('CHILDREN', listOf(tree))];
    const [text = ''] = filesOf(tree).values();
    expect(text.match(/<xs:complexType name="TREE">/g)).toHaveLength(1);
    expect(text).toContain('<xs:element name="TREE" type="tns:TREE" minOccurs="0" maxOccurs="unbounded"/>');
  });

  test('a service without documents has an empty schema', () => {
    const built = registry({ 'Test.v1': { operations: { TEST_DELETE: { method: 'DELETE', templates: ['x'] } } } });
    const [[name, text] = ['', '']] = describeXsdFiles(built, serviceOf(built, 'Test.v1'));
    expect(name).toBe('Test.v1.xsd');
    expect(text).toContain('<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"/>');
  });

  test('one path name has the schema of its operations alone', () => {
    const { tools } = samples;
    const files = describeXsdFiles(tools, serviceOf(tools, 'QAS_QRY_SERVICE.v1'), { pathName: 'ListQuery' });
    expect([...files.keys()]).toEqual(['ListQuery.v1.xsd', 'ListQuery.v1.none.xsd']);
    expect([...files.values()].join('')).not.toContain('QAS_QUERY_JSON');
    expect(() => describeXsdFiles(tools, serviceOf(tools, 'QAS_QRY_SERVICE.v1'), { pathName: 'Nothing' })).toThrow(
      RangeError,
    );
  });
});

describe.skipIf(!hasXmllint)('schemas refuse what is wrong (needs xmllint)', () => {
  const fields = [
    field('CODE', string(2), { required: true, patterns: ['[A-Z]+'] }),
    field('TOTAL', decimal(4, 2)),
    field('FLAG', 'flag'),
    field('DAY', 'date'),
  ];
  const files = filesOf(document('DOC', fields));
  const valid = (inner: string): string =>
    validateXml({ name: 'Test.v1.xsd', files }, [`<DOC xmlns="urn:signalbox:test:Test.v1">${inner}</DOC>`]);

  test('takes what is right', () => {
    expect(valid('<CODE>AB</CODE><TOTAL>12.50</TOTAL><FLAG>Y</FLAG><DAY>2026-01-31</DAY>')).toBe('');
  });

  test.each([
    ['', 'CODE'],
    ['<CODE>ABC</CODE>', 'maxLength'],
    ['<CODE>a</CODE>', 'pattern'],
    ['<CODE>A</CODE><TOTAL>1.234</TOTAL>', 'fractionDigits'],
    ['<CODE>A</CODE><TOTAL>123.45</TOTAL>', 'totalDigits'],
    ['<CODE>A</CODE><FLAG>y</FLAG>', 'enumeration'],
    ['<CODE>A</CODE><DAY>31.01.2026</DAY>', 'DAY'],
    ['<CODE>A</CODE><OTHER/>', 'OTHER'],
    ['<TOTAL>1</TOTAL><CODE>A</CODE>', 'CODE'],
  ])('refuses %s by %s', (inner, word) => {
    expect(valid(inner)).toContain(word);
  });
});
