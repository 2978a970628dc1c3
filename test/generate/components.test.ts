import { describe, expect, it } from 'vitest';
import { generate, handlerStubs } from '../../src/generate/index.ts';
import { load } from '../load/linked.ts';

const registry = load(`gateway: LOCAL
---
document: PLACE
fields: { ID: { type: string(5), required: true }, NAME: { type: string(30), default: x }, REVISION: integer }
---
component: PLACES
description: Where things are
table: place
shape: PLACE
keys: [ID]
lock: REVISION
events: [{ event: SavePostChange, service: AUDIT }]
---
related-content: AUDIT
description: Writes saves down
class: audit
permission: CLERKS
---
related-content: LOOSE
class: loose
public: true
---
component: JOBS
description: What is to be done
table: job
shape: PLACE
keys: [ID]
after-save: { handler: job-saved, on: [created, updated] }
publish:
  - JOB_SAVED
  - { operation: JOB_SAVED, on: updated, when: { before.NAME: x }, map: { ID: "{before.ID}" } }
---
queue: JOB_EVENTS
---
service: Jobs.v1
public: true
operations:
  JOB_SAVED: { post: saved, request: { fields: { ID: string(5) } }, queue: JOB_EVENTS }
---
permission-list: CLERKS
`);
const files = generate(registry, { schema: { $schema: 'x' } });
const textOf = (name: string): string => files.get(`generated/${name}`) ?? '';

describe('what is generated of components', () => {
  it('types a record as it is in the database: required fields are there, a default may be missing', () => {
    expect(textOf('types.ts')).toContain('export type PLACES_Record = {');
    const [, record = ''] = textOf('types.ts').split('export type PLACES_Record = ');
    expect(record).toMatch(/readonly ID: string;[\s\S]*readonly NAME\?: string \| undefined;/);
  });

  it('types the event of each component', () => {
    expect(textOf('handlers.ts')).toContain(
      'export type PLACES_Event = TypedEvent<Queries, Calls, Flows, PLACES_Record, Components, Programs, Messages>;',
    );
  });

  it('writes components, their registrations and grants into the registry', () => {
    const tree = JSON.parse(textOf('registry.json'));
    expect(tree.components.PLACES).toEqual({
      description: 'Where things are',
      table: 'place',
      shape: 'PLACE',
      keys: ['ID'],
      lock: 'REVISION',
      events: [{ event: 'SavePostChange', service: 'AUDIT', sequence: 1, processing: 'Post Process' }],
    });
    expect(tree['related-content'].AUDIT).toEqual({
      description: 'Writes saves down',
      class: 'audit',
      permissions: ['CLERKS'],
    });
    expect(tree['permission-lists'].CLERKS['related-content']).toEqual(['AUDIT']);
  });

  it('writes code after saves and what they publish into the registry', () => {
    expect(JSON.parse(textOf('registry.json')).components.JOBS).toMatchObject({
      'after-save': { handler: 'job-saved', on: ['created', 'updated'] },
      publish: [
        { operation: 'JOB_SAVED', map: { ID: '{ID}' } },
        { operation: 'JOB_SAVED', on: ['updated'], when: { 'before.NAME': ['x'] }, map: { ID: '{before.ID}' } },
      ],
    });
  });

  it('types the code after saves by the saves that it runs for, and writes a stub of it', () => {
    expect(textOf('handlers.ts')).toContain("export type JOBS_Save = RecordSave<JOBS_Record, 'created' | 'updated'>;");
    expect(textOf('handlers.ts')).toMatch(
      /onSave\(\n {4}save: JOBS_Save,\n {4}context: JOBS_SaveContext,\n {2}\): void/,
    );
    expect(textOf('handlers.ts')).toContain('export function defineAfterSave<Id extends keyof AfterSaves>');
    expect(
      handlerStubs(registry, new Set()).get('src/handlers/job-saved.ts'),
    ).toBe(`import { defineAfterSave } from '../../generated/handlers.ts';

/**
 * What is to be done.
 * Runs in the transaction of the saves of JOBS, after the record was written.
 * The type of the record is JOBS_Record, in generated/types.ts.
 */
export default defineAfterSave('JOBS', {
  onSave(_save, context) {
    context.log('warn', \`after-save of \${context.component} is declared, but its code is not written yet.\`);
  },
});
`);
  });

  it('writes a class that is missing, and none that is there', () => {
    const there = new Set(['src/handlers/loose.ts', 'src/handlers/job-saved.ts']);
    const stubs = handlerStubs(registry, there);
    expect([...stubs.keys()]).toEqual(['src/handlers/audit.ts']);
    expect(stubs.get('src/handlers/audit.ts')).toBe(`import { ServiceInterface } from 'signalbox';
import type { PLACES_Event } from '../../generated/handlers.ts';

/**
 * Writes saves down.
 * SavePostChange of PLACES, sequence number 1
 */
export default class extends ServiceInterface<PLACES_Event> {
  override execute(event: PLACES_Event): void {
    event.log('warn', 'AUDIT is declared, but its code is not written yet.');
  }
}
`);
    expect(handlerStubs(registry, new Set()).get('src/handlers/loose.ts')).toContain(
      'ServiceInterface<ComponentEvent>',
    );
  });
});
