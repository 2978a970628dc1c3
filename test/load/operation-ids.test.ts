import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CommittedOperation } from '../../src/load/committed.ts';
import { type NamesOfService, operationIds } from '../../src/load/services.ts';
import { load } from './linked.ts';

const service = (id: string, ...operations: readonly string[]): NamesOfService => ({
  service: id,
  operations,
  twins: [],
});

/** What `generate` keeps of ids. */
function committed(services: readonly NamesOfService[], ids: ReadonlyMap<string, string>): CommittedOperation[] {
  return services.flatMap(({ service: of, operations }) =>
    operations.map((name) => ({ id: ids.get(`${of}.${name}`) ?? '', service: of, uris: [] })),
  );
}

describe('the id of an operation', () => {
  it.each<[string, readonly NamesOfService[], readonly [string, string][]]>([
    ['is its name', [service('A.v2', 'X')], [['A.v2.X', 'X']]],
    [
      'is its name for the lowest version, not the first in the order of letters',
      [service('A.v10', 'X'), service('A.v2', 'X')],
      [
        ['A.v2.X', 'X'],
        ['A.v10.X', 'A.v10.X'],
      ],
    ],
    [
      'is its name for the first of several services',
      [service('B.v1', 'X'), service('A.v1', 'X')],
      [
        ['A.v1.X', 'X'],
        ['B.v1.X', 'B.v1.X'],
      ],
    ],
    [
      'differs by more than letter case, since files are named after it',
      [service('A.v1', 'X'), service('B.v1', 'x')],
      [
        ['A.v1.X', 'X'],
        ['B.v1.x', 'B.v1.x'],
      ],
    ],
    [
      'comes before that of a SOAP twin',
      [{ ...service('A.v1', 'Y'), twins: ['X'] }, service('B.v2', 'X')],
      [
        ['A.v1.Y', 'Y'],
        ['B.v2.X', 'X'],
        ['A.v1.X', 'A.v1.X'],
      ],
    ],
  ])('%s', (_, services, expected) => {
    expect([...operationIds(services, [])]).toEqual(expect.arrayContaining([...expected]));
  });

  const names = fc.uniqueArray(fc.constantFrom('X', 'Y', 'x', 'Z'), {
    maxLength: 3,
    selector: (name) => name.toLowerCase(),
  });
  const services = fc.dictionary(fc.constantFrom('A.v1', 'A.v2', 'A.v10', 'B.v1', 'C.v1'), names, { maxKeys: 5 });
  const listed = (of: Readonly<Record<string, readonly string[]>>): NamesOfService[] =>
    Object.entries(of).map(([id, operations]) => service(id, ...operations));

  it('is unique, and stays as it is whatever else comes and goes', () => {
    fc.assert(
      fc.property(fc.array(services, { minLength: 1, maxLength: 5 }), (history) => {
        let before: CommittedOperation[] = [];
        for (const each of history.map(listed)) {
          const ids = operationIds(each, before);
          const lower = [...ids.values()].map((id) => id.toLowerCase());
          expect(new Set(lower).size).toBe(lower.length);
          for (const { id, service: of } of before) {
            const qualified = id.includes('.') ? id : `${of}.${id}`;
            if (ids.has(qualified)) expect(ids.get(qualified)).toBe(id);
          }
          before = committed(each, ids);
        }
      }),
    );
  });
});

describe('documents in place of two versions', () => {
  it('have ids of their own, and the same names in XML and contracts', () => {
    const versions = ['v1', 'v2'].map(
      (version) => `service: A.${version}
public: true
operations:
  X: { put: "x/{ID}", soap: Z, request: { fields: { SUB: { list: { fields: { N: integer } } } } }, variables: { fields: { ID: string } }, response: none }
`,
    );
    const { documents } = load(versions.join('---\n'));
    const found = [...documents.values()].map(({ id, name, xmlName }) => [id, name, xmlName]);
    expect(found).toEqual(
      expect.arrayContaining([
        ['X_REQUEST', undefined, 'X_REQUEST'],
        ['A.v2.X_REQUEST', 'X_REQUEST', 'X_REQUEST'],
        ['A.v2.X_REQUEST_SUB', 'X_REQUEST_SUB', 'X_REQUEST_SUB'],
        ['Z_SOAP_REQUEST', undefined, 'Z_SOAP_REQUEST'],
        ['A.v2.Z_SOAP_REQUEST', 'Z_SOAP_REQUEST', 'Z_SOAP_REQUEST'],
      ]),
    );
  });
});
