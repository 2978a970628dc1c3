import SwaggerParser from '@apidevtools/swagger-parser';
import { describe, expect, test } from 'vitest';
import { writeProblem } from '../../src/binding/rest/rest.ts';
import { describeOpenApi } from '../../src/describe/index.ts';
import type { Document } from '../../src/model/document.ts';
import { Fault } from '../../src/model/fault.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Service } from '../../src/model/service.ts';
import { restConsumer } from '../support/consumer.ts';
import {
  compound,
  decimal,
  document,
  field,
  listOf,
  type OperationOptions,
  registry,
  string,
} from '../support/registry.ts';
import { examplesOf, type OpenApi, type OpenApiOperation, schemaCompiler } from './openapi-reader.ts';
import { base, samples } from './samples.ts';

function textOf(built: Registry, id: string, pathName?: string): string {
  const service = built.services.get(id) as Service;
  return describeOpenApi(built, service, pathName === undefined ? { base } : { base, pathName });
}

function openApi(built: Registry, id: string, pathName?: string): OpenApi {
  return JSON.parse(textOf(built, id, pathName)) as OpenApi;
}

function ofOperations(operations: Readonly<Record<string, OperationOptions>>): OpenApi {
  return openApi(registry({ 'Test.v1': { operations } }), 'Test.v1');
}

function operationsOf(api: OpenApi): OpenApiOperation[] {
  return Object.values(api.paths).flatMap((item) => Object.values(item));
}

const everySample = Object.values(samples).flatMap((built) =>
  [...built.services.keys()].map((id) => [id, built] as const),
);

describe('OpenAPI', () => {
  test.each(everySample)('%s passes the validator', async (id, built) => {
    await expect(SwaggerParser.validate(JSON.parse(textOf(built, id)))).resolves.toBeDefined();
  });

  test.each(everySample)('every example of %s is valid by its schema', (id, built) => {
    const api = openApi(built, id);
    const compile = schemaCompiler(api);
    const examples = examplesOf(api).filter(({ media }) => media.example !== undefined);
    expect(examples.length).toBeGreaterThan(5);
    for (const { where, media } of examples) {
      const validate = compile(media.schema ?? {});
      expect(validate(media.example), `${where} ${JSON.stringify(validate.errors)}`).toBe(true);
    }
  });

  test.each(everySample)('the operation ids of %s are unique', (id, built) => {
    const ids = operationsOf(openApi(built, id)).map((operation) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('a template is a path, numbered from the second on', () => {
    const api = openApi(samples.tools, 'Locations.v1');
    expect(api.servers).toEqual([{ url: `${base}/RESTListeningConnector/LOCAL` }]);
    expect(Object.keys(api.paths)).toEqual(['/Locations.v1/Locations/', '/Locations.v1/Locations/{REGION}/']);
    expect(operationsOf(api).map((operation) => operation.operationId)).toEqual(['LOCATIONS_GET', 'LOCATIONS_GET_2']);
    expect(operationsOf(api)[1]?.parameters).toMatchObject([
      { name: 'REGION', in: 'path', required: true, schema: { type: 'string', maxLength: 1 }, example: 'N' },
      { name: 'location', in: 'query', required: true, schema: { type: 'string', maxLength: 10 }, example: 'NYC01' },
    ]);
  });

  test('no id is that of another operation', () => {
    const api = ofOperations({ A_GET: { templates: ['a', 'b'] }, A_GET_2: { templates: ['c'] } });
    expect(operationsOf(api).map((operation) => operation.operationId)).toEqual(['A_GET', 'A_GET_2_2', 'A_GET_2']);
  });

  test('the operators of RFC 6570 are styles', () => {
    const request = document(
      'R',
      ['A', 'B', 'C', 'D', 'E'].map((name) => field(name, listOf('string'))),
    );
    const template = 'x/{A*}{.B}{;C*}{?D,E*}';
    const [operation] = operationsOf(ofOperations({ T_GET: { templates: [template], request } }));
    expect(
      operation?.parameters?.map(({ name, in: place, style, explode, required }) => [
        name,
        place,
        style,
        explode,
        required,
      ]),
    ).toEqual([
      ['A', 'path', undefined, true, true],
      ['B', 'path', 'label', undefined, true],
      ['C', 'path', 'matrix', true, true],
      ['D', 'query', 'form', false, false],
      ['E', 'query', 'form', true, false],
    ]);
  });

  test('a variable that its field requires is required, also where the template would do without', () => {
    const request = document('R', [
      field('A', 'string', { required: true }),
      field('B'),
      field('C', 'string', { required: true }),
    ]);
    const [operation] = operationsOf(ofOperations({ T_GET: { templates: ['x{/A}{?B,C}'], request } }));
    expect(operation?.parameters?.map(({ name, required, example }) => [name, required, example])).toEqual([
      ['A', true, 'text'],
      ['B', false, undefined],
      ['C', true, 'text'],
    ]);
    expect(operation?.parameters?.[0]?.description).toBeUndefined();
    expect(operation?.parameters?.[2]).not.toHaveProperty('allowEmptyValue');
  });

  test('reserved expansion is told', () => {
    const [path, query] = operationsOf(ofOperations({ T_GET: { templates: ['x/{+P}?q={+Q}'] } }))[0]?.parameters ?? [];
    expect(path?.description).toContain('reserved characters');
    expect(query?.allowReserved).toBe(true);
  });

  test('templates that differ in their query share a path; a parameter of some is not required', () => {
    const request = document('R', [field('A'), field('B')]);
    const api = ofOperations({ T_GET: { templates: ['x?a={A}&k=1', 'x?a={A}&b={B}'], request } });
    const [operation, ...others] = operationsOf(api);
    expect(others).toEqual([]);
    expect(operation?.parameters?.map(({ name, required }) => [name, required])).toEqual([
      ['k', false],
      ['a', true],
      ['b', false],
    ]);
    expect(operation?.description).toContain('x?a={A}&k=1');
    expect(operation?.description).toContain('x?a={A}&b={B}');
  });

  test('paths that differ in the names of variables only are one, with the first names', () => {
    const api = ofOperations({
      T_GET: { templates: ['x/{A}'] },
      T_DELETE: { method: 'DELETE', templates: ['x/{B}'], public: true },
    });
    expect(Object.keys(api.paths)).toEqual(['/Test.v1/x/{A}']);
    const item = api.paths['/Test.v1/x/{A}'];
    expect(item?.delete?.parameters).toMatchObject([{ name: 'A', description: 'B in the URI template.' }]);
    expect(item?.get?.security).toEqual([{ basic: [] }]);
    expect(item?.delete?.security).toEqual([]);
  });

  test('only the schemes that are used are there', () => {
    expect(ofOperations({ T_GET: { templates: ['x'] } }).components.securitySchemes).toHaveProperty('basic');
    expect(ofOperations({ T_GET: { templates: ['x'], public: true } }).components.securitySchemes).toBeUndefined();
  });

  test('what the URI carries is not in the body', () => {
    const request = document('R', [
      field('ID', 'integer', { required: true }),
      field('A', string(3), { required: true }),
      field('B'),
    ]);
    const api = ofOperations({
      T_PUT: { method: 'PUT', templates: ['x/{ID}'], request },
      T_POST: { method: 'POST', templates: ['x'], request },
    });
    const [put, post] = operationsOf(api);
    expect(put?.requestBody?.content['application/json']).toEqual({
      schema: { $ref: '#/components/schemas/T_PUT_BODY' },
      example: { A: 'tex' },
    });
    expect(api.components.schemas.T_PUT_BODY).toMatchObject({
      required: ['A'],
      properties: { A: { maxLength: 3 } },
    });
    expect(post?.requestBody?.content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/R' });
  });

  test.each([
    ['json', 'application/json'],
    ['xml', 'application/xml'],
    ['text', 'text/plain'],
    ['binary', 'application/octet-stream'],
  ] as const)('a raw %s body is %s', (kind, mediaType) => {
    const [operation] = operationsOf(ofOperations({ T_POST: { method: 'POST', templates: ['x'], request: kind } }));
    expect(Object.keys(operation?.requestBody?.content ?? {})).toEqual([mediaType]);
  });

  test('a wrapped reply and its faults are XML around JSON, or JSON', () => {
    const api = openApi(samples.tools, 'Locations.v1');
    const [operation] = operationsOf(api);
    const content = operation?.responses['200']?.content;
    // JSON first: generated clients read it alone into their classes.
    expect(Object.keys(content ?? {})).toEqual(['application/json', 'application/xml']);
    expect(operation?.responses['200']?.description).toBe(
      'The reply, as application/xml unless the Accept header asks for another form.',
    );
    expect(content?.['application/xml']?.example).toMatch(
      /^<data psnonxml='Yes'><!\[CDATA\[\{"LOC_RESPONSE":\{"LOC_DATA":\[/,
    );
    expect(Object.keys(api.components.responses.LOC_FAULT_400?.content ?? {})).toEqual([
      'application/json',
      'application/xml',
    ]);
    expect(api.components.responses.LOC_FAULT_401?.content?.['application/json']?.example).toEqual({
      MESSAGE: 'Credentials are missing or wrong.',
    });
  });

  test('an operation that another system answers has the faults of that call', () => {
    const answer = { kind: 'call', call: restConsumer({ templates: ['x'] }) } as const;
    const api = ofOperations({ T_GET: { templates: ['x'], public: true, answer }, T_LIST: { templates: ['y'] } });
    const [called, own] = operationsOf(api).map(({ responses }) => Object.keys(responses));
    expect(called).toEqual(['204', '400', '404', '405', '500', '502', '503', '504']);
    expect(own).not.toContain('502');
    const { example } = api.components.responses.Problem_502?.content?.['application/problem+json'] ?? {};
    expect(example).toMatchObject({ code: 'UPSTREAM_FAILED' });
  });

  test('faults without a document are problem details', () => {
    const api = ofOperations({ T_POST: { method: 'POST', templates: ['x'], request: document('R', [field('A')]) } });
    const [operation] = operationsOf(api);
    const statuses = Object.keys(operation?.responses ?? {});
    expect(statuses).toEqual(['204', '400', '401', '403', '404', '405', '413', '415', '500', '503', '504']);
    expect(Object.keys(api.components.responses.Problem_500?.content ?? {})).toEqual(['application/problem+json']);
    const fault = Fault.of('FORBIDDEN', { user: 'guest', what: 'this operation' });
    const { example } = api.components.responses.Problem_403?.content?.['application/problem+json'] ?? {};
    expect(example).toEqual(JSON.parse(writeProblem(fault, '3f2c8a1e').text));
  });

  test('a fault document is filled as a fault fills it', () => {
    const error = document('E', [field('DETAIL', 'text', { default: '{fault.detail}' }), field('NOTE')], {
      inPlace: true,
    });
    const fault = document('F', [
      field('STATUS', 'integer', { default: '{fault.status}' }),
      field('CODE', string(5), { default: '{fault.code}' }),
      field('TEXT', 'text', { default: 'Sorry: {fault.message}' }),
      field('KIND', 'string', { fixed: 'error' }),
      field('ERROR', compound(error)),
      field('NOTE'),
    ]);
    const api = ofOperations({ T_GET: { templates: ['x'], response: document('R', [field('A')]), fault } });
    expect(api.components.responses.F_403?.content?.['application/json']?.example).toEqual({
      STATUS: 403,
      CODE: 'FORBI',
      TEXT: 'Sorry: guest may not use this operation.',
      KIND: 'error',
      ERROR: { DETAIL: '' },
    });
  });

  test('JSON in a parameter is text, and so are its default and its example', () => {
    const request = document('R', [field('A', 'json', { default: '{"a":1}' }), field('B', 'json', { example: '[2]' })]);
    const [operation] = operationsOf(ofOperations({ T_GET: { templates: ['x{?A,B}'], request } }));
    const schema = { type: 'string', contentMediaType: 'application/json' };
    expect(operation?.parameters).toMatchObject([
      { name: 'A', schema: { ...schema, default: '{"a":1}' } },
      { name: 'B', schema, example: '[2]' },
    ]);
  });

  test('a document that holds itself refers to itself, and its example ends', async () => {
    const tree: { -readonly [K in keyof Document]: Document[K] } = document('TREE', []);
    tree.fields = [field('NAME'), field('CHILDREN', listOf(tree), { absent: 'blank' })];
    const api = ofOperations({ T_GET: { templates: ['x'], response: tree } });
    const content = operationsOf(api)[0]?.responses['200']?.content;
    expect(content?.['application/json']?.example).toEqual({ NAME: 'text', CHILDREN: { NAME: '', CHILDREN: null } });
    await expect(SwaggerParser.validate(JSON.parse(JSON.stringify(api)))).resolves.toBeDefined();
  });

  test('a document says what codec and handlers keep', () => {
    const inner = document('IN', [field('X', 'integer'), field('Y')]);
    const doc = document(
      'DOC',
      [
        field('KEY', string(3), { jsonName: 'key=', required: true }),
        field('TOTAL', decimal(5, 2)),
        field('AT', 'datetime', { absent: 'blank' }),
        field('ROWS', listOf(inner), { absent: 'blank', minimum: 1, maximum: 4 }),
        field('ONE', compound(inner), { description: 'The one.' }),
        field('WORD', 'string', { patterns: ['a|b'], enum: ['a', 'b'], anyCase: true }),
        field('PASS', 'text', { sensitive: true }),
        field('ANY', 'json'),
      ],
      { root: true, open: true },
    );
    const api = ofOperations({ T_GET: { templates: ['x'], response: doc } });
    expect(api.components.schemas.DOC_MESSAGE).toMatchObject({
      properties: { DOC: { $ref: '#/components/schemas/DOC_DOCUMENT' } },
    });
    expect(api.components.schemas.DOC_DOCUMENT).toEqual({
      type: 'object',
      properties: {
        'key=': { type: 'string', maxLength: 3 },
        TOTAL: {
          type: 'number',
          format: 'decimal',
          exclusiveMinimum: -1000,
          exclusiveMaximum: 1000,
          description: 'At most 5 digits, 2 of them after the point.',
        },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        AT: { type: 'string', if: { minLength: 1 }, then: { format: 'date-time' } },
        ROWS: {
          description: 'A list of IN; when absent, one object with all members blank.',
          if: { type: 'array' },
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: { type: 'array', items: { $ref: '#/components/schemas/IN' }, minItems: 1, maxItems: 4 },
          else: { $ref: '#/components/schemas/IN_BLANK' },
        },
        ONE: { $ref: '#/components/schemas/IN', description: 'The one.' },
        WORD: { type: 'string', pattern: '^(?:a|b)$', enum: ['a', 'b'], description: 'Not case-sensitive.' },
        PASS: { type: 'string', format: 'password' },
        ANY: { description: 'Any JSON value.' },
      },
      required: ['key='],
      additionalProperties: { description: 'The value of an undeclared member.' },
    });
    expect(api.components.schemas.IN_BLANK).toMatchObject({
      properties: { X: { type: 'null' }, Y: { type: 'string', const: '' } },
      required: ['X', 'Y'],
      additionalProperties: false,
    });
  });

  test('a deprecated service says so at each operation', () => {
    const api = openApi(samples.shapes, 'Shapes.v2');
    expect(operationsOf(api).every((operation) => operation.deprecated)).toBe(true);
    expect(api.info.description).toContain('deprecated since 2026-01-01. It ends on 2027-01-01.');
  });

  test('one path name is described alone, under its own title', () => {
    const api = openApi(samples.tools, 'QAS_QRY_SERVICE.v1', 'ExecuteQuery');
    expect(api.info).toMatchObject({ title: 'ExecuteQuery.v1', version: 'v1' });
    expect(Object.keys(api.paths)).toEqual([
      '/ExecuteQuery.v1/{OwnerType}/{QueryName}/{OutResultType}/{OutResultFormat}',
    ]);
    const [operation] = operationsOf(api);
    expect(
      operation?.parameters?.filter((each) => each.in === 'query').map(({ name, explode }) => [name, explode]),
    ).toEqual([
      ['isconnectedquery', undefined],
      ['maxrows', undefined],
      ['prompt_psqueryname', true],
      ['prompt_uniquepromptname', true],
      ['prompt_fieldvalue', true],
      ['filterfields', true],
      ['json_resp', undefined],
    ]);
    expect(Object.keys(api.components.schemas)).not.toContain('QAS_LISTQUERY_RESP');
  });
});
