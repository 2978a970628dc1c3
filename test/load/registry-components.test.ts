import { describe, expect, it } from 'vitest';
import { documentOf, load, names, operation } from './linked.ts';

const TEXT = `document: PLACE
fields:
  REGION: { type: string(1), required: true }
  ID: { type: integer, required: true }
  NAME: { type: string(30), required: true }
  STATUS: { type: string(1), default: A }
  REVISION: integer
---
component: PLACES
table: Place
shape: PLACE
keys: [REGION, ID]
lock: REVISION
events:
  - { event: SavePostChange, service: AUDIT, sequence: 2 }
  - { event: SavePreChange, service: AUDIT, sequence: 7 }
  - { event: SavePostChange, service: AUDIT, enabled: false }
---
related-content: AUDIT
class: audit
public: true
---
service: Places.v1
public: true
request: PLACE
response: text
variables: PLACE
operations:
  GET_IT: { get: "places/{REGION}/{ID}", read: PLACES, soap: true }
  POST_IT: { post: places, save: PLACES }
  PUT_IT: { put: "places/{REGION}/{ID}", save: PLACES }
  PATCH_IT: { patch: "places/{REGION}/{ID}", save: PLACES, soap: true }
  DELETE_IT: { delete: "places/{REGION}/{ID}", save: PLACES, soap: true }
  SOAP_IT: { soap: true, save: PLACES }
  OTHER_POST: { post: others, save: PLACES, status: 202, response: none }
`;

describe('components', () => {
  const registry = load(TEXT);

  it('know their classes in the order in which they run, with what their events mean', () => {
    const [component] = [...registry.components.values()];
    expect(component?.events.map(({ at: _, service, ...each }) => ({ ...each, service: service.id }))).toEqual([
      { event: 'SavePreChange', sequence: 7, processing: 'Pre Process', enabled: true, service: 'AUDIT' },
      { event: 'SavePostChange', sequence: 1, processing: 'Post Process', enabled: false, service: 'AUDIT' },
      { event: 'SavePostChange', sequence: 2, processing: 'Post Process', enabled: true, service: 'AUDIT' },
    ]);
  });

  it.each([
    ['GET_IT', 'read', 200, ['REGION', 'ID'], 'PLACE'],
    ['POST_IT', 'create', 201, ['REGION', 'ID', 'NAME', 'STATUS', 'REVISION'], 'PLACE'],
    ['PUT_IT', 'put', 200, ['REGION', 'ID', 'NAME', 'STATUS', 'REVISION'], 'PLACE'],
    ['PATCH_IT', 'patch', 200, ['REGION', 'ID', 'NAME', 'STATUS', 'REVISION'], 'PLACE'],
    ['DELETE_IT', 'delete', 200, ['REGION', 'ID', 'REVISION'], undefined],
    ['SOAP_IT', 'put', 200, ['REGION', 'ID', 'NAME', 'STATUS', 'REVISION'], 'PLACE'],
    ['OTHER_POST', 'create', 202, ['REGION', 'ID', 'NAME', 'STATUS', 'REVISION'], undefined],
  ])('make the request and the reply of %s', (id, action, status, fields, reply) => {
    const found = operation(registry, id);
    expect(found.answer).toMatchObject({ kind: 'component', action });
    expect(found.status).toBe(status);
    expect(names(documentOf(found.request).fields)).toEqual(fields);
    const message = found.responses[0]?.message;
    expect(message?.kind === 'document' ? message.document.id : undefined).toBe(reply);
  });

  it('ask of a change its keys alone, and fill nothing in', () => {
    const { fields, patch } = documentOf(operation(registry, 'PATCH_IT').request);
    expect(names(patch?.clearable ?? [])).toEqual(['STATUS']);
    expect(patch?.clear).toBeUndefined();
    expect(fields.filter(({ required }) => required).map(({ name }) => name)).toEqual(['REGION', 'ID']);
    expect(fields.filter((field) => field.default !== undefined)).toEqual([]);
  });

  it('have a change over SOAP name what it empties', () => {
    const { fields, patch } = documentOf(operation(registry, 'PATCH_IT').soap?.request);
    expect(names(fields)).toEqual(['REGION', 'ID', 'NAME', 'STATUS', 'REVISION', 'clear']);
    expect(patch?.clear).toMatchObject({ xmlName: 'clear', required: false, enum: names(patch?.clearable ?? []) });
  });

  it('answer over SOAP with the keys of what was removed', () => {
    expect(names(documentOf(operation(registry, 'DELETE_IT').soap?.response).fields)).toEqual(['REGION', 'ID']);
  });
});

describe('what saves publish', () => {
  const registry = load(`document: JOB
fields:
  ID: { type: integer, required: true }
  STATUS: { type: string(8), enum: [OPEN, CLOSED], default: OPEN }
  PAID: boolean
---
component: JOBS
table: job
shape: JOB
keys: [ID]
after-save: { handler: job-saved, on: [deleted, created], when: { PAID: true }, as: CLERKS }
publish:
  - EVENTS
  - operation: Events.v1.CLOSED
    on: updated
    when: { STATUS: CLOSED, before.STATUS: [OPEN] }
    map: { NUMBER: "{ID}", WAS: "{before.STATUS}", LABEL: "{save.action} {ID}", SOURCE: jobs }
---
{ role: CLERKS, permission-lists: [] }
---
queue: EVENTS
---
queue: CLOSINGS
---
service: Events.v1
public: true
operations:
  CHANGED: { post: changed, request: { fields: { ID: integer, STATUS: string } }, queue: EVENTS }
  CLOSED: { post: closed, request: { fields: { NUMBER: integer, WAS: string, LABEL: text, SOURCE: string, MORE: string } }, queue: CLOSINGS }
`);
  const component = registry.components.get('JOBS');

  it('has the saves that are meant, all by default, in one order', () => {
    const { as, at: _, ...afterSave } = component?.afterSave ?? {};
    expect(afterSave).toEqual({
      file: 'job-saved',
      on: ['created', 'deleted'],
      when: [{ field: 'PAID', values: [true] }],
    });
    expect(as).toBe(registry.roles.get('CLERKS'));
    expect(component?.publications.map(({ on, when }) => ({ on, when }))).toEqual([
      { on: ['created', 'updated', 'deleted'], when: [] },
      {
        on: ['updated'],
        when: [
          { field: 'STATUS', values: ['CLOSED'] },
          { field: 'before.STATUS', values: ['OPEN'] },
        ],
      },
    ]);
  });

  it('has the operation, found by its queue if that has no other, and what fills its request', () => {
    const [byQueue, named] = component?.publications ?? [];
    expect([byQueue?.operation, named?.operation]).toEqual([
      operation(registry, 'CHANGED'),
      operation(registry, 'CLOSED'),
    ]);
    const filled = ({ input }: NonNullable<typeof named>) =>
      input.map(({ field, from }) => [
        field.name,
        from.kind === 'field' ? from.field.name : from.kind === 'built' ? from.text.source : from.value,
      ]);
    expect(filled(byQueue!)).toEqual([
      ['ID', 'ID'],
      ['STATUS', 'STATUS'],
    ]);
    expect(filled(named!)).toEqual([
      ['NUMBER', 'ID'],
      ['WAS', 'before.STATUS'],
      ['LABEL', '{save.action} {ID}'],
      ['SOURCE', 'jobs'],
    ]);
  });
});
