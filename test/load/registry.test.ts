import { describe, expect, it } from 'vitest';
import { loadProject } from '../../src/load/index.ts';
import { loadFiles } from '../../src/load/load.ts';
import type { Document } from '../../src/model/document.ts';
import type { Field } from '../../src/model/field.ts';
import type { Registry } from '../../src/model/registry.ts';
import type { Message, Operation } from '../../src/model/service.ts';
import { projectOf } from './project-text.ts';

function load(text: string): Registry {
  const { registry, diagnostics } = loadFiles(projectOf(text), 'ignore-missing');
  expect(diagnostics).toEqual([]);
  if (registry === undefined) throw new TypeError('no registry');
  return registry;
}

function operation(registry: Registry, id: string): Operation {
  const found = registry.operations.get(id);
  if (found === undefined) throw new TypeError(id);
  return found;
}

const documentOf = (message: Message | undefined): Document => {
  if (message?.kind !== 'document') throw new TypeError('no document');
  return message.document;
};
const names = (fields: readonly Field[]): string[] => fields.map((field) => field.name);

describe('the sample registry', () => {
  const root = new URL('../../', import.meta.url).pathname;
  const { registry, diagnostics } = loadProject({ root });
  const sample = registry as Registry;

  it('loads without a word', () => {
    expect(diagnostics).toEqual([]);
  });

  it('answers lookups by code, with two URIs and the wrapper', () => {
    const lookup = operation(sample, 'LOCATIONS_GET');
    expect(lookup).toMatchObject({
      method: 'GET',
      pathName: 'Locations',
      answer: { kind: 'handler', file: 'locations-get' },
      wrapper: 'psnonxml',
      status: 200,
      body: 'none',
      public: false,
      active: true,
      requires: 'basic',
    });
    expect(lookup.uris.map((uri) => [uri.index, uri.template.text])).toEqual([
      [1, 'Locations/?region={REGION}'],
      [2, 'Locations/{REGION}/?location={LOCATION}'],
    ]);
    expect(
      lookup.uris[1]?.variables.map(({ field, place, wireName, required }) => [field.name, place, wireName, required]),
    ).toEqual([
      ['REGION', 'path', 'REGION', true],
      ['LOCATION', 'query', 'location', true],
    ]);
    expect(documentOf(lookup.responses[0]?.message)).toBe(sample.documents.get('LOC_RESPONSE'));
    expect(lookup.fault).toBe(sample.documents.get('LOC_FAULT'));
    expect(lookup.permissions).toEqual([sample.permissionLists.get('LOCATIONS')]);
    expect(lookup.service).toBe(sample.services.get('Locations.v1'));
    expect(lookup.uris[0]?.variables[0]?.field).toBe(sample.documents.get('LOC_REQUEST')?.fields[0]);
  });

  it('has the delivered query service, granted by wildcard', () => {
    const execute = operation(sample, 'QAS_EXECUTEQRY_REST_GET');
    expect(execute.answer).toEqual({ kind: 'delivered', name: 'signalbox/query-execute' });
    expect(execute.pathName).toBe('ExecuteQuery');
    expect(execute.service.delivered).toBe(true);
    expect(execute.permissions).toEqual([sample.permissionLists.get('QUERY_USER')]);
    expect(execute.at.file).toBe('signalbox/qas-qry-service.yaml');
    expect(execute.responses.map((each) => each.mediaType)).toEqual([
      'application/json',
      'application/xml',
      'text/csv',
    ]);
    expect(sample.documents.get('QAS_QUERY_JSON_data_query_rows')).toMatchObject({ open: true, inPlace: true });
  });

  it('cuts queries at their prompts', () => {
    const monitor = sample.queries.get('PROCESS_MONITOR');
    expect(monitor?.columns.map((column) => `${column.name} ${column.type.kind}`)).toEqual([
      ...[
        'PRCSINSTANCE integer',
        'MAINJOBINSTANCE integer',
        'PRCSJOBNAME string',
        'PRCSTYPE string',
        'PRCSNAME string',
      ],
      ...[
        'OPRID string',
        'RUNCNTLID string',
        'RECURNAME string',
        'RUNSTATUS string',
        'DISTSTATUS string',
        'RUNDTTM datetime',
      ],
    ]);
    expect(names(monitor?.statement.prompts ?? [])).toEqual([
      'OPRID',
      'OPRID',
      'PRCSTYPE',
      'PRCSTYPE',
      'RUNSTATUS',
      'RUNSTATUS',
    ]);
    expect(monitor?.statement.texts).toHaveLength(7);
    expect(monitor?.statement.prompts[0]).toBe(monitor?.prompts[0]);
  });

  it('knows users by their roles, and routes every operation', () => {
    expect([...(sample.users.get('demo')?.permissionLists ?? [])].map((list) => list.id)).toEqual([
      'LOCATIONS',
      'QUERY_USER',
    ]);
    expect(sample.users.get('guest')?.permissionLists.size).toBe(0);
    expect(
      sample.routings.map(({ id, sender, receiver, generated, log }) => [id, sender, receiver, generated, log]),
    ).toEqual([...sample.operations.keys()].map((id) => [`~GENERATED~${id}`, 'ANY', 'LOCAL', true, 'none']));
  });

  it('is frozen through and through', () => {
    const open: unknown[] = [sample];
    const seen = new Set<unknown>();
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (typeof next !== 'object' || next === null || seen.has(next)) continue;
      seen.add(next);
      expect(Object.isFrozen(next)).toBe(true);
      if (next instanceof Map) {
        expect(() => (next as Map<unknown, unknown>).set('x', 1)).toThrow(TypeError);
        expect(() => (next as Map<unknown, unknown>).clear()).toThrow(TypeError);
        open.push(...next.values());
      } else if (next instanceof Set) {
        expect(() => (next as Set<unknown>).add(1)).toThrow(TypeError);
        open.push(...next);
      } else open.push(...Object.values(next));
    }
    expect(seen.size).toBeGreaterThan(300);
  });

  it('has its maps in the order of ids', () => {
    for (const map of [
      sample.documents,
      sample.operations,
      sample.queries,
      sample.services,
      sample.permissionLists,
      sample.users,
    ]) {
      expect([...map.keys()]).toEqual([...map.keys()].sort());
    }
  });
});

describe('an operation answered by a query', () => {
  const registry = load(`
query: PEOPLE
public: true
prompts: { DEPT: { type: string(30), required: true }, CITY: string }
columns: { NAME: string, AGE: integer }
sql: select name, age from people where dept = :DEPT and (:CITY is null or city = :CITY);
---
service: People.v1
public: true
request: NOT_USED
operations:
  PEOPLE_GET: { get: "People/{DEPT}{?maxrows,CITY}", query: PEOPLE }
  PEOPLE_POST: { post: People, query: PEOPLE }
---
document: NOT_USED
fields: { X: string }
`);
  const get = operation(registry, 'PEOPLE_GET');

  it('takes the prompts for its request, and maxrows where the template names it', () => {
    expect(names(documentOf(get.request).fields)).toEqual(['DEPT', 'CITY', 'maxrows']);
    expect(documentOf(get.request)).toMatchObject({ id: 'PEOPLE_GET_REQUEST', inPlace: true, root: false });
    expect(get.answer).toMatchObject({
      kind: 'query',
      maxrows: { name: 'maxrows', type: { kind: 'integer' }, minimum: 0 },
    });
    expect(documentOf(get.request).fields[0]).toBe(registry.queries.get('PEOPLE')?.prompts[0]);
    expect(names(documentOf(operation(registry, 'PEOPLE_POST').request).fields)).toEqual(['DEPT', 'CITY']);
  });

  it('replies with rows of the columns', () => {
    const response = documentOf(get.responses[0]?.message);
    expect(response).toMatchObject({ id: 'PEOPLE_GET_RESPONSE', xmlName: 'PEOPLE_GET_RESPONSE' });
    const [rows] = response.fields;
    expect(rows).toMatchObject({
      name: 'rows',
      type: { kind: 'list', flat: false, item: { document: { id: 'PEOPLE_ROW', xmlName: 'row' } } },
    });
    expect(get.responses.map((each) => each.mediaType)).toEqual(['application/json', 'application/xml']);
    expect(registry.documents.get('PEOPLE_ROW')?.fields).toBe(registry.queries.get('PEOPLE')?.columns);
  });

  it('puts into the body what the URI does not name', () => {
    const post = operation(registry, 'PEOPLE_POST');
    expect(post.body).toBe('document');
    expect(names(post.uris[0]?.body ?? [])).toEqual(['DEPT', 'CITY']);
    expect(get.uris[0]?.body).toEqual([]);
  });

  it('leaves the semicolon out of the statement', () => {
    const { statement } = registry.queries.get('PEOPLE') ?? {};
    expect(statement?.texts.at(-1)).toBe(')');
    expect(names(statement?.prompts ?? [])).toEqual(['DEPT', 'CITY', 'CITY']);
  });

  it('fills lists of a document by several queries', () => {
    const several = load(`
query: PEOPLE
public: true
prompts: { DEPT: string(30) }
columns: { NAME: string, AGE: integer }
sql: select name, age from people where dept = :DEPT
---
service: People.v1
public: true
operations:
  PEOPLE_GET:
    get: People/{DEPT}{?maxrows}
    request: { fields: { DEPT: string(30), maxrows: integer } }
    response: { fields: { old: { list: { fields: { NAME: string } } }, all: list of PERSON } }
    query: { all: PEOPLE, old: PEOPLE }
---
document: PERSON
fields: { NAME: text, AGE: { type: integer, required: true } }
`);
    const { answer } = operation(several, 'PEOPLE_GET');
    expect(answer).toMatchObject({ kind: 'queries', maxrows: { name: 'maxrows' } });
    expect(answer.kind === 'queries' && answer.lists.map(({ field, query }) => `${field.name} ${query.id}`)).toEqual([
      'all PEOPLE',
      'old PEOPLE',
    ]);
  });
});

describe('what a service says for all', () => {
  const registry = load(`
document: D
fields: { A: string, B: string, C: binary }
---
document: F
fields: { M: { type: text, default: "{fault.message}" } }
---
document: T
fields: { KEY: integer }
---
permission-list: P
operations: [S.*]
---
permission-list: Q
operations: [S.v1.*, OWN]
---
permission-list: R
---
service: S.v1
description: All.
permission: R
request: D
response: { application/json: D, text/csv: text }
fault: F
template: T
alias: Short
headers: { X-A: "{A}", X-B: "{B}" }
deprecated: { since: 2026-01-01, sunset: 2027-01-01 }
operations:
  PLAIN: { post: "plain/{KEY}" }
  OWN:
    put: /own
    permission: [P]
    request: { fields: { B: string, Z: { type: string(3), required: true } } }
    response: { text/csv: text, application/xml: D }
    fault: none
    template: none
    headers: { x-a: "{Z}" }
    alias: Long
    status: 201
  BINARY: { patch: binary, body: C }
  RAW: { post: raw, request: binary, response: none, headers: { X-A: "{KEY}", X-B: "{KEY}" } }
  OPEN: { delete: "open{?A,B}", public: true, response: text }
`);
  const of = (id: string): Operation => operation(registry, id);

  it('holds where an operation says nothing', () => {
    const plain = of('PLAIN');
    expect(plain.pathName).toBe('Short');
    expect(plain.fault?.id).toBe('F');
    expect(plain.requestHeaders.map(({ header, field }) => [header, field.name])).toEqual([
      ['X-A', 'A'],
      ['X-B', 'B'],
    ]);
    expect(names(plain.uris[0]?.body ?? [])).toEqual(['C']);
    expect(plain.uris[0]?.variables[0]?.field).toBe(registry.documents.get('T')?.fields[0]);
    expect(plain.responses.map((each) => each.mediaType)).toEqual(['application/json', 'text/csv']);
    expect(plain.permissions.map((list) => list.id)).toEqual(['R', 'P', 'Q']);
  });

  it('gives way to what an operation says, and maps merge', () => {
    const own = of('OWN');
    expect(own).toMatchObject({ method: 'PUT', pathName: 'Long', status: 201, body: 'document' });
    expect(own.uris[0]?.template.text).toBe('own');
    expect(own).not.toHaveProperty('fault');
    expect(own.requestHeaders.map(({ header, field }) => [header, field.name])).toEqual([
      ['x-a', 'Z'],
      ['X-B', 'B'],
    ]);
    expect(own.uris[0]?.body).toEqual([]);
    expect(own.responses.map(({ mediaType, message }) => [mediaType, message.kind])).toEqual([
      ['application/json', 'document'],
      ['text/csv', 'raw'],
      ['application/xml', 'document'],
    ]);
    expect(documentOf(own.request).id).toBe('OWN_REQUEST');
    expect(own.permissions.map((list) => list.id)).toEqual(['P', 'Q']);
  });

  it('knows bodies of one field, raw messages and none', () => {
    expect(of('BINARY')).toMatchObject({ body: 'raw', method: 'PATCH' });
    expect(names(of('BINARY').uris[0]?.body ?? [])).toEqual(['C']);
    expect(of('RAW')).toMatchObject({ body: 'raw', request: { kind: 'raw', raw: 'binary' } });
    expect(of('RAW').responses.map((each) => each.message.kind)).toEqual(['none', 'none']);
    expect(of('OPEN')).toMatchObject({ body: 'none', public: true, permissions: [] });
    expect(of('OPEN').responses).toEqual([{ mediaType: 'text/plain', message: { kind: 'raw', raw: 'text' } }]);
  });

  it('keeps its own facts', () => {
    expect(registry.services.get('S.v1')).toMatchObject({
      name: 'S',
      version: 'v1',
      description: 'All.',
      default: true,
      active: true,
      delivered: false,
      deprecated: { since: '2026-01-01', sunset: '2027-01-01' },
    });
  });
});

describe('fields', () => {
  const registry = load(`
document: EVERY
description: Every option.
xml: every
namespace: urn:x
root: true
open: true
fields:
  WORD: string(10)
  LONG:
    type: string(20)
    description: A field.
    default: BB
    enum: [AA, BB]
    any-case: true
    pattern: "[A-Z]+"
    minimum: 2
    maximum: 20
    sensitive: true
    example: aa
    json: long
    xml: Long
    namespace: urn:y
    absent: blank
    url: odata-path
  FIXED: { type: boolean, fixed: true, attribute: true }
  NEED: { type: decimal(10.2), required: true, example: 10.50 }
  ONE: EVERY
  MANY: { type: list of EVERY, flat: true, maximum: 3 }
  CODES: { type: list of string(2), enum: [AA, BB] }
  INNER: { open: true, fields: { A: date, B: { fields: { C: time } } } }
  ROWS: { list: { open: true, fields: { A: flag } } }
  NAMED: { flat: true, list: { xml: named, fields: { A: xml } } }
`);
  const every = registry.documents.get('EVERY') as Document;
  const field = (name: string): Field => every.fields.find((each) => each.name === name) as Field;

  it('have every option, in the order declared', () => {
    expect(every).toMatchObject({
      description: 'Every option.',
      xmlName: 'every',
      namespace: 'urn:x',
      root: true,
      open: true,
      inPlace: false,
    });
    expect(names(every.fields)).toEqual([
      'WORD',
      'LONG',
      'FIXED',
      'NEED',
      'ONE',
      'MANY',
      'CODES',
      'INNER',
      'ROWS',
      'NAMED',
    ]);
    expect(field('WORD')).toEqual({
      name: 'WORD',
      jsonName: 'WORD',
      xmlName: 'WORD',
      type: { kind: 'string', length: 10 },
      required: false,
      anyCase: false,
      sensitive: false,
      attribute: false,
      absent: 'omit',
      url: 'segment',
      at: { file: 'definitions/example.yaml', line: 9, column: 3 },
    });
    expect(field('LONG')).toMatchObject({
      jsonName: 'long',
      xmlName: 'Long',
      namespace: 'urn:y',
      default: 'BB',
      enum: ['AA', 'BB'],
      anyCase: true,
      pattern: '[A-Z]+',
      minimum: 2,
      maximum: 20,
      sensitive: true,
      example: 'AA',
      absent: 'blank',
      url: 'odata-path',
    });
    expect(field('FIXED')).toMatchObject({ fixed: true, attribute: true });
    expect(field('NEED')).toMatchObject({
      required: true,
      example: '10.50',
      type: { kind: 'decimal', length: 10, scale: 2 },
    });
  });

  it('are linked to their documents by reference, in circles too', () => {
    expect(field('ONE').type).toEqual({ kind: 'document', document: every });
    expect(field('ONE').type).toHaveProperty('document', every);
    expect(field('MANY').type).toMatchObject({ kind: 'list', flat: true, item: { kind: 'document' } });
    expect(field('CODES').type).toEqual({ kind: 'list', flat: false, item: { kind: 'string', length: 2 } });
  });

  it('make documents in place of what they hold', () => {
    expect([...registry.documents.keys()]).toEqual([
      'EVERY',
      'EVERY_INNER',
      'EVERY_INNER_B',
      'EVERY_NAMED',
      'EVERY_ROWS',
    ]);
    expect(registry.documents.get('EVERY_INNER')).toMatchObject({ inPlace: true, open: true, xmlName: 'EVERY_INNER' });
    expect(registry.documents.get('EVERY_ROWS')).toMatchObject({ inPlace: true, open: true });
    expect(registry.documents.get('EVERY_NAMED')).toMatchObject({ xmlName: 'named' });
    expect(field('NAMED').type).toMatchObject({ kind: 'list', flat: true });
  });
});

describe('the gateway', () => {
  it('has a default for everything but its id', () => {
    const { gateway } = load('gateway: Local-1');
    expect(gateway).toEqual({
      id: 'Local-1',
      context: 'gateway',
      listen: { source: '127.0.0.1:8080', parts: [{ kind: 'literal', text: '127.0.0.1:8080' }] },
      database: {
        source: '${env:DATABASE_URL:-sqlite:.signalbox/signalbox.db}',
        parts: [{ kind: 'env', name: 'DATABASE_URL', default: 'sqlite:.signalbox/signalbox.db' }],
      },
      handlers: 'src/handlers',
      namespace: 'urn:signalbox:local-1',
      timezone: 'UTC',
      requires: 'basic',
      delivered: [],
      contracts: 'public',
      cors: [],
      limits: { body: 10 * 1024 ** 2, timeout: 30_000, rows: 100_000, target: 64 * 1024, parameters: 1000 },
      at: { file: 'definitions/example.yaml', line: 1, column: 10 },
    });
  });

  it('takes sizes and times with their units', () => {
    const { gateway, queries } = load(`
gateway: LOCAL
publicUrl: https://example.org/x/
limits: { body: 1 GiB, target: 512, timeout: 500ms }
---
query: Q
public: true
columns: { A: string }
sql: select 'a' as a
timeout: 2 min
rows: 5
`);
    expect(gateway.limits).toMatchObject({ body: 1024 ** 3, target: 512, timeout: 500 });
    expect(gateway.publicUrl?.source).toBe('https://example.org/x');
    expect(queries.get('Q')).toMatchObject({ timeout: 120_000, rows: 5 });
  });
});

describe('versions and switches', () => {
  const service = (id: string, rest = ''): string =>
    `service: ${id}\npublic: true\n${rest}operations: { OP_${id.replace('.', '_')}: { get: a, response: text } }\n`;
  const defaults = (...services: string[]): string[] =>
    [...load(services.join('---\n')).services.values()].filter((each) => each.default).map((each) => each.id);

  it('makes the lowest version the default, until another says so', () => {
    expect(defaults(service('A.v10'), service('A.v2'))).toEqual(['A.v2']);
    expect(defaults(service('A.v1'), service('A.v2', 'default: true\n'))).toEqual(['A.v2']);
    expect(defaults(service('A.v1', 'default: false\n'), service('A.v2'))).toEqual(['A.v2']);
    expect(defaults(service('A.v1', 'default: false\n'))).toEqual([]);
    expect(defaults(service('A.v1'), service('B.v3'))).toEqual(['A.v1', 'B.v3']);
  });

  it('switches an operation off by itself, its service or its routing', () => {
    const registry = load(`
service: A.v1
public: true
active: false
operations: { A_GET: { get: a, response: text } }
---
service: B.v1
public: true
deprecated: true
operations:
  B_GET: { get: b, response: text }
  C_GET: { get: c, response: text, active: false }
  D_GET: { get: d, response: text }
---
routing: D_OFF
operation: D_GET
active: false
log: header
---
routing: B_LOGGED
operation: B_GET
log: header
`);
    const active = [...registry.operations.values()].filter((each) => each.active).map((each) => each.id);
    expect(active).toEqual(['B_GET']);
    expect(registry.services.get('B.v1')?.deprecated).toEqual({});
    expect(registry.routings.map(({ id, generated, active: on, log }) => [id, generated, on, log])).toEqual([
      ['B_LOGGED', false, true, 'header'],
      ['D_OFF', false, false, 'header'],
    ]);
  });
});

describe('delivered services', () => {
  it('are there only where they are switched on, by a version or without', () => {
    expect([...load('gateway: LOCAL').services.keys()]).toEqual([]);
    const on = load(
      'gateway: LOCAL\ndelivered: [QAS_QRY_SERVICE, QAS_QRY_SERVICE.v1]\n---\npermission-list: P\noperations: [QAS_QRY_SERVICE.v1.*]',
    );
    expect(on.gateway.delivered).toEqual(['QAS_QRY_SERVICE.v1']);
    expect([...on.services.keys()]).toEqual(['QAS_QRY_SERVICE.v1']);
  });
});
