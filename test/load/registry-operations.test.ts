import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/model/service.ts';
import { documentOf, load, names, operation } from './linked.ts';

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
      maxrows: { name: 'maxrows', type: { kind: 'integer' }, range: { minimum: '0' } },
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
variables: T
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
    variables: none
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
