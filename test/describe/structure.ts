import { expect } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { exampleXml } from '../../src/describe/example/text.ts';
import { type ExampleDocument, exampleDocument } from '../../src/describe/example/value.ts';
import { describeOpenApi, describeWsdl, describeXsdFiles } from '../../src/describe/index.ts';
import { documentsOf } from '../../src/describe/scope.ts';
import { instanceOf, seeded } from '../../src/mock/instance.ts';
import type { Document } from '../../src/model/document.ts';
import type { Service } from '../../src/model/service.ts';
import type { DocumentValue, Value } from '../../src/model/value.ts';
import { readXml } from '../../src/wire/xml/read-xml.ts';
import { load } from '../load/linked.ts';
import { registry as registryOf } from '../support/registry.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { type OpenApi, schemaCompiler } from './openapi-reader.ts';
import { base } from './samples.ts';
import { inlineSchemas } from './wsdl-reader.ts';

export const NAMESPACE = 'urn:signalbox:local:Test.v1';

/** The document `DOC` of definitions in all its forms: its codec, and what its contracts permit. */
export function structureOf(definitions: string) {
  const service = 'service: Test.v1\npublic: true\noperations: { DOC_GET: { get: doc, response: DOC } }\n';
  const registry = load(`${definitions.trimEnd()}\n---\n${service}`);
  const described = registry.services.get('Test.v1') as Service;
  const files = describeXsdFiles(registry, described);
  const document = registry.documents.get('DOC') as Document;
  const codec = compileDocument(document, { namespace: NAMESPACE });
  const api = JSON.parse(describeOpenApi(registry, described, { base })) as OpenApi;
  const validate = schemaCompiler(api)({ $ref: '#/components/schemas/DOC' });
  const read = (xml: string): DocumentValue => codec.fromXml(readXml(xml));
  return {
    document,
    registry,
    /** The schema of the service. */
    schema: [...files.values()].join('\n'),
    read,
    readJson: codec.fromJson,
    write: (value: Value) => codec.toXml(value as DocumentValue),
    toJson: (value: Value) => codec.toJson(value as DocumentValue),
    /** What xmllint objects to; empty if all are valid, or without xmllint. */
    invalid: (...xml: readonly string[]) => (hasXmllint ? validateXml({ name: 'Test.v1.xsd', files }, xml) : ''),
    /** Expects an XML instance to be valid, to have a value, and both its forms to be written again as they are. */
    expectSame(xml: string, value: object): void {
      const found = read(xml);
      expect(found).toEqual(value);
      expect(codec.toXml(found)).toBe(xml);
      const json = codec.toJson(found);
      expect(codec.fromJson(json)).toEqual(value);
      expect(validate(JSON.parse(json)), JSON.stringify(validate.errors)).toBe(true);
      expect(this.invalid(xml)).toBe('');
      expectSameOverSoap(document, found);
    },
    /** Expects the example of the contracts, and what a mock answers, to be valid and readable. */
    expectExamples(): void {
      const example = exampleDocument(document) as ExampleDocument;
      const documents = documentsOf({ rest: described.operations, soap: [] }, NAMESPACE);
      const written = exampleXml(document, example, documents);
      const mocked = ['a', 'b', 'c', 'd'].map((seed) => codec.toXml(instanceOf(document, seeded(seed))));
      expect(this.invalid(written, ...mocked)).toBe('');
      for (const each of [written, ...mocked]) read(each);
    },
  };
}

const SOAP_NAMESPACE = 'urn:signalbox:test:Test.v1';

/** Expects a value inside the element of an operation to be valid by the WSDL of its service, and to be read as it was. */
function expectSameOverSoap(document: Document, value: DocumentValue): void {
  const built = registryOf({ 'Test.v1': { operations: { DOC_PUT: { soap: true, request: document } } } });
  const files = inlineSchemas(describeWsdl(built, built.services.get('Test.v1') as Service, { base }));
  // Markup that was read in the namespace of another service stays in it.
  const root = { name: 'DOC_PUT', namespace: SOAP_NAMESPACE };
  const codec = compileDocument(document, { namespace: SOAP_NAMESPACE, root });
  const xml = codec.toXml(value);
  expect(codec.fromXml(readXml(xml))).toEqual(value);
  if (hasXmllint) expect(validateXml({ name: '0.xsd', files }, [xml])).toBe('');
}
