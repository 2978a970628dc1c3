import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileDocument } from '../../src/codec/index.ts';
import { exampleRequest } from '../../src/describe/index.ts';
import type { OperationUri } from '../../src/model/service.ts';
import { document, field, listOf, type OperationOptions, registry, string } from '../support/registry.ts';
import { documents } from './arbitraries.ts';
import { base, samples } from './samples.ts';

function examples(options: OperationOptions) {
  const built = registry({ 'Test.v1': { operations: { T: options } } });
  const operation = built.operations.get('T') as NonNullable<ReturnType<typeof built.operations.get>>;
  return operation.uris.map((uri) => exampleRequest(operation, uri, base));
}

describe('exampleRequest', () => {
  test('fills each template of the sample by the examples of its fields', () => {
    const operation = samples.tools.operations.get('LOCATIONS_GET') as NonNullable<
      ReturnType<typeof samples.tools.operations.get>
    >;
    const urls = operation.uris.map((uri: OperationUri) => exampleRequest(operation, uri, base));
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
    expect(exampleRequest(operation, uri as OperationUri, base).url).toBe(
      `${base}/RESTListeningConnector/ExecuteQuery.v1/PUBLIC/PROCESS_MONITOR/JSON/NONFILE?maxrows=100&json_resp=true`,
    );
  });

  test('makes up what is required and has no example, by its type', () => {
    const request = document('R', [
      field('ID', 'integer', { minimum: 5 }),
      field('NAME', string(2)),
      field('DAY', 'date'),
      field('LIST', listOf('flag')),
      field('CODE', 'string', { pattern: '[A-Z]{2}\\d' }),
    ]);
    const [example] = examples({ templates: ['{ID}/{NAME}/{DAY}?list={LIST}&code={CODE}'], request });
    expect(example?.url).toBe(`${base}/RESTListeningConnector/Test.v1/5/te/2026-01-31?list=Y&code=AA1`);
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

  test('every body that it makes up can be read', () => {
    fc.assert(
      fc.property(documents('R'), ({ document: request }) => {
        const [example] = examples({ method: 'POST', templates: ['x'], request });
        const read = compileDocument(request, { namespace: '' }).fromJson(example?.body ?? '{}');
        expect(Object.keys(read).length).toBeGreaterThan(0);
      }),
      { numRuns: 60 },
    );
  });
});
