import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { registryFile } from '../../src/generate/registry-file.ts';
import { fitsWildcard } from '../../src/load/security/grants.ts';
import { load } from './linked.ts';

describe('a wildcard', () => {
  it('fits what a regular expression of it does', () => {
    const text = (letters: string) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 });
    fc.assert(
      fc.property(text('ab_'), text('ab_*'), (id, wildcard) => {
        expect(fitsWildcard(id, wildcard)).toBe(new RegExp(`^${wildcard.replaceAll('*', '.*')}$`).test(id));
      }),
      { numRuns: 500 },
    );
  });

  it('ends soon, however many stars it has', () => {
    expect(fitsWildcard('a'.repeat(10_000), `${'*a'.repeat(2000)}*b`)).toBe(false);
  });
});

const registry = load(`permission-list: WIDE
operations: [EMP_*]
queries: ["*"]
processes: [RUN_*]
components: [PLACES]
---
permission-list: OWN
queries: [EMP_ALL]
---
query: EMP_ALL
permission: OWN
columns: { A: integer }
sql: select 1 as a
---
query: EMP_OPEN
public: true
columns: { A: integer }
sql: select 1 as a
---
process: RUN_ALL
type: PSQuery
query: EMP_ALL
---
document: PLACE
fields: { ID: { type: string(5), required: true } }
---
component: PLACES
table: place
shape: PLACE
keys: [ID]
---
component: NOTES
permission: OWN
table: note
shape: PLACE
keys: [ID]
---
component: FREE
table: free
shape: PLACE
keys: [ID]
---
service: Staff.v1
permission: OWN
operations:
  EMP_GET: { get: Employees, query: EMP_ALL }
  EMP_OPEN_GET: { get: Open, query: EMP_OPEN, public: true }
  ROOMS_GET: { get: Rooms, query: EMP_ALL }
`);
const listsOf = (thing: { readonly permissions: readonly { readonly id: string }[] } | undefined) =>
  thing?.permissions.map(({ id }) => id);

describe('what lists add', () => {
  it('stands at the things, beside what they say themselves, each list once', () => {
    expect(listsOf(registry.queries.get('EMP_ALL'))).toEqual(['OWN', 'WIDE']);
    expect(listsOf(registry.processes.get('RUN_ALL'))).toEqual(['WIDE']);
    expect(listsOf(registry.components.get('PLACES'))).toEqual(['WIDE']);
    expect(listsOf(registry.queries.get('EMP_OPEN')), 'what is public needs no list').toEqual([]);
    expect(listsOf(registry.operations.get('EMP_GET'))).toEqual(['OWN', 'WIDE']);
    expect(listsOf(registry.operations.get('ROOMS_GET'))).toEqual(['OWN']);
    expect(listsOf(registry.operations.get('EMP_OPEN_GET'))).toEqual([]);
  });

  it('guards a component, as its own permission does', () => {
    const isOpen = (id: string) => registry.components.get(id)?.public;
    expect(['PLACES', 'NOTES', 'FREE'].map(isOpen)).toEqual([false, false, true]);
  });

  it('is in the text that is reviewed, without the lines that say it', () => {
    const tree = JSON.parse(registryFile(registry)) as Record<string, Record<string, object>>;
    expect(tree['permission-lists']?.WIDE).toMatchObject({
      'adds-queries': ['*'],
      'adds-processes': ['RUN_*'],
      'adds-components': ['PLACES'],
      queries: ['EMP_ALL'],
      processes: ['RUN_ALL'],
      components: ['PLACES'],
    });
    expect(tree.components?.NOTES).toMatchObject({ permissions: ['OWN'] });
    expect(tree.components?.FREE).not.toHaveProperty('permissions');
    expect(registryFile(registry)).not.toContain('grantedAt');
  });
});
