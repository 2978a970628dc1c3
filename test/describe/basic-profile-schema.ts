import { attributeOf, childrenOf, type XmlElement } from '../../src/wire/xml/tree.ts';
import { everything, imports, type Rule, replace, type Spoil, which } from './basic-profile-rule.ts';
import {
  attribute,
  below,
  children,
  has,
  named,
  namespaceIn,
  schemaComponents,
  WSDL,
  type Wsdl,
  XS,
} from './wsdl-reader.ts';

/** Rules about the document as a whole, and about the schemas inside. */

const imported = '<wsdl:import namespace="urn:a" location="a.wsdl"/>';
const afterRoot = (text: string): Spoil => replace(/<wsdl:types>/, `${text}<wsdl:types>`);

const structure: readonly Rule[] = [
  [
    'R2001',
    'wsdl:import is for WSDL',
    (wsdl) => which(imports(wsdl), (each) => attribute(each, 'location').endsWith('.xsd')),
    afterRoot(imported.replace('.wsdl', '.xsd')),
  ],
  [
    'R2803',
    'the namespace of a wsdl:import is absolute',
    (wsdl) => which(imports(wsdl), (each) => !URL.canParse(attribute(each, 'namespace'))),
    afterRoot(imported.replace('urn:a', 'a')),
  ],
  [
    'R2007',
    'a wsdl:import has a location',
    (wsdl) => which(imports(wsdl), (each) => attribute(each, 'location') === ''),
    afterRoot(imported.replace('a.wsdl', '')),
  ],
  [
    'R2003',
    'xsd:import stands in xsd:schema alone',
    (wsdl) =>
      [...below(wsdl.root)]
        .filter(([each, parent]) => each.namespace === XS && each.local === 'import' && parent.local !== 'schema')
        .map(([{ line }]) => `line ${line}`),
    replace('<wsdl:types>', '<wsdl:types><xs:import namespace="urn:replies"/>'),
  ],
  [
    'R2004',
    'an xsd:import leads to a schema: it leads nowhere, all of them are inside',
    (wsdl) => which(everything(wsdl), (each) => each.local === 'import' && has(each, 'schemaLocation')),
    replace('<xs:import namespace="urn:replies"/>', '<xs:import namespace="urn:replies" schemaLocation="page.html"/>'),
  ],
  [
    'R2022',
    'wsdl:import comes first',
    ({ root }) => {
      const names = childrenOf(root).map((each) => each.local);
      return names.lastIndexOf('import') > names.findIndex((name) => name !== 'documentation' && name !== 'import')
        ? ['import']
        : [];
    },
    replace('<wsdl:portType', `${imported}<wsdl:portType`),
  ],
  [
    'R2023',
    'wsdl:types comes before all but documentation and imports',
    ({ root }) => {
      const names = childrenOf(root).map((each) => each.local);
      return names.slice(0, names.indexOf('types')).filter((name) => name !== 'documentation' && name !== 'import');
    },
    replace('<wsdl:types>', '<wsdl:message name="EARLY"/><wsdl:types>'),
  ],
  [
    'R2030',
    'wsdl:documentation is the first child',
    (wsdl) =>
      [wsdl.root, ...everything(wsdl)].flatMap((parent) =>
        which(childrenOf(parent).slice(1), ({ namespace, local }) => namespace === WSDL && local === 'documentation'),
      ),
    replace('</wsdl:types>', '</wsdl:types><wsdl:documentation>Late.</wsdl:documentation>'),
  ],
  [
    'R4003',
    'the encoding is UTF-8 or UTF-16',
    ({ text }) => (/^<\?xml[^>]*encoding="UTF-(?:8|16)"/.test(text) ? [] : ['encoding']),
    replace('encoding="UTF-8"', 'encoding="US-ASCII"'),
  ],
  [
    'R4004',
    'it is XML 1.0',
    ({ text }) => (text.startsWith('<?xml version="1.0"') ? [] : ['version']),
    replace('version="1.0"', 'version="1.1"'),
  ],
  [
    'R4005',
    'the prefix xml is not declared',
    ({ text }) => (text.includes('xmlns:xml=') ? ['xmlns:xml'] : []),
    replace('xmlns:tns=', 'xmlns:xml="http://www.w3.org/XML/1998/namespace" xmlns:tns='),
  ],
  [
    'R2026',
    'no extension is required',
    (wsdl) => which(everything(wsdl), (each) => attributeOf(each, 'required', WSDL) === 'true'),
    replace('<soap:binding ', '<soap:binding wsdl:required="true" '),
  ],
];

/** Attributes of schemas that hold QNames, with the kinds of component that they name. */
const references: readonly (readonly [attribute: string, of: readonly string[], ...kinds: string[]])[] = [
  ['type', ['element', 'attribute'], 'simpleType', 'complexType'],
  ['base', ['restriction', 'extension'], 'simpleType', 'complexType'],
  ['ref', ['element'], 'element'],
  ['ref', ['group'], 'group'],
  ['ref', ['attributeGroup'], 'attributeGroup'],
];

/** QNames of schemas: what holds each, what it names, and whether that is there. */
function* schemaReferences(wsdl: Wsdl): Generator<{ schema: XmlElement; qname: string | undefined; known: boolean }> {
  for (const [name, of, ...kinds] of references) {
    const known = schemaComponents(wsdl, ...kinds);
    for (const schema of wsdl.schemas) {
      for (const [element] of below(schema)) {
        if (element.namespace !== XS || !of.includes(element.local) || !has(element, name)) continue;
        const qname = named(element, name);
        yield { schema, qname, known: qname !== undefined && (namespaceIn(qname) === XS || known.has(qname)) };
      }
    }
  }
}

const types: readonly Rule[] = [
  [
    'R2101',
    'QNames are of namespaces that the WSDL defines or imports',
    (wsdl) => {
      const target = attribute(wsdl.root, 'targetNamespace');
      const names = everything(wsdl)
        .filter((each) => each.namespace === WSDL)
        .flatMap((each) =>
          ['message', 'binding', 'type', 'element'].filter((key) => has(each, key)).map((key) => named(each, key)),
        );
      const defined = [target, ...wsdl.schemas.map((schema) => attribute(schema, 'targetNamespace'))];
      return names.filter((each) => each === undefined || !defined.includes(namespaceIn(each))).map(String);
    },
    replace('element="ns2:orderFault"', 'element="xs:orderFault"'),
  ],
  [
    'R2102',
    'a QName of a schema component names one of the schema itself or of one that it imports',
    (wsdl) =>
      [...schemaReferences(wsdl)].flatMap(({ schema, qname, known }) => {
        const near = [
          XS,
          attribute(schema, 'targetNamespace'),
          ...children(schema, XS, 'import').map((each) => attribute(each, 'namespace')),
        ];
        return known && near.includes(namespaceIn(qname as string)) ? [] : [String(qname)];
      }),
    replace('<xs:import namespace="urn:prices"/>', ''),
  ],
  [
    'R2105',
    'every schema has a target namespace',
    ({ schemas }) => which(schemas, (schema) => attribute(schema, 'targetNamespace') === ''),
    replace(/<xs:schema ([^>]*)targetNamespace="urn:faults"/, '<xs:schema $1'),
  ],
  [
    'R2110',
    'no array is a soapenc:Array',
    (wsdl) =>
      [...schemaReferences(wsdl)].flatMap(({ qname }) => (qname?.endsWith('/soap/encoding/}Array') ? [qname] : [])),
    replace(
      '<xs:restriction base="xs:string">',
      '<xs:restriction xmlns:e="http://schemas.xmlsoap.org/soap/encoding/" base="e:Array">',
    ),
  ],
  [
    'R2111',
    'wsdl:arrayType is not used',
    (wsdl) => which(everything(wsdl), (each) => attributeOf(each, 'arrayType', WSDL) !== undefined),
    replace('<xs:attribute name="KIND"', '<xs:attribute wsdl:arrayType="xs:string[]" name="KIND"'),
  ],
  [
    'R2112',
    'no element is called ArrayOf',
    (wsdl) => which(everything(wsdl), (each) => attribute(each, 'name').startsWith('ArrayOf')),
    replace('<xs:element name="PARTS"', '<xs:element name="ArrayOfPart"'),
  ],
  [
    'R2801',
    'types are those of XML Schema 1.0',
    (wsdl) => which(everything(wsdl), (each) => /XMLSchema$/.test(each.namespace) && each.namespace !== XS),
    replace('<xs:sequence>', '<xs:sequence><o:all xmlns:o="http://www.w3.org/2000/10/XMLSchema"/>'),
  ],
];

export const SCHEMA_RULES: readonly Rule[] = [...structure, ...types];
