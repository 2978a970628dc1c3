import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { describeWadl } from '../../src/describe/index.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Service } from '../../src/model/service.ts';
import { restConsumer } from '../support/consumer.ts';
import { document, field, registry } from '../support/registry.ts';
import { corpusSchema, hasXmllint, validateXml } from '../support/xmllint.ts';
import { base, samples } from './samples.ts';

function wadl(built: Registry, id: string, pathName?: string): string {
  const service = built.services.get(id) as Service;
  return describeWadl(built, service, pathName === undefined ? { base } : { base, pathName });
}

interface Param {
  readonly name: string;
  readonly style: string;
  readonly type: string;
  readonly required?: string;
  readonly repeating?: string;
  readonly default?: string;
  readonly fixed?: string;
  readonly option?: readonly { readonly value: string }[];
}

interface Method {
  readonly name: string;
  readonly id: string;
  readonly request?: readonly [
    { readonly param?: readonly Param[]; readonly representation?: readonly { mediaType: string }[] },
  ];
  readonly response: readonly {
    readonly status: string;
    readonly representation?: readonly { readonly mediaType: string; readonly element?: string }[];
  }[];
}

interface Resource {
  readonly path: string;
  readonly param?: readonly Param[];
  readonly method?: readonly Method[];
  readonly resource?: readonly Resource[];
}

/** The resources below each path name, by their paths. */
function resourcesOf(text: string): Map<string, Resource> {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    parseAttributeValue: false,
    removeNSPrefix: true,
    isArray: (_, __, ___, isAttribute) => !isAttribute,
  });
  const read = parser.parse(text) as { application: [{ resources: [{ base: string; resource: Resource[] }] }] };
  const [{ resources }] = read.application;
  expect(resources[0].base).toBe(`${base}/RESTListeningConnector/LOCAL/`);
  return new Map(
    resources[0].resource.flatMap((outer) =>
      (outer.resource ?? []).map((inner) => [`${outer.path}/${inner.path}`, inner]),
    ),
  );
}

function only<T>(list: readonly T[] | undefined): T {
  expect(list).toHaveLength(1);
  return (list as readonly T[])[0] as T;
}

describe('WADL', () => {
  test('each URI template is a resource, its method numbered from the second on', () => {
    const resources = resourcesOf(wadl(samples.tools, 'Locations.v1'));
    expect([...resources.keys()]).toEqual(['Locations.v1/Locations/', 'Locations.v1/Locations/{REGION}/']);
    const [first, second] = [...resources.values()].map((resource) => only(resource.method));
    expect(first).toMatchObject({ name: 'GET', id: 'LOCATIONS_GET' });
    expect(second).toMatchObject({ name: 'GET', id: 'LOCATIONS_GET_2' });
    expect(only(first?.request)).toMatchObject({
      param: [{ name: 'region', style: 'query', type: 'xs:string', required: 'true' }],
    });
    expect(resources.get('Locations.v1/Locations/{REGION}/')?.param).toMatchObject([
      { name: 'REGION', style: 'template', type: 'xs:string', required: 'true' },
    ]);
  });

  test('a wrapped reply is an element and JSON, and so are its faults, with their statuses', () => {
    const [resource] = resourcesOf(wadl(samples.tools, 'Locations.v1')).values();
    const { response } = only(resource?.method);
    const forms = [{ mediaType: 'application/xml', element: 'data' }, { mediaType: 'application/json' }];
    expect(response).toMatchObject([
      { status: '200', representation: forms },
      { status: '400 401 403 404 405 406 500 503 504', representation: forms },
      { status: '404 405', representation: [{ mediaType: 'application/problem+json' }] },
    ]);
  });

  test('ExecuteQuery has one resource with its four path and seven query parameters', () => {
    const text = wadl(samples.tools, 'QAS_QRY_SERVICE.v1', 'ExecuteQuery');
    const [[path, resource] = []] = [...resourcesOf(text)];
    expect(path).toBe('ExecuteQuery.v1/{OwnerType}/{QueryName}/{OutResultType}/{OutResultFormat}');
    expect(resource?.param?.map((param) => param.name)).toEqual([
      'OwnerType',
      'QueryName',
      'OutResultType',
      'OutResultFormat',
    ]);
    expect(resource?.param?.[0]?.option).toMatchObject([{ value: 'PUBLIC' }, { value: 'PRIVATE' }]);
    const params = only(only(resource?.method).request).param ?? [];
    expect(params.map(({ name, repeating }) => [name, repeating])).toEqual([
      ['isconnectedquery', undefined],
      ['maxrows', undefined],
      ['prompt_psqueryname', 'true'],
      ['prompt_uniquepromptname', 'true'],
      ['prompt_fieldvalue', 'true'],
      ['filterfields', 'true'],
      ['json_resp', undefined],
    ]);
    expect(params[0]).toMatchObject({ type: 'xs:string', default: 'N', option: [{ value: 'Y' }, { value: 'N' }] });
    expect(params[1]).toMatchObject({ type: 'xs:integer' });
    expect(params[6]).toMatchObject({ type: 'xs:boolean' });
    expect(text).not.toContain('ListQuery');
  });

  test('an XML reply names its element, with no prefix in force where it has no namespace', () => {
    const text = wadl(samples.tools, 'QAS_QRY_SERVICE.v1', 'ExecuteQuery');
    expect(text).toMatch(
      /<wadl:representation [^>]*xmlns="" mediaType="application\/xml" element="QAS_GETQUERYRESULTS_RESP_MSG"/,
    );
    expect(wadl(samples.shapes, 'Shapes.v2')).toContain(
      '<representation mediaType="application/xml" element="tns:ORDER_REPLY"/>',
    );
  });

  test('operators of RFC 6570 become paths, matrix, query and fixed parameters', () => {
    const resources = resourcesOf(wadl(samples.shapes, 'Shapes.v2'));
    expect([...resources.keys()]).toEqual(
      [
        'Shapes.v2/Orders/{ID}',
        'Shapes.v2/Clients/{CLIENT}/Orders/{ID}',
        'Shapes.v2/Orders/{ID}',
        'Shapes.v2/Orders/{NUMBER}',
        'Shapes.v2/Files/{PATH}.{EXT}',
        'Shapes.v2/Parts/{A},{B}',
        'Shapes.v2/Files',
      ].filter((path, index, all) => all.indexOf(path) === index),
    );
    expect(wadl(samples.shapes, 'Shapes.v2')).toContain('<param name="version" style="matrix" type="xs:integer"/>');
    const get = resources.get('Shapes.v2/Orders/{ID}');
    expect(only(only(get?.method).request).param).toMatchObject([
      { name: 'view', style: 'query', required: 'true', fixed: 'full' },
      { name: 'fields', style: 'query', required: 'true', repeating: 'true' },
    ]);
  });

  test('a body has its media type, a header its style; a public operation answers no 401', () => {
    const header = field('IF_MATCH', 'string', { required: true });
    const request = document('R', [header, field('A')]);
    const built = registry({
      'Test.v1': {
        operations: {
          TEST_PUT: {
            method: 'PUT',
            templates: ['a'],
            request,
            requestHeaders: [{ header: 'If-Match', field: header }],
            public: true,
          },
          TEST_GET: { templates: ['a'], response: 'text' },
        },
      },
    });
    const [resource, ...others] = resourcesOf(wadl(built, 'Test.v1')).values();
    expect(others).toEqual([]);
    const [put, get] = resource?.method ?? [];
    expect(only(put?.request)).toMatchObject({
      param: [{ name: 'If-Match', style: 'header', type: 'xs:string', required: 'true' }],
      representation: [
        { mediaType: 'application/json', doc: ['R: A'] },
        { mediaType: 'application/xml', element: 'tns:R', doc: ['Contains only A'] },
      ],
    });
    expect(put?.response.map((response) => response.status)).toEqual(['204', '400 404 405 413 415 500 503 504']);
    expect(get?.response[1]?.status).toBe('400 401 403 404 405 406 500 503 504');
  });

  test('an operation that another system answers has the faults of that call', () => {
    const answer = { kind: 'call', call: restConsumer({ templates: ['x'] }) } as const;
    const operations = { TEST_GET: { templates: ['a'], answer }, TEST_LIST: { templates: ['b'] } };
    const text = wadl(registry({ 'Test.v1': { operations } }), 'Test.v1');
    const [called, own] = [...resourcesOf(text).values()].map(({ method }) => method?.[0]?.response[1]?.status);
    expect(called).toBe('400 401 403 404 405 500 502 503 504');
    expect(own).toBe('400 401 403 404 405 500 503 504');
    expect(text).toMatch(/^\W*502: The system behind this operation/m);
  });

  test('a variable that its field requires is required, also where the template would do without', () => {
    const request = document('R', [
      field('A', 'string', { required: true }),
      field('B'),
      field('C', 'string', { required: true }),
    ]);
    const built = registry({ 'Test.v1': { operations: { TEST_GET: { templates: ['x{/A}{?B,C}'], request } } } });
    const [resource] = resourcesOf(wadl(built, 'Test.v1')).values();
    expect(resource?.param).toMatchObject([{ name: 'A', required: 'true' }]);
    const params = only(only(resource?.method).request).param ?? [];
    expect(params.map(({ name, required }) => [name, required])).toEqual([
      ['B', undefined],
      ['C', 'true'],
    ]);
  });

  test('a name that WADL has no token for is told in words', () => {
    const request = document('R', [field('F')]);
    const built = registry({ 'Test.v1': { operations: { TEST_GET: { templates: ['a?$filter={F}'], request } } } });
    const text = wadl(built, 'Test.v1');
    expect(text).toContain('<param name="_filter" style="query"');
    expect(text).toContain('The name in requests is $filter');
  });

  test('inactive operations are left out; without any there are no resources', () => {
    const built = registry({ 'Test.v1': { operations: { TEST_GET: { templates: ['a'], active: false } } } });
    expect(wadl(built, 'Test.v1')).not.toContain('<resources');
  });

  test('hostile descriptions stay text', () => {
    const hostile = ']]> <evil a="\'"> & \u{1F682} \u0001 {REGION}';
    const request = document('R', [field('F', 'string', { description: hostile, enum: [hostile], default: hostile })]);
    const operation = { templates: ['a?f={F}'], request, description: hostile };
    const built = registry({ 'Test.v1': { description: hostile, operations: { TEST_GET: operation } } });
    const text = wadl(built, 'Test.v1');
    expect(XMLValidator.validate(text)).toBe(true);
    expect(text).not.toContain('<evil');
    expect(text).toContain(']]&gt; &lt;evil a="\'"&gt; &amp; \u{1F682} \ufffd {REGION}');
  });

  test('the same registry gives the same text', () => {
    expect(wadl(samples.shapes, 'Shapes.v2')).toBe(wadl(samples.shapes, 'Shapes.v2'));
  });
});

const schema = corpusSchema('wadl.xsd');

describe.skipIf(!hasXmllint || schema === undefined)('WADL and its schema (needs xmllint and ../shared/corpus)', () => {
  test.each(
    Object.values(samples).flatMap((built) => [...built.services.keys()].map((id) => [id, built] as const)),
  )('%s is valid', (id, built) => {
    expect(validateXml(schema as string, [wadl(built, id)])).toBe('');
  });
});
