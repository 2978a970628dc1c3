import { describe, expect, test } from 'vitest';
import { deliveredHandlers } from '../../src/delivered/index.ts';
import { DELIVERED_FACTS } from '../../src/describe/exchange.ts';
import { describeOpenApi } from '../../src/describe/index.ts';
import type { PRIVATE_QUERY } from '../../src/describe/openapi/request.ts';
import { linkSavedQuery } from '../../src/load/query/saved-query.ts';
import { query as querySchema } from '../../src/load/schema/query.ts';
import { PRIVATE_QUERY_KEYS } from '../../src/model/query.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Service } from '../../src/model/service.ts';
import { compound, document, field, listOf, type OperationOptions, registry, string } from '../support/registry.ts';
import type { OpenApi, OpenApiOperation } from './openapi-reader.ts';
import { base, samples } from './samples.ts';

// What generators of clients read out of a description, beyond what a validator asks for.

const textOf = (built: Registry, id: string): string =>
  describeOpenApi(built, built.services.get(id) as Service, { base });

function textOfOperations(operations: Readonly<Record<string, OperationOptions>>): string {
  return textOf(registry({ 'Test.v1': { description: 'For tests. Of clients.', operations } }), 'Test.v1');
}

const ofOperations = (operations: Readonly<Record<string, OperationOptions>>): OpenApi =>
  JSON.parse(textOfOperations(operations)) as OpenApi;

const operationsOf = (api: OpenApi): (OpenApiOperation & { readonly tags: string[]; readonly summary: string })[] =>
  Object.values(api.paths).flatMap((item) => Object.values(item)) as never;

const headersOf = (operation: OpenApiOperation | undefined, status: string): string[] =>
  Object.keys((operation?.responses[status] as { headers?: object } | undefined)?.headers ?? {});

const delivered = (name: string) => ({ kind: 'delivered', name: `signalbox/${name}` }) as const;

/** Every object of a JSON value that stands where a schema does. */
function schemasIn(value: unknown, isSchema = false): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => schemasIn(each, isSchema));
  if (typeof value !== 'object' || value === null) return isSchema ? [value] : [];
  const inner = Object.entries(value).flatMap(([key, each]) => {
    if (['example', 'examples', 'enum', 'const', 'default', 'required', 'type'].includes(key)) return [];
    if (key === 'properties' || key === 'schemas')
      return Object.values(each as object).flatMap((one) => schemasIn(one, true));
    return schemasIn(
      each,
      ['schema', 'items', 'additionalProperties', 'if', 'then', 'else', 'anyOf', 'oneOf'].includes(key),
    );
  });
  return isSchema ? [value, ...inner] : inner;
}

const everything = Object.values(samples).flatMap((built) => [...built.services.keys()].map((id) => textOf(built, id)));

describe('bodies', () => {
  const binary = { type: 'string', format: 'binary' };

  test('that are bytes are files, as a whole message and as one field of it', () => {
    const request = document('R', [field('NAME'), field('File', 'binary', { required: true })]);
    const api = ofOperations({
      A_POST: { method: 'POST', templates: ['a'], request: 'binary', response: 'binary' },
      B_PUT: { method: 'PUT', templates: ['b/{NAME}'], request, body: 'raw' },
    });
    const [whole, one] = operationsOf(api);
    const content = { 'application/octet-stream': { schema: binary } };
    expect(whole?.requestBody?.content).toEqual(content);
    expect(whole?.responses['200']?.content).toEqual(content);
    expect(one?.requestBody?.content).toEqual(content);
  });

  test('in base64 inside JSON are no files', () => {
    const api = ofOperations({ A_GET: { templates: ['a'], response: document('R', [field('B', 'binary')]) } });
    expect(api.components.schemas.R).toMatchObject({
      properties: { B: { type: 'string', contentEncoding: 'base64' } },
    });
  });

  test('of a private query are what the gateway takes for one', () => {
    const request = document('SAVE', [field('Definition', 'json', { required: true })]);
    const api = ofOperations({
      SAVE_POST: { method: 'POST', templates: ['/'], request, body: 'raw', answer: delivered('query-save') },
    });
    const [save] = operationsOf(api);
    expect(save?.requestBody?.content['application/json']?.schema).toEqual({
      $ref: '#/components/schemas/QUERY_DEFINITION',
    });
    const schema = api.components.schemas.QUERY_DEFINITION as typeof PRIVATE_QUERY;
    expect(Object.keys(schema.properties as object)).toEqual([...PRIVATE_QUERY_KEYS]);
    expect(schema.required).toEqual(querySchema.required);
    for (const key of ['query', 'sql', 'rows'] as const) {
      const {
        description: _,
        format: __,
        ...narrowed
      } = (schema.properties as Record<string, Record<string, unknown>>)[key]!;
      expect(querySchema.properties?.[key], key).toMatchObject(narrowed);
    }
    for (const key of schema.required as string[]) {
      const definition: Record<string, string | Record<string, string>> = {
        query: 'Q',
        columns: { A: 'string' },
        sql: 'select 1 as a',
      };
      expect(linkSavedQuery(definition)).toHaveProperty('query');
      delete definition[key];
      expect(linkSavedQuery(definition), key).toHaveProperty('problems');
    }
  });
});

describe('schemas', () => {
  test.each(
    everything.map((text) => [JSON.parse(text).info.title, text]),
  )('of %s say something, and no oneOf', (_, text) => {
    const all = schemasIn(JSON.parse(text as string));
    expect(all.length).toBeGreaterThan(10);
    for (const schema of all) {
      expect(schema).not.toEqual({});
      expect(schema).not.toBe(true);
      expect(schema).not.toHaveProperty('oneOf');
    }
  });

  test('of JSON and of open documents hold any value', () => {
    const response = document('R', [field('ANY', 'json'), field('ALL', listOf('json'))], { open: true });
    const api = ofOperations({ A_GET: { templates: ['a'], response }, B_GET: { templates: ['b'], response: 'json' } });
    expect(api.components.schemas.R).toMatchObject({
      properties: {
        ANY: { description: 'Any JSON value.' },
        ALL: { type: 'array', items: { description: 'Any JSON value.' } },
      },
      additionalProperties: { description: expect.any(String) },
    });
    const [, raw] = operationsOf(api);
    expect(raw?.responses['200']?.content?.['application/json']?.schema).toEqual({ description: 'Any JSON value.' });
  });

  test('let in any member where generators escape the name of one, and so do not know it', () => {
    const response = document('R', [
      field('A', 'string', { jsonName: 'a=' }),
      field('INNER', compound(document('IN', [field('B')]))),
    ]);
    const { schemas } = ofOperations({ A_GET: { templates: ['a'], response } }).components;
    expect(schemas.R).toMatchObject({ additionalProperties: { description: expect.any(String) } });
    expect(schemas.IN).toMatchObject({ additionalProperties: false });
  });

  test('are called like no member of any of them, and are different classes in different files', () => {
    const documents = [
      document('LOCATION', [field('LOCATION')]),
      document('LOC_DTL', [field('A')]),
      document('LOCDTL', [field('LOCATIONDOCUMENT')]),
      document('loc-dtl', [field('B')]),
    ];
    const response = document(
      'R',
      documents.map((each, index) => field(`F${index}`, compound(each))),
      { root: true },
    );
    const names = Object.keys(ofOperations({ A_GET: { templates: ['a'], response } }).components.schemas);
    expect(names.filter((name) => name !== 'Problem')).toEqual([
      'R_DOCUMENT',
      'LOCATION_DOCUMENT_2',
      'LOC_DTL',
      'LOCDTL_2',
      'loc-dtl_3',
      'R_MESSAGE',
    ]);
  });

  test('of integers have the bounds of 64 bits at most, with all their digits', () => {
    const response = document('R', [
      field('BIG', 'integer', { minimum: 0, maximum: 2 ** 62 }),
      field('MORE', 'integer', { minimum: -1e30, maximum: 1e30 }),
    ]);
    const text = textOfOperations({ A_GET: { templates: ['a'], response } });
    expect(text).toMatch(/"maximum": 4611686018427387904\n/);
    expect((JSON.parse(text) as OpenApi).components.schemas.R).toMatchObject({
      properties: { MORE: { type: 'integer', format: 'int64' } },
    });
    expect(text).not.toMatch(/1e\+30|1000000000000000019/);
  });
});

describe('operations', () => {
  test('are under the tag of their service, in one sentence each', () => {
    const api = ofOperations({
      A_GET: { templates: ['a'], description: 'Reads v1.2 of it. Needs a grant.' },
      B_GET: { templates: ['b'] },
    }) as OpenApi & { readonly tags: object[] };
    expect(api.tags).toEqual([{ name: 'Test.v1', description: 'For tests. Of clients.' }]);
    expect(operationsOf(api).map(({ tags, summary }) => [tags, summary])).toEqual([
      [['Test.v1'], 'Reads v1.2 of it'],
      [['Test.v1'], 'B_GET'],
    ]);
  });

  test('say where what they made is, and that a cap cut their rows', () => {
    const response = document('R', [field('A')]);
    const api = ofOperations({
      A_POST: { method: 'POST', templates: ['a'], status: 201, response, answer: delivered('process-schedule') },
      B_GET: { templates: ['b'], response, answer: delivered('query-results') },
      C_GET: { templates: ['c'], response },
      D_GET: { templates: ['d'], response, answer: delivered('process-get') },
    });
    const [made, results, code, none] = operationsOf(api);
    expect(headersOf(made, '201')).toEqual(['X-Request-Id', 'Location']);
    expect(headersOf(results, '200')).toEqual(['X-Request-Id', 'Rows-Truncated', 'Query-Status']);
    expect(headersOf(code, '200')).toEqual(['X-Request-Id', 'Rows-Truncated']);
    expect(headersOf(none, '200')).toEqual(['X-Request-Id']);
  });

  test('of the package have their conflicts', () => {
    const api = ofOperations({
      A_PATCH: { method: 'PATCH', templates: ['a'], answer: delivered('process-update') },
      B_GET: { templates: ['b'], answer: delivered('process-get') },
    });
    expect(operationsOf(api).map(({ responses }) => '409' in responses)).toEqual([true, false]);
    expect(Object.keys(DELIVERED_FACTS).filter((name) => !deliveredHandlers.has(name))).toEqual([]);
  });

  test('take no empty value where one counts as not sent', () => {
    const request = document('R', [
      field('PATH', string(3)),
      field('Q', 'string', { required: true }),
      field('LONG', 'string', { minimum: 4 }),
      field('FREE'),
      field('CODE', 'string', { enum: ['A', ''] }),
      field('N', 'integer'),
      field('H', 'string', { required: true }),
    ]);
    const [path, q, long, free, code, n, header] = operationsOf(
      ofOperations({
        A_GET: {
          templates: ['a/{PATH}?l={LONG}&n={N}{&Q,FREE,CODE}'],
          request,
          requestHeaders: [{ header: 'X-H', field: request.fields[6]! }],
        },
      }),
    )[0]!
      .parameters!.toSorted((a, b) => order(a.name) - order(b.name))
      .map((each) => each.schema);
    expect(path).toEqual({ type: 'string', minLength: 1, maxLength: 3 });
    expect(q).toEqual({ type: 'string', minLength: 1 });
    expect(long).toEqual({ type: 'string', minLength: 4 });
    expect(free).toEqual({ type: 'string' });
    expect(code).toEqual({ type: 'string', enum: ['A'] });
    expect(n).toEqual({ type: 'integer', format: 'int64' });
    expect(header).toEqual({ type: 'string', minLength: 1 });
  });
  const order = (name: string): number => ['PATH', 'Q', 'l', 'FREE', 'CODE', 'n', 'X-H'].indexOf(name);
});

describe('examples', () => {
  const row = document('ROW', [field('N', 'integer', { example: 1 })]);
  const exampleOf = (response: ReturnType<typeof document>): unknown =>
    operationsOf(ofOperations({ A_GET: { templates: ['a'], response } }))[0]?.responses['200']?.content?.[
      'application/json'
    ]?.example;

  test('hold the fields with an example, and those that are always written: they stand together', () => {
    const response = document('R', [
      field('rows', listOf(row)),
      field('fileurl'),
      field('message', 'text'),
      field('status', 'string', { fixed: 'success' }),
    ]);
    expect(exampleOf(response)).toEqual({ rows: [{ N: 1 }], status: 'success' });
    expect(exampleOf(document('R', [field('A'), field('B', 'flag')]))).toEqual({ A: 'text', B: 'Y' });
  });

  test('show what is blank as the gateway writes it, beside a list that is there', () => {
    const response = document('R', [field('ROWS', listOf(row)), field('OTHERS', listOf(row), { absent: 'blank' })]);
    expect(exampleOf(response)).toEqual({ ROWS: [{ N: 1 }], OTHERS: { N: null } });
    expect(exampleOf(document('R', [field('OTHERS', listOf(row), { absent: 'blank' })]))).toEqual({
      OTHERS: [{ N: 1 }],
    });
  });
});
