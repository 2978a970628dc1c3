import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { describeOpenApi, describeXsdFiles } from '../../src/describe/index.ts';
import type { Service } from '../../src/model/service.ts';
import { registry } from '../support/registry.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { type DocumentCase, documents } from './arbitraries.ts';
import { examplesOf, type OpenApi, schemaCompiler } from './openapi-reader.ts';
import { base } from './samples.ts';

// What the codec writes is what the contracts promise, for documents of every shape.

/** Several generated documents make one service, so that a validator starts once for all of them. */
const services = (count: number): fc.Arbitrary<readonly DocumentCase[]> =>
  fc.tuple(...Array.from({ length: count }, (_, index) => documents(`D${index}`)));

const namespace = 'urn:signalbox:test:Fit.v1';

/** Contracts of a service that answers each document. */
function contractsOf(cases: readonly DocumentCase[]): { files: ReadonlyMap<string, string>; api: OpenApi } {
  const operations = cases.map(({ document }) => [
    `${document.id}_GET`,
    { templates: [document.id], response: document },
  ]);
  const built = registry({ 'Fit.v1': { operations: Object.fromEntries(operations) } });
  const service = built.services.get('Fit.v1') as Service;
  return {
    files: describeXsdFiles(built, service),
    api: JSON.parse(describeOpenApi(built, service, { base })) as OpenApi,
  };
}

describe.skipIf(!hasXmllint)('XML and its schema (needs xmllint)', () => {
  test('what the codec writes is valid', () => {
    fc.assert(
      fc.property(services(12), (cases) => {
        const xml = cases.flatMap(({ document, values }) => {
          const codec = compileDocument(document, { namespace });
          return values.map((value) => codec.toXml(value));
        });
        expect(validateXml({ name: 'Fit.v1.xsd', files: contractsOf(cases).files }, xml)).toBe('');
      }),
      { numRuns: 25 },
    );
  });

  test('the examples of OpenAPI are valid', () => {
    fc.assert(
      fc.property(services(12), (cases) => {
        const { files, api } = contractsOf(cases);
        const xml = examplesOf(api).flatMap(({ where, media }) =>
          where.endsWith('200 application/xml') && media.example !== undefined ? [String(media.example)] : [],
        );
        expect(xml.length).toBeGreaterThan(0);
        expect(validateXml({ name: 'Fit.v1.xsd', files }, xml)).toBe('');
      }),
      { numRuns: 10 },
    );
  });
});

describe('JSON and its schema', () => {
  test('what the codec writes is valid', () => {
    fc.assert(
      fc.property(services(3), (cases) => {
        const { api } = contractsOf(cases);
        const compile = schemaCompiler(api);
        for (const { document, values } of cases) {
          const codec = compileDocument(document, { namespace });
          const validate = compile({ $ref: `#/components/schemas/${document.id}` });
          for (const value of values) {
            const text = codec.toJson(value);
            expect(validate(JSON.parse(text)), `${text}\n${JSON.stringify(validate.errors)}`).toBe(true);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test('every example is valid', () => {
    fc.assert(
      fc.property(services(3), (cases) => {
        const { api } = contractsOf(cases);
        const compile = schemaCompiler(api);
        for (const { where, media } of examplesOf(api)) {
          if (media.schema === undefined || media.example === undefined) continue;
          const validate = compile(media.schema);
          expect(validate(media.example), `${where} ${JSON.stringify(validate.errors)}`).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });
});
