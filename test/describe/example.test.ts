import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { exampleRequest } from '../../src/describe/index.ts';
import type { OperationUri } from '../../src/model/service.ts';
import { compound, document, field, listOf, type OperationOptions, registry, string } from '../support/registry.ts';
import { documents } from './arbitraries.ts';
import { base, samples } from './samples.ts';

function examples(options: OperationOptions) {
  const built = registry({ 'Test.v1': { operations: { T: options } } });
  const operation = built.operations.get('T') as NonNullable<ReturnType<typeof built.operations.get>>;
  return operation.uris.map((uri) => exampleRequest(operation, uri, base, 'urn:x'));
}

describe('exampleRequest', () => {
  test('fills each template of the sample by the examples of its fields', () => {
    const operation = samples.tools.operations.get('LOCATIONS_GET') as NonNullable<
      ReturnType<typeof samples.tools.operations.get>
    >;
    const urls = operation.uris.map((uri: OperationUri) => exampleRequest(operation, uri, base, 'urn:x'));
    expect(urls).toEqual([
      {
        method: 'GET',
        url: `${base}/RESTListeningConnector/Locations.v1/Locations/?region=N`,
        headers: { Accept: 'application/xml' },
      },
      {
        method: 'GET',
        url: `${base}/RESTListeningConnector/Locations.v1/Locations/N/?location=NYC01`,
        headers: { Accept: 'application/xml' },
      },
    ]);
  });

  test('leaves out what may be left out and has no example', () => {
    const operation = samples.tools.operations.get('QAS_EXECUTEQRY_REST_GET') as NonNullable<
      ReturnType<typeof samples.tools.operations.get>
    >;
    const [uri] = operation.uris;
    expect(exampleRequest(operation, uri as OperationUri, base, 'urn:x').url).toBe(
      `${base}/RESTListeningConnector/ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/JSON/NONFILE?maxrows=100&json_resp=true`,
    );
  });

  test('makes up what is required and has no example, by its type', () => {
    const request = document('R', [
      field('ID', 'integer', { minimum: 5 }),
      field('NAME', string(2)),
      field('DAY', 'date'),
      field('LIST', listOf('flag')),
      field('CODE', 'string', { patterns: ['[A-Z]{2}\\d'] }),
    ]);
    const [example] = examples({ templates: ['{ID}/{NAME}/{DAY}?list={LIST}&code={CODE}'], request });
    expect(example?.url).toBe(`${base}/RESTListeningConnector/Test.v1/5/te/2026-01-31?list=Y&code=AA1`);
  });

  test('gives what a field requires, also where the template would do without', () => {
    const request = document('R', [
      field('A', 'string', { required: true }),
      field('B'),
      field('C', listOf('integer'), { required: true }),
    ]);
    const [example] = examples({ templates: ['x{/A}{?B,C*}'], request });
    expect(example?.url).toBe(`${base}/RESTListeningConnector/Test.v1/x/text?C=1`);
  });

  test('is not empty where the pattern allows more: empty would be the same as not given', () => {
    const request = document('R', [field('A', 'string', { patterns: ['~?'] })]);
    const [example] = examples({ templates: ['x/{A}'], request });
    expect(example?.url).toBe(`${base}/RESTListeningConnector/Test.v1/x/~`);
  });

  test('percent-encodes by the style of the field', () => {
    const request = document('R', [
      field('A', 'string', { example: 'a b/c?' }),
      field('B', 'string', { example: 'a b/c', url: 'path' }),
    ]);
    const [example] = examples({ templates: ['{A}/{B}'], request });
    expect(example?.url).toBe(`${base}/RESTListeningConnector/Test.v1/a%20b%2Fc%3F/a%20b/c`);
  });

  test('has the body and the headers that the operation takes', () => {
    const revision = field('REVISION', 'string', { example: '"7"' });
    const request = document(
      'R',
      [field('ID', 'integer'), revision, field('A', 'string', { required: true }), field('B')],
      {
        root: true,
      },
    );
    const requestHeaders = [{ header: 'If-Match', field: revision }];
    const [example] = examples({ method: 'PUT', templates: ['x/{ID}'], request, requestHeaders });
    expect(example).toEqual({
      method: 'PUT',
      url: `${base}/RESTListeningConnector/Test.v1/x/1`,
      headers: { 'If-Match': '"7"', 'Content-Type': 'application/json' },
      body: '{"R":{"A":"text"}}',
    });
  });

  test.each([
    ['json', 'application/json', '{}'],
    ['text', 'text/plain', 'text'],
    ['xml', 'application/xml', '<value/>'],
    ['binary', 'application/octet-stream', 'text'],
  ] as const)('a raw %s body is sent as %s', (request, mediaType, body) => {
    const [example] = examples({ method: 'POST', templates: ['x'], request });
    expect(example).toMatchObject({ headers: { 'Content-Type': mediaType }, body });
  });

  const item = document('ITEM', [field('A', 'string', { required: true }), field('N', 'integer')]);
  test.each([
    ['a document', compound(item), 'application/json', '{"A":"text","N":1}'],
    ['a list of documents', listOf(item), 'application/json', '[{"A":"text","N":1}]'],
    ['a list', listOf('string'), 'application/json', '["text"]'],
    ['JSON', 'json', 'application/json', '{}'],
    ['XML', 'xml', 'application/xml', '<value/>'],
    ['a number', 'integer', 'text/plain', '1'],
    ['bytes', 'binary', 'application/octet-stream', 'text'],
  ] as const)('a body that is one field, %s, is sent as that', (_, type, mediaType, body) => {
    const request = document('R', [field('ID'), field('BODY', type, { required: true })]);
    const [example] = examples({ method: 'POST', templates: ['x/{ID}'], request, body: 'raw' });
    expect(example).toMatchObject({ headers: { 'Content-Type': mediaType }, body });
  });

  test.each([
    ['is needed and can not be made up', 'x/{A}', { required: true, patterns: ['a\\bb'] }],
    ['would be a dot segment', 'x/{A}', { example: '..' }],
    ['would fill a page', 'x/{A}', { required: true, minimum: 5e9 }],
    ['has a style that its operator does not keep', 'x{/A}', { example: 'a/b', url: 'path' }],
  ] as const)('the template stands as it is where a value %s', (_, template, options) => {
    const [example] = examples({ templates: [template], request: document('R', [field('A', 'string', options)]) });
    expect(example?.url).toBe(`${base}/RESTListeningConnector/Test.v1/${template}`);
  });

  test('every body that it makes up can be read', () => {
    fc.assert(
      fc.property(documents('R'), ({ document: request }) => {
        const [example] = examples({ method: 'POST', templates: ['x'], request });
        const body = example?.body ?? '';
        const read = compileDocument(request, { namespace: '' }).fromJson(body);
        // A field whose value can't be made up, because of its pattern, is left out.
        expect(Object.keys(read).length).toBeGreaterThanOrEqual(Object.keys(JSON.parse(body)).length);
      }),
      { numRuns: 60 },
    );
  });
});
