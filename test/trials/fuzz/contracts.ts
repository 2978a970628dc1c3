import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { judgeByCheck } from '../../../src/cli/import/judge.ts';
import { declare, ImportError, importContracts, update } from '../../../src/import/index.ts';
import { loadTexts } from '../../../src/load/index.ts';
import { mutated } from './mutate.ts';

/** A contract that is imported, with its bytes as Latin-1. */
export interface ImportCase {
  readonly location: string;
  readonly bytes: string;
}

const WSDL = `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
<types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified"><xs:include schemaLocation="other.xsd"/>
<xs:element name="get"><xs:complexType><xs:sequence><xs:element name="ID" type="xs:int" minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
<xs:element name="getResponse"><xs:complexType><xs:choice><xs:element name="A" type="t:Code"/><xs:element name="B" type="xs:date" nillable="true"/></xs:choice></xs:complexType></xs:element>
<xs:simpleType name="Code"><xs:restriction base="xs:string"><xs:pattern value="[A-Z]{2}\\d+"/><xs:maxLength value="9"/></xs:restriction></xs:simpleType></xs:schema></types>
<message name="in"><part name="parameters" element="t:get"/></message><message name="out"><part name="parameters" element="t:getResponse"/></message>
<portType name="P"><operation name="get"><documentation>Gets.</documentation><input message="t:in"/><output message="t:out"/></operation></portType>
<binding name="B" type="t:P"><soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/><operation name="get"><soap:operation soapAction="urn:get"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
<service name="S"><port name="P" binding="t:B"><soap:address location="http://a.example/s"/></port></service></definitions>`;

const XSD = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:t" targetNamespace="urn:t">
<xs:element name="order" type="Order"/><xs:complexType name="Order"><xs:sequence><xs:group ref="G" maxOccurs="2"/><xs:any namespace="##other" minOccurs="0"/></xs:sequence><xs:attribute name="id" type="xs:ID" use="required"/><xs:attributeGroup ref="A"/></xs:complexType>
<xs:group name="G"><xs:choice><xs:element name="x" type="Size" default="S"/><xs:element name="y" type="xs:decimal"/></xs:choice></xs:group>
<xs:attributeGroup name="A"><xs:attribute name="n" type="xs:positiveInteger" fixed="4"/><xs:anyAttribute/></xs:attributeGroup>
<xs:simpleType name="Size"><xs:restriction base="xs:token"><xs:enumeration value="S"/><xs:enumeration value="L"/></xs:restriction></xs:simpleType>
<xs:simpleType name="Amount"><xs:restriction base="xs:decimal"><xs:totalDigits value="9"/><xs:fractionDigits value="2"/><xs:minExclusive value="0"/></xs:restriction></xs:simpleType>
<xs:element name="amount" type="Amount"/></xs:schema>`;

const WADL = `<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:xs="http://www.w3.org/2001/XMLSchema"><doc title="T"/>
<grammars><xs:schema targetNamespace="urn:t" xmlns:t="urn:t"><xs:element name="item"><xs:complexType><xs:sequence><xs:element name="a" type="xs:string"/></xs:sequence></xs:complexType></xs:element></xs:schema></grammars>
<resources base="http://a.example/r"><resource path="items/{id}" type="#paged"><param name="id" style="template" type="xs:int"/><method name="GET" id="getItem"><request><param name="q" style="query" repeating="true"/><param name="X-A" style="header"/></request>
<response status="200"><representation mediaType="application/xml" element="t:item" xmlns:t="urn:t"/></response></method><method href="#put"/></resource></resources>
<method name="PUT" id="put"><request><representation mediaType="application/json"/></request></method><resource_type id="paged"><param name="page" style="query" type="xs:int" default="1"/></resource_type></application>`;

const OPENAPI = `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"servers":[{"url":"https://{h}.example/","variables":{"h":{"default":"a"}}}],
"paths":{"/items/{id}":{"get":{"operationId":"getItem","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer","minimum":1}},{"name":"tags","in":"query","style":"form","explode":false,"schema":{"type":"array","items":{"type":"string","pattern":"^a+$"}}}],
"responses":{"200":{"description":"d","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Item"}}}}}},"put":{"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Item"}}}},"responses":{"204":{"description":"d"}},"security":[{"k":[]}]}}},
"components":{"securitySchemes":{"k":{"type":"apiKey","in":"header","name":"X-K"}},"schemas":{"Item":{"type":"object","required":["a"],"properties":{"a":{"type":"string","enum":["x","y"]},"b":{"$ref":"#/components/schemas/Item"},"c":{"oneOf":[{"type":"object","required":["p"],"properties":{"p":{"type":"integer"}}},{"type":"object","required":["q"],"properties":{"q":{"type":["number","null"],"default":1.5}}}]},"d":{"type":"object","additionalProperties":{"type":"string","format":"date-time"}}}}}}}`;

const SWAGGER = `swagger: '2.0'
info: { title: T, version: '1', description: "A text" }
host: a.example
basePath: /v1
produces: [application/json]
paths:
  /a:
    post:
      parameters:
        - { name: f, in: formData, type: string, maxLength: 5 }
        - &n { name: n, in: query, type: array, collectionFormat: multi, items: { type: integer, format: int64 } }
      responses:
        200: { description: d, schema: { $ref: '#/definitions/A' } }
        default: { description: d }
definitions:
  A: { allOf: [{ $ref: '#/definitions/B' }, { type: object, properties: { x: { type: boolean } } }] }
  B: { type: object, discriminator: kind, required: [kind], properties: { kind: { type: string } } }
`;

/** Contracts of our own, and small ones of the corpus beside the project. */
function seeds(): readonly (readonly [location: string, bytes: string | Buffer])[] {
  const own = { 'a.wsdl': WSDL, 'a.xsd': XSD, 'a.wadl': WADL, 'a.json': OPENAPI, 'a.yaml': SWAGGER };
  return [...Object.entries(own), ...corpusSeeds()];
}

/** Largest file of the corpus that is a seed: larger ones leave time for few cases. */
const LARGEST_SEED = 12_000;

function corpusSeeds(): [string, Buffer][] {
  const folder = fileURLToPath(new URL('../../../../shared/corpus/import/files/', import.meta.url));
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:wsdl|xsd|wadl|json|ya?ml)$/i.test(entry.name))
    .map(({ name, parentPath }): [string, Buffer] => [`a${extname(name)}`, readFileSync(join(parentPath, name))])
    .filter(([, bytes]) => bytes.length <= LARGEST_SEED);
}

/** Changed contracts. */
export function importCases(): fc.Arbitrary<ImportCase> {
  return fc
    .constantFrom(...seeds())
    .chain(([location, seed]) => mutated([seed]).map((bytes) => ({ location, bytes: bytes.toString('latin1') })));
}

const TAKEN = { service: [], node: [], 'permission-list': [], scheme: [], document: [] };
const GATEWAY = ['definitions/gateway.yaml', 'gateway: LOCAL\n'] as const;

/**
 * Imports a contract in each role, and checks what is written.
 * @returns the error; an empty text if it succeeds, or the contract is refused in words
 */
export async function checkImport(given: ImportCase): Promise<string> {
  try {
    for (const as of ['consumer', 'provider'] as const) {
      const wrong = await importAs(as, given);
      if (wrong !== '') return wrong;
    }
    return '';
  } catch (error) {
    return error instanceof ImportError ? '' : ((error as Error).stack ?? String(error));
  }
}

async function importAs(as: 'consumer' | 'provider', { location, bytes }: ImportCase): Promise<string> {
  const imported = await importContracts([location], async (each) =>
    each === location ? { bytes: Buffer.from(bytes, 'latin1') } : { missing: 'does not exist' },
  );
  const declared = imported.flatMap(({ contract, losses }) =>
    declare(contract, { as, name: 'PARTNER', taken: TAKEN, judge: judgeByCheck }, losses),
  );
  const before = new Map([GATEWAY]);
  const pathOf = (file: string): string => `definitions/${file}.yaml`;
  const { files } = update({ files: before, before: [], after: declared, pathOf });
  const written = new Map([...before, ...files]);
  const again = update({ files: written, before: declared, after: declared, pathOf });
  if (again.changes.length > 0) return `importing it again changes ${again.changes[0]?.path.join(' > ')}`;
  const [wrong] = loadTexts(written).diagnostics.filter(({ severity }) => severity === 'error');
  return wrong === undefined ? '' : `as ${as}: check refuses what was written: ${wrong.code}: ${wrong.message}`;
}
