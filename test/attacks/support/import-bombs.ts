import { inOut, message, service, types, wrapper, wsdl } from '../../import/wsdl/wsdl-text.ts';

/** Contracts that are made to exhaust who imports them: files by path, of which the first is the contract. */
type Bomb = () => Readonly<Record<string, string>>;

const times = (count: number, text: (index: number) => string, separator = ''): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(separator);

const schema = (inside: string, attributes = ''): string =>
  `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t"${attributes}>${inside}</xs:schema>`;
const xsd = (inside: string): Readonly<Record<string, string>> => ({ 'bomb.xsd': schema(inside) });
const complex = (name: string, inside: string): string =>
  `<xs:complexType name="${name}"><xs:sequence>${inside}</xs:sequence></xs:complexType>`;
const root = (type: string): string => `<xs:element name="root" type="t:${type}"/>`;

/** A WSDL with one operation, whose schema also holds these components. */
export function contractWith(components: string, before = ''): string {
  const parts = message('place', 'element="t:place"') + message('placeReply', 'element="t:placeResponse"');
  const all = types(`${wrapper('place', 'customer')}${wrapper('placeResponse', 'number')}${components}`);
  return before + wsdl(all + parts + service({ place: inOut('place', 'placeReply') }));
}

const application = (inside: string): string =>
  `<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:xs="http://www.w3.org/2001/XMLSchema">${inside}</application>`;
const resource = (inside: string): string => application(`<resources base="http://a.example/">${inside}</resources>`);
const getMethod = '<method name="GET" id="get"><response><representation mediaType="text/plain"/></response></method>';

/** An OpenAPI document whose one operation answers with the schema `A`. */
export function openApi(schemas: string, more = ''): string {
  return `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/a":{"get":{"operationId":"get","responses":{"200":
{"description":"d","content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}}},"components":{"schemas":{${schemas}}}${more}}`;
}
const reference = (name: string): string => `{"$ref":"#/components/schemas/${name}"}`;
const yamlRoot = "openapi: 3.1.0\ninfo: { title: t, version: '1' }\npaths: {}\n";

const laughs = times(12, (index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`);
const doctype = (inside: string): string => `<!DOCTYPE wsdl:definitions [${inside}]>`;
const documentation = (text: string): string =>
  `<xs:element name="e" type="xs:string"><xs:annotation><xs:documentation>${text}</xs:documentation></xs:annotation></xs:element>`;

/** Names of things that each refer to the next, in a chain as long as they are many. */
const LONG = 20_000;
/** Levels at which each thing refers twice to the next: 2 to this power in all. */
const DOUBLED = 40;

export const BOMBS: Readonly<Record<string, Bomb>> = {
  'inclusions that lead back': () => ({
    'bomb.wadl': resource(
      `<resource path="a"><i:include xmlns:i="http://www.w3.org/2001/XInclude" id="i" href="gone.xml"><i:fallback>${'<i:include href="" xpointer="i"/>'.repeat(20)}</i:fallback></i:include>${getMethod}</resource>`,
    ),
  }),
  'a DOCTYPE of comments without an end': () => ({
    'bomb.xsd': `<!DOCTYPE a [<!ENTITY x "${'<!--'.repeat(1_000_000)}">]>${schema('')}`,
  }),
  'members of a map that are not valid': () => ({
    'bomb.json': openApi(`"A":{}`).replace(
      '"paths":{',
      `"paths":{${times(20_000, (index) => `"p${index}":{"get":1},`)}`,
    ),
  }),
  'properties that are not valid': () => ({
    'bomb.json': openApi(`"A":{"properties":{${times(5000, (index) => `"p${index}":{"type":"text"}`, ',')}}}`).replace(
      '3.1.0',
      '3.0.3',
    ),
  }),
  'a billion laughs': () => ({
    'bomb.wsdl': contractWith(documentation('&l12;'), doctype(`<!ENTITY l0 "ha">${laughs}`)),
  }),
  'quadratic expansion': () => ({
    'bomb.wsdl': contractWith(documentation('&x;'.repeat(50_000)), doctype(`<!ENTITY x "${'x'.repeat(50_000)}">`)),
  }),
  'a parameter entity': () => ({
    'bomb.xsd': `<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]>${schema('')}`,
  }),
  'a billion laughs in YAML': () => ({
    'bomb.yaml': `${yamlRoot}x-a0: &a0 [ha]\n${times(20, (index) => `x-a${index + 1}: &a${index + 1} [${times(9, () => `*a${index}`, ',')}]\n`)}`,
  }),
  'a billion laughs in the keys of YAML': () => ({
    'bomb.yaml': `${yamlRoot}x-a0: &a0 {a: b}\n${times(20, (index) => `x-a${index + 1}: &a${index + 1} {${times(9, (key) => `k${key}: *a${index}`, ',')}}\n`)}`,
  }),
  'merged laughs in YAML': () => ({
    'bomb.yaml': `${yamlRoot}x-a0: &a0 {a: b}\n${times(30, (index) => `x-a${index + 1}: &a${index + 1} { <<: [*a${index}, *a${index}], k${index}: *a${index} }\n`)}`,
  }),
  'aliases by number': () => ({ 'bomb.yaml': `${yamlRoot}x-f: &f {a: b}\nx-a: [${'*f,'.repeat(200_000)}]\n` }),
  'an alias of itself': () => ({ 'bomb.yaml': `${yamlRoot}x-a: &a { b: *a }\n` }),
  'depth of YAML': () => ({ 'bomb.yaml': `${yamlRoot}x-a: ${'['.repeat(100_000)}${']'.repeat(100_000)}` }),
  'depth of YAML that never ends': () => ({ 'bomb.yaml': `${yamlRoot}x-a: ${'{['.repeat(100_000)}` }),
  'depth by indentation': () => ({ 'bomb.yaml': times(3000, (index) => `${' '.repeat(index)}a:\n`) }),
  'depth of JSON': () => ({ 'bomb.json': `{"openapi":"3.1.0","x-a":${'['.repeat(200_000)}${']'.repeat(200_000)}}` }),
  'depth of schemas': () => ({
    'bomb.json': openApi(`"A":${'{"type":"object","properties":{"a":'.repeat(240)}{}${'}}'.repeat(240)}`),
  }),
  'depth of arrays': () => ({
    'bomb.json': openApi(`"A":${'{"type":"array","items":'.repeat(450)}{"type":"string"}${'}'.repeat(450)}`),
  }),
  'depth of elements': () => ({ 'bomb.wsdl': '<a>'.repeat(1_000_000) }),
  'depth of types': () =>
    xsd(
      `${'<xs:element name="a"><xs:complexType><xs:sequence>'.repeat(31)}${'</xs:sequence></xs:complexType></xs:element>'.repeat(31)}`,
    ),
  'types by number': () => ({
    'bomb.xsd': schema(times(1_000_000, (index) => `<xs:element name="e${index}"/>`)),
  }),
  'types of the same name': () => xsd(times(100_000, () => `<xs:complexType name="T"/>`) + root('T')),
  'names that collide': () =>
    xsd(times(30_000, (index) => `<xs:complexType name="T${'-'.repeat(index % 900)}${'_'.repeat(index / 900)}"/>`)),
  'keys that collide': () =>
    xsd(
      complex(
        'T',
        times(
          20_000,
          (index) => `<xs:element name="a${'.'.repeat(index % 500)}${'-'.repeat(index / 500)}" type="xs:string"/>`,
        ),
      ) + root('T'),
    ),
  'losses by number, from the end': () =>
    xsd(
      times(
        30_000,
        (index) =>
          `${complex(`T${index}`, `<xs:element name="a" minOccurs="0" type="t:T${index === 0 ? 0 : index - 1}"/><xs:element name="b" type="t:gone${index}"/>`)}\n`,
      ) + root('T29999'),
    ),
  'values by number': () =>
    xsd(
      `<xs:simpleType name="T"><xs:restriction base="xs:string">${times(400_000, (index) => `<xs:enumeration value="${index}"/>`)}</xs:restriction></xs:simpleType><xs:element name="root" type="t:T"/>`,
    ),
  'a chain of types': () =>
    xsd(
      times(LONG, (index) => complex(`T${index}`, `<xs:element name="a" type="t:T${index + 1}"/>`)) +
        complex(`T${LONG}`, '') +
        root('T0'),
    ),
  'a chain of restrictions': () =>
    xsd(
      times(
        LONG,
        (index) => `<xs:simpleType name="T${index}"><xs:restriction base="t:T${index + 1}"/></xs:simpleType>`,
      ) + `<xs:simpleType name="T${LONG}"><xs:restriction base="xs:string"/></xs:simpleType>${root('T0')}`,
    ),
  'a chain of unions': () =>
    xsd(
      times(
        LONG,
        (index) => `<xs:simpleType name="T${index}"><xs:union memberTypes="t:T${index + 1} xs:int"/></xs:simpleType>`,
      ) + `<xs:simpleType name="T${LONG}"><xs:restriction base="xs:string"/></xs:simpleType>${root('T0')}`,
    ),
  'a chain of extensions': () =>
    xsd(
      times(
        LONG,
        (index) =>
          `<xs:complexType name="T${index}"><xs:complexContent><xs:extension base="t:T${index + 1}"/></xs:complexContent></xs:complexType>`,
      ) +
        complex(`T${LONG}`, '<xs:element name="a" type="xs:string"/>') +
        root('T0'),
    ),
  'a chain of groups': () =>
    xsd(
      times(
        LONG,
        (index) => `<xs:group name="G${index}"><xs:sequence><xs:group ref="t:G${index + 1}"/></xs:sequence></xs:group>`,
      ) +
        `<xs:group name="G${LONG}"><xs:sequence><xs:element name="a"/></xs:sequence></xs:group>${complex('T', '<xs:group ref="t:G0"/>')}${root('T')}`,
    ),
  'a chain of attribute groups': () =>
    xsd(
      times(
        LONG,
        (index) => `<xs:attributeGroup name="G${index}"><xs:attributeGroup ref="t:G${index + 1}"/></xs:attributeGroup>`,
      ) +
        `<xs:attributeGroup name="G${LONG}"><xs:attribute name="a"/></xs:attributeGroup><xs:complexType name="T"><xs:attributeGroup ref="t:G0"/></xs:complexType>${root('T')}`,
    ),
  'a chain of substitutions': () =>
    xsd(
      times(LONG, (index) => `<xs:element name="e${index}" type="xs:string" substitutionGroup="t:e${index + 1}"/>`) +
        `<xs:element name="e${LONG}" type="xs:string"/>${complex('T', `<xs:element ref="t:e${LONG}"/>`)}${root('T')}`,
    ),
  'doubled groups': () =>
    xsd(
      times(
        DOUBLED,
        (index) =>
          `<xs:group name="G${index}"><xs:sequence>${`<xs:group ref="t:G${index + 1}"/>`.repeat(2)}</xs:sequence></xs:group>`,
      ) +
        `<xs:group name="G${DOUBLED}"><xs:sequence><xs:element name="a"/></xs:sequence></xs:group>${complex('T', '<xs:group ref="t:G0"/>')}${root('T')}`,
    ),
  'doubled choices of groups': () =>
    xsd(
      times(
        DOUBLED,
        (index) =>
          `<xs:group name="G${index}"><xs:choice>${`<xs:group ref="t:G${index + 1}"/>`.repeat(2)}</xs:choice></xs:group>`,
      ) +
        `<xs:group name="G${DOUBLED}"><xs:sequence><xs:element name="a"/></xs:sequence></xs:group>${complex('T', '<xs:group ref="t:G0"/>')}${root('T')}`,
    ),
  'doubled attribute groups': () =>
    xsd(
      times(
        DOUBLED,
        (index) =>
          `<xs:attributeGroup name="G${index}">${`<xs:attributeGroup ref="t:G${index + 1}"/>`.repeat(2)}</xs:attributeGroup>`,
      ) +
        `<xs:attributeGroup name="G${DOUBLED}"><xs:attribute name="a"/></xs:attributeGroup><xs:complexType name="T"><xs:attributeGroup ref="t:G0"/></xs:complexType>${root('T')}`,
    ),
  'doubled unions': () =>
    xsd(
      times(
        DOUBLED,
        (index) =>
          `<xs:simpleType name="T${index}"><xs:union memberTypes="t:T${index + 1} t:T${index + 1}"/></xs:simpleType>`,
      ) + `<xs:simpleType name="T${DOUBLED}"><xs:restriction base="xs:string"/></xs:simpleType>${root('T0')}`,
    ),
  'doubled types': () =>
    xsd(
      times(DOUBLED, (index) =>
        complex(
          `T${index}`,
          `<xs:element name="a" type="t:T${index + 1}"/><xs:element name="b" type="t:T${index + 1}"/>`,
        ),
      ) +
        complex(`T${DOUBLED}`, '') +
        root('T0'),
    ),
  'circles of everything': () =>
    xsd(
      '<xs:complexType name="T"><xs:complexContent><xs:extension base="t:T"/></xs:complexContent></xs:complexType>' +
        '<xs:simpleType name="S"><xs:restriction base="t:S"/></xs:simpleType><xs:simpleType name="U"><xs:union memberTypes="t:U t:S"/></xs:simpleType>' +
        '<xs:simpleType name="L"><xs:list itemType="t:L"/></xs:simpleType><xs:element name="s" type="t:S"/><xs:element name="u" type="t:U"/>' +
        '<xs:group name="G"><xs:sequence><xs:group ref="t:G"/></xs:sequence></xs:group><xs:attributeGroup name="A"><xs:attributeGroup ref="t:A"/></xs:attributeGroup>' +
        '<xs:complexType name="C"><xs:sequence><xs:group ref="t:G"/></xs:sequence><xs:attributeGroup ref="t:A"/></xs:complexType>' +
        '<xs:element name="e" substitutionGroup="t:f"/><xs:element name="f" substitutionGroup="t:e"/>' +
        `<xs:complexType name="D"><xs:sequence><xs:element ref="t:e"/></xs:sequence></xs:complexType><xs:element name="c" type="t:C"/><xs:element name="d" type="t:D"/>${root('T')}`,
    ),
  'counts beyond measure': () =>
    xsd(
      complex(
        'T',
        `<xs:element name="a" maxOccurs="${'9'.repeat(10_000)}" minOccurs="1000000000"/><xs:sequence maxOccurs="1000000000"><xs:element name="b" maxOccurs="1000000000"/></xs:sequence>`,
      ) + root('T'),
    ),
  'facets beyond measure': () =>
    xsd(
      `<xs:simpleType name="T"><xs:restriction base="xs:decimal"><xs:maxInclusive value="${'9'.repeat(1_000_000)}"/><xs:totalDigits value="${'9'.repeat(1000)}"/></xs:restriction></xs:simpleType><xs:element name="root" type="t:T"/>`,
    ),
  'a pattern of patterns': () =>
    xsd(
      `<xs:simpleType name="T"><xs:restriction base="xs:string"><xs:pattern value="${'((a{1,999}){1,999}|'.repeat(2000)}b${')'.repeat(2000)}"/></xs:restriction></xs:simpleType><xs:element name="root" type="t:T"/>`,
    ),
  'depth of a pattern': () =>
    xsd(
      `<xs:simpleType name="T"><xs:restriction base="xs:string"><xs:pattern value="${'('.repeat(100_000)}b${')'.repeat(100_000)}"/></xs:restriction></xs:simpleType><xs:element name="root" type="t:T"/>`,
    ),
  'classes without end': () =>
    xsd(
      `<xs:simpleType name="T"><xs:restriction base="xs:string"><xs:pattern value="${'[a-z-'.repeat(20_000)}[b]${']'.repeat(20_000)}"/></xs:restriction></xs:simpleType><xs:element name="root" type="t:T"/>`,
    ),
  'includes in a circle': () => ({
    'bomb.wsdl': contractWith(
      '<xs:include schemaLocation="a.xsd"/><xs:import namespace="urn:u" schemaLocation="bomb.wsdl"/>',
    ),
    'a.xsd': schema('<xs:include schemaLocation="b.xsd"/><xs:redefine schemaLocation="a.xsd"/>'),
    'b.xsd': schema('<xs:include schemaLocation="./a.xsd"/><xs:include schemaLocation="x/../b.xsd"/>'),
  }),
  'redefines in a circle': () => ({
    'bomb.xsd': schema(
      `<xs:redefine schemaLocation="a.xsd"><xs:complexType name="T"><xs:complexContent><xs:extension base="t:T"/></xs:complexContent></xs:complexType></xs:redefine>${root('T')}`,
    ),
    'a.xsd': schema(
      '<xs:redefine schemaLocation="bomb.xsd"><xs:complexType name="T"><xs:complexContent><xs:extension base="t:T"/></xs:complexContent></xs:complexType></xs:redefine>',
    ),
  }),
  'chameleons in a circle': () => ({
    'bomb.xsd': schema('<xs:include schemaLocation="a.xsd"/>'),
    'a.xsd': schema('<xs:include schemaLocation="a.xsd"/><xs:include schemaLocation="bomb.xsd"/>').replace(
      / targetNamespace="urn:t"/,
      '',
    ),
  }),
  'WSDL that imports itself': () => ({
    'bomb.wsdl': contractWith('').replace(
      '<wsdl:types>',
      '<wsdl:import namespace="urn:t" location="bomb.wsdl"/><wsdl:import location="a.wsdl"/><wsdl:types>',
    ),
    'a.wsdl': wsdl('<wsdl:import namespace="urn:t" location="bomb.wsdl"/>'),
  }),
  'includes that branch': () =>
    Object.fromEntries(
      Array.from({ length: 300 }, (_, file) => [
        file === 0 ? 'bomb.xsd' : `s${file}.xsd`,
        schema(times(300, (index) => `<xs:include schemaLocation="s${index}.xsd"/>`) + `<xs:element name="e${file}"/>`),
      ]),
    ),
  'references to files by number': () =>
    xsd(times(100_000, (index) => `<xs:include schemaLocation="gone${index}.xsd"/>`)),
  'WADL in circles': () => ({
    'bomb.wadl': application(
      '<grammars><include href="bomb.wadl"/></grammars><resource_type id="t"><resource path="x" type="#t"><method href="#m"/></resource><method href="#m"/></resource_type>' +
        '<method id="m" href="#m"/><param id="p" href="#p" name="p"/><representation id="r" href="#r"/><resources base="http://a.example/"><resource path="a" type="#t bomb.wadl#t"><method href="#m"/></resource></resources>',
    ),
  }),
  'doubled types of WADL': () => ({
    'bomb.wadl': application(
      times(
        DOUBLED,
        (index) =>
          `<resource_type id="t${index}">${`<resource path="x" type="#t${index + 1}"/>`.repeat(2)}</resource_type>`,
      ) +
        `<resource_type id="t${DOUBLED}">${getMethod}</resource_type><resources base="http://a.example/"><resource path="a" type="#t0"/></resources>`,
    ),
  }),
  'depth of resources': () => ({
    'bomb.wadl': resource(`${'<resource path="a">'.repeat(96)}${getMethod}${'</resource>'.repeat(96)}`),
  }),
  'methods by number': () => ({
    'bomb.wadl': resource(
      `<resource path="a">${times(50_000, (index) => getMethod.replace('"get"', `"get${index}"`))}</resource>`,
    ),
  }),
  'a reference to itself': () => ({
    'bomb.json': openApi(
      `"A":${reference('A')},"B":{"allOf":[${reference('B')},${reference('A')}]},"C":{"$ref":"bomb.json#/components/schemas/C/properties/x"}`,
    ),
  }),
  'references that lead through themselves': () => ({
    'bomb.json': openApi(
      `"A":{"$ref":"#/components/schemas/A/properties/a/properties/a"},"B":{"properties":{"a":{"$ref":"#/components/schemas/B/properties/a/x"}}}`,
    ),
  }),
  'a chain of references': () => ({
    'bomb.json': openApi(
      `${times(LONG, (index) => `"A${index === 0 ? '' : index}":${reference(`A${index + 1}`)},`)}"A${LONG}":{"type":"string"}`,
    ),
  }),
  'a chain of objects': () => ({
    'bomb.json': openApi(
      `${times(LONG, (index) => `"A${index === 0 ? '' : index}":{"type":"object","properties":{"a":${reference(`A${index + 1}`)}}},`)}"A${LONG}":{"type":"string"}`,
    ),
  }),
  'a chain of allOf': () => ({
    'bomb.json': openApi(
      `${times(LONG, (index) => `"A${index === 0 ? '' : index}":{"allOf":[${reference(`A${index + 1}`)}]},`)}"A${LONG}":{"type":"object"}`,
    ),
  }),
  ...Object.fromEntries(
    ['allOf', 'anyOf', 'oneOf'].map((key): readonly [string, Bomb] => [
      `doubled ${key}`,
      () => ({
        'bomb.json': openApi(
          `${times(DOUBLED, (index) => `"A${index === 0 ? '' : index}":{"${key}":[${reference(`A${index + 1}`)},${reference(`A${index + 1}`)}]},`)}"A${DOUBLED}":{"type":"object","properties":{"a":{"type":"string"}}}`,
        ),
      }),
    ]),
  ),
  'schemas by number': () => ({
    'bomb.json': openApi(
      times(
        500_000,
        (index) => `"A${index === 0 ? '' : index}":{"type":"object","properties":{"a":{"type":"string"}}}`,
        ',',
      ),
    ),
  }),
  'used schemas by number': () => ({
    'bomb.json': openApi(
      `"A":{"type":"object","properties":{${times(20_000, (index) => `"p${index}":${reference(`B${index}`)}`, ',')}}},${times(20_000, (index) => `"B${index}":{"type":"object","properties":{"a":{"type":"string"}}}`, ',')}`,
    ),
  }),
  'operations by number': () => ({
    'bomb.json': `{"openapi":"3.0.0","info":{"title":"t","version":"1"},"paths":{${times(20_000, (index) => `"/a${index}":{"get":{"responses":{"200":{"description":"d"}}}}`, ',')}}}`,
  }),
  'numbers beyond measure': () => ({
    'bomb.yaml': `${yamlRoot.replace('paths: {}', '')}paths:
  /a:
    get:
      parameters: [{ name: a, in: query, schema: { type: integer, maximum: 1e999999999, minimum: -${'9'.repeat(100_000)}, multipleOf: 1e-320 } },
        { name: b, in: query, schema: { type: string, maxLength: 1e300, minLength: 1e99 } }, { name: c, in: query, schema: { type: number, maximum: 1e308, minimum: 1e-308 } }]
      responses: { '200': { description: d } }
`,
  }),
  'a pattern that takes for ever': () => ({
    'bomb.json': openApi(
      `"A":{"type":"string","pattern":"^(a+)+$","example":"${'a'.repeat(50_000)}!","enum":["${'a'.repeat(50_000)}!"],"default":"${'a'.repeat(50_000)}!"}`,
    ),
  }),
  'a path of variables': () => ({
    'bomb.json': `{"openapi":"3.0.0","info":{"title":"t","version":"1"},"paths":{"${'/{a}'.repeat(20_000)}":{"get":{"responses":{"200":{"description":"d"}}}}}}`,
  }),
  'a large file': () => ({ 'bomb.wsdl': contractWith(`<!--${'x'.repeat(100 * 1024 ** 2)}-->`) }),
  'comments before what is no contract': () => ({ 'bomb.wsdl': `${'<!---->'.repeat(600)}<a/>` }),
  'a comment without end': () => ({ 'bomb.wsdl': `<!--${'-'.repeat(4000)} ${'<!--'.repeat(1000)}` }),
  'a file of blanks': () => ({ 'bomb.yaml': `${yamlRoot}${' '.repeat(60 * 1024 ** 2)}` }),
  'a scalar without end': () => ({ 'bomb.yaml': `${yamlRoot}x-a: "${'a\n'.repeat(4_000_000)}` }),
  'a text of any length': () => ({
    'bomb.json': `{"openapi":"3.0.0","info":{"title":"${'t'.repeat(8_000_000)}","version":"1","description":"${'d\\n'.repeat(4_000_000)}"},"paths":{}}`,
  }),
  'names of any length': () => ({
    'bomb.json': openApi(`"A":{"type":"object","properties":{"${'p'.repeat(4_000_000)}":{"type":"string"}}}`),
  }),
  'quotes in JSON': () => ({ 'bomb.json': `{"openapi":"3.0.0","a":"${'\\\\'.repeat(4_000_000)}\\"` }),
  'keys by number, twice': () => ({
    'bomb.json': `{"openapi":"3.0.0","info":{${times(200_000, (index) => `"k${index % 100_000}":1`, ',')}}}`,
  }),
  'namespaces by number': () => ({
    'bomb.xsd':
      times(90, (level) => `<a ${times(200, (index) => `xmlns:p${level}x${index}="urn:${index}" `)}>`) +
      times(90, () => '</a>'),
  }),
};
