import { describe, expect, it } from 'vitest';
import { isSame, isSameForm, type Mapping } from '../../src/model/mapping.ts';
import { finalAnswer, reachedBy, type VersionAnswer } from '../../src/model/service.ts';
import { load, operation } from './linked.ts';

const registry = load(`
query: CARS
public: true
prompts: { MAKE: string(10) }
columns: { ID: { type: integer, required: true }, PLATE: string(10) }
sql: select id, plate from car where make = :MAKE
---
document: NODE
fields: { name: string, children: list of NODE }
---
document: OLD_NODE
fields: { name: string, children: list of OLD_NODE }
---
document: SHORT_NODE
fields: { NAME: string, children: list of SHORT_NODE }
---
document: ROW
fields: { ID: { type: integer, required: true }, PLATE: string(10) }
---
document: LONG_ROW
fields: { ID: { type: integer, required: true }, PLATE: string(20) }
---
document: OTHER_ROW
fields: { ID: { type: integer, required: true, json: id }, PLATE: string(10) }
---
service: Cars.v2
public: true
operations:
  CARS_GET: { get: "cars{?MAKE}", query: CARS }
  TREE_PUT: { put: tree, request: NODE, response: NODE, handler: tree }
  TREE_GET: { get: tree, response: NODE, handler: tree }
---
service: Cars.v1
public: true
call: Cars.v2
operations:
  CARS_GET: { get: "cars{?MAKE}", request: { fields: { MAKE: string(10) } }, response: { fields: { rows: list of ROW } } }
  LONG_GET: { get: "long{?MAKE}", call: Cars.v2.CARS_GET, request: { fields: { MAKE: string(10) } }, response: { fields: { rows: list of LONG_ROW } } }
  OTHER_GET: { get: "other{?MAKE}", call: Cars.v2.CARS_GET, request: { fields: { MAKE: string(10) } }, response: { fields: { rows: list of OTHER_ROW } } }
  TREE_PUT: { put: tree, request: OLD_NODE, response: SHORT_NODE }
  TREE_GET: { get: tree }
  FIXED_PUT: { put: fixed, call: Cars.v2.TREE_PUT, map: { request: { name: root } } }
---
service: Cars.v3
public: true
call: Cars.v1
operations:
  TREE_GET: { get: tree }
`);

function answerOf(id: string): VersionAnswer {
  const { answer } = operation(registry, id);
  if (answer.kind !== 'version') throw new TypeError(answer.kind);
  return answer;
}

const replyOf = (id: string): Mapping => answerOf(id).replies[0]?.mapping as Mapping;

describe('an operation that another one answers', () => {
  it('passes a reply on in bytes only if its form is the same', () => {
    expect(['CARS_GET', 'LONG_GET', 'OTHER_GET'].map((id) => isSameForm(replyOf(id)))).toEqual([true, false, false]);
    expect(['CARS_GET', 'LONG_GET', 'OTHER_GET'].map((id) => isSame(replyOf(id)))).toEqual([true, true, true]);
  });

  it('maps documents that contain themselves', () => {
    const { request } = answerOf('TREE_PUT');
    expect(isSame(request)).toBe(true);
    const reply = replyOf('TREE_PUT');
    expect(isSame(reply)).toBe(false);
    const [children] = reply.members;
    expect(children?.field.name).toBe('children');
    expect(children?.from).toMatchObject({ kind: 'field', mapping: reply.members.length === 0 ? undefined : {} });
  });

  it('has the operation of the same name, or the named one, and that one has the rest', () => {
    expect(answerOf('TREE_GET').operation.id).toBe('Cars.v2.TREE_GET');
    expect(answerOf('Cars.v3.TREE_GET').operation.id).toBe('TREE_GET');
    expect(finalAnswer(operation(registry, 'Cars.v3.TREE_GET'))).toMatchObject({ kind: 'handler', file: 'tree' });
    expect(reachedBy(operation(registry, 'CARS_GET').answer)?.map(({ thing }) => thing.id)).toEqual([
      'Cars.v2.CARS_GET',
      'CARS',
    ]);
  });

  it('writes if that one writes', () => {
    expect([operation(registry, 'TREE_PUT').writes, operation(registry, 'TREE_GET').writes]).toEqual([true, false]);
    expect(operation(registry, 'FIXED_PUT').writes).toBe(true);
  });
});
