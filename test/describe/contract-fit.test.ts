import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRest } from '../../src/binding/rest/rest.ts';
import { compileDocument, compileFault } from '../../src/codec/index.ts';
import { exampleFault } from '../../src/describe/example/fault.ts';
import { exampleJson } from '../../src/describe/example/text.ts';
import { faultForms, sentForms } from '../../src/describe/exchange.ts';
import { describeOpenApi, describeXsdFiles } from '../../src/describe/index.ts';
import { Fault } from '../../src/model/fault.ts';
import type { Operation, Service } from '../../src/model/service.ts';
import { compound, document, FAILURE, field, type OperationOptions, registry, string } from '../support/registry.ts';
import { hasXmllint, validateXml } from '../support/xmllint.ts';
import { bareDocuments, choiceDocuments, type DocumentCase, documents, families, namedChoices } from './arbitraries.ts';
import { examplesOf, type OpenApi, schemaCompiler } from './openapi-reader.ts';
import { base } from './samples.ts';

// What binding and codec do is what the contracts promise, for documents and replies of every shape.

const SHAPES = [documents, choiceDocuments, bareDocuments, namedChoices, families];

/** Several generated documents make one service, so that a validator starts once for all of them. */
const services = (count: number): fc.Arbitrary<readonly DocumentCase[]> =>
  fc.tuple(...Array.from({ length: count }, (_, index) => SHAPES[index % SHAPES.length]!(`D${index}`)));

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
      fc.property(services(15), (cases) => {
        const xml = cases.flatMap(({ document, values }) => {
          const codec = compileDocument(document, { namespace });
          return values.map((value) => codec.toXml(value));
        });
        expect(validateXml({ name: 'Fit.v1.xsd', files: contractsOf(cases).files }, xml)).toBe('');
      }),
      { numRuns: 8 },
    );
  });

  test('the examples of OpenAPI are valid', () => {
    fc.assert(
      fc.property(services(15), (cases) => {
        const { files, api } = contractsOf(cases);
        const xml = examplesOf(api).flatMap(({ where, media }) =>
          where.endsWith('200 application/xml') && media.example !== undefined ? [String(media.example)] : [],
        );
        expect(xml.length).toBeGreaterThan(0);
        expect(validateXml({ name: 'Fit.v1.xsd', files }, xml)).toBe('');
      }),
      { numRuns: 4 },
    );
  });
});

describe('JSON and its schema', () => {
  test('what the codec writes is valid', () => {
    fc.assert(
      fc.property(services(5), (cases) => {
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
      { numRuns: 10 },
    );
  });

  test('every example is valid', () => {
    fc.assert(
      fc.property(services(5), (cases) => {
        const { api } = contractsOf(cases);
        const compile = schemaCompiler(api);
        for (const { where, media } of examplesOf(api)) {
          if (media.schema === undefined || media.example === undefined) continue;
          const validate = compile(media.schema);
          expect(validate(media.example), `${where} ${JSON.stringify(validate.errors)}`).toBe(true);
        }
      }),
      { numRuns: 7 },
    );
  });
});

describe('replies and faults', () => {
  const reply = document('REPLY', [field('A')]);
  const fault = document('FAULT', [field('MESSAGE', 'text', { default: '{fault.message}' })]);
  const both = { 'text/csv': 'text', 'application/json': reply, 'application/xml': reply } as const;
  const shapes: readonly (readonly [string, OperationOptions])[] = [
    ['nothing', { templates: ['x'] }],
    ['a document', { templates: ['x'], response: reply, fault }],
    ['a document, without a fault document', { templates: ['x'], response: reply }],
    [
      'XML first',
      { templates: ['x'], response: { 'application/atom+xml': reply, 'application/hal+json': reply }, fault },
    ],
    ['bytes', { templates: ['x'], response: 'binary', fault }],
    ['text and a document', { templates: ['x'], response: both, fault }],
    ['the wrapper', { templates: ['x'], response: { 'application/json': reply }, wrapper: 'psnonxml', fault }],
    ['the wrapper beside XML', { templates: ['x'], response: both, wrapper: 'psnonxml', fault }],
  ];

  test.each(shapes)('have the media types that the binding gives them: %s', (_, options) => {
    const operation = registry({ 'Test.v1': { operations: { T: options } } }).operations.get('T') as Operation;
    const { representations, writeFault } = compileRest(operation, 'urn:signalbox:test');
    const offered = representations
      .filter(({ message }) => message.kind !== 'none')
      .map(({ format, contentType }) => `${format} ${contentType.split(';', 1)[0]}`);
    // `text/xml` is another name for the wrapper, which contracts leave out.
    const named = offered.filter((each) => each !== 'psnonxml text/xml');
    expect(sentForms(operation).map(({ format, mediaType }) => `${format} ${mediaType}`)).toEqual(named);
    const thrown = Fault.of('FORBIDDEN', { user: 'guest', what: 'this operation' });
    const faults = new Set(representations.map((form) => writeFault(thrown, form, 'id').contentType));
    expect(faultForms(operation).map(({ mediaType }) => mediaType)).toEqual([...faults]);
  });

  test.each([
    ['of the failure shape', FAILURE],
    [
      'with every word',
      document(
        'F',
        [
          field('STATUS', 'integer', { default: '{fault.status}' }),
          field('CODE', string(5), { default: '{fault.code}' }),
          field('TEXT', 'text', { default: 'Sorry: {fault.message}' }),
          field('LONG', 'text', { default: '{fault.detail}', minimum: 1 }),
          field('WORD', 'string', { default: '{fault.code}', enum: ['OTHER'] }),
          field('KIND', 'string', { fixed: 'error' }),
          field('LEVEL', 'integer', { default: 3 }),
          field('NOTE'),
          field('MORE', compound(document('MORE', [field('NOTE')]))),
          field('INNER', compound(document('INNER', [field('M', 'text', { default: '{fault.message}' })]))),
        ],
        { root: true },
      ),
    ],
  ] as const)('a fault document %s has the example that the codec writes', (_, given) => {
    const words = { status: 403, code: 'FORBIDDEN', message: 'guest may not use this.', detail: '' };
    const written = compileFault(given, { namespace }).toJson(words);
    expect(exampleJson(given, exampleFault(given, words))).toEqual(JSON.parse(written));
  });
});
