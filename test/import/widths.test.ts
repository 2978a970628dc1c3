import { expect, it } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { describeOpenApi, describeXsdFiles } from '../../src/describe/index.ts';
import { loadTexts } from '../../src/load/index.ts';
import type { DocumentValue } from '../../src/model/value.ts';
import { declaredOf, yamlOf } from './support.ts';

/** The registry of a contract that is served. */
async function servedOf(files: Readonly<Record<string, string>>) {
  const { declared } = await declaredOf(files, { as: 'provider' });
  const texts = Object.entries({ gateway: 'gateway: LOCAL\n', ...yamlOf(declared) });
  const { registry, diagnostics } = loadTexts(new Map(texts.map(([name, text]) => [`definitions/${name}.yaml`, text])));
  if (registry === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  const service = [...registry.services.values()].find(({ delivered }) => !delivered);
  if (service === undefined) throw new Error('no service');
  return { registry, service };
}

const NUMBERS = {
  plain: { type: 'number' },
  double: { type: 'number', format: 'double' },
  float: { type: 'number', format: 'float' },
  atLeast: { type: 'number', format: 'float', minimum: 0.5 },
  long: { type: 'integer', format: 'int64' },
  bounded: { type: 'integer', format: 'int64', minimum: 1, maximum: 100 },
  int: { type: 'integer', format: 'int32' },
  percent: { type: 'integer', format: 'int32', minimum: 0, maximum: 100 },
  positive: { type: 'integer', format: 'int32', minimum: 1 },
};

it('numbers of an OpenAPI contract that is served have the type, the format and the bounds of the contract', async () => {
  const api = {
    openapi: '3.0.3',
    info: { title: 'Depot', version: '1' },
    paths: {
      '/parts': {
        get: {
          operationId: 'listParts',
          parameters: Object.entries(NUMBERS).map(([name, schema]) => ({ name: `q_${name}`, in: 'query', schema })),
          responses: {
            200: {
              description: 'ok',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Part' } } },
            },
          },
        },
      },
    },
    components: { schemas: { Part: { type: 'object', properties: NUMBERS } } },
  };
  const { registry, service } = await servedOf({ 'depot.json': JSON.stringify(api) });
  const described = JSON.parse(describeOpenApi(registry, service, { base: 'http://localhost' }));
  expect(described.components.schemas.Part.properties).toEqual(NUMBERS);
  const [path] = Object.values<{ get: { parameters: { name: string; schema: object }[] } }>(described.paths);
  const parameters = path?.get.parameters.map(({ name, schema }) => [name.slice(2), schema]) ?? [];
  expect(Object.fromEntries(parameters)).toEqual(NUMBERS);
  const document = registry.documents.get('Part');
  if (document === undefined) throw new Error('no document');
  const { fromJson, toJson } = compileDocument(document, { namespace: '' });
  const written = (value: DocumentValue) => toJson(value).toString();
  expect(written({ plain: 1.5, float: 0.1, long: 2n ** 62n })).toBe(
    '{"plain":1.5,"float":0.1,"long":4611686018427387904}',
  );
  for (const name of ['plain', 'double', 'float'])
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => written({ [name]: value })).toThrow('for which JSON has no number');
      expect(() => fromJson(JSON.stringify({ [name]: String(value).replace('Infinity', 'INF') }))).toThrow(
        'JSON has no number',
      );
    }
  expect(() => fromJson('{"float":3.5e38}')).toThrow('is beyond the numbers of 32 bits');
});

it('numbers of a schema that is served have the built-in types of the schema', async () => {
  const types = ['long', 'int', 'float', 'double', 'decimal', 'integer', 'short', 'unsignedInt'];
  const elements = types.map((type) => `<xs:element name="${type}" type="xs:${type}"/>`).join('');
  const restricted = ['long', 'int', 'float']
    .map(
      (type) => `<xs:element name="small-${type}"><xs:simpleType><xs:restriction base="xs:${type}">
        <xs:minInclusive value="1"/><xs:maxInclusive value="100"/></xs:restriction></xs:simpleType></xs:element>`,
    )
    .join('');
  const { registry, service } = await servedOf({
    'parts.wsdl': `<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:parts" targetNamespace="urn:parts">
  <types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:parts" elementFormDefault="qualified">
    <xs:element name="read"><xs:complexType><xs:sequence>${elements}${restricted}</xs:sequence></xs:complexType></xs:element>
  </xs:schema></types>
  <message name="In"><part name="body" element="t:read"/></message>
  <portType name="Parts"><operation name="read"><input message="t:In"/></operation></portType>
  <binding name="Soap" type="t:Parts"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/><operation name="read">
    <s:operation soapAction="read"/><input><s:body use="literal"/></input></operation></binding>
  <service name="Parts"><port name="P" binding="t:Soap"><s:address location="http://localhost/"/></port></service>
</definitions>`,
  });
  const text = [...describeXsdFiles(registry, service, {}).values()].join('');
  for (const type of types) expect(text).toContain(`<xs:element name="${type}" type="xs:${type}"`);
  for (const type of ['long', 'int', 'float'])
    expect(text).toMatch(
      new RegExp(
        `name="small-${type}"[^<]*><xs:simpleType><xs:restriction base="xs:${type}"`.replaceAll('><', '>\\s*<'),
      ),
    );
});
