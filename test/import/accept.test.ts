import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { createClient } from '../../src/invoke/index.ts';
import { loadTexts } from '../../src/load/index.ts';
import { createSpool } from '../../src/store/file/spool.ts';
import { declaredOf, errorsOf, yamlOf } from './support.ts';

/** What a dry run of the only operation of definitions accepts. */
function acceptOf(files: Readonly<Record<string, string>>, input = {}): string | undefined {
  const texts = Object.entries({ gateway: 'gateway: LOCAL\n', ...files });
  const { registry, diagnostics } = loadTexts(
    new Map(texts.map(([name, text]) => [`definitions/${name}.yaml`, text] as const)),
  );
  const [operation] = [...(registry?.consumers.values() ?? [])];
  if (registry === undefined || operation === undefined) throw new Error(JSON.stringify(diagnostics));
  const client = createClient(registry, { env: {}, spool: createSpool({ folder: tmpdir() }) });
  return client.preview(operation, input).headers.Accept;
}

const openApi = (
  replies: readonly string[],
  errors: readonly string[],
  schema = '$ref: "#/components/schemas/Part"',
) => {
  const content = (types: readonly string[], of: string): string =>
    types.map((each) => `"${each}": { schema: { ${of} } }`).join(', ');
  return `
openapi: 3.0.3
info: { title: Parts, version: "1" }
servers: [{ url: "https://parts.example.org" }]
paths:
  /parts:
    get:
      operationId: readParts
      responses:
        "200": { description: ok, content: { ${content(replies, '$ref: "#/components/schemas/Part"')} } }
        default: { description: failed, content: { ${content(errors, schema)} } }
components: { schemas: { Part: { type: object, properties: { name: { type: string } } } } }
`;
};

it.each<[string, readonly string[], readonly string[], string]>([
  [
    'errors of their own type',
    ['application/json'],
    ['application/problem+json'],
    'application/json, application/problem+json;q=0.9',
  ],
  ['errors of the type of replies', ['application/json'], ['application/json'], 'application/json'],
  ['no errors', ['application/json'], [], 'application/json'],
  ['two types', ['application/json', 'application/xml'], [], 'application/json, application/xml;q=0.9'],
  [
    'replies in XML',
    ['application/xml'],
    ['application/problem+xml'],
    'application/xml, application/problem+xml;q=0.9',
  ],
  [
    'a vendor type',
    ['application/vnd.a+json'],
    ['application/vnd.e+json', 'text/plain'],
    'application/vnd.a+json, application/vnd.e+json;q=0.9, text/plain;q=0.8',
  ],
])('a contract with %s is called with these in Accept, and no others', async (_, replies, errors, accept) => {
  const { declared } = await declaredOf({ 'parts.yaml': openApi(replies, errors) });
  expect(errorsOf(declared)).toEqual([]);
  expect(acceptOf(yamlOf(declared))).toBe(accept);
});

it('errors without a document are asked for, too', async () => {
  const { declared } = await declaredOf({
    'parts.yaml': openApi(['application/json'], ['application/problem+json'], 'type: string'),
  });
  expect(errorsOf(declared)).toEqual([]);
  expect(acceptOf(yamlOf(declared))).toBe('application/json, application/problem+json;q=0.9');
});

const wadl = (types: readonly string[]) => `<application xmlns="http://wadl.dev.java.net/2009/02" xmlns:t="urn:parts">
  <grammars><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:parts" elementFormDefault="qualified">
    <xs:element name="Part"><xs:complexType><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
  </xs:schema></grammars>
  <resources base="https://parts.example.org"><resource path="parts"><method name="GET" id="readParts">
    <response status="200">${types.map((each) => `<representation mediaType="${each}" element="t:Part"/>`).join('')}</response>
    <response status="400"><representation mediaType="application/vnd.error+xml" element="t:Part"/></response>
  </method></resource></resources></application>`;

it.each<[readonly string[], string]>([
  [['application/xml'], 'application/xml, application/vnd.error+xml;q=0.9'],
  [['application/xml', 'application/json'], 'application/json, application/xml;q=0.9, application/vnd.error+xml;q=0.8'],
])('a WADL with replies in %s is called with these in Accept', async (types, accept) => {
  const { declared } = await declaredOf({ 'parts.wadl': wadl(types) });
  expect(errorsOf(declared)).toEqual([]);
  expect(acceptOf(yamlOf(declared))).toBe(accept);
});

const wsdl = (
  content: string,
) => `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:http="http://schemas.xmlsoap.org/wsdl/http/"
  xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" xmlns:t="urn:parts" targetNamespace="urn:parts">
  <types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:parts" elementFormDefault="qualified">
    <xs:element name="Part"><xs:complexType><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
  </xs:schema></types>
  <message name="In"/><message name="Out"><part name="body" element="t:Part"/></message>
  <portType name="Parts"><operation name="readParts"><input message="t:In"/><output message="t:Out"/></operation></portType>
  <binding name="PartsHttp" type="t:Parts"><http:binding verb="GET"/><operation name="readParts"><http:operation location="/parts"/>
    <input><http:urlEncoded/></input><output>${content}</output></operation></binding>
  <service name="Parts"><port name="Http" binding="t:PartsHttp"><http:address location="https://parts.example.org"/></port></service>
</definitions>`;

it.each([
  ['<mime:content type="application/xml"/>', 'application/xml'],
  ['<mime:content type="application/vnd.parts+xml"/>', 'application/vnd.parts+xml'],
  ['<mime:mimeXml part="body"/>', 'text/xml'],
])('a WSDL whose HTTP binding replies %s is called with it in Accept', async (content, accept) => {
  const { declared } = await declaredOf({ 'parts.wsdl': wsdl(content) });
  expect(errorsOf(declared)).toEqual([]);
  expect(acceptOf(yamlOf(declared))).toBe(accept);
});

const call = (keys: string) => `service: Partner.v1
target: PARTNER
public: true
operations:
  READ: { get: parts, ${keys} }
---
node: PARTNER
base: https://partner.example.org
---
document: PART
fields: { NAME: string }
---
document: OTHER
fields: { NAME: string }
`;

it.each<[string, string | undefined]>([
  ['response: PART', 'application/json, application/xml;q=0.9'],
  ['response: { application/json: PART }', 'application/json'],
  ['response: { application/json: PART, application/xml: PART }', 'application/json, application/xml;q=0.9'],
  ['response: text', 'text/plain'],
  ['response: { application/json: PART }, fault: PART', 'application/json'],
  [
    'response: { application/json: PART }, fault: { application/problem+json: PART }',
    'application/json, application/problem+json;q=0.9',
  ],
  [
    'response: { application/json: PART }, fault: { application/problem+json: PART, text/plain: text }',
    'application/json, application/problem+json;q=0.9, text/plain;q=0.8',
  ],
  ['response: none, fault: { application/problem+json: PART }', undefined],
])('a call with %s accepts %s', (keys, accept) => {
  expect(acceptOf({ partner: call(keys) })).toBe(accept);
});

it('a fault is one document in all of its media types', () => {
  const text = call(
    'response: { application/json: PART }, fault: { application/problem+json: PART, application/json: OTHER }',
  );
  const { diagnostics } = loadTexts(
    new Map([
      ['definitions/gateway.yaml', 'gateway: LOCAL\n'],
      ['definitions/partner.yaml', text],
    ]),
  );
  expect(diagnostics.map(({ message }) => message)).toEqual([expect.stringContaining('A fault is one document')]);
});
